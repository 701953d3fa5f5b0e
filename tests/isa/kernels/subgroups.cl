#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__kernel void collectives(__global int *a) { size_t i = get_global_id(0); a[i] = sub_group_reduce_add(a[i]) + sub_group_scan_exclusive_add(a[i + 1]) + sub_group_scan_inclusive_max(a[i + 2]) + sub_group_broadcast(a[i + 3], 2) + sub_group_any(a[i] > 3) + sub_group_all(a[i] > 4); }
__kernel void ids(__global int *a) { a[get_global_id(0)] = get_sub_group_local_id() + get_sub_group_id() * 100 + get_sub_group_size() + get_num_sub_groups(); sub_group_barrier(CLK_GLOBAL_MEM_FENCE); }
__kernel void floats(__global float *a) { size_t i = get_global_id(0); a[i] = sub_group_reduce_add(a[i]) + sub_group_reduce_max(a[i + 1]) + sub_group_scan_inclusive_add(a[i + 2]); }
