/* Text in TI's syntax, with the emulated mnemonics of SLAU144 Table 3-17. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/msp430/internal.h"

struct text {
    char *data;
    size_t size;
    int length;
};

static void SONDE_PRINTF(2, 3) add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t at = (size_t)text->length < text->size ? (size_t)text->length : text->size;
    int n = vsnprintf(text->size > 0 ? text->data + at : NULL, text->size - at, format, arguments);
    va_end(arguments);
    text->length += n > 0 ? n : 0;
}

static const char *register_name(unsigned reg)
{
    static const char *const names[16] = {"pc", "sp", "sr",  "r3",  "r4",  "r5",  "r6",  "r7",
                                          "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
    return names[reg & 15];
}

static void add_operand(struct text *text, const struct sonde_msp430_operand *operand)
{
    switch ((enum sonde_msp430_mode)operand->mode) {
    case SONDE_MSP430_MODE_REGISTER:
        add(text, "%s", register_name(operand->reg));
        break;
    case SONDE_MSP430_MODE_INDEXED:
        add(text, "%d(%s)", operand->value, register_name(operand->reg));
        break;
    case SONDE_MSP430_MODE_SYMBOLIC:
        add(text, "0x%04x", (unsigned)operand->value);
        break;
    case SONDE_MSP430_MODE_ABSOLUTE:
        add(text, "&0x%04x", (unsigned)operand->value);
        break;
    case SONDE_MSP430_MODE_INDIRECT:
        add(text, "@%s", register_name(operand->reg));
        break;
    case SONDE_MSP430_MODE_INDIRECT_INCREMENT:
        add(text, "@%s+", register_name(operand->reg));
        break;
    case SONDE_MSP430_MODE_IMMEDIATE:
        add(text, "#0x%04x", (unsigned)operand->value);
        break;
    case SONDE_MSP430_MODE_CONSTANT:
        add(text, "#%d", operand->value);
        break;
    default:
        break;
    }
}

/* An emulated instruction: opcode with a fixed constant source. */
struct emulated {
    enum sonde_msp430_opcode opcode;
    int constant;
    bool status; /* the destination is SR, and not named */
    const char *mnemonic;
};

static const struct emulated emulated[] = {
    {SONDE_MSP430_BIC, 1, true, "clrc"},  {SONDE_MSP430_BIC, 2, true, "clrz"},
    {SONDE_MSP430_BIC, 4, true, "clrn"},  {SONDE_MSP430_BIC, 8, true, "dint"},
    {SONDE_MSP430_BIS, 1, true, "setc"},  {SONDE_MSP430_BIS, 2, true, "setz"},
    {SONDE_MSP430_BIS, 4, true, "setn"},  {SONDE_MSP430_BIS, 8, true, "eint"},
    {SONDE_MSP430_MOV, 0, false, "clr"},  {SONDE_MSP430_ADDC, 0, false, "adc"},
    {SONDE_MSP430_SUBC, 0, false, "sbc"}, {SONDE_MSP430_DADD, 0, false, "dadc"},
    {SONDE_MSP430_ADD, 1, false, "inc"},  {SONDE_MSP430_ADD, 2, false, "incd"},
    {SONDE_MSP430_SUB, 1, false, "dec"},  {SONDE_MSP430_SUB, 2, false, "decd"},
    {SONDE_MSP430_CMP, 0, false, "tst"},  {SONDE_MSP430_XOR, -1, false, "inv"},
};

static bool is_register(const struct sonde_msp430_operand *operand, unsigned reg)
{
    return operand->mode == SONDE_MSP430_MODE_REGISTER && operand->reg == reg;
}

static void add_suffix(struct text *text, const struct sonde_msp430_instruction *in)
{
    if (in->extended)
        add(text, "x");
    if (in->width == 8)
        add(text, ".b");
    else if (in->width == 20 &&
             (in->extended || in->opcode == SONDE_MSP430_PUSHM || in->opcode == SONDE_MSP430_POPM ||
              (in->opcode >= SONDE_MSP430_RRCM)))
        add(text, ".a");
}

static const struct emulated *find_emulated(const struct sonde_msp430_instruction *in)
{
    if (in->src.mode != SONDE_MSP430_MODE_CONSTANT)
        return NULL;
    bool status = is_register(&in->dst, 2) && in->width == 16 && !in->extended;
    for (size_t i = 0; i < sizeof emulated / sizeof *emulated; i++) {
        const struct emulated *row = &emulated[i];
        if ((unsigned)row->opcode == in->opcode && row->constant == in->src.value &&
            (!row->status || status))
            return row;
    }
    return NULL;
}

/* True when the instruction has an emulated form and it was printed. */
static bool add_emulated(struct text *text, const struct sonde_msp430_instruction *in)
{
    bool plain_move = in->opcode == SONDE_MSP430_MOV && !in->extended && in->width == 16;
    bool pop = in->src.mode == SONDE_MSP430_MODE_INDIRECT_INCREMENT && in->src.reg == 1;
    if (plain_move && in->words[0] == 0x4303) {
        add(text, "nop");
        return true;
    }
    if (plain_move && is_register(&in->dst, 0)) {
        if (pop) {
            add(text, "ret");
        } else {
            add(text, "br ");
            add_operand(text, &in->src);
        }
        return true;
    }
    if (in->opcode == SONDE_MSP430_MOV && pop) {
        add(text, "pop");
        add_suffix(text, in);
        add(text, " ");
        add_operand(text, &in->dst);
        return true;
    }
    const struct emulated *row = find_emulated(in);
    if (row == NULL)
        return false;
    add(text, "%s", row->mnemonic);
    if (row->status)
        return true;
    add_suffix(text, in);
    add(text, " ");
    add_operand(text, &in->dst);
    return true;
}

static void add_address_instruction(struct text *text, const struct sonde_msp430_instruction *in)
{
    if (in->opcode == SONDE_MSP430_MOVA && is_register(&in->dst, 0)) {
        if (in->src.mode == SONDE_MSP430_MODE_INDIRECT_INCREMENT && in->src.reg == 1) {
            add(text, "reta");
            return;
        }
        add(text, "bra ");
        add_operand(text, &in->src);
        return;
    }
    add(text, "%s ", sonde_msp430_opcode_mnemonic((enum sonde_msp430_opcode)in->opcode));
    add_operand(text, &in->src);
    if (in->dst.mode != SONDE_MSP430_MODE_NONE) {
        add(text, ", ");
        add_operand(text, &in->dst);
    }
}

static void add_plain(struct text *text, const struct sonde_msp430_instruction *in)
{
    bool unsigned_shift = in->opcode == SONDE_MSP430_RRC && in->extended && in->zero_carry;
    add(text, "%s",
        unsigned_shift ? "rru"
                       : sonde_msp430_opcode_mnemonic((enum sonde_msp430_opcode)in->opcode));
    add_suffix(text, in);
    if (in->opcode >= SONDE_MSP430_PUSHM)
        add(text, " #%u,", in->repeat);
    if (in->src.mode != SONDE_MSP430_MODE_NONE) {
        add(text, " ");
        add_operand(text, &in->src);
    }
    if (in->dst.mode != SONDE_MSP430_MODE_NONE) {
        add(text, in->src.mode != SONDE_MSP430_MODE_NONE ? ", " : " ");
        add_operand(text, &in->dst);
    }
}

int sonde_msp430_print(const struct sonde_msp430_instruction *instruction, char *out, size_t size)
{
    struct text text = {.data = out, .size = size};
    const struct sonde_msp430_instruction *in = instruction;
    if (in->extended && in->repeat_in_register)
        add(&text, "rpt %s ", register_name(in->repeat));
    else if (in->extended && in->repeat > 1)
        add(&text, "rpt #%u ", in->repeat);
    if (in->opcode == SONDE_MSP430_ILLEGAL)
        add(&text, ".word 0x%04x", in->words[0]);
    else if (in->opcode >= SONDE_MSP430_JNE && in->opcode <= SONDE_MSP430_JMP)
        add(&text, "%s $%+d", sonde_msp430_opcode_mnemonic((enum sonde_msp430_opcode)in->opcode),
            (int16_t)(in->target - in->address));
    else if (in->opcode >= SONDE_MSP430_MOVA && in->opcode <= SONDE_MSP430_CALLA)
        add_address_instruction(&text, in);
    else if (!add_emulated(&text, in))
        add_plain(&text, in);
    return text.length;
}
