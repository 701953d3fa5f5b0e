#define OPERATIONS(T, N) \
__kernel void v_##T##N(__global T##N *a, __global T *b) { size_t i = get_global_id(0); T##N x = a[i], y = vload##N(i, b); \
  x = x * y + (x - y) / (T)3; x = select(x, y, x > y); vstore##N(x.s0 + y, i, b + 1); a[i] = x; }
#define ALL(T) OPERATIONS(T, 2) OPERATIONS(T, 4) OPERATIONS(T, 8) OPERATIONS(T, 16)
ALL(char) ALL(short) ALL(int)
OPERATIONS(uchar, 3) OPERATIONS(ushort, 3) OPERATIONS(uint, 3) OPERATIONS(long, 2) OPERATIONS(ulong, 4)
__kernel void swizzles(__global float8 *a) { size_t i = get_global_id(0); float8 x = a[i]; x.hi = x.even.wzyx; x.s37 = x.s04; x.odd += x.lo; a[i] = x; }
__kernel void shuffles(__global int8 *a, __global uint8 *m) { size_t i = get_global_id(0); a[i] = shuffle2(a[i], a[i + 1], m[i]) + shuffle(a[i + 2], m[i]); }
__kernel void vector_index(__global float16 *a, int n) { size_t i = get_global_id(0); float16 x = a[i]; float *p = (float *)&x; p[n & 15] = p[(n + 3) & 15]; a[i] = x; }
