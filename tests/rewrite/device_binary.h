/* Reads what a test needs to dispatch the kernels of an `ocloc` file by hand:
 * where arguments stand in the cross-thread payload. Independent of Sonde's
 * own reader; trusts the compiler. */
#ifndef TESTS_REWRITE_DEVICE_BINARY_H
#define TESTS_REWRITE_DEVICE_BINARY_H

#include "machine.h"

struct device_payload {
    uint8_t bytes[4096];
    unsigned size;     /* bytes, a multiple of a register */
    unsigned surfaces; /* binding-table entries */
};

/* What a dispatch is told of: one dimension of work-items, the value of every
 * scalar argument, and where the buffer of a surface is. */
struct device_grid {
    uint32_t local, groups, scalar;
    uint64_t (*address)(unsigned surface);
    unsigned surface_limit;
};

/* Fill *payload for kernel `index`; what is in it elsewhere stays. */
bool device_payload_fill(const uint8_t *file, size_t size, unsigned index,
                         const struct device_grid *grid, struct device_payload *payload);

/* Cross-thread payload of kernel `index`: buffer arguments are the surfaces
 * in binding-table order, scalars are `scalar`. False when the kernel cannot
 * be dispatched this way. */
bool device_payload_make(const uint8_t *file, size_t size, unsigned index, unsigned local_size,
                         unsigned groups, uint32_t scalar, struct device_payload *payload);

#endif
