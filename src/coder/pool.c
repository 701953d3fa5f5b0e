#include "coder/pool.h"

#include <string.h>

static uint32_t limit_of(const struct coder_pool *pool)
{
    return pool->words * 64;
}

static bool is_free(const struct coder_pool *pool, uint32_t byte)
{
    return (pool->free[byte / 64] >> (byte % 64) & 1) != 0;
}

static bool fits(const struct coder_pool *pool, uint32_t byte, uint32_t size)
{
    return size <= limit_of(pool) && byte <= limit_of(pool) - size;
}

void coder_pool_clear(struct coder_pool *pool, uint32_t words)
{
    memset(pool->free, 0, sizeof pool->free);
    pool->words = words > SONDE_GEN_GRF_WORDS ? SONDE_GEN_GRF_WORDS : words;
}

/* Bits of word `word` that stand for bytes from `byte` to before `end`. */
static uint64_t span(uint32_t word, uint32_t byte, uint32_t end)
{
    uint32_t first = word * 64 < byte ? byte - word * 64 : 0;
    uint32_t last = end < word * 64 + 64 ? end - word * 64 : 64;
    uint64_t below = last == 64 ? UINT64_MAX : (1ull << last) - 1;
    return below & ~((1ull << first) - 1);
}

void coder_pool_add(struct coder_pool *pool, uint32_t byte, uint32_t size)
{
    if (!fits(pool, byte, size))
        return;
    for (uint32_t w = byte / 64; w * 64 < byte + size; w++)
        pool->free[w] |= span(w, byte, byte + size);
}

void coder_pool_remove(struct coder_pool *pool, uint32_t byte, uint32_t size)
{
    if (!fits(pool, byte, size))
        return;
    for (uint32_t w = byte / 64; w * 64 < byte + size; w++)
        pool->free[w] &= ~span(w, byte, byte + size);
}

void coder_pool_add_set(struct coder_pool *pool, const uint64_t *set)
{
    for (uint32_t w = 0; w < pool->words; w++)
        pool->free[w] |= set[w];
}

void coder_pool_remove_set(struct coder_pool *pool, const uint64_t *set)
{
    for (uint32_t w = 0; w < pool->words; w++)
        pool->free[w] &= ~set[w];
}

static bool all_free(const struct coder_pool *pool, uint32_t byte, uint32_t size)
{
    for (uint32_t i = byte; i < byte + size; i++)
        if (!is_free(pool, i))
            return false;
    return true;
}

uint32_t coder_pool_reserve_avoiding(struct coder_pool *pool, uint32_t size, uint32_t align,
                                     uint32_t avoid)
{
    for (uint32_t byte = 0; size != 0 && fits(pool, byte, size); byte += align) {
        if (pool->free[byte / 64] == 0 && align <= 64) {
            byte = (byte | 63) + 1 - align;
            continue;
        }
        if ((avoid != 0 && byte % avoid == 0) || !all_free(pool, byte, size))
            continue;
        coder_pool_remove(pool, byte, size);
        return byte;
    }
    return CODER_NO_BYTE;
}

uint32_t coder_pool_reserve(struct coder_pool *pool, uint32_t size, uint32_t align)
{
    return coder_pool_reserve_avoiding(pool, size, align, 0);
}

uint32_t coder_pool_reserve_at(struct coder_pool *pool, uint32_t size, uint32_t align,
                               uint32_t offset)
{
    for (uint32_t byte = offset; size != 0 && fits(pool, byte, size); byte += align) {
        if (!all_free(pool, byte, size))
            continue;
        coder_pool_remove(pool, byte, size);
        return byte;
    }
    return CODER_NO_BYTE;
}

bool coder_pool_release(struct coder_pool *pool, uint32_t byte, uint32_t size)
{
    if (!fits(pool, byte, size))
        return false;
    for (uint32_t i = byte; i < byte + size; i++)
        if (is_free(pool, i))
            return false;
    coder_pool_add(pool, byte, size);
    return true;
}

uint32_t coder_pool_count(const struct coder_pool *pool)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < pool->words; w++)
        count += (uint32_t)__builtin_popcountll(pool->free[w]);
    return count;
}
