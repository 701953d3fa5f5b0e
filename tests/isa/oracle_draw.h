/* Random instructions of Xe and later that the codec's tables call legal. */
#ifndef TESTS_ISA_ORACLE_DRAW_H
#define TESTS_ISA_ORACLE_DRAW_H

#include "sonde/gen.h"

struct random {
    uint64_t state;
};

uint64_t random_draw(struct random *random);
uint32_t random_below(struct random *random, uint32_t limit);

/* A word of any format with random values in all of its fields. */
void draw_word(struct random *random, enum sonde_gen_platform platform, uint64_t word[2]);

#endif
