#include "analyze/hash.h"

#include <stdlib.h>

static size_t slot_of(const struct analyze_hash *hash, uint64_t key)
{
    size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (hash->capacity - 1);
    while (hash->keys[slot] != 0 && hash->keys[slot] != key + 1)
        slot = (slot + 1) & (hash->capacity - 1);
    return slot;
}

static bool grow(struct analyze_hash *hash)
{
    struct analyze_hash larger = {.capacity = hash->capacity == 0 ? 4096 : hash->capacity * 2};
    larger.keys = calloc(larger.capacity, sizeof *larger.keys);
    larger.values = calloc(larger.capacity, sizeof *larger.values);
    if (larger.keys == NULL || larger.values == NULL) {
        analyze_hash_clear(&larger);
        return false;
    }
    for (size_t i = 0; i < hash->capacity; i++) {
        if (hash->keys[i] == 0)
            continue;
        size_t slot = slot_of(&larger, hash->keys[i] - 1);
        larger.keys[slot] = hash->keys[i];
        larger.values[slot] = hash->values[i];
    }
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
    size_t slot = slot_of(hash, key);
    *found = hash->keys[slot] != 0;
    if (!*found) {
        hash->keys[slot] = key + 1;
        hash->count++;
    }
    return &hash->values[slot];
}

void analyze_hash_clear(struct analyze_hash *hash)
{
    free(hash->keys);
    free(hash->values);
    *hash = (struct analyze_hash){.keys = NULL};
}
