/* Runs in which only some threads are instrumented: the others ran the
 * original body of the kernel in the instrumented run too. */
#ifndef SONDE_CLI_VERIFY_SCOPE_H
#define SONDE_CLI_VERIFY_SCOPE_H

#include "cli/verify.h"
#include "profile/scope.h"

/* The scope of the process that dispatched; false when it is everything. */
bool verify_scope_of(const struct sonde_trace *trace, uint32_t dispatch,
                     struct profile_scope *scope);
/* *inside = what the instrumented threads are to have executed: the original
 * run's counts less those of the threads that ran the original body in the
 * instrumented run. Free inside->counts. False when out of memory. */
bool verify_scope_subtract(const struct sonde_trace_kernel *kernel,
                           const struct truth_dispatch *original,
                           const struct truth_dispatch *instrumented,
                           struct truth_dispatch *inside);
/* Whether as many threads entered the instrumented body as the scope selects. */
void verify_scope_check(struct verify_result *result, const char *where,
                        const struct sonde_trace_kernel *kernel, const struct profile_scope *scope,
                        const struct truth_dispatch *instrumented);
/* *chosen = the dispatch with the threads that are instrumented only. Free
 * chosen->threads. False when out of memory. */
bool verify_scope_choose(const struct sonde_trace *trace, uint32_t dispatch,
                         const struct truth_dispatch *device, struct truth_dispatch *chosen);
/* The device's counts at an offset from the dispatch's start. */
struct truth_count verify_count_at(const struct truth_dispatch *dispatch, uint32_t offset);

#endif
