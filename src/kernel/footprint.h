/* Which registers each instruction of a kernel touches, in a form small enough
 * to keep for all of them. */
#ifndef SONDE_KERNEL_FOOTPRINT_H
#define SONDE_KERNEL_FOOTPRINT_H

#include "kernel/internal.h"

/* Bytes [start, end) of the register file. */
struct kernel_range {
    uint16_t start;
    uint16_t end;
};

struct kernel_footprint {
    uint32_t first; /* index of its ranges: those read, then those written */
    uint16_t reads;
    uint16_t writes;
    uint8_t flags_read, flags_written;
    uint16_t accumulators_read, accumulators_written;
};

struct kernel_footprints {
    struct kernel_footprint *of; /* one an instruction */
    struct kernel_range *ranges;
    size_t range_count;
    size_t capacity;
};

enum sonde_status kernel_footprints_make(const struct sonde_kernel *kernel,
                                         struct kernel_footprints *footprints);
void kernel_footprints_free(struct kernel_footprints *footprints);

#endif
