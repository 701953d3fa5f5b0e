/* Rules that a well-formed encoding may still break: how regions may lie in
 * the register file, how channel groups align, which types go together, what a
 * message may name. */
#include "sonde/gen_message.h"

#include "isa/gen/effects.h"
#include "isa/gen/opcode_facts.h"
#include "isa/gen/validate.h"

#define FIRST_EOT_REGISTER 112u /* the payload of an end of thread lies here or later */

static enum sonde_status broken(const struct sonde_gen_instruction *i, const char *operand,
                                const char *rule, struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_ILLEGAL, i->offset, "%s at byte %u: %s%s%s",
                           sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)i->opcode), i->offset,
                           operand, operand[0] == '\0' ? "" : ": ", rule);
}

/* Until Gen11 the second source has no such register file, but for the absent
 * index of movi. */
static bool names_architecture_register(const struct sonde_gen_instruction *i)
{
    return i->platform < SONDE_GEN_PLATFORM_XE && i->source_count == 2 &&
           i->src[1].file == SONDE_GEN_FILE_ARF && i->opcode != SONDE_GEN_MOVI;
}

/* Gen11 computes in 32 bits at most (Mesa's device table says so; the compiler
 * splits what is wider). */
static bool has_wide_type(const struct sonde_gen_instruction *i)
{
    bool wide = sonde_gen_type_size((enum sonde_gen_type)i->dst.type) == 8;
    for (unsigned n = 0; n < i->source_count && n < 3; n++)
        wide = wide || sonde_gen_type_size((enum sonde_gen_type)i->src[n].type) == 8;
    return wide && i->platform == SONDE_GEN_PLATFORM_GEN11;
}

static enum sonde_status check_operands(const struct sonde_gen_instruction *i,
                                        struct sonde_error *error)
{
    static const char *const names[3] = {"source 0", "source 1", "source 2"};
    if (has_wide_type(i))
        return broken(i, "", "the platform has no 64-bit types", error);
    const char *rule = isa_gen_destination_rule(i);
    if (rule != NULL)
        return broken(i, "destination", rule, error);
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        const struct sonde_gen_operand *o = &i->src[n];
        if (o->file == SONDE_GEN_FILE_IMMEDIATE)
            continue;
        rule = isa_gen_source_rule(i, n);
        if (rule != NULL)
            return broken(i, names[n], rule, error);
    }
    if (names_architecture_register(i))
        return broken(i, "source 1", "an architecture register can only be source 0", error);
    return SONDE_OK;
}

/* What a math function computes on. */
static bool math_type_fits(uint8_t function, uint8_t type)
{
    switch (function) {
    case SONDE_GEN_MATH_IDIV:
    case SONDE_GEN_MATH_IQOT:
    case SONDE_GEN_MATH_IREM:
        return type == SONDE_GEN_TYPE_D || type == SONDE_GEN_TYPE_UD;
    case SONDE_GEN_MATH_INVM:
    case SONDE_GEN_MATH_RSQTM:
        return type == SONDE_GEN_TYPE_F || type == SONDE_GEN_TYPE_DF;
    default:
        return type == SONDE_GEN_TYPE_F || type == SONDE_GEN_TYPE_HF;
    }
}

static enum sonde_status check_math(const struct sonde_gen_instruction *i,
                                    struct sonde_error *error)
{
    bool macro = i->math == SONDE_GEN_MATH_INVM || i->math == SONDE_GEN_MATH_RSQTM;
    bool whole = i->math >= SONDE_GEN_MATH_IDIV && i->math <= SONDE_GEN_MATH_IREM;
    if (i->platform == SONDE_GEN_PLATFORM_GEN9 && macro != i->align16)
        return broken(i, "", "invm and rsqtm, and no other function, are coded in align16", error);
    if (whole && i->exec_size > 8)
        return broken(i, "", "integer division takes at most 8 channels", error);
    if (!math_type_fits(i->math, i->dst.type))
        return broken(i, "destination", "the function has no such type", error);
    for (unsigned n = 0; n < i->source_count && n < 2; n++) {
        if (!math_type_fits(i->math, i->src[n].type))
            return broken(i, n == 0 ? "source 0" : "source 1", "the function has no such type",
                          error);
    }
    return check_operands(i, error);
}

/* Types of the three-source operations. */
static enum sonde_status check_ternary(const struct sonde_gen_instruction *i,
                                       struct sonde_error *error)
{
    uint8_t type = i->dst.type;
    bool is_integer = type == SONDE_GEN_TYPE_W || type == SONDE_GEN_TYPE_UW ||
                      type == SONDE_GEN_TYPE_D || type == SONDE_GEN_TYPE_UD;
    bool has_integers = i->platform != SONDE_GEN_PLATFORM_GEN9;
    bool good = true;
    if (i->platform >= SONDE_GEN_PLATFORM_XE)
        return check_operands(i, error); /* the table of types has more to say */
    switch (i->opcode) {
    case SONDE_GEN_BFE:
    case SONDE_GEN_BFI2:
        good = type == SONDE_GEN_TYPE_D || type == SONDE_GEN_TYPE_UD;
        break;
    case SONDE_GEN_MADM:
        good = type == SONDE_GEN_TYPE_F || type == SONDE_GEN_TYPE_DF;
        break;
    case SONDE_GEN_LRP:
        good = type == SONDE_GEN_TYPE_F;
        break;
    case SONDE_GEN_CSEL:
        good =
            type == SONDE_GEN_TYPE_F || (has_integers && (is_integer || type == SONDE_GEN_TYPE_HF));
        break;
    default:
        good = sonde_gen_type_is_float((enum sonde_gen_type)type) || (has_integers && is_integer);
        break;
    }
    return good ? check_operands(i, error)
                : broken(i, "destination", "the operation has no such type", error);
}

static bool fits(const struct sonde_gen_instruction *i, const struct sonde_gen_operand *o,
                 unsigned registers)
{
    unsigned grf = isa_gen_registers_of(i->platform)->grf_size;
    return o->file != SONDE_GEN_FILE_GRF || o->indirect ||
           (o->number + registers) * grf <= isa_gen_file_limit(i->platform);
}

static enum sonde_status check_send(const struct sonde_gen_instruction *i,
                                    struct sonde_error *error)
{
    bool is_null = i->dst.file == SONDE_GEN_FILE_ARF && i->dst.number == SONDE_GEN_ARF_NULL;
    if (i->send.end_of_thread && i->src[0].file == SONDE_GEN_FILE_GRF && !i->src[0].indirect &&
        i->src[0].number < FIRST_EOT_REGISTER)
        return broken(i, "source 0", "the payload of an end of thread lies in r112-r127", error);
    if (i->send.end_of_thread && i->source_count > 1 && i->src[1].file == SONDE_GEN_FILE_GRF &&
        i->src[1].number < FIRST_EOT_REGISTER)
        return broken(i, "source 1", "the payload of an end of thread lies in r112-r127", error);
    if (i->send.end_of_thread && !is_null)
        return broken(i, "destination", "nothing receives a response at the end of thread", error);
    if (!i->send.ex_descriptor_is_register && i->source_count > 1 &&
        !fits(i, &i->src[1], i->send.src1_length))
        return broken(i, "source 1", "the payload reaches beyond the last register", error);
    if (i->send.descriptor_is_register)
        return SONDE_OK;
    unsigned payload = i->send.descriptor >> 25 & 0xf, response = i->send.descriptor >> 20 & 0x1f;
    if (payload == 0)
        return broken(i, "source 0", "a message has at least one payload register", error);
    if (!fits(i, &i->src[0], payload))
        return broken(i, "source 0", "the payload reaches beyond the last register", error);
    if (!fits(i, &i->dst, response))
        return broken(i, "destination", "the response reaches beyond the last register", error);
    return SONDE_OK;
}

/* What Xe and later ask of arithmetic, beyond the regions. */
static enum sonde_status check_xe(const struct sonde_gen_instruction *i, struct sonde_error *error)
{
    const char *rule = isa_gen_types_rule(i);
    if (rule == NULL)
        rule = isa_gen_file_rule(i);
    if (rule == NULL)
        rule = isa_gen_movement_rule(i);
    return rule == NULL ? SONDE_OK : broken(i, "", rule, error);
}

static enum sonde_status check_systolic(const struct sonde_gen_instruction *i,
                                        struct sonde_error *error)
{
    const char *rule = isa_gen_types_rule(i);
    if (rule == NULL)
        rule = isa_gen_systolic_rule(i);
    return rule == NULL ? SONDE_OK : broken(i, "", rule, error);
}

static enum sonde_status check_format(const struct sonde_gen_instruction *i,
                                      struct sonde_error *error)
{
    switch (isa_gen_opcodes[i->opcode].format) {
    case SONDE_GEN_FORMAT_BRANCH:
        if (i->opcode == SONDE_GEN_JMPI && (i->exec_size != 1 || !i->no_mask))
            return broken(i, "", "jmpi is scalar and ignores the execution mask", error);
        return SONDE_OK;
    case SONDE_GEN_FORMAT_SEND:
        return check_send(i, error);
    case SONDE_GEN_FORMAT_DPAS:
        return check_systolic(i, error);
    case SONDE_GEN_FORMAT_WAIT:
    case SONDE_GEN_FORMAT_SYNC:
        return SONDE_OK;
    default:
        break;
    }
    enum sonde_status status = SONDE_OK;
    if (isa_gen_opcodes[i->opcode].format == SONDE_GEN_FORMAT_MATH)
        status = check_math(i, error);
    else if (isa_gen_opcodes[i->opcode].format == SONDE_GEN_FORMAT_TERNARY)
        status = check_ternary(i, error);
    else
        status = check_operands(i, error);
    if (status == SONDE_OK && i->platform >= SONDE_GEN_PLATFORM_XE)
        status = check_xe(i, error);
    return status;
}

enum sonde_status sonde_gen_instruction_validate(const struct sonde_gen_instruction *instruction,
                                                 struct sonde_error *error)
{
    const struct sonde_gen_instruction *i = instruction;
    uint8_t word[16];
    if (i->illegal)
        return broken(i, "", "the hardware does not define this encoding", error);
    enum sonde_status status = sonde_gen_encode(i, word, error);
    if (status != SONDE_OK)
        return status;
    if (isa_gen_opcodes[i->opcode].format == SONDE_GEN_FORMAT_NULLARY)
        return SONDE_OK;
    /* The channel offset picks a group as wide as the instruction. */
    if (i->exec_size >= 4 && i->channel_offset % i->exec_size != 0)
        return broken(i, "", "the first channel is not a multiple of the execution size", error);
    const char *rule = i->platform >= SONDE_GEN_PLATFORM_XE ? isa_gen_scoreboard_rule(i) : NULL;
    if (rule != NULL)
        return broken(i, "", rule, error);
    return check_format(i, error);
}
