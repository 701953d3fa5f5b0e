/* Runs what the planner chose for an instruction. */
#include <string.h>

#include "emu/gen/plan.h"

static inline uint32_t indirect_base(const struct emu_thread *thread,
                                     const struct emu_source *source)
{
    return source->base + thread->address[source->address_subreg];
}

static inline const void *source_lanes(struct emu_thread *thread,
                                       const struct emu_operation *operation, unsigned index,
                                       void *buffer)
{
    const struct emu_source *source = &operation->source[index];
    if (source->constant)
        return source->constant;
    const uint8_t *data = thread->grf + source->base;
    if (source->indirect)
        data = thread->grf + indirect_base(thread, source);
    if (!source->load)
        return data;
    source->load(buffer, data, source->stride, source->offset, operation->exec_size);
    if (source->modify)
        source->modify(buffer, buffer, NULL, NULL, 0, operation->exec_size);
    return buffer;
}

static const _Alignas(64) uint8_t zero_lanes[EMU_LANE_BUFFER];

/* Flags, saturation and store of a result in a buffer. */
static void finish(struct emu_thread *thread, const struct emu_operation *operation, void *result,
                   uint32_t mask)
{
    _Alignas(64) uint8_t scratch[EMU_LANE_BUFFER];
    uint32_t count = operation->exec_size;
    if (operation->collect) {
        const void *outcome = result;
        if (operation->compare) {
            operation->compare(scratch, result, zero_lanes, NULL, 0, count);
            outcome = scratch;
        }
        uint32_t bits = operation->collect(outcome, count);
        emu_flag_write(thread, operation, bits, mask);
    }
    if (!operation->store)
        return;
    if (operation->saturate)
        operation->saturate(result, result, NULL, NULL, 0, count);
    operation->store(thread->grf + operation->destination, result, operation->destination_stride,
                     operation->destination_offset, mask, count);
}

void emu_run_fast(struct emu_thread *thread, const struct emu_operation *operation, uint32_t mask)
{
    _Alignas(64) uint8_t buffers[EMU_OPERAND_MAX][EMU_LANE_BUFFER];
    _Alignas(64) uint8_t result[EMU_LANE_BUFFER];
    const void *a = source_lanes(thread, operation, 0, buffers[0]), *b = NULL, *c = NULL;
    if (operation->source_count > 1)
        b = source_lanes(thread, operation, 1, buffers[1]);
    if (operation->source_count > 2)
        c = source_lanes(thread, operation, 2, buffers[2]);
    uint32_t select =
        operation->selects ? emu_predicate_mask(thread, operation) : operation->parameter;
    if (operation->direct_store && mask == operation->window) {
        operation->compute(thread->grf + operation->destination, a, b, c, select,
                           operation->exec_size);
        return;
    }
    operation->compute(result, a, b, c, select, operation->exec_size);
    finish(thread, operation, result, mask);
}

/* One source or the other, by a relation of the third to zero. */
void emu_fast_run_csel(struct emu_thread *thread, const struct emu_operation *operation,
                       uint32_t mask)
{
    _Alignas(64) uint8_t buffers[EMU_OPERAND_MAX][EMU_LANE_BUFFER];
    _Alignas(64) uint8_t result[EMU_LANE_BUFFER];
    uint32_t count = operation->exec_size;
    const void *a = source_lanes(thread, operation, 0, buffers[0]);
    const void *b = source_lanes(thread, operation, 1, buffers[1]);
    const void *c = source_lanes(thread, operation, 2, buffers[2]);
    operation->compare(result, c, zero_lanes, NULL, 0, count);
    uint32_t first = operation->collect(result, count);
    operation->compute(result, a, b, NULL, first, count);
    if (operation->store)
        operation->store(thread->grf + operation->destination, result,
                         operation->destination_stride, operation->destination_offset, mask, count);
}

/* Integers to an accumulator. */
void emu_fast_run_wide(struct emu_thread *thread, const struct emu_operation *operation,
                       uint32_t mask)
{
    _Alignas(64) uint8_t buffers[EMU_OPERAND_MAX][EMU_LANE_BUFFER];
    _Alignas(64) int64_t result[EMU_LANES];
    const void *lanes[EMU_OPERAND_MAX] = {NULL, NULL, NULL};
    uint32_t count = operation->exec_size;
    for (unsigned i = 0; i < operation->source_count; i++)
        lanes[i] = source_lanes(thread, operation, i, buffers[i]);
    operation->compute(result, lanes[0], lanes[1], lanes[2], operation->parameter, count);
    operation->store(thread->grf + operation->destination, result, operation->destination_stride,
                     operation->destination_offset, mask, count);
    uint32_t first =
        (operation->destination - EMU_OFFSET(acc)) / operation->details->destination.size;
    for (uint32_t i = 0; i < count && first + i < EMU_LANES; i++)
        if (mask >> i & 1)
            thread->acc_wide[first + i] = result[i];
}

/* Only some channels of each group of four are written (align16). */
void emu_fast_run_write_masked(struct emu_thread *thread, const struct emu_operation *operation,
                               uint32_t mask)
{
    emu_run_fast(thread, operation, mask & operation->details->written_channels);
}

/* Register-indirect sources; one that leaves the register file is left to the
 * general path, which reports it. */
void emu_fast_run_indirect(struct emu_thread *thread, const struct emu_operation *operation,
                           uint32_t mask)
{
    for (unsigned i = 0; i < operation->source_count; i++) {
        const struct emu_source *source = &operation->source[i];
        if (source->indirect &&
            indirect_base(thread, source) + source->extent > thread->register_bytes) {
            emu_general_run(thread, operation, mask);
            return;
        }
    }
    if (operation->compute)
        emu_run_fast(thread, operation, mask);
    else
        emu_fast_run_accumulator(thread, operation, mask);
}

static void mask_store(struct emu_thread *thread, const struct emu_operation *operation,
                       const int64_t *result, uint32_t mask)
{
    if (operation->store)
        operation->store(thread->grf + operation->destination, result,
                         operation->destination_stride, operation->destination_offset, mask,
                         operation->exec_size);
}

/* mach, addc and subb: a 32-bit result and a 64-bit accumulator lane. */
void emu_fast_run_accumulator(struct emu_thread *thread, const struct emu_operation *operation,
                              uint32_t mask)
{
    _Alignas(64) int64_t buffers[2][EMU_LANES], result[EMU_LANES], lanes[EMU_LANES];
    const int64_t *a = source_lanes(thread, operation, 0, buffers[0]);
    const int64_t *b = source_lanes(thread, operation, 1, buffers[1]);
    uint32_t count = operation->exec_size;
    uint8_t opcode = operation->details->instruction.opcode;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t total = 0;
        if (opcode == SONDE_GEN_MACH) {
            total = (uint64_t)thread->acc_wide[i] + ((uint64_t)a[i] * (uint64_t)(b[i] >> 16) << 16);
            result[i] = (int64_t)(total >> 32);
        } else if (opcode == SONDE_GEN_ADDC) {
            total = (uint64_t)(uint32_t)a[i] + (uint32_t)b[i];
            result[i] = (int64_t)total;
            total >>= 32;
        } else {
            total = (uint32_t)a[i] < (uint32_t)b[i];
            result[i] = a[i] - b[i];
        }
        lanes[i] = (int64_t)total;
    }
    for (uint32_t i = 0; i < count; i++)
        if (mask >> i & 1) {
            uint32_t image = (uint32_t)lanes[i];
            thread->acc_wide[i] = lanes[i];
            memcpy(thread->acc + i * sizeof(image), &image, sizeof(image));
        }
    mask_store(thread, operation, result, mask);
}
