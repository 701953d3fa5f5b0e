/* Building the sets of sonde_gen_instruction_effects: registers of a platform
 * and how operands mark them. */
#ifndef SONDE_ISA_GEN_EFFECTS_H
#define SONDE_ISA_GEN_EFFECTS_H

#include "sonde/gen.h"

/* The register files of a platform. */
struct isa_gen_registers {
    uint16_t grf_size;         /* bytes of one register */
    uint16_t grf_file;         /* bytes of the largest file a thread may have */
    uint8_t accumulator_size;  /* bytes of one accumulator */
    uint8_t accumulator_count; /* registers 0x20 .. are accumulators */
    uint8_t mme_first;         /* registers 0x20 + this .. are mme0-7 */
};

const struct isa_gen_registers *isa_gen_registers_of(uint8_t platform);

/* An effect that grows: the set and the register files it talks of. */
struct isa_gen_marker {
    struct sonde_gen_effect *effect;
    const struct isa_gen_registers *registers;
};

/* Bytes of the register file. */
void isa_gen_mark_grf(const struct isa_gen_marker *marker, unsigned start, unsigned length);

/* Bytes from the first element of a direct operand on. True when every unit
 * that is tracked (byte, address element, half flag, accumulator) is covered
 * wholly. */
bool isa_gen_mark(const struct isa_gen_marker *marker, const struct sonde_gen_operand *operand,
                  unsigned start, unsigned length);

/* Half flag registers that bits [first, first + count) of `number` touch. */
void isa_gen_mark_flags(struct sonde_gen_effect *effect, unsigned number, unsigned first,
                        unsigned count);

/* Address elements that an indirect operand reads. */
void isa_gen_mark_address(struct sonde_gen_effect *effect, const struct sonde_gen_operand *operand,
                          unsigned addresses);

/* Bytes of one element; 4 for operands without a type. */
unsigned isa_gen_element_size(const struct sonde_gen_operand *operand);

/* The messages, and the systolic operations. */
void isa_gen_send_effects(const struct sonde_gen_instruction *instruction,
                          struct sonde_gen_effects *effects);
void isa_gen_systolic_effects(const struct sonde_gen_instruction *instruction,
                              struct sonde_gen_effects *effects);

#endif
