#include "attach/neo/page_hash.h"

#if defined(__x86_64__)
/* The header looks at what the compiler may use. */
#pragma GCC target("avx2")
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "attach/neo/page_zero.h"

uint64_t attach_page_hash_avx2(const uint8_t *page)
{
    return XXH3_64bits(page, 4096);
}

bool attach_page_is_zero_avx2(const uint8_t *page)
{
    return page_is_zero(page);
}
