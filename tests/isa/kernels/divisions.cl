#define EACH(T) __kernel void divide_##T(__global T *a) { size_t i = get_global_id(0); T d = a[i + 1] | 1; a[i] = a[i] / d + a[i + 2] % d; } \
__kernel void divide_constant_##T(__global T *a) { size_t i = get_global_id(0); a[i] = a[i] / (T)7 + a[i + 1] % (T)10 + a[i + 2] / (T)8; }
EACH(char) EACH(uchar) EACH(short) EACH(ushort) EACH(int) EACH(uint) EACH(long) EACH(ulong)
