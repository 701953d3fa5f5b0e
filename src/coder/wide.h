/* 64-bit arithmetic on parts that have none, in dwords, without flags and
 * without the accumulator. Sources are not immediates where a `place` is
 * asked for. */
#ifndef SONDE_CODER_WIDE_H
#define SONDE_CODER_WIDE_H

#include "coder/build.h"

/* Half 0 (low) or 1 of 64 bits. */
struct sonde_operand coder_half_of(struct sonde_operand operand, unsigned half);
/* 16 bits of an operand. */
struct sonde_operand coder_piece_of(struct sonde_operand operand, unsigned piece);

/* sum = a + b, carry = its carry (0 or 1), 32 bits; both in a register of the
 * coder that lasts to the next operation. */
struct coder_carry {
    struct coder_operand sum, carry;
};
struct coder_carry coder_wide_carry(struct coder_builder *builder, struct sonde_operand a,
                                    struct sonde_operand b);

void coder_wide_move(struct coder_builder *builder, struct sonde_operand dst,
                     struct sonde_operand a);
/* dst = a + b, or a - b; `is_dword`: b is of type ud. */
void coder_wide_add(struct coder_builder *builder, struct sonde_operand dst, struct sonde_operand a,
                    struct sonde_operand b, bool is_dword);
void coder_wide_subtract(struct coder_builder *builder, struct sonde_operand dst,
                         struct sonde_operand a, struct sonde_operand b);
/* The distance, of type ud, counts modulo 64. */
void coder_wide_shift(struct coder_builder *builder, bool left, bool is_signed,
                      struct sonde_operand dst, struct sonde_operand a,
                      struct sonde_operand distance);
void coder_wide_multiply(struct coder_builder *builder, struct sonde_operand dst,
                         struct sonde_operand a, struct sonde_operand b);
/* Returns a dword d to compare instead, with *condition and type d against 0. */
struct sonde_operand coder_wide_difference(struct coder_builder *builder,
                                           enum sonde_gen_condition *condition, bool is_signed,
                                           struct sonde_operand a, struct sonde_operand b);
/* factory.c: dst = a * b, 32 bits. */
void coder_multiply_dwords(struct coder_builder *builder, struct sonde_operand dst,
                           struct sonde_operand a, struct sonde_operand b);

#endif
