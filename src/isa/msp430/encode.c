/* struct sonde_msp430_instruction to machine words; the inverse of decode.c.
 * Every result is decoded again and compared, so that a form the core does
 * not have cannot slip through. */
#include <string.h>

#include "isa/msp430/internal.h"

struct encoder {
    enum sonde_msp430_core core;
    const struct sonde_msp430_instruction *instruction;
    uint16_t extension, word;
    uint16_t values[2];
    size_t value_count;
    bool failed; /* an operand does not fit the form */
};

/* The value word of an operand; returns its bits 19 to 16. */
static unsigned put_value(struct encoder *encoder, const struct sonde_msp430_operand *operand)
{
    uint32_t value = (uint32_t)operand->value;
    size_t position = (encoder->instruction->extended ? 2u : 1u) + encoder->value_count;
    if (operand->mode == SONDE_MSP430_MODE_SYMBOLIC)
        value -= encoder->instruction->address + 2 * (uint32_t)position;
    encoder->values[encoder->value_count++] = (uint16_t)value;
    return value >> 16 & 15;
}

static bool has_value(const struct sonde_msp430_operand *operand)
{
    switch (operand->mode) {
    case SONDE_MSP430_MODE_INDEXED:
    case SONDE_MSP430_MODE_SYMBOLIC:
    case SONDE_MSP430_MODE_ABSOLUTE:
    case SONDE_MSP430_MODE_IMMEDIATE:
        return true;
    default:
        return false;
    }
}

/* Register and As bits of a source, shifted into place by the caller. */
static void source_bits(struct encoder *encoder, const struct sonde_msp430_operand *operand,
                        unsigned *reg, unsigned *as)
{
    static const uint8_t as_of_mode[] = {
        [SONDE_MSP430_MODE_REGISTER] = 0,  [SONDE_MSP430_MODE_INDEXED] = 1,
        [SONDE_MSP430_MODE_SYMBOLIC] = 1,  [SONDE_MSP430_MODE_ABSOLUTE] = 1,
        [SONDE_MSP430_MODE_INDIRECT] = 2,  [SONDE_MSP430_MODE_INDIRECT_INCREMENT] = 3,
        [SONDE_MSP430_MODE_IMMEDIATE] = 3,
    };
    *reg = operand->reg;
    *as = operand->mode < sizeof as_of_mode ? as_of_mode[operand->mode] : 0;
    if (operand->mode == SONDE_MSP430_MODE_SYMBOLIC || operand->mode == SONDE_MSP430_MODE_IMMEDIATE)
        *reg = 0;
    if (operand->mode == SONDE_MSP430_MODE_ABSOLUTE)
        *reg = 2;
    if (operand->mode != SONDE_MSP430_MODE_CONSTANT)
        return;
    static const struct {
        int8_t value;
        uint8_t reg, as;
    } constants[] = {{0, 3, 0}, {1, 3, 1}, {2, 3, 2}, {-1, 3, 3}, {4, 2, 2}, {8, 2, 3}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (constants[i].value == operand->value) {
            *reg = constants[i].reg;
            *as = constants[i].as;
            return;
        }
    }
    encoder->failed = true;
}

static void encode_double(struct encoder *encoder)
{
    const struct sonde_msp430_instruction *in = encoder->instruction;
    unsigned reg, as;
    source_bits(encoder, &in->src, &reg, &as);
    encoder->word = (uint16_t)(encoder->word | reg << 8 | as << 4);
    if (has_value(&in->src)) {
        unsigned high = put_value(encoder, &in->src);
        encoder->extension = (uint16_t)(encoder->extension | high << 7);
    }
    source_bits(encoder, &in->dst, &reg, &as);
    encoder->word = (uint16_t)(encoder->word | reg | (as & 1) << 7);
    if (has_value(&in->dst)) {
        unsigned high = put_value(encoder, &in->dst);
        encoder->extension = (uint16_t)(encoder->extension | high);
    }
}

static void encode_single(struct encoder *encoder)
{
    const struct sonde_msp430_instruction *in = encoder->instruction;
    unsigned reg, as;
    source_bits(encoder, &in->src, &reg, &as);
    encoder->word = (uint16_t)(encoder->word | reg | as << 4);
    if (has_value(&in->src)) {
        unsigned high = put_value(encoder, &in->src);
        encoder->extension = (uint16_t)(encoder->extension | high);
    }
}

static void encode_extension(struct encoder *encoder, enum msp430_form form)
{
    const struct sonde_msp430_instruction *in = encoder->instruction;
    bool word_only = form == MSP430_FORM_SINGLE_WORD;
    if (in->width == 8 || (in->width == 20 && !word_only))
        encoder->word |= 0x40;
    if (!in->extended)
        return;
    encoder->extension |= 0x1800;
    if (in->width != 20)
        encoder->extension |= 0x40;
    if (msp430_is_register_operand(&in->src) && msp430_is_register_operand(&in->dst)) {
        unsigned count = in->repeat_in_register ? in->repeat : in->repeat - 1u;
        encoder->extension =
            (uint16_t)(encoder->extension | (count & 15) | (in->zero_carry ? 0x100 : 0) |
                       (in->repeat_in_register ? 0x80 : 0));
    }
}

static void encode_jump(struct encoder *encoder)
{
    const struct sonde_msp430_instruction *in = encoder->instruction;
    uint32_t offset = (in->target - in->address - 2) >> 1;
    encoder->word = (uint16_t)(encoder->word | (offset & 0x3ff));
}

static void encode_other(struct encoder *encoder, enum msp430_form form)
{
    const struct sonde_msp430_instruction *in = encoder->instruction;
    unsigned high = in->src.reg, low = in->dst.reg;
    if (form == MSP430_FORM_ROTATE) {
        encoder->word = (uint16_t)(encoder->word | (in->repeat - 1u) << 10 |
                                   (in->width == 16 ? 0x10 : 0) | in->src.reg);
        return;
    }
    if (form == MSP430_FORM_PUSH_MULTIPLE || form == MSP430_FORM_POP_MULTIPLE) {
        unsigned reg = form == MSP430_FORM_PUSH_MULTIPLE ? in->src.reg
                                                         : (in->dst.reg - (in->repeat - 1u)) & 15;
        encoder->word = (uint16_t)(encoder->word | (in->width == 16 ? 0x100 : 0) |
                                   (in->repeat - 1u) << 4 | reg);
        return;
    }
    if (form >= MSP430_FORM_CALL_REGISTER) {
        low = has_value(&in->src) ? put_value(encoder, &in->src) : in->src.reg;
        if (form == MSP430_FORM_CALL_INDEXED)
            low = in->src.reg;
        encoder->word = (uint16_t)(encoder->word | low);
        return;
    }
    if (has_value(&in->src)) {
        unsigned bits = put_value(encoder, &in->src);
        if (form == MSP430_FORM_FROM_ABSOLUTE || form == MSP430_FORM_FROM_IMMEDIATE)
            high = bits;
    }
    if (has_value(&in->dst)) {
        unsigned bits = put_value(encoder, &in->dst);
        if (form == MSP430_FORM_TO_ABSOLUTE)
            low = bits;
    }
    encoder->word = (uint16_t)(encoder->word | (high & 15) << 8 | (low & 15));
}

static void encode_row(struct encoder *encoder, const struct msp430_encoding *row)
{
    encoder->word = row->word;
    switch (row->form) {
    case MSP430_FORM_DOUBLE:
        encode_double(encoder);
        encode_extension(encoder, row->form);
        return;
    case MSP430_FORM_SINGLE:
    case MSP430_FORM_SINGLE_WORD:
    case MSP430_FORM_SINGLE_SOURCE:
    case MSP430_FORM_SINGLE_CALL:
        encode_single(encoder);
        encode_extension(encoder, row->form);
        return;
    case MSP430_FORM_PLAIN:
        return;
    case MSP430_FORM_JUMP:
        encode_jump(encoder);
        return;
    default:
        encode_other(encoder, row->form);
    }
}

static bool same_operand(const struct sonde_msp430_operand *a, const struct sonde_msp430_operand *b)
{
    if (a->mode != b->mode || a->value != b->value)
        return false;
    bool named = a->mode == SONDE_MSP430_MODE_REGISTER || a->mode == SONDE_MSP430_MODE_INDEXED ||
                 a->mode == SONDE_MSP430_MODE_INDIRECT ||
                 a->mode == SONDE_MSP430_MODE_INDIRECT_INCREMENT;
    return !named || a->reg == b->reg;
}

/* Whether the words mean what was asked for, by the decoder. */
static bool decodes_to(const struct encoder *encoder, const uint16_t *words, size_t count)
{
    const struct sonde_msp430_instruction *in = encoder->instruction;
    struct sonde_msp430_instruction out;
    if (sonde_msp430_decode(encoder->core, in->address, words, count, &out, NULL) != SONDE_OK)
        return false;
    return out.size == 2 * count && out.opcode == in->opcode && out.width == in->width &&
           out.extended == in->extended && out.zero_carry == in->zero_carry &&
           out.repeat_in_register == in->repeat_in_register && out.repeat == in->repeat &&
           out.target == in->target && same_operand(&out.src, &in->src) &&
           same_operand(&out.dst, &in->dst);
}

enum sonde_status sonde_msp430_encode(enum sonde_msp430_core core,
                                      const struct sonde_msp430_instruction *instruction,
                                      uint16_t words[4], size_t *count, struct sonde_error *error)
{
    const struct msp430_encoding *row;
    for (size_t i = 0; (row = msp430_encoding_at(i)) != NULL; i++) {
        if ((unsigned)row->opcode != instruction->opcode || row->core > core)
            continue;
        struct encoder encoder = {.core = core, .instruction = instruction};
        encode_row(&encoder, row);
        size_t n = 0;
        if (instruction->extended)
            words[n++] = encoder.extension;
        words[n++] = encoder.word;
        for (size_t k = 0; k < encoder.value_count; k++)
            words[n++] = encoder.values[k];
        *count = n;
        if (!encoder.failed && decodes_to(&encoder, words, n))
            return SONDE_OK;
    }
    return sonde_error_set(
        error, SONDE_ERROR_RANGE, instruction->address,
        "no encoding of %s at 0x%05x has these operands on this core: a jump "
        "reaches -1022 to +1024 bytes, a value 16 bits (20 when extended)",
        sonde_msp430_opcode_mnemonic((enum sonde_msp430_opcode)instruction->opcode),
        instruction->address);
}
