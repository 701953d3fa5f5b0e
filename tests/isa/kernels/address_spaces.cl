__constant int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant float curve[8] = {0.1f, 0.2f, 0.4f, 0.8f, 1.6f, 3.2f, 6.4f, 12.8f};
__kernel void constants(__global int *a, __constant int *c, __constant float *f) { size_t i = get_global_id(0); a[i] = table[a[i] & 15] + c[i] + (int)(curve[a[i + 1] & 7] * f[3]); }
__kernel void generic_pointers(__global int *a, __local int *l, int n) { int p[4] = {1, 2, 3, n}; int *q = n > 3 ? (int *)l : n > 1 ? (int *)a : (int *)p; *q += 5; a[get_global_id(0)] = *q + p[n & 3]; }
__kernel void pointers(__global int *__global *a, int n) { size_t i = get_global_id(0); a[i][n] = 3; }
typedef struct { int x; float y; char z[3]; long w; } record;
__kernel void records(__global record *r, record s) { size_t i = get_global_id(0); r[i].x = r[i + 1].x + s.x; r[i].y *= s.y; r[i].z[1] ^= s.z[2]; r[i].w -= s.w; }
