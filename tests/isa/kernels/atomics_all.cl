#define EACH(where) \
__kernel void atomics_##where(__##where int *a, __##where uint *b, __global int *c) { size_t i = get_global_id(0); \
  c[i] = atomic_add(&a[0], c[i]) + atomic_sub(&a[1], 2) + atomic_xchg(&a[2], c[i]) + atomic_inc(&a[3]) + atomic_dec(&a[4]) + atomic_cmpxchg(&a[5], 1, c[i]); \
  c[i] += atomic_min(&a[6], c[i]) + atomic_max(&a[7], c[i]) + atomic_min(&b[0], 3u) + atomic_max(&b[1], 4u) + atomic_and(&a[8], c[i]) + atomic_or(&b[2], 9u) + atomic_xor(&a[9], 5); } \
__kernel void atomics_float_##where(__##where float *f, __global float *c) { size_t i = get_global_id(0); c[i] = atomic_xchg(&f[0], c[i]); } \
__kernel void atomics_unused_##where(__##where int *a, __##where uint *b, __global int *c) { size_t i = get_global_id(0); atomic_add(&a[i], c[i]); atomic_max(&b[i], 7u); atomic_or(&a[i + 1], 1); }
EACH(global) EACH(local)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void atomics_long(__global long *a, __global ulong *b) { size_t i = get_global_id(0); b[i] = atom_add(&a[0], 3L) + atom_cmpxchg(&a[1], 2L, 5L) + atom_min(&a[2], 9L) + atom_or(&b[0], 4UL) + atom_xchg(&b[1], 8UL) + atom_max(&b[2], 6UL); }
