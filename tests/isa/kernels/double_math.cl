#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void double_exp(__global double *a) { size_t i = get_global_id(0); a[i] = exp(a[i]) + log(a[i + 1]); }
__kernel void double_sin(__global double *a) { size_t i = get_global_id(0); a[i] = sin(a[i]); }
