/* Makes the checksums of a mutated trace file good. */
#ifndef SONDE_TESTS_FUZZ_TRACE_REPAIR_H
#define SONDE_TESTS_FUZZ_TRACE_REPAIR_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "trace/format.h"

static inline void trace_repair(uint8_t *data, size_t size)
{
    if (size < TRACE_HEADER_BYTES)
        return;
    base_store64(data + TRACE_HEADER_CHECK, XXH3_64bits(data, TRACE_HEADER_CHECK));
    size_t at = TRACE_HEADER_BYTES;
    while (size - at >= TRACE_SECTION_BYTES) {
        uint8_t *header = data + at;
        size_t stored = base_load32(header + TRACE_SECTION_STORED);
        if (stored > size - at - TRACE_SECTION_BYTES)
            return;
        base_store32(header + TRACE_SECTION_HEADER_CHECK,
                     (uint32_t)XXH3_64bits(header, TRACE_SECTION_HEADER_CHECK));
        base_store64(header + TRACE_SECTION_CHECK,
                     XXH3_64bits(header + TRACE_SECTION_BYTES, stored));
        at += TRACE_SECTION_BYTES + stored;
    }
}

#endif
