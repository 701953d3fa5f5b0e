#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void halfs(__global half *a, __global half *b, float s)
{ size_t i = get_global_id(0); half x = a[i], y = b[i]; a[i] = x * y + (half)s; b[i] = x / y; if (x > y) a[i] = fma(x, y, (half)0.1h); }
__kernel void half_float(__global half *a, __global float *b)
{ size_t i = get_global_id(0); b[i] = vload_half(i, a) * 2.0f; vstore_half(b[i + 1], i, a); vstore_half_rtz(b[i + 2], i, a); }
__kernel void half_vectors(__global half4 *a, half s)
{ size_t i = get_global_id(0); a[i] = a[i] * s + a[i + 1].wzyx; a[i].x = sqrt(a[i].y) + native_exp((float)a[i].z); }
__kernel void half_math(__global half *a)
{ size_t i = get_global_id(0); a[i] = sin(a[i]) + exp(a[i + 1]) + rsqrt(a[i + 2]) + floor(a[i + 3]); }
