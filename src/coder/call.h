/* One call of a probe, while it is appended. */
#ifndef SONDE_CODER_CALL_H
#define SONDE_CODER_CALL_H

#include "coder/build.h"
#include "coder/hli.h"

#define CALL_MAXIMUM_ARGUMENTS 16u

struct call {
    struct coder_builder builder;
    const struct sonde_hli_function *function;
    const struct sonde_hli_argument *arguments;
    size_t count;
    sonde_vreg staged[CALL_MAXIMUM_ARGUMENTS]; /* 0: an immediate */
    sonde_vreg places[CALL_MAXIMUM_ARGUMENTS]; /* ranges: their offset in the profile buffer */
    struct sonde_operand values[CALL_MAXIMUM_ARGUMENTS];
    sonde_vreg stack; /* address of the thread's memory, 0: not needed */
};

bool call_is_wide(enum sonde_hli_kind kind);
/* Compute the argument into registers of our own: the convention's may be what
 * others read. */
void call_stage(struct call *call, size_t i);
/* Copy ranges that the probe may have changed back to the registers. */
void call_load_ranges(struct call *call);
/* dst = source, of 4 or 8 bytes. */
void call_move(struct coder_builder *builder, bool wide, struct sonde_operand dst,
               struct sonde_operand source);
sonde_vreg call_scratch(struct coder_builder *builder, enum sonde_vreg_type type);

#endif
