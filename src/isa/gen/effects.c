/* What an instruction reads and writes. Where the exact set is not known the
 * reads and writes grow and the write counts as partial, so that a liveness
 * analysis over these sets errs on the side of "live". */
#include "sonde/gen_message.h"

#include "isa/gen/opcode_facts.h"

#include <string.h>

#define GRF_SIZE          32u
#define GRF_FILE_SIZE     4096u
#define ACCUMULATORS      2u /* acc0 and acc1; the registers behind are mme0-7 */
#define MAX_PAYLOAD       15u
#define MAX_PAYLOAD_SPLIT 31u
#define MAX_RESPONSE      31u
#define BOTH_ACCUMULATORS 3u

static void mark_grf(struct sonde_gen_effect *e, unsigned start, unsigned length)
{
    unsigned end = start + length;
    if (end > GRF_FILE_SIZE)
        end = GRF_FILE_SIZE;
    while (start < end) {
        unsigned bit = start % 64, count = 64 - bit;
        if (count > end - start)
            count = end - start;
        uint64_t mask = count == 64 ? ~UINT64_C(0) : ((UINT64_C(1) << count) - 1) << bit;
        e->grf[start / 64] |= mask;
        start += count;
    }
}

/* Half flag registers that bits [first, first + count) of `number` touch. No
 * compiler lets channels run past the register: then it may be any of them. */
static void mark_flags(struct sonde_gen_effect *e, unsigned number, unsigned first, unsigned count)
{
    if (first + count > 32) {
        e->flags = 0xff;
        return;
    }
    for (unsigned half = first / 16; count > 0 && half <= (first + count - 1) / 16; half++)
        e->flags |= (uint8_t)(1u << ((2 * number + half) & 7));
}

/* A piece of an architecture register. True when the tracked unit (address
 * element, half flag, accumulator) is covered wholly. */
static bool mark_arf(struct sonde_gen_effect *e, unsigned number, unsigned start, unsigned length)
{
    unsigned index = number & 0xf, end = start + length;
    bool whole = true;
    switch (number & 0xf0) {
    case SONDE_GEN_ARF_ADDRESS:
        for (unsigned element = start / 2; element <= (end - 1) / 2 && element < 16; element++)
            e->address |= (uint16_t)(1u << element);
        whole = start % 2 == 0 && end % 2 == 0;
        break;
    case SONDE_GEN_ARF_FLAG:
        for (unsigned half = start / 2; half <= (end - 1) / 2; half++)
            e->flags |= (uint8_t)(1u << ((2 * index + half) & 7));
        whole = start % 2 == 0 && end % 2 == 0;
        break;
    case SONDE_GEN_ARF_ACCUMULATOR:
        for (unsigned n = index + start / GRF_SIZE; n <= index + (end - 1) / GRF_SIZE; n++) {
            if (n < ACCUMULATORS)
                e->accumulators |= (uint16_t)(1u << n);
            else
                e->mme = true;
        }
        whole = start % GRF_SIZE == 0 && end % GRF_SIZE == 0;
        break;
    case SONDE_GEN_ARF_CONTROL:
        e->control = true;
        whole = false;
        break;
    default:
        break;
    }
    return whole;
}

static bool mark(struct sonde_gen_effect *e, const struct sonde_gen_operand *o, unsigned start,
                 unsigned length)
{
    if (length == 0)
        return true;
    if (o->file == SONDE_GEN_FILE_GRF) {
        mark_grf(e, o->number * GRF_SIZE + o->subreg + start, length);
        return true;
    }
    return o->file != SONDE_GEN_FILE_ARF || mark_arf(e, o->number, o->subreg + start, length);
}

/* Address elements that an indirect operand reads. */
static void mark_address(struct sonde_gen_effect *e, const struct sonde_gen_operand *o,
                         unsigned addresses)
{
    for (unsigned n = 0; n < addresses && n < 16; n++)
        e->address |= (uint16_t)(1u << ((o->address_subreg + n) & 15));
}

static unsigned operand_size(const struct sonde_gen_operand *o)
{
    unsigned size = sonde_gen_type_size((enum sonde_gen_type)o->type);
    return size == 0 ? 4 : size;
}

/* Rows of a region, in order; neighbours are joined. */
static void read_region(struct sonde_gen_effect *e, const struct sonde_gen_operand *o,
                        unsigned channels)
{
    unsigned size = operand_size(o), width = o->width == 0 ? 1 : o->width;
    if (width > channels)
        width = channels;
    for (unsigned first = 0; first < channels; first += width) {
        unsigned row = first / width * o->vstride * size;
        if (o->hstride <= 1) {
            mark(e, o, row, o->hstride == 0 ? size : width * size);
            continue;
        }
        for (unsigned n = 0; n < width; n++)
            mark(e, o, row + n * o->hstride * size, size);
    }
}

/* Align16 source. A swizzle selects in each group of four channels, and how
 * 64-bit types pair channels is left open: read the groups whole. */
static void read_align16(struct sonde_gen_effect *e, const struct sonde_gen_operand *o,
                         unsigned channels)
{
    unsigned size = operand_size(o), group = size == 2 ? 8 : 16;
    if (o->replicate && size <= 4) {
        mark(e, o, 0, size);
        return;
    }
    unsigned length = (channels * size + group - 1) / group * group;
    struct sonde_gen_operand whole = *o;
    whole.subreg = (uint8_t)(o->subreg / group * group);
    mark(e, &whole, 0, length + (whole.subreg != o->subreg ? group : 0));
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

static void read_wide(struct sonde_gen_effect *e, const struct sonde_gen_operand *o,
                      unsigned channels)
{
    struct sonde_gen_operand whole = *o;
    whole.subreg = 0;
    unsigned length = o->subreg + 2 * channels * operand_size(o) + 16;
    mark(e, &whole, 0, (length + GRF_SIZE - 1) / GRF_SIZE * GRF_SIZE);
}

static void read_source(struct sonde_gen_effect *e, const struct sonde_gen_instruction *i,
                        const struct sonde_gen_operand *o)
{
    if (o->file != SONDE_GEN_FILE_GRF && o->file != SONDE_GEN_FILE_ARF)
        return;
    if (o->mme < 8)
        e->mme = true;
    if (o->indirect) {
        unsigned width = o->width == 0 ? 1 : o->width;
        bool several = o->vstride == SONDE_GEN_VSTRIDE_VXH && i->exec_size > width;
        mark_address(e, o, several ? i->exec_size / width : 1);
        if (i->opcode == SONDE_GEN_MOVI)
            mark_address(e, o, 16);
        e->grf_unknown = true;
        return;
    }
    if (reads_wide(i->opcode))
        read_wide(e, o, i->exec_size);
    else if (i->align16)
        read_align16(e, o, i->exec_size);
    else
        read_region(e, o, i->exec_size);
    /* How other than 32-bit elements lie in the accumulators is not modelled. */
    if (o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR &&
        operand_size(o) != 4)
        e->accumulators |= BOTH_ACCUMULATORS;
}

/* True when all bytes that are marked are written in every enabled channel. */
static bool write_align16(struct sonde_gen_effect *e, const struct sonde_gen_instruction *i)
{
    const struct sonde_gen_operand *o = &i->dst;
    unsigned size = operand_size(o);
    if (o->write_mask == 0xf || size > 4)
        return mark(e, o, 0, i->exec_size * size) && o->write_mask == 0xf;
    for (unsigned n = 0; n < i->exec_size; n++) {
        if ((o->write_mask >> (n % 4) & 1) != 0)
            mark(e, o, n * size, size);
    }
    return o->file == SONDE_GEN_FILE_GRF;
}

static bool write_destination(struct sonde_gen_effects *effects,
                              const struct sonde_gen_instruction *i)
{
    const struct sonde_gen_operand *o = &i->dst;
    struct sonde_gen_effect *e = &effects->writes;
    if (o->file != SONDE_GEN_FILE_GRF && o->file != SONDE_GEN_FILE_ARF)
        return true;
    if (o->mme < 8)
        e->mme = true;
    if (o->indirect) {
        mark_address(&effects->reads, o, 1);
        e->grf_unknown = true;
        return false;
    }
    if (i->align16)
        return write_align16(e, i);
    unsigned size = operand_size(o), stride = o->hstride == 0 ? 1 : o->hstride;
    if (o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR &&
        size != 4) {
        e->accumulators |= BOTH_ACCUMULATORS;
        return false;
    }
    if (stride == 1)
        return mark(e, o, 0, i->exec_size * size);
    bool whole = true;
    for (unsigned n = 0; n < i->exec_size; n++)
        whole = mark(e, o, n * stride * size, size) && whole;
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
        i->predicate >= SONDE_GEN_PREDICATE_ANY || i->align16) {
        effects->reads.flags = 0xff;
        return;
    }
    unsigned group = predicate_group(i->predicate);
    unsigned first = i->flag_subreg * 16u + i->channel_offset, end = first + i->exec_size;
    first = first / group * group;
    end = (end + group - 1) / group * group;
    mark_flags(&effects->reads, i->flag_number, first, end - first);
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
    mark_flags(&effects->writes, i->flag_number, first, i->exec_size);
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
        effects->reads.accumulators |= BOTH_ACCUMULATORS;
        writes = true;
        break;
    case SONDE_GEN_MAC:
    case SONDE_GEN_SADA2:
        effects->reads.accumulators |= BOTH_ACCUMULATORS;
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
        effects->writes.accumulators |= BOTH_ACCUMULATORS;
        effects->write_is_partial = true;
    }
}

/* idiv leaves the remainder in the register after the quotient; for shapes
 * other than one whole register anywhere in twice the space. */
static void division_effects(struct sonde_gen_effects *effects,
                             const struct sonde_gen_instruction *i)
{
    if (i->opcode != SONDE_GEN_MATH || i->math != SONDE_GEN_MATH_IDIV || i->dst.indirect)
        return;
    unsigned stride = i->dst.hstride == 0 ? 1 : i->dst.hstride;
    unsigned length = i->exec_size * stride * operand_size(&i->dst);
    if (i->dst.subreg == 0 && length == GRF_SIZE && stride == 1) {
        mark(&effects->writes, &i->dst, GRF_SIZE, GRF_SIZE);
        return;
    }
    unsigned registers = (i->dst.subreg + length + GRF_SIZE - 1) / GRF_SIZE;
    mark(&effects->writes, &i->dst, 0, 2 * registers * GRF_SIZE);
    effects->write_is_partial = true;
}

static void branch_effects(struct sonde_gen_effects *effects, const struct sonde_gen_instruction *i)
{
    const struct sonde_gen_operand *source = &i->src[0];
    if (i->source_count > 0) {
        /* ret and brc take two dwords: address and mask, or JIP and UIP. */
        bool pair = i->opcode == SONDE_GEN_RET || i->opcode == SONDE_GEN_BRC;
        if (source->indirect) {
            mark_address(&effects->reads, source, 1);
            effects->reads.grf_unknown = true;
        } else {
            mark(&effects->reads, source, 0, pair ? 8 : 4);
        }
    }
    if (i->dst.file == SONDE_GEN_FILE_GRF || i->dst.file == SONDE_GEN_FILE_ARF) {
        mark(&effects->writes, &i->dst, 0, 8); /* return address and mask */
        effects->write_is_partial = true;
    }
}

static void read_payload(struct sonde_gen_effects *effects, const struct sonde_gen_operand *o,
                         unsigned registers)
{
    if (o->indirect) {
        mark_address(&effects->reads, o, 1);
        effects->reads.grf_unknown = true;
    } else if (o->file == SONDE_GEN_FILE_GRF) {
        mark_grf(&effects->reads, o->number * GRF_SIZE, registers * GRF_SIZE);
    }
}

/* True when the response fills its registers in every enabled channel. */
static bool response_is_whole(const struct sonde_gen_message *m,
                              const struct sonde_gen_instruction *i)
{
    unsigned bytes = m->response_registers * GRF_SIZE;
    if (m->operation != SONDE_GEN_MESSAGE_READ)
        return false;
    switch ((enum sonde_gen_message_layout)m->layout) {
    case SONDE_GEN_LAYOUT_OWORD_BLOCK:
    case SONDE_GEN_LAYOUT_OWORD_BLOCK_UNALIGNED:
    case SONDE_GEN_LAYOUT_HWORD_BLOCK:
    case SONDE_GEN_LAYOUT_SCRATCH_BLOCK:
        return (unsigned)m->elements * m->element_size == bytes;
    case SONDE_GEN_LAYOUT_SCATTERED:
    case SONDE_GEN_LAYOUT_UNTYPED:
        return m->element_size == m->element_slot && m->simd == i->exec_size &&
               (unsigned)m->elements * m->element_slot * m->simd == bytes;
    default:
        return false;
    }
}

static void memory_effects(struct sonde_gen_effects *effects, const struct sonde_gen_message *m)
{
    switch ((enum sonde_gen_message_operation)m->operation) {
    case SONDE_GEN_MESSAGE_READ:
    case SONDE_GEN_MESSAGE_SAMPLE:
    case SONDE_GEN_MESSAGE_TYPED_READ:
    case SONDE_GEN_MESSAGE_MEDIA_READ:
        effects->reads.memory = true;
        break;
    case SONDE_GEN_MESSAGE_WRITE:
    case SONDE_GEN_MESSAGE_TYPED_WRITE:
    case SONDE_GEN_MESSAGE_MEDIA_WRITE:
        effects->writes.memory = true;
        break;
    case SONDE_GEN_MESSAGE_FENCE:
    case SONDE_GEN_MESSAGE_BARRIER:
    case SONDE_GEN_MESSAGE_GATEWAY:
    case SONDE_GEN_MESSAGE_END_OF_THREAD:
    case SONDE_GEN_MESSAGE_CACHE_FLUSH:
        break;
    case SONDE_GEN_MESSAGE_ATOMIC:
    case SONDE_GEN_MESSAGE_TYPED_ATOMIC:
    case SONDE_GEN_MESSAGE_UNKNOWN:
        effects->reads.memory = effects->writes.memory = true;
        break;
    }
}

static void send_effects(struct sonde_gen_effects *effects, const struct sonde_gen_instruction *i)
{
    struct sonde_gen_message m;
    sonde_gen_message_decode(i, &m, NULL);
    unsigned payload = m.payload_registers, response = m.response_registers;
    unsigned split = i->send.src1_length;
    if (i->send.descriptor_is_register) {
        effects->reads.address |= 3; /* a0.0:ud */
        payload = MAX_PAYLOAD;
        response = MAX_RESPONSE;
    }
    if (i->send.ex_descriptor_is_register) {
        effects->reads.address |= (uint16_t)(3u << (i->send.ex_descriptor_subreg & 15));
        split = MAX_PAYLOAD_SPLIT;
    }
    read_payload(effects, &i->src[0], payload);
    if (i->source_count > 1)
        read_payload(effects, &i->src[1], split);
    memory_effects(effects, &m);
    bool whole = response_is_whole(&m, i);
    if (i->dst.indirect) {
        mark_address(&effects->reads, &i->dst, 1);
        effects->writes.grf_unknown = response > 0;
        whole = false;
    } else if (i->dst.file == SONDE_GEN_FILE_GRF) {
        mark_grf(&effects->writes, i->dst.number * GRF_SIZE, response * GRF_SIZE);
    }
    if (!whole)
        effects->write_is_partial = true;
}

static void everything(struct sonde_gen_effect *e)
{
    memset(e->grf, 0xff, GRF_FILE_SIZE / 8);
    e->grf_unknown = true;
    e->flags = 0xff;
    e->accumulators = e->address = 0xffff;
    e->mme = e->control = e->memory = true;
}

void sonde_gen_instruction_effects(const struct sonde_gen_instruction *instruction,
                                   struct sonde_gen_effects *effects)
{
    const struct sonde_gen_instruction *i = instruction;
    memset(effects, 0, sizeof *effects);
    if (i->illegal || i->opcode >= SONDE_GEN_OPCODE_COUNT ||
        i->platform != SONDE_GEN_PLATFORM_GEN9) {
        everything(&effects->reads);
        everything(&effects->writes);
        effects->write_is_partial = true;
        return;
    }
    if (isa_gen_opcodes[i->opcode].format == SONDE_GEN_FORMAT_NULLARY)
        return;
    effects->write_is_partial =
        !i->no_mask || (i->predicate != SONDE_GEN_PREDICATE_NONE && !picks_by_predicate(i));
    predicate_effects(effects, i);
    switch (isa_gen_opcodes[i->opcode].format) {
    case SONDE_GEN_FORMAT_BRANCH:
        branch_effects(effects, i);
        return;
    case SONDE_GEN_FORMAT_SEND:
        send_effects(effects, i);
        return;
    default:
        break;
    }
    for (unsigned n = 0; n < i->source_count && n < 3; n++)
        read_source(&effects->reads, i, &i->src[n]);
    if (!write_destination(effects, i) || i->opcode == SONDE_GEN_SMOV)
        effects->write_is_partial = true;
    division_effects(effects, i);
    condition_effects(effects, i);
    accumulator_effects(effects, i);
}
