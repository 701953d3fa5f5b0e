/* Random instructions of Xe and later that the codec's tables call legal. */
#ifndef TESTS_ISA_ORACLE_DRAW_H
#define TESTS_ISA_ORACLE_DRAW_H

#include "sonde/gen.h"

struct random {
    uint64_t state;
};

uint64_t random_draw(struct random *random);
uint32_t random_below(struct random *random, uint32_t limit);

enum { DRAW_BUFFER_WORDS = 512 };

/* A word of any format with random values in all of its fields. `index`: its
 * place in a buffer of DRAW_BUFFER_WORDS, for jump targets. */
void draw_word(struct random *random, enum sonde_gen_platform platform, uint32_t index,
               uint64_t word[2]);

#endif
