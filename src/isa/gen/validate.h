/* The parts of sonde_gen_instruction_validate. Each returns the rule that the
 * instruction or operand breaks, in English, or NULL. */
#ifndef SONDE_ISA_GEN_VALIDATE_H
#define SONDE_ISA_GEN_VALIDATE_H

#include "sonde/gen.h"

/* Bytes that one operand may span. */
unsigned isa_gen_operand_limit(uint8_t platform);
/* Bytes of the largest register file of the platform. */
unsigned isa_gen_file_limit(uint8_t platform);

/* Regions: a source, a destination, and packed operands (align16, macros). */
const char *isa_gen_source_rule(const struct sonde_gen_instruction *instruction, unsigned source);
const char *isa_gen_destination_rule(const struct sonde_gen_instruction *instruction);

/* Whether the operation takes these types, Xe and later. */
const char *isa_gen_types_rule(const struct sonde_gen_instruction *instruction);

/* Rules of Xe and later: where elements may move between source and
 * destination, which register files a source may name, the scoreboard field,
 * systolic operations. */
const char *isa_gen_movement_rule(const struct sonde_gen_instruction *instruction);
const char *isa_gen_file_rule(const struct sonde_gen_instruction *instruction);
const char *isa_gen_scoreboard_rule(const struct sonde_gen_instruction *instruction);
const char *isa_gen_systolic_rule(const struct sonde_gen_instruction *instruction);

#endif
