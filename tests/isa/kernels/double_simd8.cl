#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__attribute__((intel_reqd_sub_group_size(8)))
__kernel void double_simd8(__global double *a, double s) { size_t i = get_global_id(0); a[i] = a[i] / s + pow(a[i + 1], s); }
