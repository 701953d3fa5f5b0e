/* Which kernels and dispatches run instrumented (ATTACH_ENV_FILTER). */
#ifndef SONDE_ATTACH_NEO_FILTER_H
#define SONDE_ATTACH_NEO_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/scope.h"

struct attach_filter {
    struct attach_pattern *patterns;
    size_t count, capacity;
    bool has_include;
    uint64_t skip;
    uint64_t take; /* UINT64_MAX = all */
    struct profile_scope scope;
};

/* Goes on after a bad line, and returns the first failure. NULL = everything. */
enum sonde_status attach_filter_parse(struct attach_filter *filter, const char *text,
                                      struct sonde_error *error);
bool attach_filter_selects_kernel(const struct attach_filter *filter, const char *name,
                                  uint32_t simd_width, uint64_t hash);
/* `number` counts the dispatches of selected kernels from 0. */
bool attach_filter_selects_dispatch(const struct attach_filter *filter, uint64_t number);
void attach_filter_clear(struct attach_filter *filter);

#endif
