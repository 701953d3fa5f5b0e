__kernel void trigonometric(__global float *a) { size_t i = get_global_id(0); float c; a[i] = sincos(a[i], &c) + c + tan(a[i + 1]); }
__kernel void inverse(__global float *a) { size_t i = get_global_id(0); a[i] = asin(a[i]) + acos(a[i + 1]) + atan(a[i + 2]) + atan2(a[i + 3], a[i + 4]); }
__kernel void hyperbolic(__global float *a) { size_t i = get_global_id(0); a[i] = sinh(a[i]) + cosh(a[i + 1]) + tanh(a[i + 2]); }
