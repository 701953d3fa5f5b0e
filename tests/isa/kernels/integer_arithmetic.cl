#define OPS(T) __kernel void ops_##T(__global T *a, __global T *b, T s) \
{ size_t i = get_global_id(0); T x = a[i], y = b[i]; \
  a[i] = (T)(x + y * s - (x / (T)(y | 1)) + (x % (T)(s | 1))); \
  b[i] = (T)((x << (y & 7)) ^ (x >> (s & 3)) ^ ~y); }
OPS(char) OPS(uchar) OPS(short) OPS(ushort) OPS(int) OPS(uint) OPS(long) OPS(ulong)
