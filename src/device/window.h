/* A dispatch by ranges of its work-groups, each with an empty buffer for its
 * records. */
#ifndef SONDE_DEVICE_WINDOW_H
#define SONDE_DEVICE_WINDOW_H

#include "device/share.h"

/* What the dispatch changed, as one: pages by address. */
struct device_window_pages {
    struct device_saved_page *items; /* each `before` is malloc'ed */
    size_t count, capacity;
};

/* Run the dispatch. A range whose records do not fit is taken back, by a
 * snapshot of memory, and run again by halves, down to single groups. The
 * result is of the runs that were kept. `pages`: collect what changed, or NULL. */
enum sonde_status device_window_run(struct device_share *share, const struct emu_memory *memory,
                                    const struct emu_dispatch *dispatch, struct emu_result *result,
                                    struct device_window_pages *pages, struct sonde_error *error);
void device_window_pages_clear(struct device_window_pages *pages);

#endif
