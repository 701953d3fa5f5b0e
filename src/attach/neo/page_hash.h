/* What a page of 4 KiB holds, with what the processor has. */
#ifndef SONDE_ATTACH_NEO_PAGE_HASH_H
#define SONDE_ATTACH_NEO_PAGE_HASH_H

#include <stdbool.h>
#include <stdint.h>

/* XXH3. */
uint64_t attach_page_hash(const uint8_t *page);
/* Twice as fast as the hash, where it is. */
bool attach_page_is_zero(const uint8_t *page);
/* The same by one of their ways; the second needs AVX2. */
uint64_t attach_page_hash_baseline(const uint8_t *page);
uint64_t attach_page_hash_avx2(const uint8_t *page);
bool attach_page_is_zero_baseline(const uint8_t *page);
bool attach_page_is_zero_avx2(const uint8_t *page);

#endif
