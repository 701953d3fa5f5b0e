/* Machine words to struct sonde_msp430_instruction. Every bit is claimed: an
 * encoding with a reserved bit set is no instruction. */
#include <string.h>

#include "isa/msp430/internal.h"

struct decoder {
    enum sonde_msp430_core core;
    const uint16_t *words;
    size_t count;
    size_t position; /* words taken */
    bool truncated;
    bool illegal;
    uint16_t extension; /* 0 = none */
    struct sonde_msp430_instruction *instruction;
};

static uint32_t take(struct decoder *decoder)
{
    if (decoder->position >= decoder->count) {
        decoder->truncated = true;
        return 0;
    }
    uint16_t word = decoder->words[decoder->position];
    decoder->instruction->words[decoder->position++] = word;
    return word;
}

static int32_t sign_extend(uint32_t value, unsigned bits)
{
    uint32_t sign = 1u << (bits - 1);
    return (int32_t)((value & (2 * sign - 1)) ^ sign) - (int32_t)sign;
}

/* EDE: PC plus an index. In the lower 64 KB a 16-bit index wraps there. */
static int32_t symbolic_address(const struct decoder *decoder, uint32_t pc, int32_t index)
{
    uint32_t mask =
        decoder->core == SONDE_MSP430_CORE_CPU || (decoder->extension == 0 && pc < 0x10000)
            ? 0xffffu
            : MSP430_ADDRESS_MASK;
    return (int32_t)((pc + (uint32_t)index) & mask);
}

/* An operand with a value word; `high` holds bits 19 to 16 of it. */
static void take_value(struct decoder *decoder, struct sonde_msp430_operand *operand, unsigned mode,
                       uint32_t high)
{
    uint32_t pc = decoder->instruction->address + 2 * (uint32_t)decoder->position;
    uint32_t raw = high << 16 | take(decoder);
    operand->mode = (uint8_t)mode;
    int32_t index = sign_extend(raw, decoder->extension != 0 ? 20 : 16);
    if (mode == SONDE_MSP430_MODE_INDEXED)
        operand->value = index;
    else if (mode == SONDE_MSP430_MODE_SYMBOLIC)
        operand->value = symbolic_address(decoder, pc, index);
    else
        operand->value = (int32_t)raw;
}

static void decode_source(struct decoder *decoder, struct sonde_msp430_operand *operand,
                          unsigned reg, unsigned as, uint32_t high)
{
    static const int8_t constants[2][4] = {{0, 0, 4, 8}, {0, 1, 2, -1}};
    operand->reg = (uint8_t)reg;
    if (reg == 3 || (reg == 2 && as >= 2)) {
        operand->mode = SONDE_MSP430_MODE_CONSTANT;
        operand->value = constants[reg - 2][as];
        return;
    }
    if (as == 0)
        operand->mode = SONDE_MSP430_MODE_REGISTER;
    else if (as == 1)
        take_value(decoder, operand,
                   reg == 0   ? SONDE_MSP430_MODE_SYMBOLIC
                   : reg == 2 ? SONDE_MSP430_MODE_ABSOLUTE
                              : SONDE_MSP430_MODE_INDEXED,
                   high);
    else if (as == 3 && reg == 0)
        take_value(decoder, operand, SONDE_MSP430_MODE_IMMEDIATE, high);
    else
        operand->mode =
            (uint8_t)(as == 2 ? SONDE_MSP430_MODE_INDIRECT : SONDE_MSP430_MODE_INDIRECT_INCREMENT);
}

static void decode_destination(struct decoder *decoder, struct sonde_msp430_operand *operand,
                               unsigned reg, unsigned ad, uint32_t high)
{
    operand->reg = (uint8_t)reg;
    operand->mode = SONDE_MSP430_MODE_REGISTER;
    if (ad != 0)
        take_value(decoder, operand,
                   reg == 0   ? SONDE_MSP430_MODE_SYMBOLIC
                   : reg == 2 ? SONDE_MSP430_MODE_ABSOLUTE
                              : SONDE_MSP430_MODE_INDEXED,
                   high);
}

static bool has_value_word(const struct sonde_msp430_operand *operand)
{
    return operand->mode == SONDE_MSP430_MODE_INDEXED ||
           operand->mode == SONDE_MSP430_MODE_SYMBOLIC ||
           operand->mode == SONDE_MSP430_MODE_ABSOLUTE ||
           operand->mode == SONDE_MSP430_MODE_IMMEDIATE;
}

/* Width and repeat of the extension word, and its reserved bits. */
static void decode_extension(struct decoder *decoder, uint16_t word, unsigned src_high_bits,
                             unsigned dst_high_bits)
{
    struct sonde_msp430_instruction *in = decoder->instruction;
    uint16_t extension = decoder->extension;
    bool address = (extension & 0x40) == 0, byte = (word & 0x40) != 0;
    bool word_only = in->opcode == SONDE_MSP430_SWPB || in->opcode == SONDE_MSP430_SXT;
    in->width = (uint8_t)(address ? 20 : byte ? 8 : 16);
    if (address && byte == word_only)
        decoder->illegal = true;
    uint16_t used = 0xf840;
    if (msp430_is_register_operand(&in->src) && msp430_is_register_operand(&in->dst)) {
        used |= 0x018f;
        in->zero_carry = (extension & 0x100) != 0;
        in->repeat_in_register = (extension & 0x80) != 0;
        in->repeat = (uint8_t)((extension & 15) + (in->repeat_in_register ? 0 : 1));
    } else {
        used = (uint16_t)(used | src_high_bits | dst_high_bits);
        in->repeat = 1;
    }
    if ((extension & ~used) != 0)
        decoder->illegal = true;
}

static void decode_double(struct decoder *decoder, uint16_t word)
{
    struct sonde_msp430_instruction *in = decoder->instruction;
    uint16_t extension = decoder->extension;
    in->width = word & 0x40 ? 8 : 16;
    decode_source(decoder, &in->src, word >> 8 & 15, word >> 4 & 3, extension >> 7 & 15u);
    decode_destination(decoder, &in->dst, word & 15, word >> 7 & 1, extension & 15u);
    if (extension != 0)
        decode_extension(decoder, word, has_value_word(&in->src) ? 0x780 : 0,
                         has_value_word(&in->dst) ? 0xf : 0);
}

static void decode_single(struct decoder *decoder, uint16_t word, enum msp430_form form)
{
    struct sonde_msp430_instruction *in = decoder->instruction;
    in->width = (word & 0x40) != 0 && form != MSP430_FORM_SINGLE_WORD ? 8 : 16;
    decode_source(decoder, &in->src, word & 15, word >> 4 & 3, decoder->extension & 15u);
    if (in->src.mode == SONDE_MSP430_MODE_IMMEDIATE && form != MSP430_FORM_SINGLE_SOURCE &&
        form != MSP430_FORM_SINGLE_CALL)
        decoder->illegal = true;
    if (decoder->extension != 0) {
        if (form == MSP430_FORM_SINGLE_CALL)
            decoder->illegal = true;
        decode_extension(decoder, word, 0, has_value_word(&in->src) ? 0xf : 0);
    }
}

static void decode_address(struct decoder *decoder, uint16_t word, enum msp430_form form)
{
    struct sonde_msp430_instruction *in = decoder->instruction;
    unsigned high = word >> 8 & 15, low = word & 15;
    in->width = 20;
    in->src =
        (struct sonde_msp430_operand){.mode = SONDE_MSP430_MODE_REGISTER, .reg = (uint8_t)high};
    in->dst =
        (struct sonde_msp430_operand){.mode = SONDE_MSP430_MODE_REGISTER, .reg = (uint8_t)low};
    switch (form) {
    case MSP430_FORM_FROM_INDIRECT:
        in->src.mode = SONDE_MSP430_MODE_INDIRECT;
        break;
    case MSP430_FORM_FROM_INCREMENT:
        in->src.mode = SONDE_MSP430_MODE_INDIRECT_INCREMENT;
        break;
    case MSP430_FORM_FROM_ABSOLUTE:
    case MSP430_FORM_FROM_IMMEDIATE:
        in->src.reg = form == MSP430_FORM_FROM_ABSOLUTE ? 2 : 0;
        take_value(decoder, &in->src,
                   form == MSP430_FORM_FROM_ABSOLUTE ? SONDE_MSP430_MODE_ABSOLUTE
                                                     : SONDE_MSP430_MODE_IMMEDIATE,
                   high);
        break;
    case MSP430_FORM_FROM_INDEXED:
        take_value(decoder, &in->src,
                   high == 0 ? SONDE_MSP430_MODE_SYMBOLIC : SONDE_MSP430_MODE_INDEXED, 0);
        break;
    case MSP430_FORM_TO_ABSOLUTE:
        in->dst.reg = 2;
        take_value(decoder, &in->dst, SONDE_MSP430_MODE_ABSOLUTE, low);
        break;
    case MSP430_FORM_TO_INDEXED:
        take_value(decoder, &in->dst,
                   low == 0 ? SONDE_MSP430_MODE_SYMBOLIC : SONDE_MSP430_MODE_INDEXED, 0);
        break;
    default:
        break;
    }
}

static void decode_calla(struct decoder *decoder, uint16_t word, enum msp430_form form)
{
    struct sonde_msp430_instruction *in = decoder->instruction;
    unsigned low = word & 15;
    in->width = 20;
    in->src =
        (struct sonde_msp430_operand){.mode = SONDE_MSP430_MODE_REGISTER, .reg = (uint8_t)low};
    switch (form) {
    case MSP430_FORM_CALL_INDEXED:
        /* x(PC) stays indexed: CALL_SYMBOLIC is the encoding of EDE. */
        take_value(decoder, &in->src, SONDE_MSP430_MODE_INDEXED, 0);
        break;
    case MSP430_FORM_CALL_INDIRECT:
        in->src.mode = SONDE_MSP430_MODE_INDIRECT;
        break;
    case MSP430_FORM_CALL_INCREMENT:
        in->src.mode = SONDE_MSP430_MODE_INDIRECT_INCREMENT;
        break;
    case MSP430_FORM_CALL_ABSOLUTE:
        in->src.reg = 2;
        take_value(decoder, &in->src, SONDE_MSP430_MODE_ABSOLUTE, low);
        break;
    case MSP430_FORM_CALL_SYMBOLIC:
        in->src.reg = 0;
        take_value(decoder, &in->src, SONDE_MSP430_MODE_SYMBOLIC, 0);
        /* The index has 20 bits although there is no extension word. */
        in->src.value =
            (int32_t)((in->address + 2 + (low << 16 | in->words[1])) & MSP430_ADDRESS_MASK);
        break;
    case MSP430_FORM_CALL_IMMEDIATE:
        in->src.reg = 0;
        take_value(decoder, &in->src, SONDE_MSP430_MODE_IMMEDIATE, low);
        break;
    default:
        break;
    }
}

static void decode_multiple(struct decoder *decoder, uint16_t word, enum msp430_form form)
{
    struct sonde_msp430_instruction *in = decoder->instruction;
    in->width = word & 0x100 ? 16 : 20;
    in->repeat = (uint8_t)((word >> 4 & 15) + 1);
    unsigned reg = word & 15u;
    if (form == MSP430_FORM_POP_MULTIPLE)
        reg += in->repeat - 1u;
    struct sonde_msp430_operand operand = {.mode = SONDE_MSP430_MODE_REGISTER,
                                           .reg = (uint8_t)(reg & 15)};
    if (form == MSP430_FORM_POP_MULTIPLE)
        in->dst = operand;
    else
        in->src = operand;
}

static void decode_jump(struct decoder *decoder, uint16_t word)
{
    struct sonde_msp430_instruction *in = decoder->instruction;
    uint32_t mask = decoder->core == SONDE_MSP430_CORE_CPU ? 0xffffu : MSP430_ADDRESS_MASK;
    in->width = 16;
    in->target = (in->address + 2 + (uint32_t)(sign_extend(word & 0x3ffu, 10) * 2)) & mask;
}

static void decode_form(struct decoder *decoder, uint16_t word, enum msp430_form form)
{
    struct sonde_msp430_instruction *in = decoder->instruction;
    if (decoder->extension != 0 && form > MSP430_FORM_SINGLE_CALL) {
        decoder->illegal = true;
        return;
    }
    switch (form) {
    case MSP430_FORM_DOUBLE:
        decode_double(decoder, word);
        return;
    case MSP430_FORM_SINGLE:
    case MSP430_FORM_SINGLE_WORD:
    case MSP430_FORM_SINGLE_SOURCE:
    case MSP430_FORM_SINGLE_CALL:
        decode_single(decoder, word, form);
        return;
    case MSP430_FORM_PLAIN:
        in->width = 16;
        return;
    case MSP430_FORM_JUMP:
        decode_jump(decoder, word);
        return;
    case MSP430_FORM_ROTATE:
        in->width = word & 0x10 ? 16 : 20;
        in->repeat = (uint8_t)((word >> 10 & 3) + 1);
        in->src = (struct sonde_msp430_operand){.mode = SONDE_MSP430_MODE_REGISTER,
                                                .reg = (uint8_t)(word & 15)};
        return;
    case MSP430_FORM_PUSH_MULTIPLE:
    case MSP430_FORM_POP_MULTIPLE:
        decode_multiple(decoder, word, form);
        return;
    default:
        if (form >= MSP430_FORM_CALL_REGISTER)
            decode_calla(decoder, word, form);
        else
            decode_address(decoder, word, form);
    }
}

static void make_illegal(struct sonde_msp430_instruction *in, uint32_t address, uint16_t word)
{
    memset(in, 0, sizeof *in);
    in->address = address;
    in->opcode = SONDE_MSP430_ILLEGAL;
    in->size = 2;
    in->words[0] = word;
}

enum sonde_status sonde_msp430_decode(enum sonde_msp430_core core, uint32_t address,
                                      const uint16_t *words, size_t count,
                                      struct sonde_msp430_instruction *instruction,
                                      struct sonde_error *error)
{
    memset(instruction, 0, sizeof *instruction);
    instruction->address = address;
    struct decoder decoder = {
        .core = core, .words = words, .count = count, .instruction = instruction};
    uint16_t word = (uint16_t)take(&decoder);
    uint16_t first = word;
    if (msp430_is_extension(core, word)) {
        decoder.extension = word;
        instruction->extended = true;
        word = (uint16_t)take(&decoder);
    }
    const struct msp430_encoding *row = decoder.truncated ? NULL : msp430_encoding_find(core, word);
    if (row != NULL) {
        instruction->opcode = (uint8_t)row->opcode;
        decode_form(&decoder, word, row->form);
    }
    if (decoder.truncated)
        return sonde_error_set(error, SONDE_ERROR_TRUNCATED, address,
                               "the instruction at 0x%05x ends behind the last word there",
                               address);
    if (row == NULL || decoder.illegal) {
        make_illegal(instruction, address, first);
        return SONDE_OK;
    }
    instruction->size = (uint8_t)(2 * decoder.position);
    instruction->cycles = msp430_cycles(core, instruction);
    return SONDE_OK;
}
