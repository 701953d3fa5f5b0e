#include "isa/gen/codec.h"
#include "isa/gen/opcode_facts.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

#define COMPACTED_BIT (UINT64_C(1) << 29)
#define CODE_MASK     0x7f

/* Operand fields that an encoding leaves out. */
#define ABSENT_OPERAND                                                                             \
    {                                                                                              \
        .file = SONDE_GEN_FILE_NONE, .type = SONDE_GEN_TYPE_NONE, .mme = 0xff, .write_mask = 0xf,  \
        .swizzle = 0xe4                                                                            \
    }

static const struct sonde_gen_instruction blank = {
    .exec_size = 1,
    .dst = ABSENT_OPERAND,
    .src = {ABSENT_OPERAND, ABSENT_OPERAND, ABSENT_OPERAND},
};

/* In words of 16 bytes: a compiler makes of a plain assignment a `rep stos` that
 * takes a fifth of the decoder's time. */
static void make_blank(struct sonde_gen_instruction *i)
{
    typedef uint64_t word __attribute__((vector_size(16), aligned(8), may_alias));
    enum { WORDS = sizeof *i / sizeof(word) };
    _Static_assert(sizeof *i % sizeof(word) == 0, "no whole number of words");
    const word *from = (const word *)&blank;
    word *to = (word *)i;
#pragma GCC unroll 32
    for (size_t n = 0; n < WORDS; n++)
        to[n] = from[n];
}

const struct isa_gen_layout *isa_gen_layout_of(enum sonde_gen_platform platform)
{
    static const struct isa_gen_layout *const layouts[SONDE_GEN_PLATFORM_COUNT] = {
        [SONDE_GEN_PLATFORM_GEN9] = &isa_gen_layout_a,
        [SONDE_GEN_PLATFORM_GEN11] = &isa_gen_layout_a11,
        [SONDE_GEN_PLATFORM_XE] = &isa_gen_layout_b,
        [SONDE_GEN_PLATFORM_XEHP] = &isa_gen_layout_bhp,
        [SONDE_GEN_PLATFORM_XEHPG] = &isa_gen_layout_bhp,
        [SONDE_GEN_PLATFORM_XEHPC] = &isa_gen_layout_c,
    };
    return (unsigned)platform < SONDE_GEN_PLATFORM_COUNT ? layouts[platform] : NULL;
}

static enum sonde_status unsupported(enum sonde_gen_platform platform, struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                           "instructions of platform %s cannot be coded by this version",
                           sonde_gen_platform_name(platform));
}

static const char no_such_opcode[] = "opcode (bits 6:0) is undefined";

static void refuse(struct sonde_gen_instruction *i, const char *reason, uint64_t value)
{
    i->opcode = SONDE_GEN_ILLEGAL;
    i->illegal = true;
    i->illegal_reason = reason;
    i->illegal_value = (uint32_t)value;
}

/* The encodings without align16 give strides but no width. */
static void ternary_finish_align1(struct sonde_gen_instruction *i)
{
    for (unsigned n = 0; n < 3; n++) {
        struct sonde_gen_operand *source = &i->src[n];
        if (source->file == SONDE_GEN_FILE_IMMEDIATE)
            continue;
        if (n == 2) /* one linear stride */
            source->vstride = source->hstride;
        source->width = 1;
        if (n == 2)
            continue;
        /* A row is as long as the way to the next; without a horizontal stride
         * all of its elements are the first. */
        if (source->hstride == 0 && source->vstride != 0)
            source->width = source->vstride;
        else if (source->hstride != 0 && source->vstride > source->hstride)
            source->width = (uint8_t)(source->vstride / source->hstride);
    }
}

/* Region of a three-source operand in align1 terms. */
static void ternary_finish(struct sonde_gen_instruction *i)
{
    if (!i->align16) {
        ternary_finish_align1(i);
        return;
    }
    i->dst.hstride = 1;
    for (unsigned n = 0; n < 3; n++) {
        struct sonde_gen_operand *source = &i->src[n];
        source->vstride = source->replicate ? 0 : 4;
        source->width = source->replicate ? 1 : 4;
        source->hstride = source->replicate ? 0 : 1;
    }
}

static void branch_finish(struct sonde_gen_instruction *i)
{
    bool immediate = i->source_count == 0 || i->src[0].file == SONDE_GEN_FILE_IMMEDIATE;
    if (immediate) {
        i->src[0].file = SONDE_GEN_FILE_NONE; /* its type stays, for encoding */
        i->source_count = 0;
    }
    i->has_jip = immediate;
    i->has_uip = immediate && isa_gen_opcodes[i->opcode].jumps == 2;
    /* The hardware adds the distance of jmpi to the end of the instruction until Xe. */
    if (i->opcode == SONDE_GEN_JMPI && immediate && i->platform < SONDE_GEN_PLATFORM_XE)
        i->jip = (int32_t)((uint32_t)i->jip + i->size);
}

static void message_finish(struct sonde_gen_instruction *i)
{
    bool split = i->opcode == SONDE_GEN_SENDS || i->opcode == SONDE_GEN_SENDSC ||
                 i->platform >= SONDE_GEN_PLATFORM_XE;
    i->source_count = split ? 2 : 1;
    if (split)
        i->dst.hstride = 1;
}

/* Facts that no single field gives. */
static void decode_finish(struct sonde_gen_instruction *i)
{
    i->source_count = isa_gen_opcodes[i->opcode].sources;
    switch (isa_gen_opcodes[i->opcode].format) {
    case SONDE_GEN_FORMAT_NULLARY:
        if (i->opcode == SONDE_GEN_ILLEGAL)
            refuse(i, "the opcode is that of illegal", i->raw[0] & CODE_MASK);
        break;
    case SONDE_GEN_FORMAT_MATH:
        i->source_count = i->src[1].file == SONDE_GEN_FILE_NONE ? 1 : 2;
        break;
    case SONDE_GEN_FORMAT_UNARY:
        if (i->opcode == SONDE_GEN_MOVI && i->platform >= SONDE_GEN_PLATFORM_GEN11)
            i->source_count = 2;
        break;
    case SONDE_GEN_FORMAT_TERNARY:
        ternary_finish(i);
        break;
    case SONDE_GEN_FORMAT_BRANCH:
        branch_finish(i);
        break;
    case SONDE_GEN_FORMAT_SEND:
        message_finish(i);
        break;
    default:
        break;
    }
}

/* Fill *i, whose raw word and size stand, from the word. */
static void decode_word(const struct isa_gen_layout *layout, struct sonde_gen_instruction *i)
{
    uint8_t opcode = isa_gen_opcode_of_code[i->platform][i->raw[0] & CODE_MASK];
    if (opcode == ISA_GEN_NO_OPCODE) {
        refuse(i, no_such_opcode, i->raw[0] & CODE_MASK);
        return;
    }
    i->opcode = opcode;
    if (layout->decode(i)) {
        decode_finish(i);
        return;
    }
    /* Refused: leave nothing half decoded. */
    struct sonde_gen_instruction kept = *i;
    *i = blank;
    memcpy(i->raw, kept.raw, sizeof i->raw);
    i->raw_compacted = kept.raw_compacted;
    i->compacted = kept.compacted;
    i->size = kept.size;
    i->offset = kept.offset;
    i->platform = kept.platform;
    refuse(i, kept.illegal_reason, kept.illegal_value);
}

static void decode_at(const struct isa_gen_layout *layout, enum sonde_gen_platform platform,
                      const uint8_t *data, uint32_t offset, unsigned size,
                      struct sonde_gen_instruction *i)
{
    make_blank(i);
    i->platform = (uint8_t)platform;
    i->offset = offset;
    i->size = (uint8_t)size;
    i->raw[0] = base_load64(data);
    if (size == 8) {
        i->compacted = true;
        i->raw_compacted = i->raw[0];
        uint8_t opcode = isa_gen_opcode_of_code[platform][i->raw_compacted & CODE_MASK];
        if (opcode == ISA_GEN_NO_OPCODE ||
            !layout->expand((enum sonde_gen_opcode)opcode, i->raw_compacted, i->raw)) {
            i->raw[0] = i->raw_compacted;
            refuse(i,
                   opcode == ISA_GEN_NO_OPCODE ? no_such_opcode
                                               : "the opcode has no compacted form",
                   i->raw_compacted & CODE_MASK);
            return;
        }
    } else {
        i->raw[1] = base_load64(data + 8);
    }
    decode_word(layout, i);
}

/* Bytes of the instruction at data[offset], or 0 when the buffer ends in it. */
static unsigned length_at(const uint8_t *data, size_t size, size_t offset)
{
    if (offset > size || size - offset < 8)
        return 0;
    unsigned length = (base_load64(data + offset) & COMPACTED_BIT) != 0 ? 8 : 16;
    return length <= size - offset ? length : 0;
}

static enum sonde_status truncated(size_t offset, size_t size, struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_TRUNCATED, offset,
                           "the code ends at byte %zu, inside the instruction at byte %zu", size,
                           offset);
}

enum sonde_status sonde_gen_decode(enum sonde_gen_platform platform, const uint8_t *data,
                                   size_t size, size_t offset,
                                   struct sonde_gen_instruction *instruction,
                                   struct sonde_error *error)
{
    const struct isa_gen_layout *layout = isa_gen_layout_of(platform);
    if (layout == NULL)
        return unsupported(platform, error);
    unsigned length = length_at(data, size, offset);
    if (length == 0)
        return truncated(offset, size, error);
    if (offset > UINT32_MAX)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, offset, "code offset beyond 4 GiB");
    decode_at(layout, platform, data + offset, (uint32_t)offset, length, instruction);
    return SONDE_OK;
}

/* Where the code ends: before zero padding of at least 16 bytes. An
 * instruction may itself end in zeros, so this is a lower bound. */
static size_t padding_start(const uint8_t *data, size_t size)
{
    while (size > 0 && data[size - 1] == 0)
        size--;
    return size;
}

enum sonde_status sonde_gen_decode_all(enum sonde_gen_platform platform, const uint8_t *data,
                                       size_t size, struct sonde_gen_instruction **instructions,
                                       size_t *count, struct sonde_error *error)
{
    *instructions = NULL;
    *count = 0;
    const struct isa_gen_layout *layout = isa_gen_layout_of(platform);
    if (layout == NULL)
        return unsupported(platform, error);
    if (size > UINT32_MAX)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "code larger than 4 GiB");
    size_t end = padding_start(data, size);
    size_t total = 0, offset = 0;
    while (offset < end || (offset < size && size - offset < 16)) {
        unsigned length = length_at(data, size, offset);
        if (length == 0)
            return truncated(offset, size, error);
        offset += length;
        total++;
    }
    if (total > SIZE_MAX / sizeof(struct sonde_gen_instruction))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "too many instructions: %zu", total);
    struct sonde_gen_instruction *all = malloc((total > 0 ? total : 1) * sizeof *all);
    if (all == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0,
                               "no memory for %zu decoded instructions", total);
    offset = 0;
    for (size_t n = 0; n < total; n++) {
        unsigned length = length_at(data, size, offset);
        decode_at(layout, platform, data + offset, (uint32_t)offset, length, &all[n]);
        offset += length;
    }
    *instructions = all;
    *count = total;
    return SONDE_OK;
}

void sonde_gen_instruction_init(struct sonde_gen_instruction *instruction,
                                enum sonde_gen_platform platform, enum sonde_gen_opcode opcode,
                                uint8_t exec_size, bool no_mask)
{
    *instruction = blank;
    instruction->platform = (uint8_t)platform;
    instruction->size = 16;
    instruction->opcode = (uint8_t)opcode;
    instruction->exec_size = exec_size;
    instruction->no_mask = no_mask;
    const struct isa_gen_layout *layout = isa_gen_layout_of(platform);
    if (layout == NULL || !sonde_gen_opcode_exists(opcode, platform)) {
        instruction->illegal = true;
        return;
    }
    instruction->source_count = isa_gen_opcodes[opcode].sources;
    instruction->has_jip = isa_gen_opcodes[opcode].jumps > 0;
    instruction->has_uip = isa_gen_opcodes[opcode].jumps > 1;
    instruction->align16 =
        isa_gen_opcodes[opcode].format == SONDE_GEN_FORMAT_TERNARY && layout == &isa_gen_layout_a;
    layout->init(opcode, instruction->raw);
    instruction->raw[0] |= isa_gen_opcodes[opcode].code[platform];
}
