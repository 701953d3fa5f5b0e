#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define EACH(f) __kernel void d_##f(__global double *a) { size_t i = get_global_id(0); a[i] = f(a[i]); }
EACH(acos) EACH(asin) EACH(atan) EACH(cbrt) EACH(cosh) EACH(erf) EACH(exp2) EACH(expm1) EACH(log10) EACH(rint) EACH(rsqrt) EACH(tan) EACH(trunc) EACH(lgamma)
#define PAIR(f) __kernel void d_##f(__global double *a) { size_t i = get_global_id(0); a[i] = f(a[i], a[i + 1]); }
PAIR(atan2) PAIR(fmod) PAIR(hypot) PAIR(pow) PAIR(remainder) PAIR(nextafter) PAIR(fdim)
__kernel void d_vectors(__global double4 *a, __global long4 *b) { size_t i = get_global_id(0); a[i] = fma(a[i], a[i + 1], a[i + 2]) / a[i + 3]; b[i] = isgreater(a[i], a[i + 1]) + convert_long4_rtp(a[i]); a[i] = select(a[i], a[i + 1], b[i]); }
__kernel void d_convert(__global double *a, __global float *f, __global int *n, __global ulong *u) { size_t i = get_global_id(0); f[i] = convert_float_rtz(a[i]); n[i] = convert_int_sat(a[i]); u[i] = convert_ulong_rtn(a[i]); a[i] = (double)n[i + 1] + (double)u[i + 1] + f[i + 1]; }
