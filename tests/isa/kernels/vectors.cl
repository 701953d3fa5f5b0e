__kernel void vectors(__global float4 *a, __global int4 *b, __global float16 *w)
{ size_t i = get_global_id(0); a[i] = a[i].wzyx * (float4)(1, 2, 3, 4) + a[i + 1]; b[i] = b[i].xxyy + shuffle(b[i + 1], (uint4)(3, 1, 2, 0)); w[i] = w[i] * 2.0f; w[i].s3 = w[i].sa + a[i].x; }
__kernel void selects(__global int4 *a, __global float4 *f) { size_t i = get_global_id(0); a[i] = select(a[i], a[i + 1], f[i] < f[i + 1]); a[i + 1].x = any(a[i] > 3) + all(a[i] < 9); }
__kernel void bytes16(__global uchar16 *a, uchar s) { size_t i = get_global_id(0); a[i] = a[i] + s; a[i + 1] = a[i].s0123456789abcdef ^ a[i + 2].sfedcba9876543210; }
__kernel void loads(__global float *a, __global short *s) { size_t i = get_global_id(0); float3 v = vload3(i, a); vstore3(v.zxy, i, a + 7); short8 t = vload8(i, s); vstore8(t.s76543210, i, s + 3); }
__kernel void shorts8(__global short8 *a) { size_t i = get_global_id(0); a[i] = a[i] * a[i + 1] + (short8)(5); }
__kernel void dynamic(__global int *a, int n) { size_t i = get_global_id(0); int8 v = vload8(i, a); int r[8]; vstore8(v, 0, r); a[i] = r[n & 7]; }
