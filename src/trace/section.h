/* Walking over the sections of a trace file that nobody vouches for. */
#ifndef SONDE_TRACE_SECTION_H
#define SONDE_TRACE_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sonde/status.h"

struct trace_section {
    uint16_t kind;
    uint32_t sequence;
    const uint8_t *payload; /* until the next section is asked for */
    size_t size;
    bool is_lasting;   /* the payload lies in the walk's data */
    bool is_unchecked; /* records, of which only the head was looked at */
    uint64_t check;    /* hash that the payload should have */
};

struct trace_walk {
    const uint8_t *data;
    size_t size;
    size_t position;
    uint8_t *unpacked; /* reused */
    size_t unpacked_capacity;
    void *decompressor;
    uint32_t expected;      /* next sequence number */
    uint64_t missing;       /* sections that are damaged, or were never written */
    size_t first_damage;    /* offset of the first bad byte range, SIZE_MAX = none */
    bool cut;               /* the file ends inside a section */
    bool is_lazy;           /* look at records later */
    uint64_t looked_at;     /* bytes */
    uint64_t hash_budget;   /* bytes that may still be hashed: headers that lie about */
    uint64_t unpack_budget; /* overlapping payloads must not cost quadratic time */
};

/* Check the file header. SONDE_ERROR_TRUNCATED, _FORMAT or _UNSUPPORTED, with a message. */
enum sonde_status trace_walk_begin(struct trace_walk *walk, const uint8_t *data, size_t size,
                                   uint32_t *version, uint64_t *features,
                                   struct sonde_error *error);
/* The next section whose checksums hold; false at the end. */
bool trace_walk_next(struct trace_walk *walk, struct trace_section *section);
void trace_walk_end(struct trace_walk *walk);

#endif
