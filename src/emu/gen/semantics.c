/* One row an opcode, and the reference meaning of each over exact values. */
#include <math.h>

#include "emu/gen/semantics.h"
#include "emu/gen/half.h"

static bool is_nan(double value)
{
    return value != value;
}

/* Low `bits` bits of an exact integer, unsigned. */
static unsigned __int128 low_bits(__int128 value, unsigned bits)
{
    return (unsigned __int128)value & (((unsigned __int128)1 << bits) - 1);
}

static unsigned source_bits(const struct emu_lane *lane, unsigned index)
{
    return 8u * lane->details->source[index].size;
}

/* Result register width; the execution width when the destination is null. */
static unsigned result_bits(const struct emu_lane *lane)
{
    return 8u * lane->details->destination.size;
}

static bool result_is_signed(const struct emu_lane *lane)
{
    return sonde_gen_type_is_signed(lane->details->destination.type);
}

/* Reduce to the destination's width: what a logic operation leaves. */
static __int128 wrap(const struct emu_lane *lane, __int128 value)
{
    unsigned bits = result_bits(lane);
    unsigned __int128 low = low_bits(value, bits);
    if (result_is_signed(lane) && low >> (bits - 1))
        return (__int128)low - ((__int128)1 << bits);
    return (__int128)low;
}

static void mov_integer(struct emu_lane *lane)
{
    lane->result.i = lane->source[0].i;
}

static void mov_single(struct emu_lane *lane)
{
    lane->result.f = lane->source[0].f;
}

static void mov_twice(struct emu_lane *lane)
{
    lane->result.d = lane->source[0].d;
}

static void not_integer(struct emu_lane *lane)
{
    lane->result.i = wrap(lane, ~lane->source[0].i);
}

static void and_integer(struct emu_lane *lane)
{
    lane->result.i = wrap(lane, lane->source[0].i & lane->source[1].i);
}

static void or_integer(struct emu_lane *lane)
{
    lane->result.i = wrap(lane, lane->source[0].i | lane->source[1].i);
}

static void xor_integer(struct emu_lane *lane)
{
    lane->result.i = wrap(lane, lane->source[0].i ^ lane->source[1].i);
}

static unsigned shift_count(const struct emu_lane *lane)
{
    return (unsigned)(lane->source[1].i & (lane->bits == 64 ? 63 : 31));
}

static void shr_integer(struct emu_lane *lane)
{
    __int128 value = (__int128)low_bits(lane->source[0].i, source_bits(lane, 0));
    lane->result.i = value >> shift_count(lane);
}

static void shl_integer(struct emu_lane *lane)
{
    __int128 value = (__int128)((unsigned __int128)lane->source[0].i << shift_count(lane));
    lane->result.i = lane->details->instruction.saturate ? value : wrap(lane, value);
}

static void asr_integer(struct emu_lane *lane)
{
    lane->result.i = lane->source[0].i >> shift_count(lane);
}

/* The outcome of a relation between two ordered or unordered values. */
static bool relation(uint8_t condition, bool less, bool equal, bool unordered)
{
    switch (condition) {
    case SONDE_GEN_CONDITION_Z:
        return equal;
    case SONDE_GEN_CONDITION_NZ:
        return !equal;
    case SONDE_GEN_CONDITION_G:
        return !less && !equal && !unordered;
    case SONDE_GEN_CONDITION_GE:
        return !less && !unordered;
    case SONDE_GEN_CONDITION_L:
        return less;
    case SONDE_GEN_CONDITION_LE:
        return less || equal;
    case SONDE_GEN_CONDITION_U:
        return unordered;
    default:
        return false;
    }
}

static bool compare_integer(const struct emu_lane *lane, __int128 a, __int128 b)
{
    return relation(lane->condition, a < b, a == b, false);
}

static bool compare_double(const struct emu_lane *lane, double a, double b)
{
    return relation(lane->condition, a < b, a == b, is_nan(a) || is_nan(b));
}

static void cmp_finish(struct emu_lane *lane, bool outcome)
{
    lane->has_flag = true;
    lane->flag = outcome;
    lane->result.i = outcome ? -1 : 0;
    lane->raw_result = true;
}

static void cmp_integer(struct emu_lane *lane)
{
    cmp_finish(lane, compare_integer(lane, lane->source[0].i, lane->source[1].i));
}

static void cmp_single(struct emu_lane *lane)
{
    cmp_finish(lane, compare_double(lane, (double)lane->source[0].f, (double)lane->source[1].f));
}

static void cmp_twice(struct emu_lane *lane)
{
    cmp_finish(lane, compare_double(lane, lane->source[0].d, lane->source[1].d));
}

/* cmpn also holds when the second source is a NaN (public PRM: used to build
 * minimum and maximum that return the number). */
static void cmpn_single(struct emu_lane *lane)
{
    bool outcome = compare_double(lane, (double)lane->source[0].f, (double)lane->source[1].f);
    cmp_finish(lane, outcome || is_nan((double)lane->source[1].f));
}

static void cmpn_twice(struct emu_lane *lane)
{
    bool outcome = compare_double(lane, lane->source[0].d, lane->source[1].d);
    cmp_finish(lane, outcome || is_nan(lane->source[1].d));
}

/* sel takes the predicate, or with a condition the relation, and then prefers
 * a number to a NaN. */
static void sel_integer(struct emu_lane *lane)
{
    bool first = lane->condition ? compare_integer(lane, lane->source[0].i, lane->source[1].i)
                                 : lane->select;
    lane->result.i = lane->source[first ? 0 : 1].i;
    lane->no_flag = true;
}

static bool sel_first(const struct emu_lane *lane, double a, double b)
{
    if (!lane->condition)
        return lane->select;
    return compare_double(lane, a, b) || (is_nan(b) && !is_nan(a));
}

static void sel_single(struct emu_lane *lane)
{
    bool first = sel_first(lane, (double)lane->source[0].f, (double)lane->source[1].f);
    lane->result.f = lane->source[first ? 0 : 1].f;
    lane->no_flag = true;
}

static void sel_twice(struct emu_lane *lane)
{
    bool first = sel_first(lane, lane->source[0].d, lane->source[1].d);
    lane->result.d = lane->source[first ? 0 : 1].d;
    lane->no_flag = true;
}

static void csel_integer(struct emu_lane *lane)
{
    bool first = compare_integer(lane, lane->source[2].i, 0);
    lane->result.i = lane->source[first ? 0 : 1].i;
    lane->no_flag = true;
}

static void csel_single(struct emu_lane *lane)
{
    bool first = compare_double(lane, (double)lane->source[2].f, 0.0);
    lane->result.f = lane->source[first ? 0 : 1].f;
    lane->no_flag = true;
}

static void csel_twice(struct emu_lane *lane)
{
    bool first = compare_double(lane, lane->source[2].d, 0.0);
    lane->result.d = lane->source[first ? 0 : 1].d;
    lane->no_flag = true;
}

static void add_integer(struct emu_lane *lane)
{
    lane->result.i = lane->source[0].i + lane->source[1].i;
}

static void add_single(struct emu_lane *lane)
{
    lane->result.f = lane->source[0].f + lane->source[1].f;
}

static void add_twice(struct emu_lane *lane)
{
    lane->result.d = lane->source[0].d + lane->source[1].d;
}

static void mul_integer(struct emu_lane *lane)
{
    lane->result.i = (__int128)((unsigned __int128)lane->source[0].i *
                                (unsigned __int128)lane->source[1].i);
}

static void mul_single(struct emu_lane *lane)
{
    lane->result.f = lane->source[0].f * lane->source[1].f;
}

static void mul_twice(struct emu_lane *lane)
{
    lane->result.d = lane->source[0].d * lane->source[1].d;
}

static void avg_integer(struct emu_lane *lane)
{
    lane->result.i = (lane->source[0].i + lane->source[1].i + 1) >> 1;
}

static void mac_integer(struct emu_lane *lane)
{
    lane->result.i = lane->source[0].i * lane->source[1].i + lane->accumulator.i;
}

static void mac_single(struct emu_lane *lane)
{
    lane->result.f = fmaf(lane->source[0].f, lane->source[1].f, lane->accumulator.f);
}

static void mac_twice(struct emu_lane *lane)
{
    lane->result.d = fma(lane->source[0].d, lane->source[1].d, lane->accumulator.d);
}

/* After `mul acc0 src0 src1.lo16`: adds src0 * src1.hi16 << 16; the result is
 * the high half of the 64-bit product. */
static void mach_integer(struct emu_lane *lane)
{
    __int128 high = lane->source[1].i >> 16;
    __int128 total = lane->accumulator.i + lane->source[0].i * high * 65536;
    if (emu_is_low_product(&lane->details->instruction)) {
        lane->result.i = wrap(lane, total);
        return;
    }
    lane->second.i = total;
    lane->has_second = true;
    lane->result.i = (int64_t)total >> 32;
    if (!sonde_gen_type_is_signed(lane->details->source[0].type) &&
        !sonde_gen_type_is_signed(lane->details->source[1].type))
        lane->result.i = (__int128)((uint64_t)total >> 32);
    lane->result.i = wrap(lane, lane->result.i);
}

static void mad_integer(struct emu_lane *lane)
{
    lane->result.i = lane->source[1].i * lane->source[2].i + lane->source[0].i;
}

static void mad_single(struct emu_lane *lane)
{
    float a = lane->source[0].f, b = lane->source[1].f, c = lane->source[2].f;
    if (lane->details->destination.type == SONDE_GEN_TYPE_HF)
        lane->result.f = emu_double_to_odd_float(fma((double)b, (double)c, (double)a));
    else
        lane->result.f = fmaf(b, c, a);
}

static void mad_twice(struct emu_lane *lane)
{
    lane->result.d = fma(lane->source[1].d, lane->source[2].d, lane->source[0].d);
}

static void lrp_single(struct emu_lane *lane)
{
    float a = lane->source[0].f;
    lane->result.f = lane->source[1].f * a + lane->source[2].f * (1.0f - a);
}

static void frc_single(struct emu_lane *lane)
{
    lane->result.f = lane->source[0].f - floorf(lane->source[0].f);
}

static void rndu_single(struct emu_lane *lane)
{
    lane->result.f = ceilf(lane->source[0].f);
}

static void rndd_single(struct emu_lane *lane)
{
    lane->result.f = floorf(lane->source[0].f);
}

static void rnde_single(struct emu_lane *lane)
{
    lane->result.f = roundevenf(lane->source[0].f);
}

static void rndz_single(struct emu_lane *lane)
{
    lane->result.f = truncf(lane->source[0].f);
}

static void frc_twice(struct emu_lane *lane)
{
    lane->result.d = lane->source[0].d - floor(lane->source[0].d);
}

static void rndu_twice(struct emu_lane *lane)
{
    lane->result.d = ceil(lane->source[0].d);
}

static void rndd_twice(struct emu_lane *lane)
{
    lane->result.d = floor(lane->source[0].d);
}

static void rnde_twice(struct emu_lane *lane)
{
    lane->result.d = roundeven(lane->source[0].d);
}

static void rndz_twice(struct emu_lane *lane)
{
    lane->result.d = trunc(lane->source[0].d);
}

static uint32_t word(const struct emu_lane *lane, unsigned index)
{
    return (uint32_t)lane->source[index].i;
}

static void lzd_integer(struct emu_lane *lane)
{
    lane->result.i = word(lane, 0) ? __builtin_clz(word(lane, 0)) : 32;
}

/* First set bit from the top; of a negative signed value the first clear one. */
static void fbh_integer(struct emu_lane *lane)
{
    uint32_t value = word(lane, 0);
    if (sonde_gen_type_is_signed(lane->details->source[0].type) && value >> 31)
        value = ~value;
    lane->result.i = value ? __builtin_clz(value) : (__int128)UINT32_MAX;
    lane->result.i = wrap(lane, lane->result.i);
}

static void fbl_integer(struct emu_lane *lane)
{
    uint32_t value = word(lane, 0);
    lane->result.i = wrap(lane, value ? __builtin_ctz(value) : (__int128)UINT32_MAX);
}

static void cbit_integer(struct emu_lane *lane)
{
    lane->result.i =
        __builtin_popcountll((uint64_t)low_bits(lane->source[0].i, source_bits(lane, 0)));
}

static void bfrev_integer(struct emu_lane *lane)
{
    uint32_t value = word(lane, 0), reversed = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        reversed |= (value >> bit & 1) << (31 - bit);
    lane->result.i = wrap(lane, reversed);
}

static void bfe_integer(struct emu_lane *lane)
{
    unsigned width = word(lane, 0) & 31, offset = word(lane, 1) & 31;
    uint32_t value = word(lane, 2);
    bool is_signed = sonde_gen_type_is_signed(lane->details->source[2].type);
    if (width == 0)
        value = 0;
    else if (width + offset < 32 && is_signed)
        value = (uint32_t)((int32_t)(value << (32 - width - offset)) >> (32 - width));
    else if (width + offset < 32)
        value = value << (32 - width - offset) >> (32 - width);
    else
        value = is_signed ? (uint32_t)((int32_t)value >> offset) : value >> offset;
    lane->result.i = wrap(lane, value);
}

static void bfi1_integer(struct emu_lane *lane)
{
    unsigned width = word(lane, 0) & 31, offset = word(lane, 1) & 31;
    lane->result.i = wrap(lane, ((1u << width) - 1) << offset);
}

static void bfi2_integer(struct emu_lane *lane)
{
    uint32_t mask = word(lane, 0);
    lane->result.i = wrap(lane, (word(lane, 1) & mask) | (word(lane, 2) & ~mask));
}

static void addc_integer(struct emu_lane *lane)
{
    uint64_t sum = (uint64_t)word(lane, 0) + word(lane, 1);
    lane->result.i = (uint32_t)sum;
    lane->second.i = (__int128)(sum >> 32);
    lane->has_second = true;
}

static void subb_integer(struct emu_lane *lane)
{
    lane->result.i = (uint32_t)(word(lane, 0) - word(lane, 1));
    lane->second.i = word(lane, 0) < word(lane, 1);
    lane->has_second = true;
}

#define EMU_ROW(name, sources, integer, single, twice, rule, kernel)                               \
    {                                                                                              \
        SONDE_GEN_##name, sources, integer, single, twice, EMU_RULE_##rule, EMU_KERNEL_##kernel,   \
            NULL, false                                                                            \
    }
#define EMU_WHOLE(name, run, always)                                                               \
    {                                                                                              \
        SONDE_GEN_##name, 0, NULL, NULL, NULL, EMU_RULE_NONE, EMU_KERNEL_NONE, run, always         \
    }

/* clang-format off */
static const struct emu_semantics rows[] = {
    EMU_ROW(MOV,   1, mov_integer,   mov_single,  mov_twice,  MOVE,    MOV),
    EMU_ROW(SMOV,  1, mov_integer,   mov_single,  mov_twice,  MOVE,    MOV),
    EMU_ROW(SEL,   2, sel_integer,   sel_single,  sel_twice,  COMPARE, SEL),
    EMU_ROW(NOT,   1, not_integer,   NULL,        NULL,       WRAP,    NOT),
    EMU_ROW(AND,   2, and_integer,   NULL,        NULL,       WRAP,    AND),
    EMU_ROW(OR,    2, or_integer,    NULL,        NULL,       WRAP,    OR),
    EMU_ROW(XOR,   2, xor_integer,   NULL,        NULL,       WRAP,    XOR),
    EMU_ROW(SHR,   2, shr_integer,   NULL,        NULL,       SHIFT,   SHR),
    EMU_ROW(SHL,   2, shl_integer,   NULL,        NULL,       SHIFT,   SHL),
    EMU_ROW(ASR,   2, asr_integer,   NULL,        NULL,       SHIFT,   ASR),
    EMU_ROW(CMP,   2, cmp_integer,   cmp_single,  cmp_twice,  COMPARE, EQ),
    EMU_ROW(CMPN,  2, cmp_integer,   cmpn_single, cmpn_twice, NONE,    NONE),
    EMU_ROW(CSEL,  3, csel_integer,  csel_single, csel_twice, COMPARE, SEL),
    EMU_ROW(BFREV, 1, bfrev_integer, NULL,        NULL, BITS, BFREV),
    EMU_ROW(BFE,   3, bfe_integer,   NULL,        NULL, BITS, BFE),
    EMU_ROW(BFI1,  2, bfi1_integer,  NULL,        NULL, BITS, BFI1),
    EMU_ROW(BFI2,  3, bfi2_integer,  NULL,        NULL, BITS, BFI2),
    EMU_ROW(MATH,  2, emu_math_integer, emu_math_single, emu_math_twice, DIVIDE, NONE),
    EMU_ROW(ADD,   2, add_integer,   add_single,  add_twice,  WRAP,    ADD),
    EMU_ROW(MUL,   2, mul_integer,   mul_single,  mul_twice,  WRAP,    MUL),
    EMU_ROW(ROL,   2, emu_rol_integer,  NULL,     NULL,       BITS,    ROL),
    EMU_ROW(ROR,   2, emu_ror_integer,  NULL,     NULL,       BITS,    ROR),
    EMU_ROW(ADD3,  3, emu_add3_integer, NULL,     NULL,       WRAP,    ADD3),
    EMU_ROW(BFN,   3, emu_bfn_integer,  NULL,     NULL,       BITS,    BFN),
    EMU_ROW(DP4A,  3, emu_dp4a_integer, NULL,     NULL,       NONE,    NONE),
    EMU_ROW(AVG,   2, avg_integer,   NULL,        NULL,       NONE,    NONE),
    EMU_ROW(FRC,   1, NULL,          frc_single,  frc_twice,  NONE,    FRC),
    EMU_ROW(RNDU,  1, NULL,          rndu_single, rndu_twice, NONE,    RNDU),
    EMU_ROW(RNDD,  1, NULL,          rndd_single, rndd_twice, NONE,    RNDD),
    EMU_ROW(RNDE,  1, NULL,          rnde_single, rnde_twice, NONE,    RNDE),
    EMU_ROW(RNDZ,  1, NULL,          rndz_single, rndz_twice, NONE,    RNDZ),
    EMU_ROW(MAC,   2, mac_integer,   mac_single,  mac_twice,  NONE,    NONE),
    EMU_ROW(MACH,  2, mach_integer,  NULL,        NULL, ACCUMULATOR, MACH),
    EMU_ROW(MACL,  2, mach_integer,  NULL,        NULL, ACCUMULATOR, MACH),
    EMU_ROW(LZD,   1, lzd_integer,   NULL,        NULL, BITS, LZD),
    EMU_ROW(FBH,   1, fbh_integer,   NULL,        NULL, BITS, FBH),
    EMU_ROW(FBL,   1, fbl_integer,   NULL,        NULL, BITS, FBL),
    EMU_ROW(CBIT,  1, cbit_integer,  NULL,        NULL, BITS, CBIT),
    EMU_ROW(ADDC,  2, addc_integer,  NULL,        NULL, ACCUMULATOR, ADDC),
    EMU_ROW(SUBB,  2, subb_integer,  NULL,        NULL, ACCUMULATOR, SUBB),
    EMU_ROW(SAD2,  2, emu_sad2_integer,  NULL,        NULL,       NONE,    NONE),
    EMU_ROW(SADA2, 2, emu_sada2_integer, NULL,        NULL,       NONE,    NONE),
    EMU_ROW(DP2,   2, NULL,          emu_dp2_single,  NULL,       NONE,    NONE),
    EMU_ROW(DP3,   2, NULL,          emu_dp3_single,  NULL,       NONE,    NONE),
    EMU_ROW(DP4,   2, NULL,          emu_dp4_single,  NULL,       NONE,    NONE),
    EMU_ROW(DPH,   2, NULL,          emu_dph_single,  NULL,       NONE,    NONE),
    EMU_ROW(LINE,  2, NULL,          emu_line_single, NULL,   NONE,    NONE),
    EMU_ROW(PLN,   2, NULL,          emu_pln_single,  NULL,   NONE,    NONE),
    EMU_ROW(MAD,   3, mad_integer,   mad_single,  mad_twice,  WRAP,    MAD),
    EMU_ROW(LRP,   3, NULL,          lrp_single,  NULL,       NONE,    NONE),
    EMU_ROW(MADM,  3, NULL,          emu_madm_single, emu_madm_twice, NONE, NONE),
    EMU_WHOLE(NOP,     emu_run_nop,      true),
    EMU_WHOLE(WAIT,    emu_run_wait,     true),
    EMU_WHOLE(SYNC,    emu_run_sync,     true),
    EMU_WHOLE(SEND,    emu_run_message,  true),
    EMU_WHOLE(SENDC,   emu_run_message,  true),
    EMU_WHOLE(SENDS,   emu_run_message,  true),
    EMU_WHOLE(SENDSC,  emu_run_message,  true),
    EMU_WHOLE(MOVI,     emu_run_movi,     false),
    EMU_WHOLE(DPAS,     emu_run_dpas,     false),
    EMU_WHOLE(DPASW,    emu_run_dpasw,    true),
    EMU_WHOLE(JMPI,    emu_run_jmpi,     true),
    EMU_WHOLE(IF,      emu_run_if,       true),
    EMU_WHOLE(ELSE,    emu_run_else,     true),
    EMU_WHOLE(ENDIF,   emu_run_endif,    true),
    EMU_WHOLE(WHILE,   emu_run_while,    true),
    EMU_WHOLE(BREAK,   emu_run_break,    true),
    EMU_WHOLE(CONT,    emu_run_continue, true),
    EMU_WHOLE(HALT,    emu_run_halt,     true),
    EMU_WHOLE(GOTO,    emu_run_goto,     true),
    EMU_WHOLE(JOIN,    emu_run_join,     true),
    EMU_WHOLE(BRD,     emu_run_brd,      true),
    EMU_WHOLE(BRC,     emu_run_brc,      true),
    EMU_WHOLE(CALL,    emu_run_call,     true),
    EMU_WHOLE(CALLA,   emu_run_calla,    true),
    EMU_WHOLE(RET,     emu_run_return,   true),
};
/* clang-format on */

const struct emu_semantics *emu_semantics_find(unsigned opcode)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].opcode == opcode)
            return &rows[i];
    return NULL;
}
