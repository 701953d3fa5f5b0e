/* Line tables by libdw. */
#include "sonde/source_lines.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct sonde_source_lines {
    struct sonde_source_line *lines;
    size_t count, capacity;
    char **files;
    size_t file_count, file_capacity;
};

/* One copy of each file name, whose pointers the lines share. */
static const char *intern(struct sonde_source_lines *lines, const char *name)
{
    for (size_t n = lines->file_count; n > 0; n--)
        if (strcmp(lines->files[n - 1], name) == 0)
            return lines->files[n - 1];
    if (base_array_reserve((void **)&lines->files, &lines->file_capacity, lines->file_count + 1,
                           sizeof *lines->files) != SONDE_OK)
        return NULL;
    char *copy = strdup(name);
    if (copy != NULL)
        lines->files[lines->file_count++] = copy;
    return copy;
}

static bool add(struct sonde_source_lines *lines, Dwarf_Line *from)
{
    Dwarf_Addr address = 0;
    int line = 0, column = 0;
    bool ends = false;
    if (dwarf_lineaddr(from, &address) != 0 || address > UINT32_MAX ||
        dwarf_lineno(from, &line) != 0)
        return true; /* a row that says nothing */
    dwarf_linecol(from, &column);
    dwarf_lineendsequence(from, &ends);
    const char *name = dwarf_linesrc(from, NULL, NULL);
    const char *file = intern(lines, name != NULL ? name : "");
    if (file == NULL || base_array_reserve((void **)&lines->lines, &lines->capacity,
                                           lines->count + 1, sizeof *lines->lines) != SONDE_OK)
        return false;
    lines->lines[lines->count++] = (struct sonde_source_line){
        .offset = (uint32_t)address,
        .line = ends || line < 0 ? 0 : (uint32_t)line,
        .column = ends || column < 0 ? 0 : (uint32_t)column,
        .file = file,
    };
    return true;
}

static bool add_unit(struct sonde_source_lines *lines, Dwarf_Die *unit)
{
    Dwarf_Lines *table;
    size_t count = 0;
    if (dwarf_getsrclines(unit, &table, &count) != 0)
        return true;
    for (size_t n = 0; n < count; n++) {
        Dwarf_Line *line = dwarf_onesrcline(table, n);
        if (line != NULL && !add(lines, line))
            return false;
    }
    return true;
}

static bool add_all(struct sonde_source_lines *lines, Dwarf *dwarf)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header, &unit) != NULL && !add_unit(lines, &unit))
            return false;
        if (next <= offset)
            break;
        offset = next;
    }
    return true;
}

/* By offset; where several stand at one the last that was written counts, and
 * any counts more than the end of a sequence. */
static void sort(struct sonde_source_lines *lines)
{
    struct sonde_source_line *at = lines->lines;
    for (size_t n = 1; n < lines->count; n++) /* nearly sorted already */
        for (size_t k = n; k > 0 && at[k - 1].offset > at[k].offset; k--) {
            struct sonde_source_line swap = at[k];
            at[k] = at[k - 1];
            at[k - 1] = swap;
        }
    size_t kept = 0;
    for (size_t n = 0; n < lines->count; n++) {
        if (kept > 0 && at[kept - 1].offset == at[n].offset) {
            if (at[n].line != 0)
                at[kept - 1] = at[n];
        } else {
            at[kept++] = at[n];
        }
    }
    lines->count = kept;
}

static enum sonde_status read_elf(struct sonde_source_lines *lines, char *bytes, size_t size,
                                  struct sonde_error *error)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(bytes, size);
    Dwarf *dwarf = elf != NULL ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    enum sonde_status status = SONDE_OK;
    if (dwarf == NULL)
        status = sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                                 "the debug data is no ELF file with DWARF: %s",
                                 elf == NULL ? elf_errmsg(-1) : dwarf_errmsg(-1));
    else if (!add_all(lines, dwarf))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "no memory for the source lines");
    else if (lines->count == 0)
        status =
            sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "the debug data has no source lines");
    if (dwarf != NULL)
        dwarf_end(dwarf);
    if (elf != NULL)
        elf_end(elf);
    return status;
}

enum sonde_status sonde_source_lines_read(const uint8_t *elf, size_t size,
                                          struct sonde_source_lines **result,
                                          struct sonde_error *error)
{
    *result = NULL;
    if (elf == NULL || size == 0)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "there is no debug data");
    struct sonde_source_lines *lines = calloc(1, sizeof *lines);
    char *copy = malloc(size); /* aligned, and libelf may write to it */
    if (lines == NULL || copy == NULL) {
        free(lines);
        free(copy);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "no memory for the source lines");
    }
    memcpy(copy, elf, size);
    enum sonde_status status = read_elf(lines, copy, size, error);
    free(copy);
    if (status != SONDE_OK) {
        sonde_source_lines_destroy(lines);
        return status;
    }
    sort(lines);
    *result = lines;
    return SONDE_OK;
}

void sonde_source_lines_destroy(struct sonde_source_lines *lines)
{
    if (lines == NULL)
        return;
    for (size_t n = 0; n < lines->file_count; n++)
        free(lines->files[n]);
    free(lines->files);
    free(lines->lines);
    free(lines);
}

size_t sonde_source_lines_count(const struct sonde_source_lines *lines)
{
    return lines->count;
}

const struct sonde_source_line *sonde_source_lines_at(const struct sonde_source_lines *lines,
                                                      size_t index)
{
    return index < lines->count ? &lines->lines[index] : NULL;
}

const struct sonde_source_line *sonde_source_lines_find(const struct sonde_source_lines *lines,
                                                        uint32_t offset)
{
    size_t low = 0, high = lines != NULL ? lines->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && lines->lines[low - 1].line != 0 ? &lines->lines[low - 1] : NULL;
}
