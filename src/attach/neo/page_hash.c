#include "attach/neo/page_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "attach/neo/page_zero.h"

uint64_t attach_page_hash_baseline(const uint8_t *page)
{
    return XXH3_64bits(page, 4096);
}

uint64_t attach_page_hash(const uint8_t *page)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return attach_page_hash_avx2(page);
#endif
    return attach_page_hash_baseline(page);
}

bool attach_page_is_zero_baseline(const uint8_t *page)
{
    return page_is_zero(page);
}

bool attach_page_is_zero(const uint8_t *page)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return attach_page_is_zero_avx2(page);
#endif
    return attach_page_is_zero_baseline(page);
}
