/* The hardware threads and work-groups of a dispatch that are instrumented. The
 * others run the kernel as it was: where a thread enters it is decided once,
 * and it costs them a few instructions and nothing later. */
#ifndef SONDE_PROFILE_SCOPE_H
#define SONDE_PROFILE_SCOPE_H

#include "sonde/instrument.h"

#define PROFILE_SCOPE_RANGES 8u

struct profile_scope_range {
    uint32_t first, last;
};

struct profile_scope {
    struct {
        bool is_given;
        uint32_t mask; /* bit n: the threads of number n */
    } fields[SONDE_GEN_THREAD_FIELD_COUNT];
    struct {
        struct profile_scope_range ranges[PROFILE_SCOPE_RANGES];
        size_t count; /* 0: every group */
    } axes[3];
};

/* What --threads takes: slice=MASK, subslice=MASK, eu=MASK, slot=MASK, those
 * that are given, separated by commas; masks are hexadecimal behind 0x. Leaves
 * the rest of the scope as it is. `source` begins messages. */
enum sonde_status profile_scope_parse_threads(const char *text, const char *source,
                                              struct profile_scope *scope,
                                              struct sonde_error *error);
/* What --groups takes: RANGES[,RANGES[,RANGES]] for x, y and z; RANGES is * or
 * N, N-M, several with + between them. */
enum sonde_status profile_scope_parse_groups(const char *text, const char *source,
                                             struct profile_scope *scope,
                                             struct sonde_error *error);
bool profile_scope_is_all(const struct profile_scope *scope);
/* Whether the thread with this sr0.0, of this work-group, is instrumented. */
bool profile_scope_selects(const struct profile_scope *scope, enum sonde_gen_platform platform,
                           uint32_t state, const uint32_t group[3]);

/* Let the threads that are not selected leave for the original body
 * (scope_code.c). Nothing to do for a scope of everything. */
enum sonde_status profile_scope_instrument(const struct profile_scope *scope,
                                           struct sonde_instrument *instrument,
                                           struct sonde_error *error);

#endif
