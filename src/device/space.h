/* GPU virtual memory of one application process.
 *
 * The driver opens one connection an engine context and sends each allocation
 * once, over whichever connection uses it first; a page therefore belongs to
 * its virtual address, not to a connection, and all connections of a process
 * share one space. Addresses are 48-bit (canonical bits are masked off).
 * Pages of an aligned 2 MiB range are contiguous in host memory. */
#ifndef SONDE_DEVICE_SPACE_H
#define SONDE_DEVICE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sonde/status.h"

#define DEVICE_PAGE_SIZE    4096u
#define DEVICE_PAGE_SHIFT   12u
#define DEVICE_ADDRESS_MASK 0xffffffffffffull

struct device_space;

/* `limit` bounds the bytes of pages and bookkeeping that clients can make the
 * space allocate. */
enum sonde_status device_space_create(uint64_t limit, struct device_space **space,
                                      struct sonde_error *error);
void device_space_destroy(struct device_space *space);

/* The page of `address`, mapped and zero-filled when it is new. NULL when the
 * limit is reached or memory is out. Thread-safe. */
uint8_t *device_space_map(struct device_space *space, uint64_t address);
/* Take away the mapping; the contents stay for a later map. */
void device_space_unmap(struct device_space *space, uint64_t address);
/* The page of `address`, NULL when not mapped. Thread-safe, lock-free. */
uint8_t *device_space_page(const struct device_space *space, uint64_t address);
/* A zeroed page without a virtual address (global GTT memory). */
uint8_t *device_space_anonymous(struct device_space *space);

/* Copies across pages. False when some page is not mapped: nothing is then
 * copied beyond it. */
bool device_space_read(const struct device_space *space, uint64_t address, void *data, size_t size);
bool device_space_write(struct device_space *space, uint64_t address, const void *data,
                        size_t size);
/* True when every page of [address, address + size) is mapped. */
bool device_space_is_mapped(const struct device_space *space, uint64_t address, uint64_t size);

/* `page`, one that some space gave out, is changed on the device's side: counts
 * that for device_space_changes. A page for writing is counted already. */
void device_space_changed(uint8_t *page);
/* The command streamer is about to store to `page`: the program's own copy, which
 * the driver may name instead of sending it again, is kept. */
void device_space_before_store(struct device_space *space, uint8_t *page);
/* Undo the streamer's stores since the program sent or read the page. */
void device_space_take_back(struct device_space *space, uint8_t *page);
/* How often it was changed, modulo 2^32. */
uint32_t device_space_changes(const uint8_t *page);

/* Put whole pages, mapped ones, into a memory file, from its start on; what they
 * hold is what the file holds. Host addresses stay the same. Nothing may run
 * meanwhile. False when some page is not mapped, or memory is out. */
bool device_space_share(struct device_space *space, uint64_t address, size_t size, int fd);
/* Take them out again, with what the file holds, `contents`. */
void device_space_unshare(struct device_space *space, uint64_t address, const uint8_t *contents,
                          size_t size);

/* Bytes counted against the limit so far. */
uint64_t device_space_used(const struct device_space *space);

/* Snapshot: the contents that pages had before they were first written. */
struct device_saved_page {
    uint64_t address;
    uint8_t *before; /* DEVICE_PAGE_SIZE bytes */
    const uint8_t *now;
};

/* Begin to save; the pages come from device_space_page_for_write. */
void device_space_snapshot_begin(struct device_space *space);
/* As device_space_page, for a kernel: what the processor believes of the page is
 * kept (stale.h), and the page is saved once a snapshot when one is active. NULL
 * too when memory for the copy is out. Thread-safe. */
uint8_t *device_space_page_for_write(struct device_space *space, uint64_t address);
/* The processor sends bytes of a page, or has read some. */
void device_space_upload(struct device_space *space, uint8_t *page, uint32_t offset,
                         const uint8_t *data, size_t size);
/* A page of zeros: one that holds nothing yet stays without memory of its own. */
void device_space_upload_zeros(struct device_space *space, uint8_t *page);
void device_space_downloaded(struct device_space *space, const uint8_t *page, uint32_t offset,
                             size_t size);
/* End the snapshot: *pages, sorted by address, stays valid until the next
 * begin. */
size_t device_space_snapshot_end(struct device_space *space,
                                 const struct device_saved_page **pages);

#endif
