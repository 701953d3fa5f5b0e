#include "trace/arena.h"

#include <stdlib.h>

#define TRACE_ARENA_CHUNK (256u << 10)
#define TRACE_ARENA_LIMIT (UINT64_C(4) << 30)

struct trace_arena_chunk {
    struct trace_arena_chunk *next;
    size_t size; /* of data */
    size_t used;
    _Alignas(16) unsigned char data[];
};

void *trace_arena_allocate(struct trace_arena *arena, size_t size)
{
    if (size > TRACE_ARENA_LIMIT - arena->total)
        return NULL;
    size = (size + 15) & ~(size_t)15;
    struct trace_arena_chunk *chunk = arena->chunks;
    if (chunk == NULL || size > chunk->size - chunk->used) {
        size_t wanted = size > TRACE_ARENA_CHUNK ? size : TRACE_ARENA_CHUNK;
        chunk = malloc(sizeof *chunk + wanted);
        if (chunk == NULL)
            return NULL;
        chunk->next = arena->chunks;
        chunk->size = wanted;
        chunk->used = 0;
        arena->chunks = chunk;
    }
    void *place = chunk->data + chunk->used;
    chunk->used += size;
    arena->total += size;
    return place;
}

void trace_arena_free(struct trace_arena *arena)
{
    for (struct trace_arena_chunk *chunk = arena->chunks; chunk != NULL;) {
        struct trace_arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (struct trace_arena){0};
}
