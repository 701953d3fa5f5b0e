/* Growable arrays: one struct a use, grown by base_array_reserve. */
#ifndef SONDE_BASE_ARRAY_H
#define SONDE_BASE_ARRAY_H

#include "sonde/status.h"

/* Make room for at least `wanted` elements of `size` bytes in *items, whose
 * capacity is *capacity elements. New bytes are zero. On failure nothing
 * changes and SONDE_ERROR_MEMORY is returned. */
enum sonde_status base_array_reserve(void **items, size_t *capacity, size_t wanted, size_t size);

#endif
