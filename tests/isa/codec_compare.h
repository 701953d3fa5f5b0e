/* Field-by-field comparison of a decoded instruction with iga64's view. */
#ifndef TESTS_ISA_CODEC_COMPARE_H
#define TESTS_ISA_CODEC_COMPARE_H

#include "codec_iga.h"
#include "sonde/gen.h"

/* Learn iga64's type numbers; false when its library misbehaves. */
bool compare_calibrate(struct iga *iga);

/* Compare with the instruction at byte `pc` of the view. False with a text of
 * the first difference. */
bool compare_instruction(struct iga *iga, const struct kv *kv, int32_t pc,
                         const struct sonde_gen_instruction *i, char *text, size_t size);

/* Decode then encode gives the same bytes (and compaction, where found). */
bool compare_round_trip(const struct sonde_gen_instruction *i, const uint8_t *bytes, char *text,
                        size_t size);

#endif
