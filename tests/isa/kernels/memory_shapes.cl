__kernel void chars(__global char *a) { size_t i = get_global_id(0); a[i] = a[i + 1] + a[2 * i]; }
__kernel void shorts(__global short *a) { size_t i = get_global_id(0); a[i] = a[i + 1] * a[3 * i]; }
__kernel void longs(__global long *a) { size_t i = get_global_id(0); a[i] = a[i + 1] - a[2 * i]; }
__kernel void char4s(__global char4 *a) { size_t i = get_global_id(0); a[i] = a[i + 1] + a[i].yxwz; }
__kernel void int2s(__global int2 *a) { size_t i = get_global_id(0); a[i] = a[i + 1].yx; }
__kernel void int3s(__global int3 *a) { size_t i = get_global_id(0); a[i] = a[i + 1].zyx; }
__kernel void int8s(__global int8 *a) { size_t i = get_global_id(0); a[i] = a[i + 1] * 3; }
__kernel void gathered(__global int *a, __global uint *x) { size_t i = get_global_id(0); a[x[i]] = a[x[i + 1]] + a[x[i + 2] * 4 + 1]; }
__kernel void uniform(__global int *a, __global int *b) { a[get_global_id(0)] = b[0] + b[17] + b[get_group_id(0)]; }
