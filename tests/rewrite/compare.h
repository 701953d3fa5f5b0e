/* Instruments a kernel in every way, runs it next to the original and compares. */
#ifndef TESTS_REWRITE_COMPARE_H
#define TESTS_REWRITE_COMPARE_H

#include "machine.h"

enum compare_mode {
    COMPARE_BLOCKS_FREE_LIST,       /* a counter a block, compiler's registers */
    COMPARE_BLOCKS_LIVENESS,        /* ... own liveness */
    COMPARE_BLOCKS_SPILL,           /* ... neither: every probe spills */
    COMPARE_INSTRUCTIONS_FREE_LIST, /* a counter an instruction, where allowed */
    COMPARE_INSTRUCTIONS_LIVENESS,
    COMPARE_INSTRUCTIONS_SPILL,
    COMPARE_STATE, /* probes that overwrite flags and address registers */
    COMPARE_EDGES, /* a counter an edge, where possible */
    COMPARE_ENDS,  /* one counter at the entries, one at the exits (bug log B42) */
    COMPARE_MODES
};

const char *compare_mode_name(enum compare_mode mode);

struct compare_case {
    struct sonde_kernel_info info;
    /* Called before each run to fill the surfaces; may be NULL: zeros. */
    void (*fill)(struct machine *machine, void *context);
    void *context;
    /* Without the compiler's list there may be no register (indirect operands
     * hide where the thread header is): then SONDE_ERROR_NO_REGISTER is right. */
    bool may_lack_registers;
    /* Sums over the runs, for the caller's report. */
    uint32_t blocks, instructions, inserted, spills, lacking;
};

/* Instrument without running: false only when emitting fails for another
 * reason than a lack of registers, which is counted. */
bool compare_emit(struct compare_case *item, enum compare_mode mode);

/* False and messages on stderr when something differs. */
bool compare_run(struct machine *machine, struct compare_case *item, enum compare_mode mode);

#endif
