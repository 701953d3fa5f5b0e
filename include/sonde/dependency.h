/* Dependencies that the software scoreboard has to cover, Xe and later.
 *
 * From Xe on the hardware does not track which registers are in use: each
 * instruction says in its scoreboard field what it waits for. A register that
 * is read before it was written, or written too early, is a wrong result that
 * shows up now and then. The check follows all paths of a kernel and names
 * each pair of instructions that the fields leave in a race. */
#ifndef SONDE_DEPENDENCY_H
#define SONDE_DEPENDENCY_H

#include "sonde/kernel.h"

enum sonde_dependency_kind {
    SONDE_DEPENDENCY_READ_AFTER_WRITE,
    SONDE_DEPENDENCY_WRITE_AFTER_WRITE,
    SONDE_DEPENDENCY_WRITE_AFTER_READ,
    SONDE_DEPENDENCY_STATE, /* a state or control register wants all before it complete */
};

struct sonde_dependency {
    uint32_t producer; /* index of the instruction that has to be waited for */
    uint32_t consumer; /* index of the one that does not wait */
    uint8_t kind;      /* enum sonde_dependency_kind */
    uint8_t pipe;      /* enum sonde_gen_pipe, of the producer */
    uint8_t distance;  /* in-order producer: so many of its pipe back on the shortest path */
    bool has_token;    /* out-of-order producer: it got `token` */
    uint8_t token;
    uint16_t byte;         /* first byte of the register file that both touch ... */
    uint16_t length;       /* ... and how many from there on; 0 when none */
    uint8_t flags;         /* half flag registers in common, as sonde_gen_effect.flags */
    uint16_t accumulators; /* as sonde_gen_effect.accumulators */
};

/* Called for each uncovered dependency, by rising consumer. */
typedef void sonde_dependency_function(void *context, const struct sonde_dependency *dependency);

/* Check a kernel; *count gets the number of uncovered dependencies. Not
 * followed are accesses through address registers, the registers behind the
 * first of messages whose lengths are in a register, and what is in flight at
 * calls and returns. Kernels of platforms before Xe have none. Errors: out of memory. */
SONDE_API enum sonde_status sonde_kernel_check_dependencies(const struct sonde_kernel *kernel,
                                                            sonde_dependency_function *report,
                                                            void *context, size_t *count,
                                                            struct sonde_error *error);

/* One line of English: both instructions, the registers, and the annotation
 * that is missing ("F@3", "$4.dst"). As snprintf. */
SONDE_API int sonde_dependency_print(const struct sonde_kernel *kernel,
                                     const struct sonde_dependency *dependency, char *text,
                                     size_t size);

#endif
