/* The extended math unit: functions of `math`, and the multiply-add steps
 * over extra-precision registers (madm) that divisions and square roots of
 * fp64 and exact fp32 code are made of.
 *
 * The precision of the hardware's functions is not documented bit for bit;
 * here they are as exact as the C library. An extra-precision register holds
 * its value in 64 bits of mantissa and 15 of exponent, so that the documented
 * sequences end in the correctly rounded quotient or root. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "emu/gen/extended.h"
#include "emu/gen/semantics.h"

static void divide_integer(const struct emu_lane *lane, __int128 *quotient, __int128 *remainder)
{
    __int128 a = lane->source[0].i, b = lane->source[1].i;
    bool is_signed = sonde_gen_type_is_signed(lane->details->destination.type);
    if (b == 0) {
        *quotient = is_signed ? (a < 0 ? INT32_MIN : INT32_MAX) : (__int128)UINT32_MAX;
        *remainder = a;
        return;
    }
    *quotient = a / b;
    *remainder = a % b;
    if (is_signed && *quotient > INT32_MAX)
        *quotient = INT32_MAX;
}

void emu_math_integer(struct emu_lane *lane)
{
    __int128 quotient, remainder;
    divide_integer(lane, &quotient, &remainder);
    switch (lane->details->instruction.math) {
    case SONDE_GEN_MATH_IDIV:
        lane->second.i = remainder;
        lane->second_follows = true;
        lane->result.i = quotient;
        return;
    case SONDE_GEN_MATH_IQOT:
        lane->result.i = quotient;
        return;
    case SONDE_GEN_MATH_IREM:
        lane->result.i = remainder;
        return;
    default:
        lane->result.i = 0;
    }
}

/* First approximations: exact to the width of an extra-precision register.
 * The flag tells the program that the result is final (special operands). */
static void approximate(struct emu_lane *lane, long double a, long double b, bool root)
{
    lane->has_flag = true;
    lane->flag = root ? !(b > 0) || isinf(b)
                      : isnan(a) || isnan(b) || isinf(a) || isinf(b) || a == 0 || b == 0;
    if (lane->flag)
        lane->extended = root ? sqrtl(b) : a / b;
    else
        lane->extended = root ? 1 / sqrtl(b) : 1 / b;
    unsigned mme = lane->details->instruction.dst.mme;
    if (mme < EMU_MME_COUNT)
        lane->thread->mme[mme][lane->channel] = lane->extended;
}

void emu_math_single(struct emu_lane *lane)
{
    float a = lane->source[0].f, b = lane->source[1].f;
    switch (lane->details->instruction.math) {
    case SONDE_GEN_MATH_INV:
        lane->result.f = 1.0f / a;
        return;
    case SONDE_GEN_MATH_LOG:
        lane->result.f = log2f(a);
        return;
    case SONDE_GEN_MATH_EXP:
        lane->result.f = exp2f(a);
        return;
    case SONDE_GEN_MATH_SQT:
        lane->result.f = sqrtf(a);
        return;
    case SONDE_GEN_MATH_RSQT:
        lane->result.f = 1.0f / sqrtf(a);
        return;
    case SONDE_GEN_MATH_SIN:
        lane->result.f = sinf(a);
        return;
    case SONDE_GEN_MATH_COS:
        lane->result.f = cosf(a);
        return;
    case SONDE_GEN_MATH_FDIV:
        lane->result.f = a / b;
        return;
    case SONDE_GEN_MATH_POW:
        lane->result.f = powf(fabsf(a), b);
        return;
    case SONDE_GEN_MATH_INVM:
        approximate(lane, (long double)a, (long double)b, false);
        lane->result.f = (float)lane->extended;
        return;
    case SONDE_GEN_MATH_RSQTM:
        approximate(lane, 0, (long double)a, true);
        lane->result.f = (float)lane->extended;
        return;
    default:
        lane->result.f = 0;
    }
}

void emu_math_twice(struct emu_lane *lane)
{
    long double a = (long double)lane->source[0].d;
    if (lane->details->instruction.math == SONDE_GEN_MATH_RSQTM)
        approximate(lane, 0, a, true);
    else
        approximate(lane, a, (long double)lane->source[1].d, false);
    lane->result.d = (double)lane->extended;
}

/* The register's value with its extra bits. Those are the rest of the value that
 * the extra-precision register was written with: they say nothing about another
 * one, and the relaxed root of doubles does read its argument with the bits of
 * the root. What the hardware makes of them then is below its last digit; here
 * they are left out. A flushed or overflowed register is still the same value. */
static long double with_extra_bits(long double value, long double extended, bool twice)
{
    long double epsilon = twice ? (long double)DBL_EPSILON : (long double)FLT_EPSILON;
    long double least = twice ? (long double)DBL_MIN : (long double)FLT_MIN;
    long double most = twice ? (long double)DBL_MAX : (long double)FLT_MAX;
    if (isnan(value) || isnan(extended))
        return value;
    if (fabsl(extended) >= most)
        return fabsl(value) >= most && (value < 0) == (extended < 0) ? extended : value;
    return fabsl(value - extended) <= fabsl(extended) * epsilon + least ? extended : value;
}

/* A source of madm with its extra bits; `value` already has the modifiers. */
static long double madm_source(const struct emu_lane *lane, unsigned index, long double value)
{
    const struct sonde_gen_operand *operand = &lane->details->instruction.src[index];
    if (operand->mme >= EMU_MME_COUNT)
        return value;
    long double extended = lane->thread->mme[operand->mme][lane->channel];
    if (operand->absolute)
        extended = fabsl(extended);
    return with_extra_bits(value, operand->negate ? -extended : extended,
                           lane->details->destination.type == SONDE_GEN_TYPE_DF);
}

/* The result as wide as the destination's extra-precision register, if any. */
static long double madm(struct emu_lane *lane, long double a, long double b, long double c)
{
    a = madm_source(lane, 0, a);
    b = madm_source(lane, 1, b);
    c = madm_source(lane, 2, c);
    unsigned mme = lane->details->instruction.dst.mme;
    if (mme >= EMU_MME_COUNT)
        return emu_extended_fma_double(a, b, c);
    long double result = emu_extended_fma(a, b, c);
    lane->thread->mme[mme][lane->channel] = result;
    return result;
}

void emu_madm_single(struct emu_lane *lane)
{
    const struct emu_value *source = lane->source;
    lane->result.f = (float)madm(lane, (long double)source[0].f, (long double)source[1].f,
                                 (long double)source[2].f);
}

void emu_madm_twice(struct emu_lane *lane)
{
    const struct emu_value *source = lane->source;
    lane->result.d = (double)madm(lane, (long double)source[0].d, (long double)source[1].d,
                                  (long double)source[2].d);
}

/* The operands of the sequences that compilers emit: packed or scalar
 * registers of one float type, no conditions. */
bool emu_madm_is_plain(const struct emu_details *details)
{
    const struct sonde_gen_instruction *instruction = &details->instruction;
    uint8_t type = details->destination.type;
    if ((type != SONDE_GEN_TYPE_DF && type != SONDE_GEN_TYPE_F) || !details->has_destination ||
        details->writes_acc || details->destination.indirect || instruction->saturate ||
        instruction->condition || instruction->accumulator_write ||
        instruction->source_count != EMU_OPERAND_MAX)
        return false;
    for (unsigned i = 0; i < EMU_OPERAND_MAX; i++)
        if (details->source[i].type != type || details->source[i].indirect ||
            instruction->src[i].file == SONDE_GEN_FILE_IMMEDIATE)
            return false;
    return true;
}

static long double plain_source(const struct emu_thread *thread, const struct emu_details *details,
                                unsigned index, uint32_t channel)
{
    const struct sonde_gen_operand *operand = &details->instruction.src[index];
    const struct emu_region *region = &details->source[index];
    const uint8_t *data = thread->grf + region->base + region->offset[channel];
    long double value;
    bool is_double = region->size == sizeof(double);
    if (is_double) {
        double twice;
        memcpy(&twice, data, sizeof(twice));
        value = (long double)twice;
    } else {
        float single;
        memcpy(&single, data, sizeof(single));
        value = (long double)single;
    }
    if (operand->mme < EMU_MME_COUNT)
        value = with_extra_bits(value, thread->mme[operand->mme][channel], is_double);
    if (operand->absolute)
        value = fabsl(value);
    return operand->negate ? -value : value;
}

void emu_run_madm(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const struct emu_details *details = operation->details;
    const struct emu_region *region = &details->destination;
    unsigned mme = details->instruction.dst.mme;
    long double results[EMU_LANES];
    if (thread->flushes) {
        emu_general_run(thread, operation, mask);
        return;
    }
    mask &= details->written_channels;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t channel = (uint32_t)__builtin_ctz(left);
        long double a = plain_source(thread, details, 0, channel);
        long double b = plain_source(thread, details, 1, channel);
        long double c = plain_source(thread, details, 2, channel);
        results[channel] = mme < EMU_MME_COUNT ? emu_extended_fma(a, b, c)
                                               : (long double)emu_extended_fma_double(a, b, c);
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t channel = (uint32_t)__builtin_ctz(left);
        uint8_t *data = thread->grf + region->base + region->offset[channel];
        double twice = (double)results[channel];
        float single = (float)results[channel];
        if (mme < EMU_MME_COUNT)
            thread->mme[mme][channel] = results[channel];
        if (region->size == sizeof(twice))
            memcpy(data, &twice, sizeof(twice));
        else
            memcpy(data, &single, sizeof(single));
    }
}
