/* A map from 64-bit keys to 64-bit values that only grows. */
#ifndef SONDE_ANALYZE_HASH_H
#define SONDE_ANALYZE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyze_hash {
    uint64_t *keys; /* plus 1; 0 = free */
    uint64_t *values;
    size_t capacity, count;
};

/* The value of a key, 0 and *found = false when it is new; valid until the
 * next call. NULL when out of memory. */
uint64_t *analyze_hash_find(struct analyze_hash *hash, uint64_t key, bool *found);
void analyze_hash_clear(struct analyze_hash *hash);

#endif
