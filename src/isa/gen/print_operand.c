#include "isa/gen/print.h"

#include <stdio.h>

enum {
    WIDTH_DESTINATION = 12,
    WIDTH_SOURCE = 16,
    WIDTH_SEND_DESTINATION = 7,
    WIDTH_SEND_SOURCE = 6,
};

/* Syntax of an architecture register class, by the high nibble of its number. */
struct register_syntax {
    const char *name;
    bool has_number; /* "null", "ce", "sp" and "ip" stand alone */
    bool has_subreg;
    bool is_scaled; /* sub-register in elements of the type, else in encoded units */
};

static const struct register_syntax register_syntax[16] = {
    [SONDE_GEN_ARF_NULL >> 4] = {"null", false, false, true},
    [SONDE_GEN_ARF_ADDRESS >> 4] = {"a", true, true, true},
    [SONDE_GEN_ARF_ACCUMULATOR >> 4] = {"acc", true, true, true},
    [SONDE_GEN_ARF_FLAG >> 4] = {"f", true, true, true},
    [SONDE_GEN_ARF_CHANNEL_ENABLE >> 4] = {"ce", false, false, false},
    [SONDE_GEN_ARF_MESSAGE >> 4] = {"msg", true, true, false},
    [SONDE_GEN_ARF_STACK_POINTER >> 4] = {"sp", false, true, true},
    [SONDE_GEN_ARF_STATE >> 4] = {"sr", true, true, true},
    [SONDE_GEN_ARF_CONTROL >> 4] = {"cr", true, true, true},
    [SONDE_GEN_ARF_NOTIFICATION >> 4] = {"n", true, true, true},
    [SONDE_GEN_ARF_IP >> 4] = {"ip", false, false, false},
    [SONDE_GEN_ARF_THREAD_DEPENDENCY >> 4] = {"tdr", true, true, true},
    [SONDE_GEN_ARF_TIMESTAMP >> 4] = {"tm", true, true, true},
    [SONDE_GEN_ARF_FLOW_CONTROL >> 4] = {"fc", true, true, false},
    [SONDE_GEN_ARF_DEBUG >> 4] = {"dbg", true, true, true},
};

static const struct register_syntax general_syntax = {"r", true, true, true};
static const struct register_syntax macro_syntax = {"mme", true, true, true};

void print_flag(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    print_counted(out, "f%u.%u", instruction->flag_number, instruction->flag_subreg);
}

/* Accumulator numbers 2 to 9 (8 to 15 from Xe on) are the macro registers. */
static unsigned first_macro_register(uint8_t platform)
{
    if (platform == SONDE_GEN_PLATFORM_XEHPC)
        return 16; /* none: 16 accumulators */
    return platform < SONDE_GEN_PLATFORM_XE ? 2 : 8;
}

/* Code that saves a thread's context names mme registers by the channels of
 * align16 operands: all of them name mme7, the destination's w alone mme0. */
static unsigned align16_macro_register(const struct sonde_gen_instruction *instruction,
                                       const struct sonde_gen_operand *operand)
{
    if (operand != &instruction->dst)
        return operand->swizzle & 15;
    if (operand->write_mask == 0xf)
        return 7;
    return operand->write_mask & 7;
}

/* Sub-registers of the types of dpas count elements, several a byte. */
static unsigned elements_of_a_byte(uint8_t type)
{
    switch (type) {
    case SONDE_GEN_TYPE_U4:
    case SONDE_GEN_TYPE_S4:
        return 2;
    case SONDE_GEN_TYPE_U2:
    case SONDE_GEN_TYPE_S2:
        return 4;
    default:
        return 1;
    }
}

static void print_register(struct print_text *out, const struct sonde_gen_instruction *instruction,
                           const struct sonde_gen_operand *operand, bool with_subreg,
                           unsigned extra_elements)
{
    const struct register_syntax *syntax = &general_syntax;
    unsigned number = operand->number;
    if (operand->file == SONDE_GEN_FILE_ARF) {
        syntax = &register_syntax[operand->number >> 4];
        number = operand->number & 15;
        unsigned macro = first_macro_register(instruction->platform);
        if ((operand->number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR && number >= macro) {
            syntax = &macro_syntax;
            number -= macro;
            if (instruction->align16 && !print_is_macro(instruction))
                number = align16_macro_register(instruction, operand);
        }
    }
    print_counted(out, "%s", syntax->name != NULL ? syntax->name : "?");
    if (syntax->has_number || number != 0)
        print_counted(out, "%u", number);
    unsigned subreg = operand->subreg;
    uint8_t size = sonde_gen_type_size((enum sonde_gen_type)operand->type);
    if (syntax->is_scaled && size > 1)
        subreg /= size;
    else if (!syntax->is_scaled && instruction->platform == SONDE_GEN_PLATFORM_XEHPC)
        subreg /= 2; /* the unit of the encoding */
    subreg *= elements_of_a_byte(operand->type);
    subreg += extra_elements;
    if (syntax == &macro_syntax && instruction->align16 && operand != &instruction->dst)
        subreg = 0;
    bool carries_subreg = !print_is_send(instruction) && !print_is_macro(instruction);
    if ((with_subreg && syntax->has_subreg) || (carries_subreg && subreg != 0))
        print_counted(out, ".%u", subreg);
}

static void print_indirect(struct print_text *out, const struct sonde_gen_operand *operand)
{
    print_counted(out, "r[a0.%u", operand->address_subreg);
    if (operand->address_offset != 0)
        print_counted(out, ",%d", operand->address_offset);
    print_counted(out, "]");
}

static void print_macro_register(struct print_text *out, const struct sonde_gen_operand *operand)
{
    if (operand->mme < 8)
        print_counted(out, ".mme%u", operand->mme);
    else
        print_counted(out, ".nomme");
}

static void print_type(struct print_text *out, uint8_t type)
{
    if (type != SONDE_GEN_TYPE_NONE)
        print_counted(out, ":%s", sonde_gen_type_name((enum sonde_gen_type)type));
}

static bool is_branch(const struct sonde_gen_instruction *instruction)
{
    return sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode) ==
           SONDE_GEN_FORMAT_BRANCH;
}

/* The type that goes without saying, NONE when every type is printed. */
static uint8_t implied_type(const struct sonde_gen_instruction *instruction)
{
    if (instruction->platform >= SONDE_GEN_PLATFORM_XE && print_is_send(instruction))
        return SONDE_GEN_TYPE_NONE;
    if (instruction->opcode == SONDE_GEN_SEND || instruction->opcode == SONDE_GEN_SENDC)
        return SONDE_GEN_TYPE_UD;
    return is_branch(instruction) ? SONDE_GEN_TYPE_D : SONDE_GEN_TYPE_NONE;
}

void print_destination(struct print_text *out, const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_operand *dst = &instruction->dst;
    bool is_send = print_is_send(instruction);
    bool is_macro = print_is_macro(instruction);
    print_column_open(out, is_send ? WIDTH_SEND_DESTINATION : WIDTH_DESTINATION);
    if (instruction->saturate && instruction->opcode != SONDE_GEN_BFN)
        print_counted(out, "(sat)"); /* bfn has no saturation, whatever the bit says */
    if (dst->indirect) {
        print_indirect(out, dst);
    } else {
        print_register(out, instruction, dst,
                       !is_send && !is_macro && !print_is_systolic(instruction),
                       print_first_channel(instruction));
        if (is_macro)
            print_macro_register(out, dst);
    }
    bool region_is_implied = is_send || is_branch(instruction);
    is_macro = is_macro || print_is_systolic(instruction);
    unsigned stride = instruction->align16 ? 1 : dst->hstride;
    if (!is_macro && (!region_is_implied || stride != 1))
        print_counted(out, "<%u>", stride);
    if (dst->type != implied_type(instruction))
        print_type(out, dst->type);
    print_column_close(out);
}

static void print_ternary_region(struct print_text *out,
                                 const struct sonde_gen_instruction *instruction,
                                 const struct sonde_gen_operand *source, bool last)
{
    unsigned vertical = source->vstride, horizontal = source->hstride;
    if (instruction->align16) {
        bool scalar =
            source->replicate || (source->type == SONDE_GEN_TYPE_DF && source->swizzle != 0xe4);
        vertical = scalar ? 0 : 2;
        horizontal = scalar ? 0 : 1;
    }
    if (last)
        print_counted(out, "<%u>", horizontal);
    else
        print_counted(out, "<%u;%u>", vertical, horizontal);
}

static void print_source_region(struct print_text *out,
                                const struct sonde_gen_instruction *instruction, unsigned index)
{
    const struct sonde_gen_operand *source = &instruction->src[index];
    if (print_is_send(instruction) || print_is_macro(instruction) || is_branch(instruction) ||
        print_is_systolic(instruction) || instruction->opcode == SONDE_GEN_SYNC)
        return;
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)instruction->opcode) ==
        SONDE_GEN_FORMAT_TERNARY)
        print_ternary_region(out, instruction, source, index == 2);
    else if (instruction->align16)
        print_counted(out, "<1;1,0>"); /* xyzw in align1 terms */
    else if (source->vstride == SONDE_GEN_VSTRIDE_VXH)
        print_counted(out, "<%u,%u>", source->width, source->hstride);
    else
        print_counted(out, "<%u;%u,%u>", source->vstride, source->width, source->hstride);
}

static void print_modifier(struct print_text *out, const struct sonde_gen_instruction *instruction,
                           const struct sonde_gen_operand *source)
{
    uint8_t opcode = instruction->opcode;
    bool is_logic = opcode == SONDE_GEN_AND || opcode == SONDE_GEN_OR || opcode == SONDE_GEN_XOR ||
                    opcode == SONDE_GEN_NOT;
    if (source->negate)
        print_counted(out, "%s", is_logic && !source->absolute ? "~" : "-");
    if (source->absolute)
        print_counted(out, "(abs)");
}

/* Channels z and w of a df source are its second element. */
static unsigned swizzled_element(const struct sonde_gen_instruction *instruction,
                                 const struct sonde_gen_operand *source)
{
    enum { SWIZZLE_ZWZW = 0xee };
    return instruction->align16 && !source->replicate && source->type == SONDE_GEN_TYPE_DF &&
           !print_is_macro(instruction) && source->swizzle == SWIZZLE_ZWZW;
}

void print_branch_target(struct print_text *out, const struct sonde_gen_instruction *instruction,
                         int32_t distance)
{
    int64_t target = distance;
    if (instruction->opcode != SONDE_GEN_CALLA)
        target += instruction->offset;
    char name[256];
    if (out->label != NULL &&
        out->label(out->label_context, (uint32_t)target, name, sizeof name) > 0)
        print_counted(out, "%s", name);
    else if (target < 0)
        print_uncounted(out, "L_N%lld", (long long)-target);
    else
        print_uncounted(out, "L%lld", (long long)target);
}

static void print_register_source(struct print_text *out,
                                  const struct sonde_gen_instruction *instruction, unsigned index)
{
    const struct sonde_gen_operand *source = &instruction->src[index];
    print_modifier(out, instruction, source);
    if (source->indirect) {
        print_indirect(out, source);
    } else {
        bool with_subreg = !print_is_send(instruction) && !print_is_macro(instruction) &&
                           (!print_is_systolic(instruction) || index == 2);
        print_register(out, instruction, source, with_subreg,
                       swizzled_element(instruction, source));
        if (print_is_macro(instruction))
            print_macro_register(out, source);
    }
    print_source_region(out, instruction, index);
}

/* Sources 0 and 1 of a branch are its jump targets, when those are offsets. */
static bool print_jump(struct print_text *out, const struct sonde_gen_instruction *instruction,
                       unsigned index)
{
    uint8_t type = instruction->src[0].type;
    if (!is_branch(instruction))
        return false;
    if (index == 0 && instruction->has_jip)
        print_branch_target(out, instruction, instruction->jip);
    else if (index == 1 && instruction->has_uip)
        print_branch_target(out, instruction, instruction->uip);
    else
        return false;
    if ((index == 0 || instruction->has_uip) && type != SONDE_GEN_TYPE_D)
        print_type(out, type);
    return true;
}

bool print_is_token_wait(const struct sonde_gen_instruction *instruction)
{
    return instruction->opcode == SONDE_GEN_SYNC &&
           instruction->src[0].file == SONDE_GEN_FILE_IMMEDIATE &&
           (instruction->sync == SONDE_GEN_SYNC_ALLRD || instruction->sync == SONDE_GEN_SYNC_ALLWR);
}

/* The tokens of sync.allrd and sync.allwr: a bit mask. */
static void print_tokens(struct print_text *out, uint32_t tokens)
{
    const char *separator = "($";
    for (unsigned token = 0; token < 32; token++) {
        if (!(tokens >> token & 1))
            continue;
        print_uncounted(out, "%s%u", separator, token);
        separator = ",$";
    }
    print_uncounted(out, "%s", tokens != 0 ? ")" : "()");
}

/* From XeHPG on the length of the second payload follows its register. */
static void print_payload_length(struct print_text *out,
                                 const struct sonde_gen_instruction *instruction, unsigned index)
{
    const struct sonde_gen_send *send = &instruction->send;
    if (index == 1 && instruction->platform >= SONDE_GEN_PLATFORM_XEHPG &&
        (!send->ex_descriptor_is_register || send->ex_bso))
        print_counted(out, ":%u", send->src1_length);
}

void print_source(struct print_text *out, const struct sonde_gen_instruction *instruction,
                  unsigned index)
{
    const struct sonde_gen_operand *source = &instruction->src[index];
    bool is_send = print_is_send(instruction);
    print_column_open(out, is_send ? WIDTH_SEND_SOURCE : WIDTH_SOURCE);
    if (!print_jump(out, instruction, index)) {
        if (print_is_token_wait(instruction))
            print_tokens(out, (uint32_t)source->immediate);
        else if (source->file == SONDE_GEN_FILE_IMMEDIATE)
            print_immediate(out, source->type, source->immediate);
        else
            print_register_source(out, instruction, index);
        bool split =
            instruction->opcode == SONDE_GEN_SENDS || instruction->opcode == SONDE_GEN_SENDSC;
        uint8_t implied = split ? (uint8_t)SONDE_GEN_TYPE_UD : implied_type(instruction);
        if (is_send)
            print_payload_length(out, instruction, index);
        if (!(split && index == 1) && source->type != implied &&
            instruction->opcode != SONDE_GEN_SYNC)
            print_type(out, source->type);
    }
    print_column_close(out);
}
