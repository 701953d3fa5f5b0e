// options: -cl-opt-disable
int twice(int x) { return x * 2; }
__kernel void unoptimized(__global int *a, float f) { size_t i = get_global_id(0); int x = a[i]; for (int k = 0; k < 10; k++) { if (x & 1) x = twice(x) + 1; else x -= k; } a[i] = x + (int)f; }
