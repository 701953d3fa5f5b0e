/* A map from 64-bit keys to 64-bit values that only grows, and one to blocks. */
#ifndef SONDE_ANALYZE_HASH_H
#define SONDE_ANALYZE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyze_pair {
    uint64_t key; /* plus 1; 0 = free */
    uint64_t value;
};

struct analyze_hash {
    struct analyze_pair *pairs;
    size_t capacity, count;
};

/* The value of a key, 0 and *found = false when it is new; valid until the
 * next call. NULL when out of memory. */
uint64_t *analyze_hash_find(struct analyze_hash *hash, uint64_t key, bool *found);
/* NULL when the key is not there. */
const uint64_t *analyze_hash_get(const struct analyze_hash *hash, uint64_t key);
void analyze_hash_clear(struct analyze_hash *hash);

/* Zeroed blocks of one size, by key; they stay where they are. Keys side by side are
 * found fastest. */
struct analyze_blocks_slot {
    uint32_t number; /* of a block + 1; 0 = free */
    uint32_t tag;    /* of its key: blocks of others need not be looked at */
};

struct analyze_blocks {
    size_t block_bytes; /* set once by the user; a multiple of 8 */
    struct analyze_blocks_slot *slots;
    size_t capacity, count;
    uint8_t **chunks; /* of blocks, each behind its key */
    size_t chunk_count, chunk_capacity;
};

/* NULL when out of memory. */
void *analyze_blocks_find(struct analyze_blocks *blocks, uint64_t key);
/* The block of a number below `count`: in the order in which they were met. */
void *analyze_blocks_at(const struct analyze_blocks *blocks, size_t number, uint64_t *key);
/* Keep the blocks of which `keep` says so, moved together: pointers are void. */
void analyze_blocks_filter(struct analyze_blocks *blocks,
                           bool (*keep)(uint64_t key, void *block, void *context), void *context);
void analyze_blocks_clear(struct analyze_blocks *blocks);
/* Bytes that it holds. */
size_t analyze_blocks_bytes(const struct analyze_blocks *blocks);

#endif
