__attribute__((overloadable)) int8 intel_sub_group_i8_i8_matrix_mad_k32(short8 a, int8 b, int8 acc);
__attribute__((overloadable)) float8 intel_sub_group_f16_f16_matrix_mad_k16(short8 a, int8 b, float8 acc);
__attribute__((overloadable)) float8 intel_sub_group_bf16_bf16_matrix_mad_k16(short8 a, int8 b, float8 acc);
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void multiply_bytes(__global short8 *a, __global int8 *b, __global int8 *c) { size_t i = get_global_id(0); c[i] = intel_sub_group_i8_i8_matrix_mad_k32(a[i], b[i], c[i]); }
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void multiply_halves(__global short8 *a, __global int8 *b, __global float8 *c) { size_t i = get_global_id(0); c[i] = intel_sub_group_f16_f16_matrix_mad_k16(a[i], b[i], c[i]); c[i + 1] = intel_sub_group_bf16_bf16_matrix_mad_k16(a[i], b[i], c[i]); }
