/* Cycle counts, looked up in the tables of cycles.txt. */
#include "isa/msp430/internal.h"

#include "msp430_cycles.inc"

enum { ROW_REGISTER, ROW_INDIRECT, ROW_INCREMENT, ROW_IMMEDIATE, ROW_MEMORY };

static const uint8_t row_of_mode[] = {
    [SONDE_MSP430_MODE_NONE] = ROW_REGISTER,
    [SONDE_MSP430_MODE_REGISTER] = ROW_REGISTER,
    [SONDE_MSP430_MODE_CONSTANT] = ROW_REGISTER,
    [SONDE_MSP430_MODE_INDIRECT] = ROW_INDIRECT,
    [SONDE_MSP430_MODE_INDIRECT_INCREMENT] = ROW_INCREMENT,
    [SONDE_MSP430_MODE_IMMEDIATE] = ROW_IMMEDIATE,
    [SONDE_MSP430_MODE_INDEXED] = ROW_MEMORY,
    [SONDE_MSP430_MODE_SYMBOLIC] = ROW_MEMORY,
    [SONDE_MSP430_MODE_ABSOLUTE] = ROW_MEMORY,
};

static const uint8_t single_column_of_mode[] = {
    [SONDE_MSP430_MODE_NONE] = 0,
    [SONDE_MSP430_MODE_REGISTER] = 0,
    [SONDE_MSP430_MODE_CONSTANT] = 0,
    [SONDE_MSP430_MODE_INDIRECT] = 1,
    [SONDE_MSP430_MODE_INDIRECT_INCREMENT] = 2,
    [SONDE_MSP430_MODE_IMMEDIATE] = 3,
    [SONDE_MSP430_MODE_INDEXED] = 4,
    [SONDE_MSP430_MODE_SYMBOLIC] = 5,
    [SONDE_MSP430_MODE_ABSOLUTE] = 6,
};

static bool is_pc(const struct sonde_msp430_operand *operand)
{
    return operand->mode == SONDE_MSP430_MODE_REGISTER && operand->reg == 0;
}

static uint8_t double_cycles(enum sonde_msp430_core core,
                             const struct sonde_msp430_instruction *instruction)
{
    const uint8_t(*table)[5] = core == SONDE_MSP430_CORE_CPU ? cycles_double_cpu
                               : !instruction->extended      ? cycles_double_cpux
                               : instruction->width == 20    ? cycles_double_address
                                                             : cycles_double_extended;
    const uint8_t *row = table[row_of_mode[instruction->src.mode]];
    unsigned opcode = instruction->opcode;
    if (is_pc(&instruction->dst))
        return row[opcode == SONDE_MSP430_MOV || opcode == SONDE_MSP430_ADD ||
                           opcode == SONDE_MSP430_SUB
                       ? 2
                       : 1];
    if (instruction->dst.mode == SONDE_MSP430_MODE_REGISTER)
        return row[0];
    bool reads_only =
        opcode == SONDE_MSP430_MOV || opcode == SONDE_MSP430_BIT || opcode == SONDE_MSP430_CMP;
    return row[reads_only ? 4 : 3];
}

static uint8_t single_cycles(enum sonde_msp430_core core,
                             const struct sonde_msp430_instruction *instruction, size_t row)
{
    bool extended = instruction->extended || instruction->opcode == SONDE_MSP430_CALLA;
    const uint8_t(*table)[7] = core == SONDE_MSP430_CORE_CPU ? cycles_single_cpu
                               : !extended                   ? cycles_single_cpux
                               : instruction->width == 20    ? cycles_single_address
                                                             : cycles_single_extended;
    const struct sonde_msp430_operand *operand = &instruction->src;
    unsigned cycles = table[row][single_column_of_mode[operand->mode]];
    /* Note 1 of SLAU445 Table 4-17a. */
    if (extended && row > 0 && operand->mode == SONDE_MSP430_MODE_INDEXED && operand->reg == 1)
        cycles++;
    return (uint8_t)cycles;
}

static uint8_t address_cycles(const struct sonde_msp430_instruction *instruction)
{
    if (instruction->dst.mode != SONDE_MSP430_MODE_REGISTER)
        return 4;
    unsigned column = instruction->opcode == SONDE_MSP430_MOVA ? 0 : 2;
    return cycles_address[row_of_mode[instruction->src.mode]]
                         [column + (is_pc(&instruction->dst) ? 1 : 0)];
}

uint8_t msp430_cycles(enum sonde_msp430_core core,
                      const struct sonde_msp430_instruction *instruction)
{
    switch ((enum sonde_msp430_opcode)instruction->opcode) {
    case SONDE_MSP430_RRC:
    case SONDE_MSP430_SWPB:
    case SONDE_MSP430_RRA:
    case SONDE_MSP430_SXT:
        return single_cycles(core, instruction, 0);
    case SONDE_MSP430_PUSH:
        return single_cycles(core, instruction, 1);
    case SONDE_MSP430_CALL:
    case SONDE_MSP430_CALLA:
        return single_cycles(core, instruction, 2);
    case SONDE_MSP430_RETI: /* SLAU445 Table 4-8, SLAU144 Table 3-14 */
        return 5;
    case SONDE_MSP430_PUSHM:
    case SONDE_MSP430_POPM:
        return (uint8_t)(2 + instruction->repeat * (instruction->width == 20 ? 2 : 1));
    case SONDE_MSP430_RRCM:
    case SONDE_MSP430_RRAM:
    case SONDE_MSP430_RLAM:
    case SONDE_MSP430_RRUM:
        return instruction->repeat;
    case SONDE_MSP430_MOVA:
    case SONDE_MSP430_CMPA:
    case SONDE_MSP430_ADDA:
    case SONDE_MSP430_SUBA:
        return address_cycles(instruction);
    default:
        if (instruction->opcode >= SONDE_MSP430_JNE && instruction->opcode <= SONDE_MSP430_JMP)
            return 2;
        return instruction->opcode == SONDE_MSP430_ILLEGAL ? 0 : double_cycles(core, instruction);
    }
}
