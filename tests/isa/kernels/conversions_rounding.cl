__kernel void round_modes(__global float *f, __global int *n, __global uchar *c)
{ size_t i = get_global_id(0); n[i] = convert_int_rte(f[i]) + convert_int_rtp(f[i + 1]) + convert_int_rtn(f[i + 2]) + convert_int_rtz(f[i + 3]); c[i] = convert_uchar_sat_rte(f[i]); f[i] = convert_float_rtn(n[i]) + convert_float_rtp(n[i + 1]); }
__kernel void bits(__global float *f, __global int *n) { size_t i = get_global_id(0); n[i] = as_int(f[i]) ^ 0x80000000; f[i + 1] = as_float(n[i + 1] & 0x7fffffff); }
__kernel void bytes(__global uchar4 *c, __global uint *u) { size_t i = get_global_id(0); u[i] = as_uint(c[i]) + c[i + 1].y; c[i] = convert_uchar4_sat(convert_int4(c[i]) * 3); }
