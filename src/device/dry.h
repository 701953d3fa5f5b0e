/* Dispatches that are to leave nothing behind but their profile buffer: with
 * them the attach library counts the records of the dispatch that follows. */
#ifndef SONDE_DEVICE_DRY_H
#define SONDE_DEVICE_DRY_H

#include "device/space.h"
#include "emu/gen/emu.h"

/* A range of GPU virtual memory. */
struct device_dry {
    uint64_t begin, end;
};

/* Whether a surface of the dispatch is a profile buffer whose control block
 * says that it runs dry; *keep is that buffer. */
bool device_dry_wanted(const struct device_space *space, const struct emu_dispatch *dispatch,
                       struct device_dry *keep);
/* Put back what the pages held before, but in `keep`. */
void device_dry_restore(struct device_space *space, const struct device_saved_page *pages,
                        size_t count, const struct device_dry *keep);

#endif
