#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define EACH(T) __attribute__((intel_reqd_sub_group_size(16))) \
__kernel void sub_##T(__global T *a) { size_t i = get_global_id(0); T x = a[i]; \
  a[i] = sub_group_reduce_add(x) + sub_group_scan_inclusive_max(x) + sub_group_scan_exclusive_add(x) + sub_group_broadcast(x, 2) + intel_sub_group_shuffle(x, get_sub_group_local_id() ^ 3) + intel_sub_group_shuffle_xor(x, 4) + intel_sub_group_shuffle_down(x, a[i + 1], 2) + intel_sub_group_shuffle_up(x, a[i + 2], 1); }
EACH(int) EACH(uint) EACH(long) EACH(float)
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void sub_blocks(__global uint *a, __global ushort *b, __global ulong *c, __global uchar *d) { size_t i = get_sub_group_id() * 64; uint4 x = intel_sub_group_block_read4(a + i); intel_sub_group_block_write4(a + i, x * 3u); ushort8 y = intel_sub_group_block_read_us8(b + i); intel_sub_group_block_write_us8(b + i, y + (ushort)1); ulong2 z = intel_sub_group_block_read_ul2(c + i); intel_sub_group_block_write_ul2(c + i, z ^ 7UL); uchar16 w = intel_sub_group_block_read_uc16(d + i); intel_sub_group_block_write_uc16(d + i, w - (uchar)2); }
__attribute__((intel_reqd_sub_group_size(32)))
__kernel void sub_32(__global int *a) { size_t i = get_global_id(0); a[i] = sub_group_any(a[i] > 2) + sub_group_all(a[i] < 7) + sub_group_reduce_min(a[i]) + get_max_sub_group_size() + get_num_sub_groups(); }
