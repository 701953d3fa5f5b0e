#define EACH(T) \
__kernel void bits_##T(__global T *a) { size_t i = get_global_id(0); T x = a[i], y = a[i + 1]; \
  a[i] = popcount(x) + clz(y) + ctz(x) + rotate(x, y) + bitselect(x, y, a[i + 2]); \
  a[i] ^= mul_hi(x, y) + hadd(x, y) + rhadd(x, y) + add_sat(x, y) + sub_sat(x, y) + mad_sat(x, y, a[i + 3]) + mad_hi(x, y, a[i + 4]); \
  a[i] += clamp(x, (T)3, (T)90) + max(x, y) * min(x, y); }
EACH(char) EACH(uchar) EACH(short) EACH(ushort) EACH(int) EACH(uint) EACH(long) EACH(ulong)
__kernel void bits_mixed(__global int *a, __global uint *b, __global long *c, __global ushort *d) { size_t i = get_global_id(0); a[i] = mul24(a[i], a[i + 1]) + mad24(a[i], 3, a[i + 2]); b[i] = abs_diff(a[i], a[i + 1]) + abs(a[i + 2]); c[i] = upsample(a[i], b[i]) + upsample(a[i], (uint)d[i]); }
