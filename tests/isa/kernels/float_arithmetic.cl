__kernel void floats(__global float *a, __global float *b, float s)
{ size_t i = get_global_id(0); float x = a[i], y = b[i];
  a[i] = x * y + s; b[i] = x / y - s; if (x < y) a[i] = -fabs(x) + 1.5f; }
__kernel void madds(__global float *a, float s)
{ size_t i = get_global_id(0); a[i] = fma(a[i], s, 2.0f) + mad(a[i], a[i + 1], s); }
__kernel void rounds(__global float *a)
{ size_t i = get_global_id(0); a[i] = floor(a[i]) + ceil(a[i + 1]) + rint(a[i + 2]) + trunc(a[i + 3]) + fract(a[i + 4], a + i); }
__kernel void saturates(__global float *a)
{ size_t i = get_global_id(0); a[i] = clamp(a[i] * 3.0f, 0.0f, 1.0f) + fmin(a[i], fmax(a[i + 1], 2.0f)); }
__kernel void constants(__global float *a)
{ size_t i = get_global_id(0); a[i] = a[i] * 3.14159265f + 1e-20f * a[i + 1] + 1e30f + 65504.0f * a[i + 2] - 0.1f; a[i + 1] = NAN; a[i + 2] = -INFINITY; a[i + 3] = -0.0f; }
