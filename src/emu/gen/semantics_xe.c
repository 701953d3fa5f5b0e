/* Opcodes that Gen12 (Xe) and later have and Gen9 has not. */
#include "emu/gen/semantics.h"

/* Rotates work in the width of the first source. */
static uint64_t rotate_left(const struct emu_lane *lane, unsigned count)
{
    unsigned bits = 8u * lane->details->source[0].size;
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t value = (uint64_t)lane->source[0].i & mask;
    count &= bits - 1;
    return count ? (value << count | value >> (bits - count)) & mask : value;
}

void emu_rol_integer(struct emu_lane *lane)
{
    lane->result.i = (__int128)rotate_left(lane, (unsigned)lane->source[1].i);
}

void emu_ror_integer(struct emu_lane *lane)
{
    lane->result.i = (__int128)rotate_left(lane, 0u - (unsigned)lane->source[1].i);
}

void emu_add3_integer(struct emu_lane *lane)
{
    lane->result.i = lane->source[0].i + lane->source[1].i + lane->source[2].i;
}

/* Bit s0 + 2 * s1 + 4 * s2 of the truth table, for each bit of the sources. */
void emu_bfn_integer(struct emu_lane *lane)
{
    uint64_t a = (uint64_t)lane->source[0].i, b = (uint64_t)lane->source[1].i;
    uint64_t c = (uint64_t)lane->source[2].i, result = 0;
    for (unsigned row = 0; row < 8; row++)
        if (lane->details->instruction.boolean >> row & 1)
            result |= (row & 1 ? a : ~a) & (row & 2 ? b : ~b) & (row & 4 ? c : ~c);
    unsigned bits = 8u * lane->details->destination.size;
    bool is_signed = sonde_gen_type_is_signed(lane->details->destination.type);
    if (bits < 64)
        result &= (UINT64_C(1) << bits) - 1;
    lane->result.i = (__int128)result;
    if (is_signed && result >> (bits - 1))
        lane->result.i -= (__int128)1 << bits;
}

static int32_t byte_of(uint32_t value, unsigned index, bool is_signed)
{
    uint8_t byte = (uint8_t)(value >> 8 * index);
    return is_signed ? (int8_t)byte : byte;
}

/* Four products of bytes; d sources hold signed bytes, ud unsigned ones. */
void emu_dp4a_integer(struct emu_lane *lane)
{
    bool first = sonde_gen_type_is_signed(lane->details->source[1].type);
    bool second = sonde_gen_type_is_signed(lane->details->source[2].type);
    __int128 sum = lane->source[0].i;
    for (unsigned i = 0; i < 4; i++)
        sum += (__int128)byte_of((uint32_t)lane->source[1].i, i, first) *
               byte_of((uint32_t)lane->source[2].i, i, second);
    lane->result.i = sum;
}

/* mach that does not write the accumulator leaves the low half of the product
 * there: with the mul before it a multiplication of 32 bits. */
bool emu_is_low_product(const struct sonde_gen_instruction *instruction)
{
    if (instruction->opcode == SONDE_GEN_MACL)
        return true;
    return instruction->opcode == SONDE_GEN_MACH &&
           instruction->platform >= SONDE_GEN_PLATFORM_XE && !instruction->accumulator_write;
}

/* Dependencies are met as instructions are executed one after the other. */
void emu_run_sync(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    if (operation->details->instruction.sync == SONDE_GEN_SYNC_BAR)
        emu_run_wait(thread, operation, mask);
}
