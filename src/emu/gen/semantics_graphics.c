/* Opcodes for pictures: sums of differences, dot products over groups of four
 * channels, lines and planes, shuffles of a register. Compute code hardly ever
 * has them. */
#include <string.h>

#include "emu/gen/semantics.h"

static __int128 absolute_difference(__int128 a, __int128 b)
{
    return a > b ? a - b : b - a;
}

/* Pairs of channels: both take the sum over the pair. */
static void sad_pair(struct emu_lane *lane, __int128 start)
{
    const struct emu_lane *other = lane->channel & 1 ? lane - 1 : lane + 1;
    lane->result.i = start + absolute_difference(lane->source[0].i, lane->source[1].i) +
                     absolute_difference(other->source[0].i, other->source[1].i);
}

void emu_sad2_integer(struct emu_lane *lane)
{
    sad_pair(lane, 0);
}

void emu_sada2_integer(struct emu_lane *lane)
{
    sad_pair(lane, lane->accumulator.i);
}

/* Dot products over the four channels of a group; every channel gets it. */
static float dot(const struct emu_lane *lane, unsigned terms, bool homogeneous)
{
    const struct emu_lane *first = lane - (lane->channel & 3);
    float sum = 0;
    for (unsigned i = 0; i < terms; i++)
        sum += first[i].source[0].f * first[i].source[1].f;
    return homogeneous ? sum + first[3].source[1].f : sum;
}

void emu_dp2_single(struct emu_lane *lane)
{
    lane->result.f = dot(lane, 2, false);
}

void emu_dp3_single(struct emu_lane *lane)
{
    lane->result.f = dot(lane, 3, false);
}

void emu_dp4_single(struct emu_lane *lane)
{
    lane->result.f = dot(lane, 4, false);
}

void emu_dph_single(struct emu_lane *lane)
{
    lane->result.f = dot(lane, 3, true);
}

/* Element `index` of the register that source 0, a scalar, begins in. */
static float coefficient(const struct emu_lane *lane, unsigned index)
{
    const struct emu_region *region = &lane->details->source[0];
    uint32_t at = region->base + 4 * index;
    float value = 0;
    if (!region->indirect && at + sizeof value <= lane->thread->register_bytes)
        memcpy(&value, lane->thread->grf + at, sizeof value);
    return value;
}

/* p * u + q, with p and q in elements 0 and 3. */
void emu_line_single(struct emu_lane *lane)
{
    lane->result.f = coefficient(lane, 0) * lane->source[1].f + coefficient(lane, 3);
}

/* p * u + q * v + r, with p, q and r in elements 0, 1 and 3. Registers of u and
 * of v, eight channels each, take turns. */
void emu_pln_single(struct emu_lane *lane)
{
    const struct emu_region *region = &lane->details->source[1];
    uint32_t at = region->base + lane->channel / 8 * 2 * EMU_GRF_SIZE + lane->channel % 8 * 4;
    float u = 0, v = 0;
    if (!region->indirect && at + EMU_GRF_SIZE + sizeof v <= lane->thread->register_bytes) {
        memcpy(&u, lane->thread->grf + at, sizeof u);
        memcpy(&v, lane->thread->grf + at + EMU_GRF_SIZE, sizeof v);
    }
    lane->result.f = coefficient(lane, 0) * u + coefficient(lane, 1) * v + coefficient(lane, 3);
}

/* movi: the first address register says which register, those from it on which
 * of its bytes each channel takes. */
void emu_run_movi(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    const struct sonde_gen_instruction *instruction = &operation->details->instruction;
    const struct sonde_gen_operand *source = &instruction->src[0];
    struct emu_region target;
    const char *reason = emu_operand_destination(instruction, thread->register_bytes, &target);
    if (!reason && (!source->indirect || target.indirect || operation->exec_size > 8 ||
                    source->type != target.type || instruction->platform >= SONDE_GEN_PLATFORM_XE))
        reason = "movi of another form than that of Gen9 with one source";
    uint32_t offset = (uint32_t)source->address_offset, first = source->address_subreg;
    uint32_t start = (thread->address[first & 15] + offset) & ~(EMU_GRF_SIZE - 1);
    if (!reason && start + EMU_GRF_SIZE > thread->register_bytes)
        reason = "register-indirect source lies outside the register file";
    if (reason) {
        emu_thread_fault(thread, operation, mask, "%s", reason);
        return;
    }
    uint8_t from[2 * EMU_GRF_SIZE] = {0};
    memcpy(from, thread->grf + start, EMU_GRF_SIZE);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t channel = (uint32_t)__builtin_ctz(left);
        uint32_t byte = (thread->address[(first + channel) & 15] + offset) % EMU_GRF_SIZE;
        memcpy(thread->grf + target.base + target.offset[channel], from + byte, target.size);
    }
}
