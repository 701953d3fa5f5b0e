typedef struct { int a[6]; float f; long l; } parcel;
__attribute__((noinline)) parcel pack(int x, float f, long l) { parcel p; for (int i = 0; i < 6; i++) p.a[i] = x * i; p.f = f; p.l = l; return p; }
__attribute__((noinline)) long unpack(parcel p, int n) { long s = p.l + (long)p.f; for (int i = 0; i < n; i++) s += p.a[i % 6]; return s; }
__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h, long i, float j, char k, short4 l) { return a * b + c * d - e * f + g * h + (int)i + (int)j + k + l.x * l.w; }
__attribute__((noinline)) void swap_local(__local int *a, __local int *b) { int t = *a; *a = *b; *b = t; }
__attribute__((noinline)) float4 blend(float4 a, float4 b, float s) { return s > 0.5f ? mix(a, b, s) : a * s; }
__attribute__((noinline)) int depth3(int x) { return x * 3 + 1; }
__attribute__((noinline)) int depth2(__global int *a, int x) { return depth3(x) + depth3(a[x & 7]); }
__attribute__((noinline)) int depth1(__global int *a, int x) { int s = 0; for (int i = 0; i < x; i++) s += depth2(a, i); return s; }
__kernel void call_structs(__global long *a, __global float *f) { size_t i = get_global_id(0); a[i] = unpack(pack((int)a[i], f[i], a[i + 1]), 9); }
__kernel void call_many(__global int *a) { size_t i = get_global_id(0); a[i] = many(a[i], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], (short4)a[11]); }
__kernel void call_local(__global int *a, __local int *l) { size_t i = get_local_id(0); l[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); if (i & 1) swap_local(&l[i], &l[i - 1]); barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[i]; }
__kernel void call_vectors(__global float4 *a) { size_t i = get_global_id(0); a[i] = blend(a[i], a[i + 1], a[i + 2].x) + blend(a[i + 3], a[i], 0.75f); }
__kernel void call_chain(__global int *a) { size_t i = get_global_id(0); if (a[i] > 3) a[i] = depth1(a, a[i]); }
