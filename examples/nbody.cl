/* One time step of n bodies under gravity; xyz position, w mass. */
kernel void nbody_step(global const float4 *position, global float4 *velocity,
                       global float4 *next, int n, float dt)
{
    int i = get_global_id(0);
    float4 self = position[i];
    float3 acceleration = (float3)(0.0f);
    for (int j = 0; j < n; j++) {
        float4 other = position[j];
        float3 d = other.xyz - self.xyz;
        float r2 = dot(d, d) + 0.01f;
        float inverse = rsqrt(r2);
        acceleration += d * (other.w * inverse * inverse * inverse);
    }
    float3 v = velocity[i].xyz + acceleration * dt;
    velocity[i] = (float4)(v, 0.0f);
    next[i] = (float4)(self.xyz + v * dt, self.w);
}
