/* How regions may lie in the register file.
 *
 * Source of the rules: the general restrictions on regioning parameters of the
 * programmer's reference manuals, in the numbering that iga64's warnings use. */
#include "isa/gen/effects.h"
#include "isa/gen/opcode_facts.h"
#include "isa/gen/validate.h"

unsigned isa_gen_operand_limit(uint8_t platform)
{
    return 2u * isa_gen_registers_of(platform)->grf_size;
}

unsigned isa_gen_file_limit(uint8_t platform)
{
    return isa_gen_registers_of(platform)->grf_file;
}

static unsigned size_of(const struct sonde_gen_operand *o)
{
    return sonde_gen_type_size((enum sonde_gen_type)o->type);
}

static bool is_null(const struct sonde_gen_operand *o)
{
    return o->file == SONDE_GEN_FILE_ARF && (o->number & 0xf0) == SONDE_GEN_ARF_NULL;
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
static bool rows_cross(const struct sonde_gen_operand *o, unsigned exec_size, unsigned grf)
{
    unsigned size = size_of(o), rows = exec_size / o->width;
    for (unsigned row = 0; row < rows; row++) {
        unsigned first = o->subreg + row * o->vstride * size;
        unsigned last = first + (o->width - 1u) * o->hstride * size + size - 1;
        if (first / grf != last / grf)
            return true;
    }
    return false;
}

/* What holds for sources and destinations alike. */
static const char *place_rule(const struct sonde_gen_operand *o, unsigned span, uint8_t platform)
{
    unsigned grf = isa_gen_registers_of(platform)->grf_size;
    if (o->subreg % size_of(o) != 0)
        return "the sub-register is not aligned to the type";
    if (o->file != SONDE_GEN_FILE_GRF)
        return NULL;
    if (o->subreg + span > isa_gen_operand_limit(platform))
        return "the operand reaches beyond two registers";
    if (o->number * grf + o->subreg + span > isa_gen_file_limit(platform))
        return "the operand reaches beyond the last register";
    return NULL;
}

/* Packed operands: only where they lie is left to check. */
static const char *packed_rule(const struct sonde_gen_operand *o, unsigned exec_size,
                               uint8_t platform)
{
    if (size_of(o) == 0)
        return "the operand has no type";
    if (is_null(o))
        return NULL;
    if (exec_size * size_of(o) > isa_gen_operand_limit(platform))
        return "execution size times type exceeds two registers";
    return place_rule(o, o->replicate ? size_of(o) : exec_size * size_of(o), platform);
}

static bool is_packed(const struct sonde_gen_instruction *i, const struct sonde_gen_operand *o)
{
    return i->align16 || o->mme != 0xff;
}

/* Source 2 of three has a linear stride: rows of one element. */
static struct sonde_gen_operand linear_source(const struct sonde_gen_operand *o, unsigned exec_size)
{
    struct sonde_gen_operand rows = *o;
    rows.width = 1;
    rows.hstride = 0;
    rows.vstride = exec_size == 1 ? 0 : o->hstride;
    return rows;
}

const char *isa_gen_source_rule(const struct sonde_gen_instruction *instruction, unsigned source)
{
    const struct sonde_gen_instruction *i = instruction;
    const struct sonde_gen_operand *o = &i->src[source];
    if (is_packed(i, o))
        return packed_rule(o, i->exec_size, i->platform);
    if (size_of(o) == 0)
        return "the operand has no type";
    if (is_null(o))
        return NULL;
    if (i->exec_size * size_of(o) > isa_gen_operand_limit(i->platform))
        return "execution size times type exceeds two registers";
    if (o->indirect)
        return NULL; /* where the elements lie is not known */
    struct sonde_gen_operand rows = source == 2 ? linear_source(o, i->exec_size) : *o;
    const char *rule = region_rule(&rows, i->exec_size);
    if (rule != NULL)
        return rule;
    unsigned grf = isa_gen_registers_of(i->platform)->grf_size;
    if (o->file == SONDE_GEN_FILE_GRF && rows_cross(&rows, i->exec_size, grf))
        return "a row of the region crosses a register boundary";
    return place_rule(o, region_span(&rows, i->exec_size), i->platform);
}

const char *isa_gen_destination_rule(const struct sonde_gen_instruction *instruction)
{
    const struct sonde_gen_instruction *i = instruction;
    const struct sonde_gen_operand *o = &i->dst;
    unsigned size = size_of(o);
    if (is_packed(i, o))
        return packed_rule(o, i->exec_size, i->platform);
    if (size == 0)
        return "the operand has no type";
    if (is_null(o))
        return NULL;
    if (i->exec_size * size > isa_gen_operand_limit(i->platform))
        return "execution size times type exceeds two registers";
    if (o->hstride == 0)
        return "the destination stride is zero";
    unsigned span = ((i->exec_size - 1u) * o->hstride + 1) * size;
    return o->indirect ? NULL : place_rule(o, span, i->platform);
}
