/* Layouts of records, as far as no code is generated. */
#include <stdlib.h>

#include "sonde/record.h"

const char *sonde_record_kind_name(enum sonde_record_kind kind)
{
    static const char *const names[SONDE_RECORD_KIND_COUNT] = {
        [SONDE_RECORD_ADDRESSES] = "addresses",
        [SONDE_RECORD_MASK] = "mask",
        [SONDE_RECORD_REGISTERS] = "registers",
        [SONDE_RECORD_CLOCK] = "clock",
    };
    return (unsigned)kind < SONDE_RECORD_KIND_COUNT ? names[kind] : "unknown";
}

void sonde_record_layout_clear(struct sonde_record_layout *layout)
{
    free(layout->blocks);
    free(layout->items);
    *layout = (struct sonde_record_layout){.blocks = NULL};
}

uint64_t sonde_record_layout_bytes(const struct sonde_record_layout *layout, const uint64_t *visits)
{
    uint64_t bytes = 0;
    for (size_t b = 0; b < layout->block_count; b++)
        bytes += visits[b] * layout->blocks[b].size;
    return bytes;
}
