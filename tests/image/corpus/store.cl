__kernel void store(__global int *a) { a[get_global_id(0)] = 1; }
