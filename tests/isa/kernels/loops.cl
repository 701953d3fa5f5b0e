__kernel void nested(__global int *a, int n) { size_t i = get_global_id(0); int s = 0; for (int j = 0; j < a[i]; j++) { for (int k = 0; k < j; k++) { if (a[k] == 7) continue; if (a[k] > 100) break; s += a[k] * j; } if (s > 1000) break; } a[i] = s; }
__kernel void while_loop(__global uint *a) { size_t i = get_global_id(0); uint x = a[i], n = 0; while (x != 1 && n < 1000) { x = x & 1 ? 3 * x + 1 : x >> 1; n++; } a[i] = n; }
__kernel void do_loop(__global float *a) { size_t i = get_global_id(0); float x = a[i]; int n = 0; do { x = x * 0.5f + 1.0f; } while (fabs(x - 2.0f) > 1e-3f && ++n < 50); a[i] = x; }
__kernel void uniform_loop(__global float *a, int n) { float s = 0; for (int j = 0; j < n; j++) s += a[j]; a[get_global_id(0)] = s; }
__kernel void early_return(__global int *a) { size_t i = get_global_id(0); if (a[i] < 0) return; for (int j = 0; j < 100; j++) { if (a[j] == a[i]) { a[i] = j; return; } } a[i] = -1; }
__kernel void unrolled(__global float *a) { size_t i = get_global_id(0); float s = 0; __attribute__((opencl_unroll_hint(8))) for (int j = 0; j < 64; j++) s += a[i * 64 + j]; a[i] = s; }
