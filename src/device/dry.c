#include "device/dry.h"

#include <string.h>

#include "base/bytes.h"
#include "profile/trace.h"

#define SURFACE_STATE_SIZE  64u
#define SURFACE_TYPE_BUFFER 4u
#define BINDING_LIMIT       240u

/* Bytes of a raw buffer surface (RENDER_SURFACE_STATE, Skylake PRM volume 2d). */
static uint64_t buffer_size(const uint8_t *state)
{
    uint64_t word2 = base_load32(state + 8), word3 = base_load32(state + 12);
    if (base_load32(state) >> 29 != SURFACE_TYPE_BUFFER)
        return 0;
    return ((word2 & 0x7f) | (word2 >> 16 & 0x3fff) << 7 | (word3 >> 21 & 0x7ff) << 21) + 1;
}

bool device_profile_find(const struct device_space *space, const struct emu_dispatch *dispatch,
                         struct device_profile *profile)
{
    for (uint32_t i = 0; i < BINDING_LIMIT; i++) {
        uint32_t entry;
        uint8_t state[SURFACE_STATE_SIZE], control[PROFILE_CONTROL_BYTES];
        if (!device_space_read(space, dispatch->binding_table + 4ull * i, &entry, 4) ||
            !device_space_read(space, dispatch->surface_base + (entry & ~0x3fu), state,
                               sizeof state))
            return false;
        uint64_t base = base_load64(state + 32) & DEVICE_ADDRESS_MASK, size = buffer_size(state);
        if (size < sizeof control || base == 0 ||
            !device_space_read(space, base, control, sizeof control) ||
            memcmp(control + PROFILE_CONTROL_MAGIC, PROFILE_TRACE_MAGIC, 16) != 0)
            continue;
        *profile = (struct device_profile){
            .buffer = {base, base + size},
            .mode = base_load32(control + PROFILE_CONTROL_MODE),
            .file = base_load32(control + PROFILE_CONTROL_FILE),
            .size = base_load32(control + PROFILE_CONTROL_SIZE),
        };
        return true;
    }
    return false;
}

void device_dry_restore(struct device_space *space, const struct device_saved_page *pages,
                        size_t count, const struct device_dry *keep)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t at = pages[i].address, end = at + DEVICE_PAGE_SIZE;
        if (end <= keep->begin || at >= keep->end) {
            device_space_write(space, at, pages[i].before, DEVICE_PAGE_SIZE);
            continue;
        }
        /* The buffer may begin or end inside of the page. */
        if (at < keep->begin)
            device_space_write(space, at, pages[i].before, (size_t)(keep->begin - at));
        if (end > keep->end)
            device_space_write(space, keep->end, pages[i].before + (keep->end - at),
                               (size_t)(end - keep->end));
    }
}
