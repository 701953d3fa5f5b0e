#define EACH(T) \
__kernel void group_##T(__global T *a) { size_t i = get_global_id(0); T x = a[i]; \
  a[i] = work_group_reduce_add(x) + work_group_scan_exclusive_max(x) + work_group_scan_inclusive_min(x) + work_group_broadcast(x, 3); }
EACH(int) EACH(uint) EACH(long) EACH(ulong) EACH(float)
__kernel void group_votes(__global int *a) { size_t i = get_global_id(0); a[i] = work_group_any(a[i] > 3) * 2 + work_group_all(a[i] < 9); }
__kernel void group_broadcast_3d(__global int *a) { size_t i = get_global_linear_id(); a[i] = work_group_broadcast(a[i], 1, 2, 0) + get_local_linear_id() + get_enqueued_local_size(1); }
