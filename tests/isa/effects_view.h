/* Reads and writes of an instruction of Xe or later from iga64's own view of
 * its operands: a plain walk, byte by byte, that shares no code with the
 * codec. */
#ifndef TESTS_ISA_EFFECTS_VIEW_H
#define TESTS_ISA_EFFECTS_VIEW_H

#include "codec_iga.h"
#include "sonde/gen.h"

#define VIEW_TYPES 64

/* Bits of the types by iga64's numbers, 0 where there is none. */
struct view_types {
    uint8_t bits[VIEW_TYPES];
};

/* Find the numbers of the types. False when iga64 does not assemble one. */
bool view_calibrate(struct iga *iga, enum sonde_gen_platform platform, struct view_types *types);

/* Fill GRF, flag, accumulator, address, mme and control sets; memory and
 * write_is_partial stay unset. False when iga64 has no such instruction. */
bool view_effects(struct iga *iga, const struct view_types *types, const struct kv *kv, int32_t pc,
                  enum sonde_gen_platform platform, struct sonde_gen_effects *effects);

#endif
