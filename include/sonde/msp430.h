/* The MSP430 and MSP430X codec: one decoded form of an instruction, shared by
 * the disassembler, the instrumenter and the simulator.
 *
 * Source of the encodings and cycle counts: TI MSP430x1xx/2xx Family User's
 * Guide (SLAU049/SLAU144) chapter "RISC 16-Bit CPU" for the original CPU, TI
 * SLAU445 chapter 4 "CPUX" for MSP430X. */
#ifndef SONDE_MSP430_H
#define SONDE_MSP430_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sonde/status.h"

enum sonde_msp430_core {
    SONDE_MSP430_CORE_CPU,  /* original 16-bit CPU */
    SONDE_MSP430_CORE_CPUX, /* MSP430X, 20-bit addresses */
    SONDE_MSP430_CORE_COUNT
};

/* Words that are no instruction, inserted at a function's entry and exit. */
struct sonde_msp430_markers {
    uint16_t enter;
    uint16_t exit;
};

/* Defaults: 0x0001 / 0x0002 on the original CPU (undefined there), 0x13c1 /
 * 0x13c2 on MSP430X (reserved on both cores). */
SONDE_API struct sonde_msp430_markers sonde_msp430_default_markers(enum sonde_msp430_core core);
/* SONDE_OK when neither word is an instruction on `core` and they differ. */
SONDE_API enum sonde_status sonde_msp430_markers_check(enum sonde_msp430_core core,
                                                       struct sonde_msp430_markers markers,
                                                       struct sonde_error *error);

/* What tells that an ELF file is marked: a note in this section, named
 * "Sonde", of type 1. Its descriptor is four little-endian 16-bit words:
 * version (1), enum sonde_msp430_core, enter marker, exit marker. */
#define SONDE_MSP430_NOTE_SECTION ".note.sonde.msp430"
#define SONDE_MSP430_NOTE_NAME    "Sonde"
enum { SONDE_MSP430_NOTE_TYPE = 1, SONDE_MSP430_NOTE_VERSION = 1 };

enum sonde_msp430_opcode {
    SONDE_MSP430_ILLEGAL,
    /* format I, in encoding order from 4 to 15 */
    SONDE_MSP430_MOV,
    SONDE_MSP430_ADD,
    SONDE_MSP430_ADDC,
    SONDE_MSP430_SUBC,
    SONDE_MSP430_SUB,
    SONDE_MSP430_CMP,
    SONDE_MSP430_DADD,
    SONDE_MSP430_BIT,
    SONDE_MSP430_BIC,
    SONDE_MSP430_BIS,
    SONDE_MSP430_XOR,
    SONDE_MSP430_AND,
    /* format II */
    SONDE_MSP430_RRC,
    SONDE_MSP430_SWPB,
    SONDE_MSP430_RRA,
    SONDE_MSP430_SXT,
    SONDE_MSP430_PUSH,
    SONDE_MSP430_CALL,
    SONDE_MSP430_RETI,
    /* jumps */
    SONDE_MSP430_JNE,
    SONDE_MSP430_JEQ,
    SONDE_MSP430_JNC,
    SONDE_MSP430_JC,
    SONDE_MSP430_JN,
    SONDE_MSP430_JGE,
    SONDE_MSP430_JL,
    SONDE_MSP430_JMP,
    /* MSP430X address instructions and others without an extension word */
    SONDE_MSP430_MOVA,
    SONDE_MSP430_CMPA,
    SONDE_MSP430_ADDA,
    SONDE_MSP430_SUBA,
    SONDE_MSP430_CALLA,
    SONDE_MSP430_PUSHM,
    SONDE_MSP430_POPM,
    SONDE_MSP430_RRCM,
    SONDE_MSP430_RRAM,
    SONDE_MSP430_RLAM,
    SONDE_MSP430_RRUM,
    SONDE_MSP430_OPCODE_COUNT
};

enum sonde_msp430_mode {
    SONDE_MSP430_MODE_NONE,
    SONDE_MSP430_MODE_REGISTER,           /* Rn */
    SONDE_MSP430_MODE_INDEXED,            /* X(Rn): address = Rn + value */
    SONDE_MSP430_MODE_SYMBOLIC,           /* EDE: address in `value` (already resolved) */
    SONDE_MSP430_MODE_ABSOLUTE,           /* &EDE: address in `value` */
    SONDE_MSP430_MODE_INDIRECT,           /* @Rn */
    SONDE_MSP430_MODE_INDIRECT_INCREMENT, /* @Rn+ */
    SONDE_MSP430_MODE_IMMEDIATE,          /* #N in an extra word */
    SONDE_MSP430_MODE_CONSTANT,           /* #N from the constant generator */
};

struct sonde_msp430_operand {
    uint8_t mode; /* enum sonde_msp430_mode */
    uint8_t reg;
    /* immediate (not sign-extended), constant, index (sign-extended) or address */
    int32_t value;
};

struct sonde_msp430_instruction {
    uint32_t address;
    uint8_t size;            /* bytes: 2 to 8 */
    uint8_t opcode;          /* enum sonde_msp430_opcode */
    uint8_t width;           /* operation width in bits: 8, 16, 20 */
    bool extended;           /* has an extension word */
    bool zero_carry;         /* ZC bit of the extension word: rrux when the opcode is RRC */
    bool repeat_in_register; /* repeat count in a register (low 4 bits + 1) */
    /* of an extended instruction: 1..16, or the register number; n of
     * PUSHM/POPM/RRxM */
    uint8_t repeat;
    struct sonde_msp430_operand src; /* single-operand instructions use src */
    struct sonde_msp430_operand dst;
    uint32_t target; /* jumps: absolute target */
    uint8_t cycles;  /* by TI's tables; of an extended instruction, without its repeats */
    uint16_t words[4];
};

/* Decode the instruction at `address`, of which `count` words are available
 * in words[]. SONDE_OK with opcode ILLEGAL for encodings the core does not
 * define; SONDE_ERROR_TRUNCATED when words are missing. */
SONDE_API enum sonde_status sonde_msp430_decode(enum sonde_msp430_core core, uint32_t address,
                                                const uint16_t *words, size_t count,
                                                struct sonde_msp430_instruction *instruction,
                                                struct sonde_error *error);
/* Encode into words[4]; *count receives how many. */
SONDE_API enum sonde_status sonde_msp430_encode(enum sonde_msp430_core core,
                                                const struct sonde_msp430_instruction *instruction,
                                                uint16_t words[4], size_t *count,
                                                struct sonde_error *error);
/* Text in TI syntax with emulated mnemonics (ret, br, nop, ...). As snprintf. */
SONDE_API int sonde_msp430_print(const struct sonde_msp430_instruction *instruction, char *text,
                                 size_t size);
SONDE_API const char *sonde_msp430_opcode_mnemonic(enum sonde_msp430_opcode opcode);

#endif
