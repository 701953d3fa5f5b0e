#include "analyze/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct analyze_row *analyze_rows_add(struct analyze_rows *rows)
{
    if (base_array_reserve((void **)&rows->items, &rows->capacity, rows->count + 1,
                           sizeof *rows->items) != SONDE_OK)
        return NULL;
    struct analyze_row *row = &rows->items[rows->count++];
    *row = (struct analyze_row){.instruction = UINT32_MAX, .block = UINT32_MAX};
    return row;
}

void analyze_rows_clear(struct analyze_rows *rows)
{
    free(rows->items);
    *rows = (struct analyze_rows){.items = NULL};
}
