/* Source lines of what a profile counts. */
#ifndef SONDE_ANALYZE_SOURCES_H
#define SONDE_ANALYZE_SOURCES_H

#include "analyze/analyze.h"
#include "sonde/source_lines.h"

#define ANALYZE_SOURCE_SIZE 64

/* "file.cl:12", "" where the line is not known. */
void analyze_source_name(const struct sonde_source_line *line, char text[ANALYZE_SOURCE_SIZE]);
/* The lines of a block, from the first to the last in the file in which it begins:
 * "file.cl:12-15". */
void analyze_source_of_block(const struct analyze_kernel *kernel,
                             const struct sonde_source_lines *lines, size_t block,
                             char text[ANALYZE_SOURCE_SIZE]);
/* The line that executes most instructions of a kind (of lines that execute as many,
 * and where nothing was executed, the one that comes first in the code), and how many
 * others have some: "file.cl:12 +3". */
void analyze_source_of_kind(const struct analyze_kernel *kernel,
                            const struct sonde_source_lines *lines,
                            const struct analyze_mix_row *kind, char text[ANALYZE_SOURCE_SIZE]);

#endif
