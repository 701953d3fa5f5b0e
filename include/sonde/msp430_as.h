/* Marking assembler text for MSP430: the pseudo-operations .profile_enter and
 * .profile_exit become words that are no instruction, on request they are
 * placed in every function, and jumps that the added words drive out of range
 * are widened. Everything else stays byte for byte.
 *
 * Reads what clang and GCC write for MSP430 and MSP430X. Source of the jump
 * range (-512 to 511 words from the next instruction): TI SLAU144, "Jumps". */
#ifndef SONDE_MSP430_AS_H
#define SONDE_MSP430_AS_H

#include "sonde/msp430.h"

struct sonde_msp430_as_options {
    enum sonde_msp430_core core;
    struct sonde_msp430_markers markers;
    bool automatic;             /* mark every function's entry and exits */
    const char *const *exclude; /* functions that stay unmarked when automatic */
    size_t exclude_count;
};

enum sonde_msp430_as_remark_kind {
    SONDE_MSP430_AS_WIDENED,   /* a jump became longer and slower */
    SONDE_MSP430_AS_UNMARKED,  /* a function or an exit was left out, and why */
    SONDE_MSP430_AS_UNCERTAIN, /* something that the text does not tell */
};

struct sonde_msp430_as_remark {
    enum sonde_msp430_as_remark_kind kind;
    uint32_t line; /* of the input, from 1 */
    char text[160];
};

struct sonde_msp430_as_result {
    char *text; /* not terminated */
    size_t size;
    size_t enter_count, exit_count; /* marker words in the text */
    size_t function_count;          /* functions found */
    size_t widened_count;           /* jumps */
    struct sonde_msp430_as_remark *remarks;
    size_t remark_count, remark_capacity;
};

/* Rewrite `size` bytes of assembler text. `name` is the file's name for
 * messages, which read NAME:LINE: what. On success *result is to be cleared.
 * SONDE_ERROR_ARGUMENT: markers that the core does not allow;
 * SONDE_ERROR_FORMAT: text that cannot be understood; SONDE_ERROR_UNSUPPORTED:
 * text that cannot be rewritten without changing what it does. */
SONDE_API enum sonde_status sonde_msp430_as(const char *name, const char *text, size_t size,
                                            const struct sonde_msp430_as_options *options,
                                            struct sonde_msp430_as_result *result,
                                            struct sonde_error *error);
SONDE_API void sonde_msp430_as_clear(struct sonde_msp430_as_result *result);

#endif
