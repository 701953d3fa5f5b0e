/* Writer of the ground-truth file that truth.h documents. */
#ifndef SONDE_DEVICE_TRUTH_WRITER_H
#define SONDE_DEVICE_TRUTH_WRITER_H

#include "device/space.h"
#include "emu/gen/emu.h"

struct device_truth;

/* Create or truncate the file. */
enum sonde_status device_truth_create(const char *path, struct device_truth **truth,
                                      struct sonde_error *error);
void device_truth_destroy(struct device_truth *truth);

struct device_truth_record {
    uint64_t index;
    uint64_t process; /* tells equal addresses of two processes apart */
    const struct device_space *space;
    const struct emu_dispatch *dispatch;
    const struct emu_result *result;
    bool failed;                    /* the emulator refused the dispatch */
    uint32_t binding_table_entries; /* of the interface descriptor, saturates at 31 */
    const struct device_saved_page *pages;
    size_t page_count;
};

/* Write the frames of one dispatch. Thread-safe. */
enum sonde_status device_truth_write(struct device_truth *truth,
                                     const struct device_truth_record *record,
                                     struct sonde_error *error);

/* A stretch of changed memory, or of memory left as it was in a page that was
 * written to, and what it belongs to (attribute.c). */
struct device_change {
    uint32_t kind; /* enum truth_write_kind */
    uint32_t index;
    uint64_t offset; /* as in truth.h */
    uint64_t address;
    uint64_t size;
    size_t first_page; /* in record->pages; the following ones are adjacent */
    bool is_kept;      /* left as it was */
    bool is_zero;      /* and all of it is zero */
};

/* All stretches of a dispatch in order of address; *changes is malloc'ed. */
enum sonde_status device_attribute_changes(const struct device_truth_record *record,
                                           struct device_change **changes, size_t *count);

#endif
