/* Memory that lives as long as a program: taken piece by piece, freed at once. */
#include <stdlib.h>
#include <string.h>

#include "emu/gen/core.h"

#define ARENA_BLOCK ((size_t)1 << 18)
#define ARENA_ALIGN ((size_t)64)

struct arena_block {
    struct arena_block *previous;
    size_t used, size;
    uint8_t *data;
};

struct emu_arena {
    struct arena_block *block;
};

struct emu_arena *emu_arena_create(void)
{
    return calloc(1, sizeof(struct emu_arena));
}

static struct arena_block *block_add(struct emu_arena *arena, size_t size)
{
    struct arena_block *block = calloc(1, sizeof(*block));
    if (!block)
        return NULL;
    block->data = aligned_alloc(ARENA_ALIGN, size);
    if (!block->data) {
        free(block);
        return NULL;
    }
    block->size = size;
    block->previous = arena->block;
    arena->block = block;
    return block;
}

void *emu_arena_take(struct emu_arena *arena, size_t size)
{
    size = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
    struct arena_block *block = arena->block;
    if (!block || block->size - block->used < size)
        block = block_add(arena, size > ARENA_BLOCK ? size : ARENA_BLOCK);
    if (!block)
        return NULL;
    void *memory = block->data + block->used;
    block->used += size;
    return memset(memory, 0, size);
}

struct emu_arena *emu_arena_create_warm(size_t size)
{
    struct emu_arena *arena = emu_arena_create();
    struct arena_block *block = arena ? block_add(arena, size) : NULL;
    if (block)
        memset(block->data, 0, size);
    return arena;
}

void emu_arena_destroy(struct emu_arena *arena)
{
    if (!arena)
        return;
    for (struct arena_block *block = arena->block, *previous; block; block = previous) {
        previous = block->previous;
        free(block->data);
        free(block);
    }
    free(arena);
}
