/* Memory of a trace that was read: all of it is freed at once. */
#ifndef SONDE_TRACE_ARENA_H
#define SONDE_TRACE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct trace_arena {
    struct trace_arena_chunk *chunks;
    uint64_t total; /* bytes handed out */
};

/* `size` bytes aligned to 16, not cleared; NULL when memory or the arena's
 * limit (against small files that decompress without end) runs out. */
void *trace_arena_allocate(struct trace_arena *arena, size_t size);
void trace_arena_free(struct trace_arena *arena);

#endif
