#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void doubles(__global double *a, __global double *b, double s)
{ size_t i = get_global_id(0); double x = a[i], y = b[i]; a[i] = x * y + s; b[i] = x / y; if (x < y) a[i] = fma(x, y, 0.1); }
__kernel void double_sqrt(__global double *a)
{ size_t i = get_global_id(0); a[i] = sqrt(a[i]) + rsqrt(a[i + 1]); }
__kernel void double_convert(__global double *a, __global long *l, __global int *n, __global float *f)
{ size_t i = get_global_id(0); a[i] = (double)l[i] + (double)n[i] + (double)f[i]; l[i] = (long)a[i + 1]; n[i] = (int)a[i + 2]; f[i] = (float)a[i + 3]; n[i + 1] = (uint)a[i + 4]; }
__kernel void double_round(__global double *a)
{ size_t i = get_global_id(0); a[i] = floor(a[i]) + rint(a[i + 1]) + trunc(a[i + 2]) + fmax(a[i + 3], fabs(a[i + 4])); }
