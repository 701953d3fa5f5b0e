/* What an instruction reads and writes. Where the exact set is not known the
 * reads and writes grow and the write counts as partial, so that a liveness
 * analysis over these sets errs on the side of "live". */
#include "isa/gen/effects.h"
#include "isa/gen/opcode_facts.h"

#include <string.h>

/* What operations with an implicit accumulator use: acc0 and, where the
 * channels need more than one register, acc1, whatever the channel offset
 * (compilers read the carry of `addc (8|M16)` from acc0). */
#define IMPLICIT_ACCUMULATORS 3u

/* Rows of a region, in order; neighbours are joined. */
static void read_region(const struct isa_gen_marker *m, const struct sonde_gen_operand *o,
                        unsigned channels)
{
    unsigned size = isa_gen_element_size(o), width = o->width == 0 ? 1 : o->width;
    if (width > channels)
        width = channels;
    for (unsigned first = 0; first < channels; first += width) {
        unsigned row = first / width * o->vstride * size;
        if (o->hstride <= 1) {
            isa_gen_mark(m, o, row, o->hstride == 0 ? size : width * size);
            continue;
        }
        for (unsigned n = 0; n < width; n++)
            isa_gen_mark(m, o, row + n * o->hstride * size, size);
    }
}

/* Align16 source. A swizzle selects in each group of four channels, and how
 * 64-bit types pair channels is left open: read the groups whole. */
static void read_align16(const struct isa_gen_marker *m, const struct sonde_gen_operand *o,
                         unsigned channels)
{
    unsigned size = isa_gen_element_size(o), group = size == 2 ? 8 : 16;
    if (o->replicate && size <= 4) {
        isa_gen_mark(m, o, 0, size);
        return;
    }
    unsigned length = (channels * size + group - 1) / group * group;
    struct sonde_gen_operand whole = *o;
    whole.subreg = (uint8_t)(o->subreg / group * group);
    isa_gen_mark(m, &whole, 0, length + (whole.subreg != o->subreg ? group : 0));
}

/* Operations that combine neighbouring elements whatever the region says:
 * everything from the first element on, in whole registers. */
static bool reads_wide(uint8_t opcode)
{
    switch (opcode) {
    case SONDE_GEN_SAD2:
    case SONDE_GEN_SADA2:
    case SONDE_GEN_DP4:
    case SONDE_GEN_DPH:
    case SONDE_GEN_DP3:
    case SONDE_GEN_DP2:
    case SONDE_GEN_LINE:
    case SONDE_GEN_PLN:
    case SONDE_GEN_SMOV:
        return true;
    default:
        return false;
    }
}

static void read_wide(const struct isa_gen_marker *m, const struct sonde_gen_operand *o,
                      unsigned channels)
{
    unsigned grf = m->registers->grf_size;
    struct sonde_gen_operand whole = *o;
    whole.subreg = 0;
    unsigned length = o->subreg + 2 * channels * isa_gen_element_size(o) + 16;
    isa_gen_mark(m, &whole, 0, (length + grf - 1) / grf * grf);
}

/* From Xe on macros (math.invm, madm) name packed registers without a region;
 * so do the encodings of earlier ones, in align16. */
static bool is_macro_operand(const struct sonde_gen_operand *o)
{
    return o->mme != 0xff;
}

/* The extra precision of a macro operand: mme0-7, where the platform has so
 * many accumulators the upper ones of them. */
static void mark_mme(const struct isa_gen_marker *m, const struct sonde_gen_operand *o)
{
    if (o->mme >= 8)
        return;
    unsigned number = m->registers->mme_first + o->mme;
    m->effect->mme = true;
    if (number < m->registers->accumulator_count)
        m->effect->accumulators |= (uint16_t)(1u << number);
}

static void read_indirect(struct sonde_gen_effect *e, const struct sonde_gen_instruction *i,
                          const struct sonde_gen_operand *o)
{
    unsigned width = o->width == 0 ? 1 : o->width;
    bool several = o->vstride == SONDE_GEN_VSTRIDE_VXH && i->exec_size > width;
    isa_gen_mark_address(e, o, several ? i->exec_size / width : 1);
    if (i->opcode == SONDE_GEN_MOVI)
        isa_gen_mark_address(e, o, 16);
    e->grf_unknown = true;
}

static void read_source(const struct isa_gen_marker *m, const struct sonde_gen_instruction *i,
                        const struct sonde_gen_operand *o)
{
    if (o->file != SONDE_GEN_FILE_GRF && o->file != SONDE_GEN_FILE_ARF)
        return;
    mark_mme(m, o);
    if (o->indirect)
        read_indirect(m->effect, i, o);
    else if (reads_wide(i->opcode))
        read_wide(m, o, i->exec_size);
    else if (i->align16)
        read_align16(m, o, i->exec_size);
    else if (is_macro_operand(o))
        isa_gen_mark(m, o, 0, i->exec_size * isa_gen_element_size(o));
    else
        read_region(m, o, i->exec_size);
}

/* True when all bytes that are marked are written in every enabled channel. */
static bool write_align16(const struct isa_gen_marker *m, const struct sonde_gen_instruction *i)
{
    const struct sonde_gen_operand *o = &i->dst;
    unsigned size = isa_gen_element_size(o);
    if (o->write_mask == 0xf || size > 4)
        return isa_gen_mark(m, o, 0, i->exec_size * size) && o->write_mask == 0xf;
    for (unsigned n = 0; n < i->exec_size; n++) {
        if ((o->write_mask >> (n % 4) & 1) != 0)
            isa_gen_mark(m, o, n * size, size);
    }
    return o->file == SONDE_GEN_FILE_GRF;
}

static bool write_destination(struct sonde_gen_effects *effects, const struct isa_gen_marker *m,
                              const struct sonde_gen_instruction *i)
{
    const struct sonde_gen_operand *o = &i->dst;
    if (o->file != SONDE_GEN_FILE_GRF && o->file != SONDE_GEN_FILE_ARF)
        return true;
    mark_mme(m, o);
    if (o->indirect) {
        isa_gen_mark_address(&effects->reads, o, 1);
        m->effect->grf_unknown = true;
        return false;
    }
    if (i->align16)
        return write_align16(m, i);
    unsigned size = isa_gen_element_size(o), stride = o->hstride == 0 ? 1 : o->hstride;
    if (stride == 1)
        return isa_gen_mark(m, o, 0, i->exec_size * size);
    bool whole = true;
    for (unsigned n = 0; n < i->exec_size; n++)
        whole = isa_gen_mark(m, o, n * stride * size, size) && whole;
    return whole;
}

/* Channels that a predicate looks at, by its group size. */
static unsigned predicate_group(uint8_t predicate)
{
    switch (predicate) {
    case SONDE_GEN_PREDICATE_ANY2H:
    case SONDE_GEN_PREDICATE_ALL2H:
        return 2;
    case SONDE_GEN_PREDICATE_ANY4H:
    case SONDE_GEN_PREDICATE_ALL4H:
        return 4;
    case SONDE_GEN_PREDICATE_ANY8H:
    case SONDE_GEN_PREDICATE_ALL8H:
        return 8;
    case SONDE_GEN_PREDICATE_ANY16H:
    case SONDE_GEN_PREDICATE_ALL16H:
        return 16;
    case SONDE_GEN_PREDICATE_ANY32H:
    case SONDE_GEN_PREDICATE_ALL32H:
        return 32;
    default:
        return 1;
    }
}

/* sel without a condition: the predicate picks a source for every channel.
 * (With one it is a minimum or maximum, and a predicate masks as always.) */
static bool picks_by_predicate(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_SEL && i->condition == SONDE_GEN_CONDITION_NONE;
}

static void predicate_effects(struct sonde_gen_effects *effects,
                              const struct sonde_gen_instruction *i)
{
    if (i->predicate == SONDE_GEN_PREDICATE_NONE && !picks_by_predicate(i))
        return;
    if (i->predicate == SONDE_GEN_PREDICATE_ANYV || i->predicate == SONDE_GEN_PREDICATE_ALLV ||
        i->align16) {
        effects->reads.flags = 0xff;
        return;
    }
    if (i->predicate >= SONDE_GEN_PREDICATE_ANY) {
        isa_gen_mark_flags(&effects->reads, i->flag_number, 0, 32);
        return;
    }
    unsigned group = predicate_group(i->predicate);
    unsigned first = i->flag_subreg * 16u + i->channel_offset, end = first + i->exec_size;
    first = first / group * group;
    end = (end + group - 1) / group * group;
    isa_gen_mark_flags(&effects->reads, i->flag_number, first, end - first);
}

static void condition_effects(struct sonde_gen_effects *effects,
                              const struct sonde_gen_instruction *i)
{
    /* invm and rsqtm flag the channels that need no refinement ("early out").
     * sel compares (minimum, maximum) and leaves the flag alone. */
    bool early_out = i->opcode == SONDE_GEN_MATH && i->math >= SONDE_GEN_MATH_INVM;
    if (!early_out && (i->condition == SONDE_GEN_CONDITION_NONE || i->opcode == SONDE_GEN_SEL))
        return;
    unsigned first = i->flag_subreg * 16u + i->channel_offset;
    isa_gen_mark_flags(&effects->writes, i->flag_number, first, i->exec_size);
    if (first % 16 != 0 || i->exec_size % 16 != 0 || first + i->exec_size > 32 ||
        i->opcode == SONDE_GEN_CSEL)
        effects->write_is_partial = true;
}

static void accumulator_effects(struct sonde_gen_effects *effects,
                                const struct sonde_gen_instruction *i)
{
    bool writes = i->accumulator_write;
    switch (i->opcode) {
    case SONDE_GEN_MACH:
    case SONDE_GEN_MACL:
        effects->reads.accumulators |= IMPLICIT_ACCUMULATORS;
        writes = true;
        break;
    case SONDE_GEN_MAC:
    case SONDE_GEN_SADA2:
        effects->reads.accumulators |= IMPLICIT_ACCUMULATORS;
        break;
    case SONDE_GEN_ADDC:
    case SONDE_GEN_SUBB:
    case SONDE_GEN_PLN:
        writes = true;
        break;
    default:
        break;
    }
    if (writes) {
        /* Which channels land in acc0 and which in acc1 depends on the type. */
        effects->writes.accumulators |= IMPLICIT_ACCUMULATORS;
        effects->write_is_partial = true;
    }
}

/* idiv leaves the remainder in the register after the quotient; for shapes
 * other than one whole register anywhere in twice the space. */
static void division_effects(const struct isa_gen_marker *writes,
                             const struct sonde_gen_instruction *i, bool *partial)
{
    if (i->opcode != SONDE_GEN_MATH || i->math != SONDE_GEN_MATH_IDIV || i->dst.indirect)
        return;
    unsigned grf = writes->registers->grf_size;
    unsigned stride = i->dst.hstride == 0 ? 1 : i->dst.hstride;
    unsigned length = i->exec_size * stride * isa_gen_element_size(&i->dst);
    if (i->dst.subreg == 0 && length == grf && stride == 1) {
        isa_gen_mark(writes, &i->dst, grf, grf);
        return;
    }
    struct sonde_gen_operand whole = i->dst;
    whole.subreg = 0;
    unsigned registers = (i->dst.subreg + length + grf - 1) / grf;
    isa_gen_mark(writes, &whole, 0, 2 * registers * grf);
    *partial = true;
}

static void branch_effects(struct sonde_gen_effects *effects, const struct isa_gen_marker *reads,
                           const struct isa_gen_marker *writes,
                           const struct sonde_gen_instruction *i)
{
    const struct sonde_gen_operand *source = &i->src[0];
    if (i->source_count > 0) {
        /* ret and brc take two dwords: address and mask, or JIP and UIP. */
        bool pair = i->opcode == SONDE_GEN_RET || i->opcode == SONDE_GEN_BRC;
        if (source->indirect) {
            isa_gen_mark_address(&effects->reads, source, 1);
            effects->reads.grf_unknown = true;
        } else {
            isa_gen_mark(reads, source, 0, pair ? 8 : 4);
        }
    }
    if (i->dst.file == SONDE_GEN_FILE_GRF || i->dst.file == SONDE_GEN_FILE_ARF) {
        isa_gen_mark(writes, &i->dst, 0, 8); /* return address and mask */
        effects->write_is_partial = true;
    }
}

static void operand_effects(struct sonde_gen_effects *effects, const struct isa_gen_marker *reads,
                            const struct isa_gen_marker *writes,
                            const struct sonde_gen_instruction *i)
{
    for (unsigned n = 0; n < i->source_count && n < 3; n++)
        read_source(reads, i, &i->src[n]);
    if (!write_destination(effects, writes, i) || i->opcode == SONDE_GEN_SMOV)
        effects->write_is_partial = true;
    division_effects(writes, i, &effects->write_is_partial);
    condition_effects(effects, i);
    accumulator_effects(effects, i);
}

static void everything(struct sonde_gen_effect *e, unsigned file_size)
{
    memset(e->grf, 0xff, file_size / 8);
    e->grf_unknown = true;
    e->flags = 0xff;
    e->accumulators = e->address = 0xffff;
    e->mme = e->control = e->memory = true;
}

void sonde_gen_instruction_effects(const struct sonde_gen_instruction *instruction,
                                   struct sonde_gen_effects *effects)
{
    const struct sonde_gen_instruction *i = instruction;
    const struct isa_gen_registers *registers = isa_gen_registers_of(i->platform);
    const struct isa_gen_marker reads = {&effects->reads, registers};
    const struct isa_gen_marker writes = {&effects->writes, registers};
    memset(effects, 0, sizeof *effects);
    if (i->illegal || i->opcode >= SONDE_GEN_OPCODE_COUNT) {
        everything(&effects->reads, registers->grf_file);
        everything(&effects->writes, registers->grf_file);
        effects->write_is_partial = true;
        return;
    }
    enum sonde_gen_format format = (enum sonde_gen_format)isa_gen_opcodes[i->opcode].format;
    /* sync waits; that barriers count notifications is not modelled. */
    if (format == SONDE_GEN_FORMAT_NULLARY || format == SONDE_GEN_FORMAT_SYNC)
        return;
    effects->write_is_partial =
        !i->no_mask || (i->predicate != SONDE_GEN_PREDICATE_NONE && !picks_by_predicate(i));
    predicate_effects(effects, i);
    switch (format) {
    case SONDE_GEN_FORMAT_BRANCH:
        branch_effects(effects, &reads, &writes, i);
        break;
    case SONDE_GEN_FORMAT_SEND:
        isa_gen_send_effects(i, effects);
        break;
    case SONDE_GEN_FORMAT_DPAS:
        isa_gen_systolic_effects(i, effects);
        condition_effects(effects, i);
        break;
    default:
        operand_effects(effects, &reads, &writes, i);
        break;
    }
}
