#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void shuffles(__global int *a, __global float *f) { size_t i = get_global_id(0); a[i] = intel_sub_group_shuffle(a[i], (uint)a[i + 1] & 15) + intel_sub_group_shuffle_down(a[i], a[i + 2], 1) + intel_sub_group_shuffle_up(a[i], a[i + 3], 2) + intel_sub_group_shuffle_xor(a[i], 3); f[i] = intel_sub_group_shuffle(f[i], 5); }
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void blocks(__global uint *a, __global ushort *s) { size_t i = get_group_id(0) * 64; uint4 v = intel_sub_group_block_read4(a + i); intel_sub_group_block_write4(a + i + 256, v * 2); uint w = intel_sub_group_block_read(a + i + 512); intel_sub_group_block_write(a + i + 640, w); intel_sub_group_block_write_us2(s, intel_sub_group_block_read_us2(s + 64)); }
