#include "coder/wide.h"

struct sonde_operand coder_half_of(struct sonde_operand operand, unsigned half)
{
    if (operand.kind == SONDE_OPERAND_IMMEDIATE)
        operand.immediate = operand.immediate >> 32 * half & UINT32_MAX;
    else
        operand.byte += 4 * half;
    return operand;
}

struct sonde_operand coder_piece_of(struct sonde_operand operand, unsigned piece)
{
    if (operand.kind == SONDE_OPERAND_IMMEDIATE)
        operand.immediate = operand.immediate >> 16 * piece & UINT16_MAX;
    else
        operand.byte += 2 * piece;
    return operand;
}

static struct coder_operand dword(struct sonde_operand at)
{
    return coder_typed(at, SONDE_GEN_TYPE_UD);
}

static struct coder_operand immediate(uint32_t value)
{
    return dword(sonde_operand_immediate(value));
}

/* Dword `index` of the scratch register of these operations. */
static struct coder_operand work(struct coder_builder *builder, unsigned index)
{
    return coder_vreg_typed(coder_builder_temporary(builder, CODER_TEMPORARY_WIDE), 4 * index,
                            SONDE_GEN_TYPE_UD);
}

static struct coder_operand spare(struct coder_builder *builder)
{
    return coder_vreg_typed(coder_builder_temporary(builder, CODER_TEMPORARY_SUM), 0,
                            SONDE_GEN_TYPE_UD);
}

static bool is_immediate(struct sonde_operand operand, uint32_t value)
{
    return operand.kind == SONDE_OPERAND_IMMEDIATE && operand.immediate == value;
}

/* dst = a op b; immediates stand last. */
static void binary(struct coder_builder *builder, enum sonde_gen_opcode opcode,
                   struct coder_operand dst, struct coder_operand a, struct coder_operand b)
{
    coder_builder_binary(builder, opcode, dst, a, b);
}

static struct coder_operand inverted(struct coder_operand operand)
{
    operand.negate = true;
    return operand;
}

/* An operand whose halves an instruction takes as its first source. */
static struct sonde_operand place(struct coder_builder *builder, struct sonde_operand a)
{
    if (a.kind != SONDE_OPERAND_IMMEDIATE)
        return a;
    struct sonde_operand copy =
        sonde_operand_vreg(coder_builder_temporary(builder, CODER_TEMPORARY_FIRST));
    coder_wide_move(builder, copy, a);
    return copy;
}

void coder_wide_move(struct coder_builder *builder, struct sonde_operand dst,
                     struct sonde_operand a)
{
    for (unsigned half = 0; half < 2; half++)
        coder_builder_move(builder, dword(coder_half_of(dst, half)), dword(coder_half_of(a, half)));
}

/* carry = bit 31 of the majority of a, b and not sum (of not a, b and the
 * difference: the borrow), as bit 0. */
static void majority(struct coder_builder *builder, struct coder_operand carry,
                     struct coder_operand other, struct coder_operand a, struct coder_operand b,
                     struct coder_operand c)
{
    struct coder_operand first = a, third = c;
    binary(builder, SONDE_GEN_AND, carry, first, b);
    binary(builder, SONDE_GEN_OR, other, first, b);
    binary(builder, SONDE_GEN_AND, other, third, other);
    binary(builder, SONDE_GEN_OR, carry, carry, other);
}

static void carry_of(struct coder_builder *builder, struct coder_operand sum,
                     struct coder_operand carry, struct coder_operand other, struct coder_operand a,
                     struct coder_operand b)
{
    majority(builder, carry, other, a, b, inverted(sum));
    binary(builder, SONDE_GEN_SHR, carry, carry, immediate(31));
}

struct coder_carry coder_wide_carry(struct coder_builder *builder, struct sonde_operand a,
                                    struct sonde_operand b)
{
    struct coder_carry result = {.sum = work(builder, 0), .carry = work(builder, 1)};
    if (builder->coder->isa->has_int64) {
        struct coder_operand wide = result.sum;
        wide.type = SONDE_GEN_TYPE_UQ;
        coder_builder_move(builder, wide, dword(a));
        binary(builder, SONDE_GEN_ADD, wide, wide, dword(b));
        return result;
    }
    if (a.kind == SONDE_OPERAND_IMMEDIATE) {
        coder_builder_move(builder, work(builder, 3), dword(a));
        a = work(builder, 3).at;
    }
    binary(builder, SONDE_GEN_ADD, result.sum, dword(a), dword(b));
    carry_of(builder, result.sum, result.carry, work(builder, 2), dword(a), dword(b));
    return result;
}

void coder_wide_add(struct coder_builder *builder, struct sonde_operand dst, struct sonde_operand a,
                    struct sonde_operand b, bool is_dword)
{
    if (a.kind == SONDE_OPERAND_IMMEDIATE && !is_dword) {
        struct sonde_operand swap = a;
        a = b;
        b = swap;
    }
    a = place(builder, a);
    struct sonde_operand upper = is_dword ? sonde_operand_immediate(0) : coder_half_of(b, 1);
    struct coder_operand low = work(builder, 0), carry = work(builder, 1);
    struct coder_operand a_low = dword(coder_half_of(a, 0)), a_high = dword(coder_half_of(a, 1));
    struct coder_operand b_low = dword(coder_half_of(b, 0));
    struct coder_operand high = dword(coder_half_of(dst, 1));
    binary(builder, SONDE_GEN_ADD, low, a_low, b_low);
    carry_of(builder, low, carry, work(builder, 2), a_low, b_low);
    if (is_immediate(upper, 0)) {
        binary(builder, SONDE_GEN_ADD, high, a_high, carry);
    } else {
        binary(builder, SONDE_GEN_ADD, carry, carry, dword(upper));
        binary(builder, SONDE_GEN_ADD, high, a_high, carry);
    }
    coder_builder_move(builder, dword(coder_half_of(dst, 0)), low);
}

/* low = a - b, borrow = 1 when it is below zero. */
static void subtract_low(struct coder_builder *builder, struct sonde_operand a,
                         struct sonde_operand b, struct coder_operand low,
                         struct coder_operand borrow)
{
    struct coder_operand a_low = dword(coder_half_of(a, 0)), b_low = dword(coder_half_of(b, 0));
    if (b.kind == SONDE_OPERAND_IMMEDIATE)
        binary(builder, SONDE_GEN_ADD, low, a_low, immediate(0u - (uint32_t)b_low.at.immediate));
    else
        binary(builder, SONDE_GEN_ADD, low, a_low, inverted(b_low));
    majority(builder, borrow, work(builder, 2), inverted(a_low), b_low, low);
    binary(builder, SONDE_GEN_SHR, borrow, borrow, immediate(31));
}

void coder_wide_subtract(struct coder_builder *builder, struct sonde_operand dst,
                         struct sonde_operand a, struct sonde_operand b)
{
    a = place(builder, a);
    struct coder_operand low = work(builder, 0), borrow = work(builder, 1);
    subtract_low(builder, a, b, low, borrow);
    struct coder_operand b_high = dword(coder_half_of(b, 1));
    binary(builder, SONDE_GEN_ADD, borrow, borrow, b_high);
    binary(builder, SONDE_GEN_ADD, dword(coder_half_of(dst, 1)), dword(coder_half_of(a, 1)),
           inverted(borrow));
    coder_builder_move(builder, dword(coder_half_of(dst, 0)), low);
}

static enum sonde_gen_opcode shift_right(bool is_signed)
{
    return is_signed ? SONDE_GEN_ASR : SONDE_GEN_SHR;
}

static struct coder_operand as_signed(struct coder_operand operand, bool is_signed)
{
    operand.type = is_signed ? SONDE_GEN_TYPE_D : SONDE_GEN_TYPE_UD;
    return operand;
}

/* near: the half that bits leave last (the high one of shl); far: the other. */
static void shift_constant(struct coder_builder *builder, bool left, bool is_signed,
                           struct sonde_operand dst, struct sonde_operand a, unsigned distance)
{
    enum sonde_gen_opcode away = left ? SONDE_GEN_SHL : SONDE_GEN_SHR;
    enum sonde_gen_opcode back = left ? SONDE_GEN_SHR : SONDE_GEN_SHL;
    struct coder_operand near = dword(coder_half_of(a, left)), far = dword(coder_half_of(a, !left));
    struct coder_operand near_to = dword(coder_half_of(dst, left));
    struct coder_operand far_to = as_signed(dword(coder_half_of(dst, !left)), is_signed && !left);
    struct coder_operand far_from = as_signed(far, is_signed && !left);
    struct coder_operand rest = work(builder, 0), moved = work(builder, 1);
    enum sonde_gen_opcode fill = left ? away : shift_right(is_signed);
    if (distance == 0) {
        coder_wide_move(builder, dst, a);
    } else if (distance < 32) {
        binary(builder, back, rest, far, immediate(32 - distance));
        binary(builder, away, moved, near, immediate(distance));
        binary(builder, fill, far_to, far_from, immediate(distance));
        binary(builder, SONDE_GEN_OR, near_to, moved, rest);
    } else {
        binary(builder, fill, as_signed(moved, is_signed && !left), far_from,
               immediate(distance - 32));
        if (is_signed && !left)
            binary(builder, SONDE_GEN_ASR, far_to, far_from, immediate(31));
        else
            coder_builder_move(builder, far_to, immediate(0));
        coder_builder_move(builder, near_to, moved);
    }
}

/* mask = all ones when the distance is 32 or more. */
static void shift_variable(struct coder_builder *builder, bool left, bool is_signed,
                           struct sonde_operand dst, struct sonde_operand a,
                           struct sonde_operand distance)
{
    enum sonde_gen_opcode away = left ? SONDE_GEN_SHL : SONDE_GEN_SHR;
    enum sonde_gen_opcode back = left ? SONDE_GEN_SHR : SONDE_GEN_SHL;
    bool keeps_sign = is_signed && !left;
    struct coder_operand near = dword(coder_half_of(a, left)), far = dword(coder_half_of(a, !left));
    struct coder_operand moved = work(builder, 0), rest = work(builder, 1), mask = work(builder, 2);
    struct coder_operand other = work(builder, 3), joined = spare(builder);
    struct coder_operand count = dword(distance);
    binary(builder, SONDE_GEN_AND, joined, count, immediate(31));
    binary(builder, keeps_sign ? SONDE_GEN_ASR : away, as_signed(moved, keeps_sign),
           as_signed(far, keeps_sign), joined);
    binary(builder, back, rest, far, immediate(1));
    binary(builder, SONDE_GEN_AND, other, inverted(joined), immediate(31));
    binary(builder, back, rest, rest, other);
    binary(builder, SONDE_GEN_SHL, mask, count, immediate(26));
    binary(builder, SONDE_GEN_ASR, as_signed(mask, true), as_signed(mask, true), immediate(31));
    binary(builder, away, joined, near, joined);
    binary(builder, SONDE_GEN_OR, joined, joined, rest);
    if (keeps_sign)
        binary(builder, SONDE_GEN_ASR, as_signed(other, true), as_signed(far, true), immediate(31));
    else
        coder_builder_move(builder, other, immediate(0));
    binary(builder, SONDE_GEN_AND, joined, inverted(mask), joined);
    binary(builder, SONDE_GEN_AND, rest, mask, moved);
    binary(builder, SONDE_GEN_OR, dword(coder_half_of(dst, left)), joined, rest);
    binary(builder, SONDE_GEN_AND, moved, inverted(mask), moved);
    binary(builder, SONDE_GEN_AND, other, mask, other);
    binary(builder, SONDE_GEN_OR, dword(coder_half_of(dst, !left)), moved, other);
}

void coder_wide_shift(struct coder_builder *builder, bool left, bool is_signed,
                      struct sonde_operand dst, struct sonde_operand a,
                      struct sonde_operand distance)
{
    a = place(builder, a);
    if (distance.kind == SONDE_OPERAND_IMMEDIATE)
        shift_constant(builder, left, is_signed, dst, a, (unsigned)distance.immediate & 63);
    else
        shift_variable(builder, left, is_signed, dst, a, distance);
}

/* The four products of 16 bits, added without a carry: w0 low, w3 high. */
static void multiply_low(struct coder_builder *builder, struct sonde_operand a,
                         struct sonde_operand b)
{
    struct coder_operand w[4], carry = spare(builder);
    for (unsigned i = 0; i < 4; i++) {
        w[i] = work(builder, i);
        binary(builder, SONDE_GEN_MUL, w[i],
               coder_typed(coder_piece_of(a, i / 2), SONDE_GEN_TYPE_UW),
               coder_typed(coder_piece_of(b, i % 2), SONDE_GEN_TYPE_UW));
    }
    binary(builder, SONDE_GEN_SHR, carry, w[0], immediate(16));
    binary(builder, SONDE_GEN_ADD, w[1], w[1], carry);
    binary(builder, SONDE_GEN_AND, carry, w[1], immediate(UINT16_MAX));
    binary(builder, SONDE_GEN_ADD, w[2], w[2], carry);
    binary(builder, SONDE_GEN_SHR, w[1], w[1], immediate(16));
    binary(builder, SONDE_GEN_ADD, w[3], w[3], w[1]);
    binary(builder, SONDE_GEN_SHR, w[1], w[2], immediate(16));
    binary(builder, SONDE_GEN_ADD, w[3], w[3], w[1]);
    binary(builder, SONDE_GEN_SHL, w[2], w[2], immediate(16));
    binary(builder, SONDE_GEN_AND, w[0], w[0], immediate(UINT16_MAX));
    binary(builder, SONDE_GEN_OR, w[0], w[0], w[2]);
}

void coder_wide_multiply(struct coder_builder *builder, struct sonde_operand dst,
                         struct sonde_operand a, struct sonde_operand b)
{
    a = place(builder, a);
    multiply_low(builder, a, b);
    struct coder_operand cross = work(builder, 1), high = work(builder, 3);
    for (unsigned half = 0; half < 2; half++) {
        struct sonde_operand of_b = coder_half_of(b, !half);
        if (is_immediate(of_b, 0))
            continue;
        coder_multiply_dwords(builder, cross.at, coder_half_of(a, half), of_b);
        binary(builder, SONDE_GEN_ADD, high, high, cross);
    }
    coder_builder_move(builder, dword(coder_half_of(dst, 0)), work(builder, 0));
    coder_builder_move(builder, dword(coder_half_of(dst, 1)), high);
}

/* high = the upper half with its sign inverted: order as of unsigned numbers. */
static struct coder_operand ordered(struct coder_builder *builder, struct sonde_operand a,
                                    bool is_signed, struct coder_operand copy)
{
    struct coder_operand upper = dword(coder_half_of(a, 1));
    if (!is_signed)
        return upper;
    if (a.kind == SONDE_OPERAND_IMMEDIATE)
        return immediate((uint32_t)upper.at.immediate ^ 0x80000000u);
    binary(builder, SONDE_GEN_XOR, copy, upper, immediate(0x80000000u));
    return copy;
}

struct sonde_operand coder_wide_difference(struct coder_builder *builder,
                                           enum sonde_gen_condition *condition, bool is_signed,
                                           struct sonde_operand a, struct sonde_operand b)
{
    struct coder_operand result = work(builder, 0), borrow = work(builder, 1);
    if (*condition == SONDE_GEN_CONDITION_Z || *condition == SONDE_GEN_CONDITION_NZ) {
        a = place(builder, a);
        binary(builder, SONDE_GEN_XOR, result, dword(coder_half_of(a, 0)),
               dword(coder_half_of(b, 0)));
        binary(builder, SONDE_GEN_XOR, borrow, dword(coder_half_of(a, 1)),
               dword(coder_half_of(b, 1)));
        binary(builder, SONDE_GEN_OR, result, result, borrow);
        return result.at;
    }
    /* Of a < b and b < a the one that is asked for, or its contrary. */
    if (*condition == SONDE_GEN_CONDITION_G || *condition == SONDE_GEN_CONDITION_LE) {
        struct sonde_operand swap = a;
        a = b;
        b = swap;
    }
    bool is_less = *condition == SONDE_GEN_CONDITION_L || *condition == SONDE_GEN_CONDITION_G;
    *condition = is_less ? SONDE_GEN_CONDITION_L : SONDE_GEN_CONDITION_GE;
    a = place(builder, a);
    subtract_low(builder, a, b, result, borrow);
    struct coder_operand a_high = ordered(builder, a, is_signed, work(builder, 3));
    struct coder_operand b_high = ordered(builder, b, is_signed, spare(builder));
    struct coder_operand difference = result;
    binary(builder, SONDE_GEN_ADD, borrow, borrow, b_high);
    binary(builder, SONDE_GEN_ADD, difference, a_high, inverted(borrow));
    majority(builder, borrow, work(builder, 2), inverted(a_high), b_high, difference);
    return borrow.at; /* its sign */
}
