/* What dpas and dpasw read and write. Destination and source 0 are packed
 * matrices of `repeat_count` rows of one element a channel; source 1 holds
 * `systolic_depth` rows of packed operands a channel; source 2, one dword a
 * row and depth step, is the same for all channels. dpasw reads half of the
 * rows of source 2, the fused EU reads the others.
 *
 * Footprints: those by which the MIT-licensed Intel Graphics Compiler sets
 * dependencies. */
#include "isa/gen/effects.h"

#define ROW_STEPS 8u /* depth steps from one row of source 2 to the next, at least */

static unsigned bits_of(uint8_t type)
{
    switch (type) {
    case SONDE_GEN_TYPE_U2:
    case SONDE_GEN_TYPE_S2:
        return 2;
    case SONDE_GEN_TYPE_U4:
    case SONDE_GEN_TYPE_S4:
        return 4;
    default:
        return 8u * sonde_gen_type_size((enum sonde_gen_type)type);
    }
}

/* Operations that a channel does in one depth step. */
static unsigned operations(uint8_t type1, uint8_t type2)
{
    unsigned bits1 = bits_of(type1), bits2 = bits_of(type2);
    if (bits1 < 8 && bits2 < 8)
        return 8;
    return bits1 > 8 ? 32 / bits1 : 4;
}

static void read_matrix(const struct isa_gen_marker *reads, const struct sonde_gen_operand *o,
                        unsigned bits)
{
    if (o->file == SONDE_GEN_FILE_GRF)
        isa_gen_mark(reads, o, 0, (bits + 7) / 8);
}

void isa_gen_systolic_effects(const struct sonde_gen_instruction *instruction,
                              struct sonde_gen_effects *effects)
{
    const struct sonde_gen_instruction *i = instruction;
    const struct isa_gen_registers *registers = isa_gen_registers_of(i->platform);
    const struct isa_gen_marker reads = {&effects->reads, registers};
    const struct isa_gen_marker writes = {&effects->writes, registers};
    unsigned steps = operations(i->src[1].type, i->src[2].type);
    unsigned rows = i->repeat_count, depth = i->systolic_depth;
    unsigned shared_rows = i->opcode == SONDE_GEN_DPASW ? (rows + 1) / 2 : rows;
    unsigned bits2 = bits_of(i->src[2].type);
    read_matrix(&reads, &i->src[0], i->exec_size * bits_of(i->src[0].type) * rows);
    read_matrix(&reads, &i->src[1], i->exec_size * bits_of(i->src[1].type) * steps * depth);
    unsigned row = depth > ROW_STEPS ? depth : ROW_STEPS;
    read_matrix(&reads, &i->src[2], steps * bits2 * ((shared_rows - 1) * row + depth));
    if (i->dst.file == SONDE_GEN_FILE_GRF)
        isa_gen_mark(&writes, &i->dst, 0, i->exec_size * bits_of(i->dst.type) / 8 * rows);
}
