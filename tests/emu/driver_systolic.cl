/* Matrix products of a sub-group of eight: the first operand's rows lie over
 * the work-items, the second's columns are one a work-item. */
#define G get_global_id(0)
#define FUNCTION(name) intel_sub_group_##name
#define MATRIX(kernel_name, name, A, B, SUM)                                                       \
    __attribute__((overloadable)) SUM FUNCTION(name)(A a, B b, SUM sum);                           \
    __attribute__((intel_reqd_sub_group_size(8))) kernel void kernel_name(                         \
        global const A *a, global const B *b, global SUM *sum)                                     \
    {                                                                                              \
        sum[G] = FUNCTION(name)(a[G], b[G], sum[G]);                                               \
    }

MATRIX(b_b_8, i8_i8_matrix_mad_k32, int8, int8, int8)
MATRIX(b_b_4, i8_i8_matrix_mad_k32, int4, int8, int4)
MATRIX(b_b_2, i8_i8_matrix_mad_k32, int2, int8, int2)
MATRIX(b_b_1, i8_i8_matrix_mad_k32, int, int8, int)
MATRIX(ub_b_8, u8_i8_matrix_mad_k32, uint8, int8, int8)
MATRIX(b_u4_8, i8_u4_matrix_mad_k32, int8, uint4, int8)
MATRIX(u4_b_8, u4_i8_matrix_mad_k32, ushort8, int8, int8)
MATRIX(b_s2_8, i8_i2_matrix_mad_k32, int8, int2, int8)
MATRIX(u2_ub_8, u2_u8_matrix_mad_k32, uchar8, uint8, int8)
MATRIX(s4_s4_8, i4_i4_matrix_mad_k64, int8, int8, int8)
MATRIX(u4_s2_4, u4_i2_matrix_mad_k64, uint4, int4, int4)
MATRIX(s2_s4_8, i2_i4_matrix_mad_k64, short8, int8, int8)
MATRIX(s2_s2_2, i2_i2_matrix_mad_k64, short2, int4, int2)
MATRIX(hf_hf_8, f16_f16_matrix_mad_k16, int8, int8, float8)
MATRIX(hf_hf_2, f16_f16_matrix_mad_k16, int2, int8, float2)
MATRIX(bf_bf_8, bf16_bf16_matrix_mad_k16, int8, int8, float8)
/* Two sub-groups hold the rows together. */
MATRIX(split_b_b_8, i8_i8_split_matrix_mad_k32, int4, int8, int8)
MATRIX(split_ub_s4_4, u8_i4_split_matrix_mad_k32, uint2, int4, int4)
MATRIX(split_u4_s2_8, u4_i2_split_matrix_mad_k64, uint4, int4, int8)
MATRIX(split_s2_s4_8, i2_i4_split_matrix_mad_k64, short4, int8, int8)
MATRIX(split_hf_hf_8, f16_f16_split_matrix_mad_k16, int4, int8, float8)
MATRIX(split_bf_bf_2, bf16_bf16_split_matrix_mad_k16, int, int8, float2)
