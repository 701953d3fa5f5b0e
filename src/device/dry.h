/* Dispatches whose profile buffer says how they are to run (profile/trace.h):
 * those that are to leave nothing behind but that buffer, with which the attach
 * library counts the records of the dispatch that follows; those whose buffer
 * the program's process empties meanwhile (share.h, window.h). */
#ifndef SONDE_DEVICE_DRY_H
#define SONDE_DEVICE_DRY_H

#include "device/space.h"
#include "emu/gen/emu.h"

/* A range of GPU virtual memory. */
struct device_dry {
    uint64_t begin, end;
};

/* The profile buffer of a dispatch. */
struct device_profile {
    struct device_dry buffer;
    uint32_t mode; /* enum profile_trace_mode */
    uint32_t file; /* of the memory to share: descriptor in the program's process, and bytes */
    uint32_t size;
};

/* Find a profile buffer among the surfaces of the dispatch. */
bool device_profile_find(const struct device_space *space, const struct emu_dispatch *dispatch,
                         struct device_profile *profile);
/* Put back what the pages held before, but in `keep`. */
void device_dry_restore(struct device_space *space, const struct device_saved_page *pages,
                        size_t count, const struct device_dry *keep);

#endif
