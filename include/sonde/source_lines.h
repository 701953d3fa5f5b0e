/* Source lines of a kernel from the debug data that the compiler wrote. */
#ifndef SONDE_SOURCE_LINES_H
#define SONDE_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "sonde/status.h"

/* From byte `offset` of the kernel on, until the next one. */
struct sonde_source_line {
    uint32_t offset;
    uint32_t line;    /* from 1; 0: no source, the code is the compiler's own */
    uint32_t column;  /* from 1; 0: not known */
    const char *file; /* as the compiler names it */
};

struct sonde_source_lines;

/* Read the line table of the ELF that the compiler gives with a kernel when it
 * builds with -g. Addresses in it count from the first instruction. Errors:
 * SONDE_ERROR_FORMAT when it is no such file, SONDE_ERROR_NOT_FOUND when it
 * has no lines. Free with sonde_source_lines_destroy. */
SONDE_API enum sonde_status sonde_source_lines_read(const uint8_t *elf, size_t size,
                                                    struct sonde_source_lines **lines,
                                                    struct sonde_error *error);
SONDE_API void sonde_source_lines_destroy(struct sonde_source_lines *lines);
/* Sorted by offset, no two at one. */
SONDE_API size_t sonde_source_lines_count(const struct sonde_source_lines *lines);
SONDE_API const struct sonde_source_line *
sonde_source_lines_at(const struct sonde_source_lines *lines, size_t index);
/* The line of the instruction at `offset`; NULL when none is known. */
SONDE_API const struct sonde_source_line *
sonde_source_lines_find(const struct sonde_source_lines *lines, uint32_t offset);

#endif
