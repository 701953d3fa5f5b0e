/* The register allocator's stock: bytes of the register file that may be
 * overwritten. Takes no sides on where they come from. */
#ifndef SONDE_CODER_POOL_H
#define SONDE_CODER_POOL_H

#include "sonde/gen.h"

#define CODER_NO_BYTE UINT32_MAX

struct coder_pool {
    uint64_t free[SONDE_GEN_GRF_WORDS]; /* bit b: byte b of the register file */
    uint32_t words;                     /* in use of `free` */
};

void coder_pool_clear(struct coder_pool *pool, uint32_t words);
void coder_pool_add(struct coder_pool *pool, uint32_t byte, uint32_t size);
void coder_pool_remove(struct coder_pool *pool, uint32_t byte, uint32_t size);
/* Add (remove) every byte of a bit set of `words` words. */
void coder_pool_add_set(struct coder_pool *pool, const uint64_t *set);
void coder_pool_remove_set(struct coder_pool *pool, const uint64_t *set);
/* Take `size` consecutive bytes at the lowest address that is a multiple of
 * `align`, which is a power of two. CODER_NO_BYTE when there are none. */
uint32_t coder_pool_reserve(struct coder_pool *pool, uint32_t size, uint32_t align);
/* As above, but not at a multiple of `avoid`. */
uint32_t coder_pool_reserve_avoiding(struct coder_pool *pool, uint32_t size, uint32_t align,
                                     uint32_t avoid);
/* The same at `offset` bytes, less than `align`, behind such a multiple. */
uint32_t coder_pool_reserve_at(struct coder_pool *pool, uint32_t size, uint32_t align,
                               uint32_t offset);
/* Give back what reserve handed out. False, and nothing changes, when part of
 * it is not reserved. */
bool coder_pool_release(struct coder_pool *pool, uint32_t byte, uint32_t size);
uint32_t coder_pool_count(const struct coder_pool *pool);

#endif
