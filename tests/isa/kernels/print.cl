__kernel void prints(__global int *a, float f) { size_t i = get_global_id(0); if (a[i] > 3) printf("item %d value %d %f\n", (int)i, a[i], f); printf("%s %v4d\n", "vector", (int4)(a[i])); }
