__kernel void exponentials(__global float *a) { size_t i = get_global_id(0); a[i] = exp(a[i]) + exp2(a[i + 1]) + exp10(a[i + 2]) + expm1(a[i + 3]); }
__kernel void logarithms(__global float *a) { size_t i = get_global_id(0); a[i] = log(a[i]) + log2(a[i + 1]) + log10(a[i + 2]) + log1p(a[i + 3]); }
__kernel void powers(__global float *a, int n) { size_t i = get_global_id(0); a[i] = pow(a[i], a[i + 1]) + pown(a[i + 2], n) + powr(a[i + 3], 1.5f) + rootn(a[i + 4], n); }
