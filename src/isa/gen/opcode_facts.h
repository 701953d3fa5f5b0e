/* Static facts of every opcode, generated from opcodes.txt. */
#ifndef SONDE_ISA_GEN_OPCODE_FACTS_H
#define SONDE_ISA_GEN_OPCODE_FACTS_H

#include "sonde/gen.h"

#define ISA_GEN_NO_CODE 0xffu

struct isa_gen_opcode_facts {
    const char *mnemonic;
    uint8_t format;                         /* enum sonde_gen_format */
    uint8_t sources;                        /* 0-3: the most that any encoding of the opcode has */
    uint8_t jumps;                          /* 0 none, 1 JIP, 2 JIP and UIP */
    uint8_t code[SONDE_GEN_PLATFORM_COUNT]; /* opcode byte, or ISA_GEN_NO_CODE */
};

extern const struct isa_gen_opcode_facts isa_gen_opcodes[SONDE_GEN_OPCODE_COUNT];

#define ISA_GEN_NO_OPCODE 0xffu

/* Opcode of each code of bits 6:0, or ISA_GEN_NO_OPCODE. */
extern const uint8_t isa_gen_opcode_of_code[SONDE_GEN_PLATFORM_COUNT][128];

#endif
