/* Copies over memory that is reached page by page. */
#ifndef SONDE_DEVICE_PAGES_H
#define SONDE_DEVICE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The page that holds `address`, NULL when there is none. */
typedef uint8_t *device_page_function(void *context, uint64_t address);

/* False at the first page that is missing: nothing is copied from there on. */
bool device_pages_read(device_page_function *page, void *context, uint64_t address, void *data,
                       size_t size);
bool device_pages_write(device_page_function *page, void *context, uint64_t address,
                        const void *data, size_t size);

#endif
