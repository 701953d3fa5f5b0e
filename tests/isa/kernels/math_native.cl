__kernel void natives(__global float *a)
{ size_t i = get_global_id(0); a[i] = native_sin(a[i]) + native_cos(a[i + 1]) + native_exp2(a[i + 2]) + native_log2(a[i + 3]) + native_sqrt(a[i + 4]) + native_rsqrt(a[i + 5]) + native_recip(a[i + 6]) + native_powr(a[i + 7], a[i + 8]) + native_divide(a[i], a[i + 9]); }
