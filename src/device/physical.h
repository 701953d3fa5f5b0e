/* Physical pages and tables of one connection, as the driver numbers them.
 *
 * The driver hands out physical pages of 4 KiB from 0x1000 upward, never frees
 * one, and writes its 4-level page tables as flat arrays at fixed physical
 * bases (2^29, 2^30, 2^31, 2^32). Data pages run into those numbers after
 * 512 MiB, so table entries are recognised by their sequence and their values
 * and are kept apart from data. (Facts: compute-runtime 22.43,
 * shared/source/aub_mem_dump.) */
#ifndef SONDE_DEVICE_PHYSICAL_H
#define SONDE_DEVICE_PHYSICAL_H

#include "device/space.h"

#define DEVICE_PHYSICAL_BITS 40u

struct device_physical;

enum sonde_status device_physical_create(struct device_space *space,
                                         struct device_physical **physical,
                                         struct sonde_error *error);
void device_physical_destroy(struct device_physical *physical);

/* Page `address >> 12`; made on demand when `create`. NULL when absent, or
 * when memory is out. Addresses beyond 40 bits are absent. */
uint8_t *device_physical_page(struct device_physical *physical, uint64_t address, bool create);

/* Whether the device changed the page since this was asked last over this
 * connection. While `running` is true it counts as changed, and is asked anew. */
bool device_physical_take_changed(struct device_physical *physical, uint64_t address,
                                  bool (*running)(void *context), void *context);

/* Most pages that are searched for changed ones: 256 MiB. */
#define DEVICE_NEWS_PAGES 65536u

/* A page that the device changed. */
struct device_news {
    uint64_t address; /* physical */
    const uint8_t *page;
    uint32_t changes;
};

/* The pages that the device changed since this, or device_physical_take_changed,
 * was asked last over this connection, `limit` at most; but for those that were
 * news before and have not been taken since: the driver does not seem to want
 * them. Returns false, and nothing counts as asked, when there are more, when too
 * much memory would have to be looked at, or while `running` is true. */
bool device_physical_take_news(struct device_physical *physical, struct device_news *news,
                               size_t limit, size_t *count, bool (*running)(void *context),
                               void *context);
/* The same pages, however many: bit n of `marks`, which has room for DEVICE_NEWS_PAGES
 * bits, is of page n, and each counts as asked. Returns the bytes of them, a multiple of
 * four; 0 when too much memory would have to be looked at. Whether something still runs
 * is to be asked afterwards. */
size_t device_physical_mark_news(struct device_physical *physical, uint8_t *marks);
/* The driver has got the page, or a part of it. */
void device_physical_taken(struct device_physical *physical, uint64_t address);

/* True when an 8-byte write of `value` to `address` is an entry of the page
 * tables; the entry has then been taken. *status tells of a failed mapping.
 * Call device_physical_data before any other write. */
bool device_physical_table_write(struct device_physical *physical, uint64_t address, uint64_t value,
                                 enum sonde_status *status);
/* Note that something else than a table entry is written to `address`: a sequence of
 * entries ends. */
void device_physical_data(struct device_physical *physical, uint64_t address);
/* The page of `address`, made on demand, for data of the write that was noted last: by
 * virtual page where entries of several pages came right before. NULL when memory is out. */
uint8_t *device_physical_target(struct device_physical *physical, uint64_t address);

/* Global GTT. Entry bits: 0 present, 46:12 frame. */
#define DEVICE_GGTT_ENTRIES (1u << 20)
enum sonde_status device_physical_set_global(struct device_physical *physical, uint32_t index,
                                             uint64_t entry);
/* The page behind a global GTT address, NULL when not present. */
uint8_t *device_physical_global_page(struct device_physical *physical, uint64_t address);
bool device_physical_global_read(struct device_physical *physical, uint64_t address, void *data,
                                 size_t size);
bool device_physical_global_write(struct device_physical *physical, uint64_t address,
                                  const void *data, size_t size);

#endif
