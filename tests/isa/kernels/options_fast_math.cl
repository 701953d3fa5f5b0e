// options: -cl-fast-relaxed-math -cl-mad-enable
__kernel void fast(__global float *a) { size_t i = get_global_id(0); a[i] = sin(a[i]) / exp(a[i + 1]) + sqrt(a[i + 2]) * pow(a[i + 3], 3.7f) + a[i + 4] / a[i + 5]; }
