/* Compiled once for each kind of processor. */
#ifndef SONDE_ATTACH_NEO_PAGE_ZERO_H
#define SONDE_ATTACH_NEO_PAGE_ZERO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t page_vector __attribute__((vector_size(32), aligned(1), may_alias));

static inline bool page_is_zero(const uint8_t *page)
{
    for (size_t at = 0; at < 4096; at += 8 * sizeof(page_vector)) {
        const page_vector *parts = (const void *)(page + at);
        page_vector all = (parts[0] | parts[1] | parts[2] | parts[3]) |
                          (parts[4] | parts[5] | parts[6] | parts[7]);
        if ((all[0] | all[1] | all[2] | all[3]) != 0)
            return false;
    }
    return true;
}

#endif
