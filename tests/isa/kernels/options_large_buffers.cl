// options: -cl-intel-greater-than-4GB-buffer-required
__kernel void stateless(__global int *a, __global char *c, __global double *d, __global short *s) { size_t i = get_global_id(0); a[i] = a[i + 1] + c[i] + s[i]; c[i + 1] = a[i]; s[i + 2] = a[i] >> 2; d[i] = d[i + 1] * 2.0; atomic_add(a, 3); }
__kernel void stateless_vectors(__global float4 *a, __global uchar4 *c) { size_t i = get_global_id(0); a[i] = a[i + 1] * 2.0f; c[i] = c[i + 1].wzyx; }
