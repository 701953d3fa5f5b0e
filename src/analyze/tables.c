#include "analyze/tables.h"

#include <stdlib.h>

#include "analyze/records.h"
#include "analyze/sources.h"
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

static uint32_t instruction_of(const struct analyze_row *row)
{
    if (row->instruction != UINT32_MAX)
        return row->instruction;
    return row->block < row->kernel->block_count ? row->kernel->blocks[row->block].first
                                                 : UINT32_MAX;
}

static void locate(struct analyze_row *row, const struct analyze_code *code,
                   const struct sonde_source_lines *lines)
{
    uint32_t instruction = instruction_of(row);
    if (instruction >= code->count)
        return;
    analyze_source_name(sonde_source_lines_find(lines, code->instructions[instruction].offset),
                        row->source);
}

void analyze_rows_locate(struct analyze_rows *rows)
{
    struct analyze_code code = {.kernel = NULL};
    struct sonde_source_lines *lines = NULL;
    for (size_t i = 0; i < rows->count; i++) {
        const struct sonde_trace_kernel *kernel = rows->items[i].kernel;
        if (kernel == NULL || kernel->debug_elf == NULL)
            continue;
        if (code.kernel != kernel) {
            analyze_code_close(&code);
            sonde_source_lines_destroy(lines);
            lines = NULL;
            if (analyze_code_open(kernel, NULL, &code, NULL) != SONDE_OK ||
                sonde_source_lines_read(kernel->debug_elf, kernel->debug_elf_size, &lines, NULL) !=
                    SONDE_OK)
                lines = NULL;
        }
        if (lines != NULL)
            locate(&rows->items[i], &code, lines);
    }
    analyze_code_close(&code);
    sonde_source_lines_destroy(lines);
}

void analyze_rows_clear(struct analyze_rows *rows)
{
    free(rows->items);
    *rows = (struct analyze_rows){.items = NULL};
}
