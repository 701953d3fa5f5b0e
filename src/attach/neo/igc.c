#include "attach/neo/igc.h"

#include "base/bytes.h"

/* gtpin_IGC_interface.h, version 5: 16 bytes of status, a token count, then
 * tokens {id, size including these 8 bytes, data}. The compiler writes five at
 * most; the free list is the longest, 4 bytes a range of at most 128 or 256
 * registers, and the list of indirect accesses 8 bytes an instruction. */
enum {
    STATUS_SIZE = 16,
    TOKEN_LIMIT = 16,
    ANSWER_LIMIT = 1 << 20,
    PATCH_TOKEN_GTPIN_INFO = 52,
};

size_t attach_igc_info_size(const void *igc_info)
{
    const uint8_t *bytes = igc_info;
    size_t limit = ANSWER_LIMIT, size = STATUS_SIZE + 4;
    if (base_load32(bytes - 8) == PATCH_TOKEN_GTPIN_INFO && base_load32(bytes - 4) >= 8)
        limit = base_load32(bytes - 4) - 8;
    if (limit > ANSWER_LIMIT || size > limit)
        return 0;
    uint32_t count = base_load32(bytes + STATUS_SIZE);
    if (count > TOKEN_LIMIT)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (limit - size < 8)
            return 0;
        uint32_t token = base_load32(bytes + size + 4);
        if (token < 8 || token > limit - size)
            return 0;
        size += token;
    }
    return size;
}
