/* What the application's processor still believes of pages that dispatches have
 * written. The driver keeps a copy of every page in its own memory and may send
 * that copy again, for another buffer of the same page or another queue, before
 * it has read the page back: such an upload must not undo what kernels wrote. */
#ifndef SONDE_DEVICE_STALE_H
#define SONDE_DEVICE_STALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_stale;

/* Copies of at most `limit` bytes together. NULL without memory. */
struct device_stale *device_stale_create(uint64_t limit);
void device_stale_destroy(struct device_stale *stale);

/* A kernel is about to write the page of `address`, at `page` in host memory:
 * keep what it holds, unless that was done before. False when memory is out or
 * the limit reached: uploads then overwrite. Thread-safe. */
bool device_stale_keep(struct device_stale *stale, const uint8_t *page, uint64_t address);
/* The command streamer is about to store to the page: such stores, unlike those
 * of kernels, are undone by an upload, also by one that only says "as before",
 * device_stale_take_back. Not kept when memory is out. */
void device_stale_before_store(struct device_stale *stale, uint8_t *page);
void device_stale_take_back(struct device_stale *stale, uint8_t *page);
/* An upload of `size` bytes to `page` + `offset`: only what differs from the
 * copy, if there is one, is stored. */
void device_stale_upload(struct device_stale *stale, uint8_t *page, uint32_t offset,
                         const uint8_t *data, size_t size);
/* The processor reads the page: what it believes is now what stands there. True
 * when the copy was given up; *address is then that of device_stale_keep. */
bool device_stale_read(struct device_stale *stale, const uint8_t *page, uint32_t offset,
                       size_t size, uint64_t *address);

#endif
