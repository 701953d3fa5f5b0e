#include "kernel/masked.h"

#include <string.h>

void kernel_masked_clear(struct kernel_masked *masked)
{
    memset(masked->grf, 0, sizeof masked->grf);
    masked->flags = 0;
    masked->accumulators = 0;
}

static uint8_t flag_halves(const struct kernel_masked *masked)
{
    uint8_t halves = 0;
    for (unsigned half = 0; half < KERNEL_FLAG_BITS / 16; half++)
        if ((masked->flags >> 16 * half & 0xffff) != 0)
            halves |= (uint8_t)(1u << half);
    return halves;
}

void kernel_masked_add(const struct kernel_masked *masked, uint32_t words,
                       struct sonde_gen_effect *live)
{
    for (uint32_t w = 0; w < words; w++)
        live->grf[w] |= masked->grf[w];
    live->flags |= flag_halves(masked);
    live->accumulators |= masked->accumulators;
}

/* Channel n of the instruction reads element n of each vector source, and
 * writes element n of the destination. */
static bool is_channelwise(const struct sonde_gen_instruction *i)
{
    if (i->illegal || i->no_mask || i->align16 || i->dst.mme != 0xff)
        return false;
    switch (sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode)) {
    case SONDE_GEN_FORMAT_SEND:
    case SONDE_GEN_FORMAT_BRANCH:
    case SONDE_GEN_FORMAT_DPAS:
    case SONDE_GEN_FORMAT_NULLARY:
    case SONDE_GEN_FORMAT_SYNC:
    case SONDE_GEN_FORMAT_WAIT:
        return false;
    case SONDE_GEN_FORMAT_MATH:
        if (i->math >= SONDE_GEN_MATH_IDIV)
            return false;
        break;
    default:
        break;
    }
    for (unsigned n = 0; n < i->source_count && n < 3; n++)
        if (i->src[n].mme != 0xff)
            return false;
    switch (i->opcode) {
    case SONDE_GEN_SAD2:
    case SONDE_GEN_SADA2:
    case SONDE_GEN_DP4:
    case SONDE_GEN_DPH:
    case SONDE_GEN_DP3:
    case SONDE_GEN_DP2:
    case SONDE_GEN_LINE:
    case SONDE_GEN_PLN:
    case SONDE_GEN_SMOV:
    case SONDE_GEN_MOVI:
    case SONDE_GEN_MADM:
        return false;
    default:
        return true;
    }
}

static bool picks_by_predicate(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_SEL && i->condition == SONDE_GEN_CONDITION_NONE;
}

static bool writes_every_channel(const struct sonde_gen_instruction *i)
{
    return i->predicate == SONDE_GEN_PREDICATE_NONE || picks_by_predicate(i);
}

static bool in_set(const uint64_t *set, uint32_t bit)
{
    return (set[bit / 64] >> (bit % 64) & 1) != 0;
}

static uint32_t size_of(const struct sonde_gen_operand *operand)
{
    return sonde_gen_type_size((enum sonde_gen_type)operand->type);
}

static bool is_direct(const struct sonde_gen_operand *operand)
{
    return operand->file == SONDE_GEN_FILE_GRF && !operand->indirect;
}

static uint32_t byte_of(const struct sonde_gen_instruction *i,
                        const struct sonde_gen_operand *operand)
{
    return operand->number * sonde_gen_platform_grf_size((enum sonde_gen_platform)i->platform) +
           operand->subreg;
}

/* Bits of word `word` that stand for bytes from `first` to before `end`. */
static uint64_t span(uint32_t word, uint32_t first, uint32_t end)
{
    uint32_t low = word * 64 < first ? first - word * 64 : 0;
    uint32_t high = end < word * 64 + 64 ? end - word * 64 : 64;
    return (high == 64 ? UINT64_MAX : (1ull << high) - 1) & ~((1ull << low) - 1);
}

static bool any_in(const uint64_t *set, uint32_t first, uint32_t end)
{
    uint64_t any = 0;
    for (uint32_t w = first / 64; w * 64 < end; w++)
        any |= set[w] & span(w, first, end);
    return any != 0;
}

static void add_span(uint64_t *set, uint32_t first, uint32_t end)
{
    for (uint32_t w = first / 64; w * 64 < end; w++)
        set[w] |= span(w, first, end);
}

static void kill_destination(struct kernel_masked *masked, const struct sonde_gen_instruction *i,
                             uint32_t limit)
{
    uint32_t size = size_of(&i->dst), stride = i->dst.hstride == 0 ? 1 : i->dst.hstride;
    uint32_t first = byte_of(i, &i->dst), end = first + i->exec_size * stride * size;
    if (!any_in(masked->grf, first, end < limit ? end : limit))
        return;
    for (uint32_t e = 0; e < i->exec_size; e++)
        for (uint32_t b = first + e * stride * size; b < first + (e * stride + 1) * size; b++)
            if (b < limit && in_set(masked->grf, b) &&
                masked->grf_channel[b] == i->channel_offset + e)
                masked->grf[b / 64] &= ~(1ull << (b % 64));
}

static bool is_vector_of(const struct sonde_gen_operand *operand, uint32_t exec_size)
{
    if (exec_size == 1)
        return true;
    return operand->hstride == 1 &&
           (operand->width >= exec_size || operand->vstride == operand->width);
}

/* A byte that two channels read belongs to neither. */
static void read_byte(struct kernel_masked *masked, uint32_t byte, uint32_t channel,
                      struct sonde_gen_effect *others)
{
    uint64_t bit = 1ull << (byte % 64);
    if ((masked->grf[byte / 64] & bit) == 0) {
        masked->grf[byte / 64] |= bit;
        masked->grf_channel[byte] = (uint8_t)channel;
    } else if (masked->grf_channel[byte] != channel) {
        others->grf[byte / 64] |= bit;
    }
}

static void read_source(struct kernel_masked *masked, const struct sonde_gen_instruction *i,
                        const struct sonde_gen_operand *source, uint32_t limit,
                        struct sonde_gen_effect *others)
{
    uint32_t size = size_of(source), width = source->width == 0 ? 1 : source->width;
    uint32_t first = byte_of(i, source), end = first + i->exec_size * size;
    bool packed = is_vector_of(source, i->exec_size);
    if (i->exec_size > 1 && width == 1 && source->vstride == 0 && first + size <= limit) {
        add_span(others->grf, first, first + size); /* the same for all */
        return;
    }
    if (packed && end <= limit && !any_in(masked->grf, first, end)) {
        add_span(masked->grf, first, end);
        for (uint32_t e = 0; e < i->exec_size; e++)
            memset(&masked->grf_channel[first + e * size], (int)(i->channel_offset + e), size);
        return;
    }
    for (uint32_t e = 0; e < i->exec_size; e++) {
        uint32_t at = first + (e / width * source->vstride + e % width * source->hstride) * size;
        for (uint32_t b = at; b < at + size && b < limit; b++)
            read_byte(masked, b, i->channel_offset + e, others);
    }
}

static bool is_group_free(const struct sonde_gen_instruction *i)
{
    return i->predicate == SONDE_GEN_PREDICATE_CHANNEL ||
           (i->predicate == SONDE_GEN_PREDICATE_NONE && !picks_by_predicate(i));
}

/* Flag bits from that of the first channel on. */
static uint32_t first_flag(const struct sonde_gen_instruction *i)
{
    return i->flag_number * 32u + i->flag_subreg * 16u + i->channel_offset;
}

static void read_predicate(struct kernel_masked *masked, const struct sonde_gen_instruction *i,
                           struct sonde_gen_effect *others)
{
    if (i->predicate != SONDE_GEN_PREDICATE_CHANNEL)
        return;
    for (uint32_t e = 0; e < i->exec_size; e++) {
        uint32_t bit = first_flag(i) + e;
        if (bit >= KERNEL_FLAG_BITS)
            return;
        if ((masked->flags >> bit & 1) == 0) {
            masked->flags |= 1ull << bit;
            masked->flag_channel[bit] = (uint8_t)(i->channel_offset + e);
        } else if (masked->flag_channel[bit] != i->channel_offset + e) {
            others->flags |= (uint8_t)(1u << bit / 16);
        }
    }
}

static void kill_condition(struct kernel_masked *masked, const struct sonde_gen_instruction *i)
{
    if (i->condition == SONDE_GEN_CONDITION_NONE || i->opcode == SONDE_GEN_SEL ||
        i->opcode == SONDE_GEN_CSEL)
        return;
    for (uint32_t e = 0; e < i->exec_size && first_flag(i) + e < KERNEL_FLAG_BITS; e++) {
        uint32_t bit = first_flag(i) + e;
        if ((masked->flags >> bit & 1) != 0 && masked->flag_channel[bit] == i->channel_offset + e)
            masked->flags &= ~(1ull << bit);
    }
}

static bool is_arf(const struct sonde_gen_operand *operand, uint8_t class)
{
    return operand->file == SONDE_GEN_FILE_ARF && (operand->number & 0xf0) == class;
}

/* mach and mac take in each channel what a multiplication of the same shape
 * left there. */
static bool reads_product(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_MACH || i->opcode == SONDE_GEN_MACL || i->opcode == SONDE_GEN_MAC;
}

static bool has_shape(const struct kernel_masked *masked, const struct sonde_gen_instruction *i,
                      uint32_t size)
{
    return masked->accumulator_size == size && masked->accumulator_channels == i->exec_size &&
           masked->accumulator_offset == i->channel_offset;
}

static void read_accumulators(struct kernel_masked *masked, const struct sonde_gen_instruction *i,
                              uint16_t which, uint32_t size, struct sonde_gen_effect *others)
{
    if (masked->accumulators != 0 && !has_shape(masked, i, size)) {
        others->accumulators |= which;
        return;
    }
    masked->accumulators |= which;
    masked->accumulator_size = (uint8_t)size;
    masked->accumulator_channels = i->exec_size;
    masked->accumulator_offset = i->channel_offset;
}

static void kill_accumulators(struct kernel_masked *masked, const struct sonde_gen_instruction *i,
                              const struct sonde_gen_effects *effects)
{
    bool named = is_arf(&i->dst, SONDE_GEN_ARF_ACCUMULATOR);
    if (masked->accumulators == 0 || !has_shape(masked, i, size_of(&i->dst)))
        return;
    if (named && (i->dst.number & 0xf) == 0 && i->dst.subreg == 0 && i->dst.hstride <= 1)
        masked->accumulators = 0; /* all channels of the shape start at acc0 */
    else if (!named && (effects->writes.accumulators & 1) != 0)
        masked->accumulators = 0;
}

static void kill_whole(struct kernel_masked *masked, const struct sonde_gen_instruction *i,
                       const struct sonde_gen_effects *effects, uint32_t words)
{
    /* A condition of fewer channels leaves the rest of the half it names. */
    bool narrow = i->condition != SONDE_GEN_CONDITION_NONE && i->exec_size < 16;
    for (unsigned half = 0; half < KERNEL_FLAG_BITS / 16 && !narrow; half++)
        if ((effects->writes.flags >> half & 1) != 0)
            masked->flags &= ~(UINT64_C(0xffff) << 16 * half);
    for (uint32_t w = 0; w < words && !effects->writes.grf_unknown; w++)
        masked->grf[w] &= ~effects->writes.grf[w];
}

/* Whether all sources are vectors of registers and accumulators: addresses are
 * looked at in every channel. */
static bool reads_plainly(const struct sonde_gen_instruction *i)
{
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        const struct sonde_gen_operand *source = &i->src[n];
        bool accumulator = is_arf(source, SONDE_GEN_ARF_ACCUMULATOR) &&
                           (source->number & 0xf) == 0 && source->subreg == 0 &&
                           is_vector_of(source, i->exec_size);
        if (source->file == SONDE_GEN_FILE_NONE || source->file == SONDE_GEN_FILE_IMMEDIATE ||
            is_direct(source) || accumulator || is_arf(source, SONDE_GEN_ARF_NULL))
            continue;
        return false;
    }
    return !i->dst.indirect && is_group_free(i);
}

/* What the instruction reads beyond what was found above. */
static void add_rest(const struct kernel_masked *masked, const struct sonde_gen_effect *reads,
                     uint32_t words, struct sonde_gen_effect *others)
{
    for (uint32_t w = 0; w < words; w++)
        others->grf[w] |= reads->grf[w] & ~masked->grf[w];
    others->flags |= (uint8_t)(reads->flags & ~flag_halves(masked));
    others->accumulators |= (uint16_t)(reads->accumulators & ~masked->accumulators);
    others->address |= reads->address;
}

static void read_channelwise(struct kernel_masked *masked, const struct sonde_gen_instruction *i,
                             const struct sonde_gen_effects *effects, uint32_t words,
                             struct sonde_gen_effect *others)
{
    others->grf_unknown = effects->reads.grf_unknown;
    others->mme = effects->reads.mme;
    others->control = effects->reads.control;
    uint16_t accumulators = effects->reads.accumulators;
    bool named = false;
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        const struct sonde_gen_operand *source = &i->src[n];
        named |= is_arf(source, SONDE_GEN_ARF_ACCUMULATOR);
        if (is_direct(source))
            read_source(masked, i, source, words * 64, others);
        else if (is_arf(source, SONDE_GEN_ARF_ACCUMULATOR))
            read_accumulators(masked, i, accumulators, size_of(source), others);
    }
    if (reads_product(i))
        read_accumulators(masked, i, accumulators, size_of(&i->dst), others);
    else if (!named)
        others->accumulators |= accumulators;
    read_predicate(masked, i, others);
    add_rest(masked, &effects->reads, words, others);
}

/* A branch asks enabled channels only. */
static bool decides_by_channel(const struct sonde_gen_instruction *i)
{
    if (i->illegal || i->no_mask || i->align16 || i->predicate != SONDE_GEN_PREDICATE_CHANNEL)
        return false;
    return i->opcode == SONDE_GEN_IF || i->opcode == SONDE_GEN_WHILE ||
           i->opcode == SONDE_GEN_BREAK || i->opcode == SONDE_GEN_CONT ||
           i->opcode == SONDE_GEN_GOTO;
}

const struct sonde_gen_effect *kernel_masked_step(struct kernel_masked *masked,
                                                  const struct sonde_gen_instruction *instruction,
                                                  const struct sonde_gen_effects *effects,
                                                  uint32_t words, struct sonde_gen_effect *others)
{
    bool channelwise = is_channelwise(instruction);
    bool is_send = sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode) ==
                   SONDE_GEN_FORMAT_SEND;
    if (!effects->write_is_partial && !is_send) {
        kill_whole(masked, instruction, effects, words);
    } else if (channelwise && writes_every_channel(instruction)) {
        if (is_direct(&instruction->dst))
            kill_destination(masked, instruction, words * 64);
        kill_condition(masked, instruction);
        kill_accumulators(masked, instruction, effects);
    }
    if (channelwise && reads_plainly(instruction)) {
        memset(others, 0, sizeof *others);
        read_channelwise(masked, instruction, effects, words, others);
        return others;
    }
    if (!decides_by_channel(instruction))
        return &effects->reads;
    *others = effects->reads;
    others->flags = 0;
    read_predicate(masked, instruction, others);
    add_rest(masked, &effects->reads, words, others);
    return others;
}
