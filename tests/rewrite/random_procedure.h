/* Random legal procedures at random places of a kernel. */
#ifndef TESTS_REWRITE_RANDOM_PROCEDURE_H
#define TESTS_REWRITE_RANDOM_PROCEDURE_H

#include "sonde/instrument.h"

#define RANDOM_CHUNK 2048u /* bytes of the profile buffer that a bucket of threads has */

struct random_procedures {
    struct sonde_instrument *instrument;
    uint32_t base, buckets; /* of the profile buffer */
    sonde_vreg address, word, wide, block, counter;
    struct sonde_procedure *procedure;
    uint64_t state;
    struct sonde_error error;
    bool failed; /* a method refused what it may not refuse: see error */
};

/* `counters`: let procedures use a register that lasts through the kernel. */
void random_procedures_open(struct random_procedures *random, struct sonde_instrument *instrument,
                            uint32_t base, uint32_t buckets, uint64_t seed, bool counters);
/* Insert one procedure; false, with the error set, when a method failed. */
bool random_procedures_insert(struct random_procedures *random);

#endif
