#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void double_exp(__global double *a) { size_t i = get_global_id(0); a[i] = exp(a[i]) + log(a[i + 1]); }
__kernel void double_sin(__global double *a) { size_t i = get_global_id(0); a[i] = sin(a[i]); }
__attribute__((intel_reqd_sub_group_size(8)))
__kernel void double_simd8(__global double *a, double s) { size_t i = get_global_id(0); a[i] = a[i] / s + pow(a[i + 1], s); }
