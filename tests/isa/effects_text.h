/* The sets of an effect in words, for tests to compare. */
#ifndef TESTS_ISA_EFFECTS_TEXT_H
#define TESTS_ISA_EFFECTS_TEXT_H

#include "sonde/gen.h"

/* "r10 r12.4+4 f0.0 a0.2 acc0 mme cr0 memory any": whole registers by their
 * number, else register.byte+length. */
void effects_describe(const struct sonde_gen_effect *effect, unsigned grf_size, char *text,
                      size_t size);

#endif
