#include "kernel/footprint.h"

#include "sonde/gen_message.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Descriptor of a message with one register of payload and one of response. */
#define ONE_REGISTER_EACH (UINT32_C(1) << 25 | UINT32_C(1) << 20)

static bool has_byte(const struct sonde_gen_effect *effect, unsigned byte)
{
    return (effect->grf[byte / 64] >> byte % 64 & 1) != 0;
}

static enum sonde_status add_range(struct kernel_footprints *f, unsigned start, unsigned end)
{
    enum sonde_status status = base_array_reserve((void **)&f->ranges, &f->capacity,
                                                  f->range_count + 1, sizeof *f->ranges);
    if (status == SONDE_OK)
        f->ranges[f->range_count++] =
            (struct kernel_range){.start = (uint16_t)start, .end = (uint16_t)end};
    return status;
}

/* The runs of set bits, appended. An effect on any register has none: what it
 * touches is not known. */
static enum sonde_status add_ranges(struct kernel_footprints *f,
                                    const struct sonde_gen_effect *effect, uint32_t words,
                                    uint16_t *count)
{
    size_t before = f->range_count;
    unsigned end = words * 64;
    for (unsigned byte = 0; byte < end && !effect->grf_unknown;) {
        if (effect->grf[byte / 64] >> byte % 64 == 0) {
            byte = (byte / 64 + 1) * 64;
            continue;
        }
        while (!has_byte(effect, byte))
            byte++;
        unsigned start = byte;
        while (byte < end && has_byte(effect, byte))
            byte++;
        enum sonde_status status = add_range(f, start, byte);
        if (status != SONDE_OK)
            return status;
    }
    *count = (uint16_t)(f->range_count - before);
    return SONDE_OK;
}

/* A message whose descriptor is in a register has a payload and a response of
 * at least one register; the effects have the most that there may be. */
static void keep_certain(const struct sonde_kernel *kernel, const struct sonde_gen_instruction *i,
                         struct sonde_gen_effects *effects)
{
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode) != SONDE_GEN_FORMAT_SEND ||
        (!i->send.descriptor_is_register && !i->send.ex_descriptor_is_register))
        return;
    struct sonde_gen_instruction known = *i;
    known.send.descriptor_is_register = known.send.ex_descriptor_is_register = false;
    if (i->send.descriptor_is_register)
        known.send.descriptor = ONE_REGISTER_EACH;
    if (i->send.ex_descriptor_is_register && !i->send.ex_bso)
        known.send.src1_length = 1;
    struct sonde_gen_effects certain;
    sonde_gen_instruction_effects(&known, &certain);
    memcpy(effects->reads.grf, certain.reads.grf, kernel->grf_words * sizeof *certain.reads.grf);
    memcpy(effects->writes.grf, certain.writes.grf, kernel->grf_words * sizeof *certain.writes.grf);
}

/* Bytes [first, first + length) of the registers of a response that the message
 * leaves alone. */
static void drop_bytes(const struct sonde_kernel *kernel, const struct sonde_gen_instruction *i,
                       struct sonde_gen_effects *effects, unsigned first, unsigned length)
{
    for (unsigned byte = first; byte < first + length; byte++) {
        unsigned at = i->dst.number * kernel->grf_size + byte;
        if (at < kernel->grf_words * 64)
            effects->writes.grf[at / 64] &= ~(UINT64_C(1) << at % 64);
    }
}

/* A message of one address a channel, sent for fewer channels than it has,
 * leaves the others' places in the response alone, and one of a single OWord
 * the other half of its register. */
static void keep_channels(const struct sonde_kernel *kernel, const struct sonde_gen_instruction *i,
                          struct sonde_gen_effects *effects)
{
    struct sonde_gen_message m;
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode) != SONDE_GEN_FORMAT_SEND ||
        i->dst.file != SONDE_GEN_FILE_GRF || sonde_gen_message_decode(i, &m, NULL) != SONDE_OK)
        return;
    unsigned size = kernel->grf_size, length = m.response_registers * size;
    bool block = m.layout == SONDE_GEN_LAYOUT_OWORD_BLOCK ||
                 m.layout == SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED;
    if (block && m.elements == 1 && length == size) {
        drop_bytes(kernel, i, effects, m.high_oword ? 0 : m.element_size,
                   m.high_oword ? m.element_size : size - m.element_size);
        return;
    }
    if (i->exec_size >= m.simd ||
        (m.layout != SONDE_GEN_LAYOUT_SCATTERED && m.layout != SONDE_GEN_LAYOUT_UNTYPED))
        return;
    unsigned row = m.element_slot * m.simd, used = m.element_slot * i->exec_size;
    if (row < size)
        row = size;
    for (unsigned first = 0; first < length; first += row)
        drop_bytes(kernel, i, effects, first + used, row - used);
}

enum sonde_status kernel_footprints_make(const struct sonde_kernel *kernel,
                                         struct kernel_footprints *footprints)
{
    *footprints = (struct kernel_footprints){0};
    footprints->of = calloc(kernel->instruction_count, sizeof *footprints->of);
    if (footprints->of == NULL)
        return SONDE_ERROR_MEMORY;
    for (size_t i = 0; i < kernel->instruction_count; i++) {
        struct kernel_footprint *f = &footprints->of[i];
        struct sonde_gen_effects effects;
        sonde_gen_instruction_effects(&kernel->instructions[i], &effects);
        keep_certain(kernel, &kernel->instructions[i], &effects);
        keep_channels(kernel, &kernel->instructions[i], &effects);
        f->first = (uint32_t)footprints->range_count;
        f->flags_read = effects.reads.flags;
        f->flags_written = effects.writes.flags;
        /* The extra precision of macros is tracked by the hardware. */
        bool macro = kernel->instructions[i].dst.mme != 0xff;
        f->accumulators_read = macro ? 0 : effects.reads.accumulators;
        f->accumulators_written = macro ? 0 : effects.writes.accumulators;
        enum sonde_status status =
            add_ranges(footprints, &effects.reads, kernel->grf_words, &f->reads);
        if (status == SONDE_OK)
            status = add_ranges(footprints, &effects.writes, kernel->grf_words, &f->writes);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

void kernel_footprints_free(struct kernel_footprints *footprints)
{
    free(footprints->of);
    free(footprints->ranges);
}
