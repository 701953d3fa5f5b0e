/* Records of a profile trace: what the device appends, a record each time a
 * hardware thread visits a basic block that something is collected in.
 *
 * A record is a header and the items of its block in a fixed order; which ones,
 * and where each stands, is the layout of the kernel. Sizes are multiples of
 * SONDE_RECORD_ALIGNMENT, and offset 0 is never a record. Records of one
 * hardware thread stand in the order of its execution; those of different
 * threads in the order in which they took their space.
 *
 * The block number behind the last block stands for the start of a thread: its
 * record comes first in each thread, and holds r0 (work-group id in dwords 1,
 * 6, 7). A hardware thread slot that is used again starts with one again. */
#ifndef SONDE_RECORD_H
#define SONDE_RECORD_H

#include "sonde/kernel.h"

#define SONDE_RECORD_ALIGNMENT 32u /* bytes */

/* Header: 8 little-endian dwords. */
enum sonde_record_header {
    SONDE_RECORD_BLOCK = 0,     /* block id */
    SONDE_RECORD_THREAD = 4,    /* sr0.0: the hardware thread */
    SONDE_RECORD_ENABLED = 8,   /* ce0: channels that control flow has enabled; of a
                                    branch's block: before it */
    SONDE_RECORD_DISPATCH = 12, /* sr0.2: channels that exist; never 0 */
    SONDE_RECORD_FLAGS = 16,    /* f0, f1 at the block's start, as far as the kernel needs them */
    SONDE_RECORD_TIME = 24,     /* tm0: 64 bits, device clock ticks */
    SONDE_RECORD_HEADER_BYTES = 32,
};

enum sonde_record_kind {
    SONDE_RECORD_ADDRESSES, /* payload of a message's addresses, header included, whole registers */
    SONDE_RECORD_MASK,      /* dword: channels that the instruction acts on */
    SONDE_RECORD_REGISTERS, /* whole registers */
    SONDE_RECORD_CLOCK,     /* dword: tm0.0 */
    SONDE_RECORD_KIND_COUNT
};

/* Something to collect at an instruction. ADDRESSES and MASK stand before it. */
struct sonde_record_point {
    uint8_t kind; /* enum sonde_record_kind */
    bool after;   /* REGISTERS, CLOCK: behind the instruction */
    uint32_t instruction;
    uint32_t first, count; /* REGISTERS: of the register file */
};

/* A point with its place in the records of its block. */
struct sonde_record_item {
    struct sonde_record_point point;
    uint32_t offset; /* bytes from the start of the record */
    uint32_t size;   /* bytes */
};

struct sonde_record_block {
    uint32_t size; /* bytes of a record, 0 = none is made */
    uint32_t first_item, item_count;
};

struct sonde_record_layout {
    struct sonde_record_block *blocks; /* of the kernel, then the start of a thread */
    size_t block_count;                /* one more than the kernel has */
    struct sonde_record_item *items;
    size_t item_count;
};

SONDE_API const char *sonde_record_kind_name(enum sonde_record_kind kind);

/* The static analyser: lay out the records that `points` ask for in `kernel`,
 * whose registers have grf_size bytes; every_block makes a record of each
 * block. Equal points are collected once. SONDE_ERROR_ARGUMENT for a point
 * that names no instruction, no addresses, or registers that do not exist.
 * Free with sonde_record_layout_clear. */
SONDE_API enum sonde_status
sonde_record_layout_make(const struct sonde_kernel *kernel, uint32_t grf_size, bool every_block,
                         const struct sonde_record_point *points, size_t count,
                         struct sonde_record_layout *layout, struct sonde_error *error);
SONDE_API void sonde_record_layout_clear(struct sonde_record_layout *layout);

/* Bytes of the records of `visits[block]` visits, by block of the layout. */
SONDE_API uint64_t sonde_record_layout_bytes(const struct sonde_record_layout *layout,
                                             const uint64_t *visits);

#endif
