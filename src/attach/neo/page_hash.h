/* XXH3 of a page of 4 KiB, with what the processor has. */
#ifndef SONDE_ATTACH_NEO_PAGE_HASH_H
#define SONDE_ATTACH_NEO_PAGE_HASH_H

#include <stdint.h>

uint64_t attach_page_hash(const uint8_t *page);
/* The same by one of its ways; the second needs AVX2. */
uint64_t attach_page_hash_baseline(const uint8_t *page);
uint64_t attach_page_hash_avx2(const uint8_t *page);

#endif
