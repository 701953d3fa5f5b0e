__kernel void longs(__global long *a, __global long *b, long s)
{ size_t i = get_global_id(0); a[i] = a[i] * b[i] + s; b[i] = a[i] / (b[i] | 1); }
__kernel void ulongs(__global ulong *a, __global ulong *b)
{ size_t i = get_global_id(0); a[i] = a[i] % (b[i] | 1) + mul_hi(a[i], b[i]) + (a[i] >> (b[i] & 63)); }
__kernel void long_compare(__global long *a, __global int *r)
{ size_t i = get_global_id(0); r[i] = a[i] < a[i + 1] ? (a[i] == a[i + 2]) : (a[i] >= a[i + 3]); a[i] = max(a[i], a[i + 1]); }
__kernel void long_bits(__global ulong *a)
{ size_t i = get_global_id(0); a[i] = popcount(a[i]) + clz(a[i + 1]) + rotate(a[i + 2], 13UL) + (a[i] & 0xff00ff00ff00ff00UL); }
__kernel void long_constant(__global long *a)
{ size_t i = get_global_id(0); a[i] = 0x123456789abcdefL; a[i + 1] = a[i] + 0x7fffffffffL; }
