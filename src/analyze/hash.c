#include "analyze/hash.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FIRST_CAPACITY  1024u
#define BLOCKS_OF_CHUNK 1024u

/* One of `capacity` slots, a power of two: the upper bits of a product depend on all
 * bits of the key. */
static inline size_t spread(uint64_t key, size_t capacity)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (__builtin_clzll(capacity) + 1));
}

static size_t slot_of(const struct analyze_hash *hash, uint64_t key)
{
    size_t slot = spread(key, hash->capacity);
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

const uint64_t *analyze_hash_get(const struct analyze_hash *hash, uint64_t key)
{
    if (hash->count == 0)
        return NULL;
    const struct analyze_pair *pair =
        &hash->pairs[slot_of(hash, key == UINT64_MAX ? key - 1 : key)];
    return pair->key != 0 ? &pair->value : NULL;
}

void analyze_hash_clear(struct analyze_hash *hash)
{
    free(hash->pairs);
    *hash = (struct analyze_hash){.pairs = NULL};
}

/* --- blocks --- */

#define KEY_BYTES   sizeof(uint64_t)
#define FIRST_SLOTS 64u

static size_t chunk_bytes(const struct analyze_blocks *blocks)
{
    return BLOCKS_OF_CHUNK * (KEY_BYTES + blocks->block_bytes);
}

static uint8_t *entry_at(const struct analyze_blocks *blocks, size_t number)
{
    return blocks->chunks[number / BLOCKS_OF_CHUNK] +
           number % BLOCKS_OF_CHUNK * (KEY_BYTES + blocks->block_bytes);
}

static uint64_t key_at(const struct analyze_blocks *blocks, size_t number)
{
    uint64_t key;
    memcpy(&key, entry_at(blocks, number), sizeof key);
    return key;
}

#define TOGETHER 8u /* slots of keys side by side: a line of the processor's cache */

static inline uint32_t tag_of(uint64_t key)
{
    return (uint32_t)(key ^ key >> 32);
}

/* The slot of the key, or the free one where it belongs. */
static inline struct analyze_blocks_slot *block_slot(const struct analyze_blocks *blocks,
                                                     uint64_t key)
{
    size_t place = spread(key / TOGETHER, blocks->capacity / TOGETHER) * TOGETHER + key % TOGETHER;
    struct analyze_blocks_slot *slot = &blocks->slots[place];
    while (slot->number != 0 &&
           (slot->tag != tag_of(key) || key_at(blocks, slot->number - 1) != key)) {
        place = (place + 1) & (blocks->capacity - 1);
        slot = &blocks->slots[place];
    }
    return slot;
}

static void fill_slots(struct analyze_blocks *blocks)
{
    memset(blocks->slots, 0, blocks->capacity * sizeof *blocks->slots);
    for (size_t i = 0; i < blocks->count; i++) {
        uint64_t key = key_at(blocks, i);
        *block_slot(blocks, key) =
            (struct analyze_blocks_slot){.number = (uint32_t)i + 1, .tag = tag_of(key)};
    }
}

static bool make_room(struct analyze_blocks *blocks)
{
    if (4 * (blocks->count + 1) > 3 * blocks->capacity) {
        size_t capacity = blocks->capacity == 0 ? FIRST_SLOTS : 2 * blocks->capacity;
        struct analyze_blocks_slot *slots = realloc(blocks->slots, capacity * sizeof *slots);
        if (slots == NULL || blocks->count >= UINT32_MAX - 1)
            return false;
        blocks->slots = slots;
        blocks->capacity = capacity;
        fill_slots(blocks);
    }
    if (blocks->count < blocks->chunk_count * BLOCKS_OF_CHUNK)
        return true;
    if (base_array_reserve((void **)&blocks->chunks, &blocks->chunk_capacity,
                           blocks->chunk_count + 1, sizeof *blocks->chunks) != SONDE_OK)
        return false;
    uint8_t *chunk = malloc(chunk_bytes(blocks));
    if (chunk == NULL)
        return false;
    blocks->chunks[blocks->chunk_count++] = chunk;
    return true;
}

void *analyze_blocks_find(struct analyze_blocks *blocks, uint64_t key)
{
    if (blocks->capacity != 0) {
        const struct analyze_blocks_slot *slot = block_slot(blocks, key);
        if (slot->number != 0)
            return entry_at(blocks, slot->number - 1) + KEY_BYTES;
    }
    if (!make_room(blocks))
        return NULL;
    uint8_t *entry = entry_at(blocks, blocks->count);
    memcpy(entry, &key, sizeof key);
    memset(entry + KEY_BYTES, 0, blocks->block_bytes);
    *block_slot(blocks, key) =
        (struct analyze_blocks_slot){.number = (uint32_t)++blocks->count, .tag = tag_of(key)};
    return entry + KEY_BYTES;
}

void *analyze_blocks_at(const struct analyze_blocks *blocks, size_t number, uint64_t *key)
{
    *key = key_at(blocks, number);
    return entry_at(blocks, number) + KEY_BYTES;
}

void analyze_blocks_filter(struct analyze_blocks *blocks,
                           bool (*keep)(uint64_t key, void *block, void *context), void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < blocks->count; i++) {
        uint8_t *entry = entry_at(blocks, i);
        if (!keep(key_at(blocks, i), entry + KEY_BYTES, context))
            continue;
        if (kept != i)
            memcpy(entry_at(blocks, kept), entry, KEY_BYTES + blocks->block_bytes);
        kept++;
    }
    blocks->count = kept;
    while (blocks->chunk_count > (kept + BLOCKS_OF_CHUNK - 1) / BLOCKS_OF_CHUNK)
        free(blocks->chunks[--blocks->chunk_count]);
    if (blocks->capacity != 0)
        fill_slots(blocks);
}

void analyze_blocks_clear(struct analyze_blocks *blocks)
{
    for (size_t i = 0; i < blocks->chunk_count; i++)
        free(blocks->chunks[i]);
    free(blocks->chunks);
    free(blocks->slots);
    *blocks = (struct analyze_blocks){.block_bytes = blocks->block_bytes};
}

size_t analyze_blocks_bytes(const struct analyze_blocks *blocks)
{
    return blocks->chunk_count * chunk_bytes(blocks) + blocks->capacity * sizeof *blocks->slots;
}
