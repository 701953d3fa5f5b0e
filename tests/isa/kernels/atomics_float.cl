#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void float_exchange(__global float *a, __global float *r) { size_t i = get_global_id(0); r[i] = atomic_xchg(a, r[i]); }
__kernel void compare_loop(volatile __global uint *a, float v) { uint old = *a, expected; do { expected = old; old = atomic_cmpxchg(a, expected, as_uint(as_float(expected) + v)); } while (old != expected); }
__kernel void long_atomics(__global long *a, __global long *r) { size_t i = get_global_id(0); r[i] = atom_add(a, 5L) + atom_xchg(a + 1, 7L) + atom_cmpxchg(a + 2, 1L, 2L) + atom_inc(a + 3); }
