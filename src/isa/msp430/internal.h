/* What the files of the MSP430 codec share. */
#ifndef SONDE_ISA_MSP430_INTERNAL_H
#define SONDE_ISA_MSP430_INTERNAL_H

#include "sonde/msp430.h"

enum msp430_form {
    MSP430_FORM_DOUBLE,
    MSP430_FORM_SINGLE,        /* destination is also the source; byte or word */
    MSP430_FORM_SINGLE_WORD,   /* the same without a byte form */
    MSP430_FORM_SINGLE_SOURCE, /* push */
    MSP430_FORM_SINGLE_CALL,   /* call: no extended form */
    MSP430_FORM_PLAIN,
    MSP430_FORM_JUMP,
    MSP430_FORM_FROM_INDIRECT, /* address instructions: operand -> register */
    MSP430_FORM_FROM_INCREMENT,
    MSP430_FORM_FROM_ABSOLUTE,
    MSP430_FORM_FROM_INDEXED,
    MSP430_FORM_FROM_IMMEDIATE,
    MSP430_FORM_FROM_REGISTER,
    MSP430_FORM_TO_ABSOLUTE, /* register -> operand */
    MSP430_FORM_TO_INDEXED,
    MSP430_FORM_ROTATE, /* by 1 to 4 bits */
    MSP430_FORM_CALL_REGISTER,
    MSP430_FORM_CALL_INDEXED,
    MSP430_FORM_CALL_INDIRECT,
    MSP430_FORM_CALL_INCREMENT,
    MSP430_FORM_CALL_ABSOLUTE,
    MSP430_FORM_CALL_SYMBOLIC,
    MSP430_FORM_CALL_IMMEDIATE,
    MSP430_FORM_PUSH_MULTIPLE,
    MSP430_FORM_POP_MULTIPLE,
};

struct msp430_encoding {
    enum sonde_msp430_opcode opcode;
    enum msp430_form form;
    enum sonde_msp430_core core; /* the first core that has it */
    uint16_t word, mask;
};

#define MSP430_ADDRESS_MASK 0xfffffu

/* The row of an opcode word (without extension word), NULL when the core
 * defines none. */
const struct msp430_encoding *msp430_encoding_find(enum sonde_msp430_core core, uint16_t word);
/* Rows by index, NULL behind the last. */
const struct msp430_encoding *msp430_encoding_at(size_t index);

static inline bool msp430_is_extension(enum sonde_msp430_core core, uint16_t word)
{
    return core == SONDE_MSP430_CORE_CPUX && (word & 0xf800) == 0x1800;
}

/* The extension word belongs to an instruction whose operands are registers:
 * it holds a repeat count, else the high bits of the operands' values. */
static inline bool msp430_is_register_operand(const struct sonde_msp430_operand *operand)
{
    return operand->mode == SONDE_MSP430_MODE_NONE || operand->mode == SONDE_MSP430_MODE_REGISTER ||
           operand->mode == SONDE_MSP430_MODE_CONSTANT;
}

/* Cycles of a decoded instruction (all other members filled in). */
uint8_t msp430_cycles(enum sonde_msp430_core core,
                      const struct sonde_msp430_instruction *instruction);

#endif
