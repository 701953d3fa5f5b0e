/* Random structured Gen9 programs as iga64 text: divergent if/else, loops with
 * break and cont, goto regions, uniform jmpi, calls. Every loop ends; at the
 * end the program writes its registers and flags to surface 0. */
#ifndef TESTS_REWRITE_GENERATE_H
#define TESTS_REWRITE_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text in a buffer that the next call overwrites. SIMD16; local ids in r1. */
const char *generate_program(uint64_t seed);
/* Whether the last program has register-indirect operands. */
bool generate_used_indirect(void);

#endif
