__kernel void half_loads(__global const half *h, __global float *a) { size_t i = get_global_id(0); a[i] = vload_half(i, h); vstore4(vload_half4(i, h), i, a); vstore16(vloada_half16(i, h), i, a); }
__kernel void half_stores(__global half *h, __global const float *a) { size_t i = get_global_id(0); vstore_half_rte(a[i], i, h); vstore_half_rtz(a[i], i + 1, h); vstore_half_rtp(a[i], i + 2, h); vstore_half_rtn(a[i], i + 3, h); vstore_half8(vload8(i, a), i, h); }
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void half_vectors(__global half8 *a, half s) { size_t i = get_global_id(0); half8 x = a[i]; a[i] = fma(x, a[i + 1], (half8)s) + sqrt(fabs(x)) - min(x, (half8)s); }
__kernel void half_compare(__global half4 *a, __global short4 *b) { size_t i = get_global_id(0); b[i] = isless(a[i], a[i + 1]) & isnan(a[i + 2]) | (a[i] == a[i + 3]); }
__kernel void half_convert(__global half *a, __global int *b, __global char *c, __global ulong *d) { size_t i = get_global_id(0); a[i] = convert_half_rtz(b[i]) + convert_half(c[i]); d[i] = convert_ulong_sat(a[i]); c[i] = convert_char_sat_rte(a[i]); }
