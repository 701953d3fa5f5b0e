#define SUM(T, a, b) ((int)a.x * b.x + (int)a.y * b.y + (int)a.z * b.z + (int)a.w * b.w)
__kernel void dot_signed(__global char4 *a, __global char4 *b, __global int *c) { size_t i = get_global_id(0); c[i] += SUM(char, a[i], b[i]); }
__kernel void dot_unsigned(__global uchar4 *a, __global uchar4 *b, __global int *c) { size_t i = get_global_id(0); c[i] += SUM(uchar, a[i], b[i]); }
__kernel void dot_floats(__global float *a, __global float *b, __global float *c, int n) { size_t i = get_global_id(0); float s = 0; for (int k = 0; k < n; k++) s = fma(a[i * n + k], b[k], s); c[i] = s; }
__kernel void three_operands(__global int *a, __global uint *b) { size_t i = get_global_id(0); a[i] = a[i] + a[i + 1] + a[i + 2]; b[i] = (b[i] & b[i + 1]) | (~b[i] & b[i + 2]); b[i + 3] = b[i] ^ b[i + 1] ^ b[i + 2]; b[i + 4] = (b[i] & 0xff00ff) | (b[i + 1] & ~0xff00ffu); }
