/* Rules that came with Xe, and with its later steps.
 *
 * Sources: the conformity checks that the MIT-licensed Intel Graphics Compiler
 * makes before it encodes, confirmed by what compiled kernels never do. */
#include "isa/gen/effects.h"
#include "isa/gen/opcode_facts.h"
#include "isa/gen/validate.h"

#define MAX_DISTANCE 7u

static unsigned size_of(const struct sonde_gen_operand *o)
{
    return sonde_gen_type_size((enum sonde_gen_type)o->type);
}

static bool is_arf(const struct sonde_gen_operand *o, unsigned class)
{
    return o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == class;
}

static bool is_float(const struct sonde_gen_operand *o)
{
    return sonde_gen_type_is_float((enum sonde_gen_type)o->type);
}

static bool is_scalar(const struct sonde_gen_operand *o)
{
    return o->file == SONDE_GEN_FILE_IMMEDIATE || (o->vstride == 0 && o->hstride == 0);
}

/* Size of the elements that the operation computes with: bytes as words, save
 * where a move only copies them. */
static unsigned execution_size(const struct sonde_gen_instruction *i)
{
    unsigned largest = 0;
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        unsigned size = size_of(&i->src[n]);
        if (size == 1 && i->opcode != SONDE_GEN_MOV)
            size = 2;
        if (size > largest)
            largest = size;
    }
    return largest;
}

/* float and its short forms may be mixed, and then lie packed. */
static bool mixes_floats(const struct sonde_gen_instruction *i)
{
    bool floats = is_float(&i->dst) && size_of(&i->dst) <= 4, mixed = false;
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        floats = floats && is_float(&i->src[n]) && size_of(&i->src[n]) <= 4;
        mixed = mixed || size_of(&i->src[n]) != size_of(&i->dst);
    }
    return floats && mixed;
}

/* Elements from one to the next of a source whose elements are evenly spaced,
 * 0 of one whose are not. */
static unsigned source_step(const struct sonde_gen_instruction *i,
                            const struct sonde_gen_operand *o, unsigned source)
{
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode) == SONDE_GEN_FORMAT_TERNARY &&
        source == 2)
        return o->hstride;
    if (o->width <= 1)
        return o->vstride;
    bool even = o->width >= i->exec_size || o->vstride == o->width * o->hstride;
    return even ? o->hstride : 0;
}

/* From XeHP on floats and 64-bit elements stay at their place: a source that
 * is no scalar starts at the byte where the destination does and has its
 * stride. */
static const char *place_rule(const struct sonde_gen_instruction *i)
{
    bool wide = is_float(&i->dst) || size_of(&i->dst) == 8;
    for (unsigned n = 0; n < i->source_count && n < 3; n++)
        wide = wide || is_float(&i->src[n]) || size_of(&i->src[n]) == 8;
    /* Compilers convert packed half floats to wider integers. */
    bool widens = i->opcode == SONDE_GEN_MOV && i->src[0].type == SONDE_GEN_TYPE_HF &&
                  !is_float(&i->dst);
    if (!wide || widens || i->dst.indirect)
        return NULL;
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        const struct sonde_gen_operand *o = &i->src[n];
        if (o->file != SONDE_GEN_FILE_GRF || is_scalar(o))
            continue;
        if (o->indirect)
            return o->vstride == SONDE_GEN_VSTRIDE_VXH
                       ? "floats and 64-bit elements cannot be gathered"
                       : NULL;
        if (source_step(i, o, n) * size_of(o) != i->dst.hstride * size_of(&i->dst))
            return "floats and 64-bit elements keep the stride of the destination";
        if (o->subreg != i->dst.subreg)
            return "floats and 64-bit elements keep their place in the register";
    }
    return NULL;
}

const char *isa_gen_movement_rule(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_instruction *i = instruction;
    if (i->exec_size == 1 || is_arf(&i->dst, SONDE_GEN_ARF_NULL) || i->dst.mme != 0xff ||
        mixes_floats(i))
        return NULL;
    if (execution_size(i) > i->dst.hstride * size_of(&i->dst))
        return "the destination needs a stride that makes its elements as wide as the sources'";
    return i->platform >= SONDE_GEN_PLATFORM_XEHP ? place_rule(i) : NULL;
}

const char *isa_gen_file_rule(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_instruction *i = instruction;
    enum sonde_gen_format format = sonde_gen_opcode_format((enum sonde_gen_opcode)i->opcode);
    for (unsigned n = 0; n < i->source_count && n < 3; n++) {
        const struct sonde_gen_operand *o = &i->src[n];
        if (o->file != SONDE_GEN_FILE_ARF || is_arf(o, SONDE_GEN_ARF_NULL))
            continue;
        if (format == SONDE_GEN_FORMAT_MATH)
            return "math takes general registers alone";
        if (!is_arf(o, SONDE_GEN_ARF_ACCUMULATOR) && (n > 0 || format == SONDE_GEN_FORMAT_TERNARY))
            return "of the architecture registers only accumulators go here";
    }
    return NULL;
}

const char *isa_gen_scoreboard_rule(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_instruction *i = instruction;
    struct sonde_gen_scoreboard s;
    if (!sonde_gen_scoreboard_decode(i, &s))
        return "the hardware does not define this scoreboard field";
    if (s.distance > MAX_DISTANCE)
        return "a distance in the scoreboard field is 7 at most";
    if (s.token_mode == SONDE_GEN_TOKEN_SET && i->opcode != SONDE_GEN_SYNC &&
        !sonde_gen_instruction_is_out_of_order(i))
        return "only instructions that run out of order get a token";
    return NULL;
}

static unsigned bits_of(uint8_t type)
{
    if (type == SONDE_GEN_TYPE_U2 || type == SONDE_GEN_TYPE_S2)
        return 2;
    if (type == SONDE_GEN_TYPE_U4 || type == SONDE_GEN_TYPE_S4)
        return 4;
    return 8u * sonde_gen_type_size((enum sonde_gen_type)type);
}

/* Bytes that one row of source 2 takes. */
static unsigned shared_row(const struct sonde_gen_instruction *i)
{
    unsigned bits1 = bits_of(i->src[1].type), bits2 = bits_of(i->src[2].type);
    unsigned steps = bits1 < 8 && bits2 < 8 ? 8 : bits1 > 8 ? 32 / bits1 : 4;
    return steps * bits2 * i->systolic_depth / 8;
}

const char *isa_gen_systolic_rule(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_instruction *i = instruction;
    unsigned grf = isa_gen_registers_of(i->platform)->grf_size;
    if (i->exec_size != grf / 4)
        return "systolic operations have one channel a dword of a register";
    if (i->systolic_depth != 8)
        return "the systolic depth is 8";
    if (i->dst.file != SONDE_GEN_FILE_GRF || i->src[1].file != SONDE_GEN_FILE_GRF ||
        i->src[2].file != SONDE_GEN_FILE_GRF ||
        (i->src[0].file != SONDE_GEN_FILE_GRF && !is_arf(&i->src[0], SONDE_GEN_ARF_NULL)))
        return "systolic operations take general registers";
    if (i->dst.subreg % (i->exec_size * size_of(&i->dst)) != 0 || i->src[1].subreg != 0 ||
        (i->src[0].file == SONDE_GEN_FILE_GRF &&
         i->src[0].subreg % (i->exec_size * size_of(&i->src[0])) != 0))
        return "the matrices start at whole rows";
    unsigned row = shared_row(i);
    if (row == 0 || i->src[2].subreg % row != 0)
        return "source 2 starts at a whole row";
    return NULL;
}
