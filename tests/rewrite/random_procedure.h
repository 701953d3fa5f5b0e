/* Random legal procedures, of every method of the coder, at random places of
 * every kind of a kernel. */
#ifndef TESTS_REWRITE_RANDOM_PROCEDURE_H
#define TESTS_REWRITE_RANDOM_PROCEDURE_H

#include "sonde/instrument.h"

#define RANDOM_CHUNK   2048u /* bytes of the profile buffer that a bucket of threads has */
#define RANDOM_PRIVATE 512u

struct random_procedures {
    struct sonde_instrument *instrument;
    uint32_t base, buckets; /* of the profile buffer */
    /* Memory that no two hardware threads share, RANDOM_PRIVATE bytes each; 0: none,
     * and nothing is loaded into registers of the kernel. */
    uint32_t private_base;
    sonde_vreg address, other, word, wide, block, counter, old;
    struct sonde_procedure *procedure;
    uint64_t state;
    bool has_ff_tid; /* a register for it lasts through the kernel */
    /* The procedure at hand sets f1, or looks at the kernel's; it cannot be
     * conditional then. */
    bool uses_f1, reads_f1;
    struct sonde_error error;
    bool dry;    /* make procedures without placing them */
    bool failed; /* a method refused what it may not refuse: see error */
};

/* `lasting`: let procedures use registers that last through the kernel, where
 * it leaves any. */
void random_procedures_open(struct random_procedures *random, struct sonde_instrument *instrument,
                            uint32_t base, uint32_t buckets, uint64_t seed, bool lasting);
/* Insert one procedure; false, with the error set, when a method failed. */
bool random_procedures_insert(struct random_procedures *random);

#endif
