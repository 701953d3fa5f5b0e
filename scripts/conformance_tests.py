"""The sub-tests of the OpenCL conformance tests that are run on the emulated GPUs.

Row: program below the folder of the build, arguments, names of sub-tests. They are run in this
order: first a part of each program, last what takes minutes. "-1" tests scalars and vectors of
one length, not each vector width, where a program knows it.
"""

MATH = "math_brute_force/test_bruteforce"
CONVERSIONS = "conversions/test_conversions"
IMAGES = "images/kernel_read_write/test_image_streams"

TESTS = [
    ("basic/test_basic", "", """
        if loop pointer_cast barrier wg_barrier local_arg_def local_kernel_def local_kernel_scope
        kernel_call_kernel_function work_item_functions work_item_functions_out_of_range
        work_item_functions_out_of_range_hardcoded global_work_offsets get_global_offset
        get_linear_ids global_linear_id local_linear_id enqueued_local_size intmath_int
        intmath_int2 intmath_int4 intmath_long intmath_long2 intmath_long4 fp2int int2fp
        constant_source vec_type_hint kernel_preprocessor_macros kernel_limit_constants
        kernel_numeric_constants parameter_types createkernelsinprogram hostptr arraycopy image_r8
        image_param rw_image_access_qualifier"""),
    ("select/test_select", "-w", """
        select_int_int select_double_long select_char_uchar select_half_short select_ulong_ulong"""),
    ("atomics/test_atomics", "", """
        atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_inc atomic_dec
        atomic_cmpxchg atomic_and atomic_or atomic_xor atomic_add_index atomic_add_index_bin"""),
    ("subgroups/test_subgroups", "", """
        sub_group_info_core sub_group_info_ext work_item_functions_core work_item_functions_ext
        barrier_functions_core barrier_functions_ext ifp_core ifp_ext"""),
    ("printf/test_printf", "", """
        int long unsigned hexadecimal octal float float_limits double double_limits half
        half_limits char string vector format_string address_space"""),
    ("workgroups/test_workgroups", "", """
        work_group_all work_group_any work_group_broadcast_1D work_group_broadcast_2D
        work_group_broadcast_3D work_group_reduce_add work_group_reduce_min work_group_reduce_max"""),
    ("commonfns/test_commonfns", "", "clamp degrees sign fmax maxf mix step smoothstepf"),
    ("geometrics/test_geometrics", "", "geom_dot geom_length geom_fast_normalize geom_cross"),
    ("relationals/test_relationals", "", """
        relational_any relational_all relational_isequal relational_islessgreater"""),
    (CONVERSIONS, "-w -1", """
        long_sat_rtz_float double_rte_ulong char_sat_float uchar_sat_rtn_double float_rtp_ulong
        float_rte_long ulong_sat_rtp_half half_rtz_uint half_rtn_double half_rte_float
        short_sat_rtp_ulong int_sat_rte_double uint_rtz_long ushort_sat_char long_half
        double_rtz_long float_rtn_double char_sat_rtp_half uchar_sat_ulong int_rtn_float"""),
    (MATH, "-w -[65536] -1 -r", """
        add multiply divide sqrt rsqrt fma mad exp exp2 log log2 pow sin cos tan atan2 sinh tanh
        erf lgamma ldexp ilogb frexp modf fmod remquo nextafter floor rint fmax isequal signbit
        half_sin half_divide"""),
    ("integer_ops/test_integer_ops", "", "integer_hadd integer_mul_hi integer_upsample"),
    ("half/test_half", "-w", "vload_half"),
    (IMAGES, "small_images CL_RGBA CL_UNORM_INT8 NEAREST NORMALIZED CL_ADDRESS_REPEAT read",
     "2D 3D"),
    ("subgroups/test_subgroups", "", "subgroup_functions_shuffle"),
    (IMAGES, "small_images CL_RGBA CL_UNORM_INT8 LINEAR CL_ADDRESS_CLAMP read", "2D"),
    (IMAGES, "small_images CL_RGBA CL_FLOAT write", "2D"),
    ("contractions/test_contractions", "", "contractions_float_0"),
    ("vectors/test_vectors", "-w", "vec_align_array"),
    ("basic/test_basic", "", "readimage mri_one"),
    (IMAGES, "small_images CL_RGBA CL_UNORM_INT8 NEAREST NORMALIZED CL_ADDRESS_REPEAT read", "1D"),
    (MATH, "-w -[65536] -1 -r", """
        subtract divide_cr negation reciprocal assignment not sqrt_cr exp10 expm1 log10 log1p pown
        powr rootn cbrt hypot sincos sinpi cospi tanpi asin acos atan asinpi acospi atanpi atan2pi
        cosh asinh acosh atanh erfc lgamma_r tgamma logb fract remainder ceil trunc round fabs
        fdim fmin maxmag minmag copysign nan isnotequal isgreater isgreaterequal isless
        islessequal islessgreater isfinite isinf isnan isnormal isordered isunordered half_cos
        half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_powr half_recip
        half_rsqrt half_sqrt half_tan math_edge_cases"""),
    # Runs all twelve sub-tests whichever is named.
    ("non_uniform_work_group/test_non_uniform_work_group", "", "non_uniform_1d_basic"),
    ("vectors/test_vectors", "-w", "step_type"),
    ("subgroups/test_subgroups", "", "subgroup_functions_core subgroup_functions_ballot"),
    ("workgroups/test_workgroups", "", "work_group_scan_inclusive_add"),
    ("basic/test_basic", "", """
        readimage3d writeimage_int16 vload_private progvar_prog_scope_misc hiloeo vstore_local
        vector_swizzle sizeof astype"""),
    (IMAGES, "small_images CL_RGBA CL_FLOAT write", "3D"),
    ("contractions/test_contractions", "", "contractions_double_2"),
    ("half/test_half", "-w", "roundTrip"),
    ("half/test_half", "-w -[4096]", "vstore_half_rte"),
    ("vectors/test_vectors", "-w", "vec_align_packed_struct"),
    ("integer_ops/test_integer_ops", "", "integer_divideAssign integer_dot_product"),
    ("printf/test_printf", "", """
        length_specifier size_t ptrdiff_t return_value buffer_size mixed_format_random"""),
    ("commonfns/test_commonfns", "", """
        clamp_scalar_bounds radians fmaxf fmin fminf max min minf mixf stepf smoothstep"""),
    ("geometrics/test_geometrics", "", """
        geom_distance geom_fast_distance geom_fast_length geom_normalize"""),
    ("relationals/test_relationals", "", """
        relational_isnotequal relational_isgreater relational_isgreaterequal relational_isless
        relational_islessequal relational_select_signed relational_select_unsigned
        relational_bitselect shuffle_built_in shuffle_built_in_dual_input"""),
    ("contractions/test_contractions", "", "contractions_float_5"),
    ("vectors/test_vectors", "-w", """
        step_var step_typedef_type step_typedef_var vec_align_struct vec_align_struct_arr
        vec_align_packed_struct_arr"""),
    ("integer_ops/test_integer_ops", "", """
        integer_mad_sat integer_add_sat integer_abs_diff integer_clz integer_rotate integer_mul24
        popcount extended_bit_ops_insert unary_ops_increment quick_int_math quick_ulong_math
        quick_char_compare quick_short_shift quick_uint_logic quick_long_shift quick_ushort_math
        integer_rhadd integer_mad_hi integer_sub_sat integer_abs integer_min integer_max
        integer_clamp integer_ctz integer_mad24 integer_addAssign integer_moduloAssign
        extended_bit_ops_extract extended_bit_ops_reverse unary_ops_full vector_scalar"""),
    ("subgroups/test_subgroups", "", """
        subgroup_functions_ext subgroup_functions_shuffle_relative
        subgroup_functions_non_uniform_vote subgroup_functions_clustered_reduce
        subgroup_functions_rotate subgroup_functions_extended_types
        subgroup_functions_non_uniform_arithmetic"""),
    ("workgroups/test_workgroups", "", """
        work_group_scan_exclusive_add work_group_scan_inclusive_min work_group_scan_exclusive_max"""),
    ("c11_atomics/test_c11_atomics", "", """
        atomic_init atomic_store atomic_load atomic_exchange atomic_fetch_min atomic_fetch_orand
        inclusive_scopes_global_op"""),
    ("half/test_half", "-w", "vloada_half"),
    ("half/test_half", "-w -[4096]", "vstore_half vstore_half_rtz vstorea_half_rtp"),
    ("basic/test_basic", "", """
        fpmath vload_global vload_local vload_constant vstore_global vstore_private
        vector_creation explicit_s2v prefetch progvar_prog_scope_init
        kernel_memory_alignment_global kernel_memory_alignment_local readimage_int16
        readimage_fp32 writeimage writeimage_fp32 image_multipass_integer_coord imagearraycopy
        imagecopy simple_read_image_pitch async_copy_global_to_local
        async_strided_copy_local_to_global bufferreadwriterect"""),
    (CONVERSIONS, "-w", "long_sat_rtz_float double_rte_ulong char_sat_float half_rtz_float"),
    (MATH, "-w -[65536] -r", "sqrt fma divide exp sin log pow ldexp fmod ilogb rsqrt nextafter"),
    ("c11_atomics/test_c11_atomics", "", """
        atomic_fetch_add atomic_compare_exchange_strong atomic_flag"""),
    (IMAGES, "small_images CL_RGBA CL_UNORM_INT8 read", "1Darray 2Darray"),
]

# Row: number, pattern of the names, pattern of the devices, why the sub-test fails.
EXPLANATIONS = [
    (1, "work_item_functions_out_of_range", "",
     "The driver's compiler puts the three sizes of `get_global_size` and its like side by side in "
     "registers and indexes them without a check; for an argument of 3 or more it reads the "
     "registers behind them, or behind the last register (seen in the instructions with "
     "`sonde annotate`)."),
    (2, "test_printf (string|format_string|mixed_format_random)$", "",
     "The driver's compiler leaves escape sequences in strings as they stand in the source, and "
     "writes a tab of the source as one (`\\t`); the driver puts the strings out again on the "
     "processor: of the format string it knows some escape sequences, the tab not, of the string "
     "of a `%s` none. The strings never reach the device."),
    (3, "test_conversions.* u?long_sat\\w*_half$", "(tgllp|dg2)",
     "Where the device has no 64-bit integers, the driver's compiler converts a half to 32 bits and "
     "makes the upper half of the `ulong` a constant 0, so that infinity does not saturate: it "
     "becomes 0xffffffff."),
    (4, "test_bruteforce .* fract$", "",
     "Of halfs only. The result must stay below 1; the driver's compiler takes the smaller of it and "
     "the constant 1.0 of type half, where it should take the largest half below 1."),
    (5, "test_bruteforce .* tgamma$", "",
     "Of doubles only. The library of the driver's compiler takes `exp(lgamma(x))`. For x = 2^-1022 "
     "the logarithm is 708.3964..., where doubles lie 2^-43 apart; `exp` of the double nearest to "
     "it, computed with 80 digits, is 247.48 units in the last place below 2^1022, and the result "
     "is 247 below. `log` and `exp` of the device are right to the last bit here."),
    (6, "test_bruteforce .* math_edge_cases$", "",
     "Four pieces of the compiler's library, each seen in the instructions. `atan2` of floats has "
     "0x40490fda for pi (the nearest float is 0x40490fdb), and `atan2pi` multiplies its result by "
     "0x3ea2f983: 1 - 1.48 * 2^-24, which rounds to 0x3f7fffff; likewise for a half and a quarter "
     "of it. `atan` of halfs, and inside `atan2`, negates the result where the argument is *less* than "
     "0, which -0 is not. `sinpi` of floats and halfs ends in s + s * (r * p) with s = -0, r = +0 and p "
     "less than 0, which is -0 + +0 = +0. On `emu:skl` `ceil` of doubles is made of integer "
     "instructions and ends in -0 + +0 = +0 for arguments between -1 and 0. (A later version of "
     "the compiler copies the sign in `sinpi`.)"),
    (7, "test_c11_atomics atomic_(fetch_add|fetch_min|fetch_orand|store|load|exchange|compare)",
     "", "Every type, order and scope is a program of its own, some 200 for `atomic_int` alone, and "
     "nearly all of the time is that of the driver's compiler. None that had run at the limit had "
     "failed."),
]
