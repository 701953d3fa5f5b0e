#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
__attribute__((intel_reqd_sub_group_size(8))) __kernel void eight(__global float *a, __global int *n) { size_t i = get_global_id(0); for (int k = 0; k < n[i]; k++) a[i] = sin(a[i]) + a[k] / 3.0f; }
__attribute__((intel_reqd_sub_group_size(8)))
__kernel void blocks8(__global uint *a) { uint8 v = intel_sub_group_block_read8(a + get_group_id(0) * 64); intel_sub_group_block_write8(a + 1024, v + 1u); uint2 w = intel_sub_group_block_read2(a + 7); intel_sub_group_block_write2(a + 128, w); }
__attribute__((intel_reqd_sub_group_size(8)))
__kernel void media(read_only image2d_t a, write_only image2d_t b) { int2 p = (int2)(get_group_id(0) * 32, get_group_id(1)); intel_sub_group_block_write4(b, p, intel_sub_group_block_read4(a, p)); }
