#include "analyze/hash.h"

#include <stdlib.h>

#include "base/array.h"

#define FIRST_CAPACITY  1024u
#define BLOCKS_OF_CHUNK 1024u

static size_t slot_of(const struct analyze_hash *hash, uint64_t key)
{
    size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (hash->capacity - 1);
    while (hash->pairs[slot].key != 0 && hash->pairs[slot].key != key + 1)
        slot = (slot + 1) & (hash->capacity - 1);
    return slot;
}

static bool grow(struct analyze_hash *hash)
{
    struct analyze_hash larger = {.capacity =
                                      hash->capacity == 0 ? FIRST_CAPACITY : hash->capacity * 2};
    larger.pairs = calloc(larger.capacity, sizeof *larger.pairs);
    if (larger.pairs == NULL)
        return false;
    for (size_t i = 0; i < hash->capacity; i++)
        if (hash->pairs[i].key != 0)
            larger.pairs[slot_of(&larger, hash->pairs[i].key - 1)] = hash->pairs[i];
    larger.count = hash->count;
    analyze_hash_clear(hash);
    *hash = larger;
    return true;
}

uint64_t *analyze_hash_find(struct analyze_hash *hash, uint64_t key, bool *found)
{
    if (key == UINT64_MAX) /* plus 1 it would be free */
        key--;
    if (2 * (hash->count + 1) > hash->capacity && !grow(hash))
        return NULL;
    struct analyze_pair *pair = &hash->pairs[slot_of(hash, key)];
    *found = pair->key != 0;
    if (!*found) {
        pair->key = key + 1;
        hash->count++;
    }
    return &pair->value;
}

void analyze_hash_clear(struct analyze_hash *hash)
{
    free(hash->pairs);
    *hash = (struct analyze_hash){.pairs = NULL};
}

void *analyze_blocks_find(struct analyze_blocks *blocks, uint64_t key)
{
    bool found;
    size_t number = blocks->index.count;
    uint64_t *place = analyze_hash_find(&blocks->index, key, &found);
    if (place == NULL)
        return NULL;
    if (!found && number % BLOCKS_OF_CHUNK == 0) {
        if (base_array_reserve((void **)&blocks->chunks, &blocks->chunk_capacity,
                               blocks->chunk_count + 1, sizeof *blocks->chunks) != SONDE_OK)
            return NULL;
        uint8_t *chunk = calloc(BLOCKS_OF_CHUNK, blocks->block_bytes);
        if (chunk == NULL)
            return NULL;
        blocks->chunks[blocks->chunk_count++] = chunk;
    }
    if (!found)
        *place = number;
    return blocks->chunks[*place / BLOCKS_OF_CHUNK] +
           *place % BLOCKS_OF_CHUNK * blocks->block_bytes;
}

void analyze_blocks_clear(struct analyze_blocks *blocks)
{
    for (size_t i = 0; i < blocks->chunk_count; i++)
        free(blocks->chunks[i]);
    free(blocks->chunks);
    analyze_hash_clear(&blocks->index);
    *blocks = (struct analyze_blocks){.block_bytes = blocks->block_bytes};
}
