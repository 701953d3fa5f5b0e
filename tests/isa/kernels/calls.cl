__attribute__((noinline)) int helper(__global int *a, int x) { int s = 0; for (int i = 0; i < x; i++) s += a[i] * x; return s; }
__attribute__((noinline)) float other(float x, float4 v) { return sin(x) * v.x + v.w; }
__kernel void calls(__global int *a, __global float4 *f) { size_t i = get_global_id(0); int x = helper(a, a[i]); if (x > 5) x += helper(a + 1, x & 15); a[i] = x; f[i].x = other(f[i].y, f[i + 1]); }
__attribute__((noinline)) int recursive(int n) { if (n < 2) return n; return recursive(n - 1) + recursive(n - 2); }
__kernel void recursion(__global int *a) { size_t i = get_global_id(0); a[i] = helper(a, 3) + a[i + 1]; }
