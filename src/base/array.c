#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum sonde_status base_array_reserve(void **items, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return SONDE_OK;
    size_t grown = *capacity < 8 ? 8 : *capacity;
    while (grown < wanted) {
        if (grown > SIZE_MAX / 2)
            return SONDE_ERROR_MEMORY;
        grown *= 2;
    }
    if (grown > SIZE_MAX / size)
        return SONDE_ERROR_MEMORY;
    void *moved = realloc(*items, grown * size);
    if (moved == NULL)
        return SONDE_ERROR_MEMORY;
    memset((char *)moved + *capacity * size, 0, (grown - *capacity) * size);
    *items = moved;
    *capacity = grown;
    return SONDE_OK;
}
