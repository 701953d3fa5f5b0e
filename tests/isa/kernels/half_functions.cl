#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define EACH(f) __kernel void h_##f(__global half *a) { size_t i = get_global_id(0); a[i] = f(a[i]); }
EACH(sqrt) EACH(rsqrt) EACH(exp2) EACH(log2) EACH(floor) EACH(ceil) EACH(trunc) EACH(rint) EACH(round) EACH(fabs) EACH(sin) EACH(tanh)
#define PAIR(f) __kernel void h_##f(__global half *a) { size_t i = get_global_id(0); a[i] = f(a[i], a[i + 1]); }
PAIR(fmin) PAIR(fmax) PAIR(pow) PAIR(fmod) PAIR(hypot) PAIR(copysign)
