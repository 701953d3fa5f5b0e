/* Rules that a well-formed encoding may still break: how regions may lie in
 * the register file, how channel groups align, what a message may name.
 *
 * Source of the region rules: the general restrictions on regioning
 * parameters of the Gen8/Gen9 programmer's reference manuals, in the
 * numbering that iga64's warnings use. */
#include "sonde/gen_message.h"

#include "isa/gen/opcode_facts.h"

#define GRF_SIZE           32u
#define GRF_COUNT          128u
#define FIRST_EOT_REGISTER 112u /* the payload of an end of thread lies here or later */
#define MAX_OPERAND_BYTES  64u  /* two registers */

static enum sonde_status broken(const struct sonde_gen_instruction *i, const char *operand,
                                const char *rule, struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_ILLEGAL, i->offset, "%s at byte %u: %s%s%s",
                           sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)i->opcode), i->offset,
                           operand, operand[0] == '\0' ? "" : ": ", rule);
}

static unsigned size_of(const struct sonde_gen_operand *o)
{
    return sonde_gen_type_size((enum sonde_gen_type)o->type);
}

/* The rule that a direct source region breaks, or NULL. */
static const char *region_rule(const struct sonde_gen_operand *o, unsigned exec_size)
{
    if (o->width == 0)
        return "the width of the region is zero";
    if (exec_size < o->width)
        return "the region is wider than the execution size";
    if (exec_size == o->width && o->hstride != 0 && o->vstride != o->width * o->hstride)
        return "a region of one row needs vertical stride = width * horizontal stride";
    if (o->width == 1 && o->hstride != 0)
        return "a region of width 1 needs horizontal stride 0";
    if (exec_size == 1 && o->width == 1 && o->vstride != 0)
        return "a scalar needs vertical stride 0";
    if (o->vstride == 0 && o->hstride == 0 && o->width != 1)
        return "a region without strides needs width 1";
    return NULL;
}

/* Bytes from the first to behind the last that a region touches. */
static unsigned region_span(const struct sonde_gen_operand *o, unsigned exec_size)
{
    unsigned rows = exec_size / o->width, size = size_of(o);
    unsigned last = (rows - 1) * o->vstride + (o->width - 1u) * o->hstride;
    return last * size + size;
}

/* A row must not cross a register boundary: only the vertical stride may. */
static bool rows_cross(const struct sonde_gen_operand *o, unsigned exec_size)
{
    unsigned size = size_of(o), rows = exec_size / o->width;
    for (unsigned row = 0; row < rows; row++) {
        unsigned first = o->subreg + row * o->vstride * size;
        unsigned last = first + (o->width - 1u) * o->hstride * size + size - 1;
        if (first / GRF_SIZE != last / GRF_SIZE)
            return true;
    }
    return false;
}

/* What holds for sources and destinations alike. */
static const char *place_rule(const struct sonde_gen_operand *o, unsigned span)
{
    if (o->subreg % size_of(o) != 0)
        return "the sub-register is not aligned to the type";
    if (o->file != SONDE_GEN_FILE_GRF)
        return NULL;
    if (o->subreg + span > MAX_OPERAND_BYTES)
        return "the operand reaches beyond two registers";
    if (o->number * GRF_SIZE + o->subreg + span > GRF_COUNT * GRF_SIZE)
        return "the operand reaches beyond the last register";
    return NULL;
}

static const char *source_rule(const struct sonde_gen_operand *o, unsigned exec_size)
{
    if (size_of(o) == 0)
        return "the operand has no type";
    if (o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == SONDE_GEN_ARF_NULL)
        return NULL;
    if (exec_size * size_of(o) > MAX_OPERAND_BYTES)
        return "execution size times type exceeds two registers";
    if (o->indirect)
        return NULL; /* where the elements lie is not known */
    const char *rule = region_rule(o, exec_size);
    if (rule != NULL)
        return rule;
    if (o->file == SONDE_GEN_FILE_GRF && rows_cross(o, exec_size))
        return "a row of the region crosses a register boundary";
    return place_rule(o, region_span(o, exec_size));
}

static const char *destination_rule(const struct sonde_gen_operand *o, unsigned exec_size)
{
    unsigned size = size_of(o);
    if (size == 0)
        return "the operand has no type";
    if (o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == SONDE_GEN_ARF_NULL)
        return NULL;
    if (exec_size * size > MAX_OPERAND_BYTES)
        return "execution size times type exceeds two registers";
    if (o->hstride == 0)
        return "the destination stride is zero";
    return o->indirect ? NULL : place_rule(o, ((exec_size - 1) * o->hstride + 1) * size);
}

static bool is_macro(const struct sonde_gen_instruction *i)
{
    return i->opcode == SONDE_GEN_MADM ||
           (i->opcode == SONDE_GEN_MATH &&
            (i->math == SONDE_GEN_MATH_INVM || i->math == SONDE_GEN_MATH_RSQTM));
}

/* Operands of align16 and of macros are packed; only where they lie is left to
 * check. */
static bool is_packed(const struct sonde_gen_instruction *i)
{
    return i->align16 || is_macro(i);
}

static const char *packed_rule(const struct sonde_gen_operand *o, unsigned exec_size)
{
    if (size_of(o) == 0)
        return "the operand has no type";
    if (exec_size * size_of(o) > MAX_OPERAND_BYTES)
        return "execution size times type exceeds two registers";
    return place_rule(o, o->replicate ? size_of(o) : exec_size * size_of(o));
}

/* Source 2 of three has a linear stride: rows of one element. */
static struct sonde_gen_operand linear_source(const struct sonde_gen_operand *o, unsigned exec_size)
{
    struct sonde_gen_operand rows = *o;
    rows.width = 1;
    rows.hstride = 0;
    if (exec_size == 1)
        rows.vstride = 0;
    return rows;
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
    bool wide = size_of(&i->dst) == 8;
    for (unsigned n = 0; n < i->source_count && n < 3; n++)
        wide = wide || size_of(&i->src[n]) == 8;
    return wide && i->platform == SONDE_GEN_PLATFORM_GEN11;
}

static enum sonde_status check_operands(const struct sonde_gen_instruction *i,
                                        struct sonde_error *error)
{
    static const char *const names[3] = {"source 0", "source 1", "source 2"};
    if (has_wide_type(i))
        return broken(i, "", "the platform has no 64-bit types", error);
    const char *rule =
        is_packed(i) ? packed_rule(&i->dst, i->exec_size) : destination_rule(&i->dst, i->exec_size);
    if (rule != NULL)
        return broken(i, "destination", rule, error);
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        const struct sonde_gen_operand *o = &i->src[n];
        if (o->file == SONDE_GEN_FILE_IMMEDIATE)
            continue;
        struct sonde_gen_operand rows = n == 2 ? linear_source(o, i->exec_size) : *o;
        rule = is_packed(i) ? packed_rule(o, i->exec_size) : source_rule(&rows, i->exec_size);
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
    bool align16 = i->platform == SONDE_GEN_PLATFORM_GEN9 && is_macro(i);
    bool whole = i->math >= SONDE_GEN_MATH_IDIV && i->math <= SONDE_GEN_MATH_IREM;
    if (align16 != i->align16)
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

static bool fits(const struct sonde_gen_operand *o, unsigned registers)
{
    return o->file != SONDE_GEN_FILE_GRF || o->indirect || o->number + registers <= GRF_COUNT;
}

static enum sonde_status check_send(const struct sonde_gen_instruction *i,
                                    struct sonde_error *error)
{
    if (i->send.end_of_thread && i->src[0].file == SONDE_GEN_FILE_GRF && !i->src[0].indirect &&
        i->src[0].number < FIRST_EOT_REGISTER)
        return broken(i, "source 0", "the payload of an end of thread lies in r112-r127", error);
    if (i->send.descriptor_is_register)
        return SONDE_OK;
    unsigned payload = i->send.descriptor >> 25 & 0xf, response = i->send.descriptor >> 20 & 0x1f;
    if (payload == 0)
        return broken(i, "source 0", "a message has at least one payload register", error);
    if (!fits(&i->src[0], payload))
        return broken(i, "source 0", "the payload reaches beyond the last register", error);
    if (i->source_count > 1 && !fits(&i->src[1], i->send.src1_length))
        return broken(i, "source 1", "the payload reaches beyond the last register", error);
    if (!fits(&i->dst, response))
        return broken(i, "destination", "the response reaches beyond the last register", error);
    return SONDE_OK;
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
    /* Quarter and nibble control pick a group as wide as the instruction. */
    if (i->exec_size >= 4 && i->channel_offset % i->exec_size != 0)
        return broken(i, "", "the first channel is not a multiple of the execution size", error);
    switch (isa_gen_opcodes[i->opcode].format) {
    case SONDE_GEN_FORMAT_BRANCH:
        if (i->opcode == SONDE_GEN_JMPI && (i->exec_size != 1 || !i->no_mask))
            return broken(i, "", "jmpi is scalar and ignores the execution mask", error);
        return SONDE_OK;
    case SONDE_GEN_FORMAT_SEND:
        return check_send(i, error);
    case SONDE_GEN_FORMAT_MATH:
        return check_math(i, error);
    case SONDE_GEN_FORMAT_TERNARY:
        return check_ternary(i, error);
    case SONDE_GEN_FORMAT_SYNC:
    case SONDE_GEN_FORMAT_WAIT:
        return SONDE_OK;
    default:
        return check_operands(i, error);
    }
}
