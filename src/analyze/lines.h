/* What was executed of each source line. */
#ifndef SONDE_ANALYZE_LINES_H
#define SONDE_ANALYZE_LINES_H

#include "analyze/analyze.h"
#include "sonde/source_lines.h"

struct analyze_line {
    const struct analyze_kernel *kernel;
    const char *file; /* "" with line 0: code without a source line */
    uint32_t line;
    uint64_t static_count;  /* instructions in the binary */
    uint64_t dynamic_count; /* instructions executed by hardware threads */
};

struct analyze_lines {
    struct analyze_line *lines; /* kernel by kernel, then by file and line */
    size_t count, capacity;
    struct sonde_source_lines **sources; /* that the file names belong to */
    size_t source_count;
    uint64_t dynamic_count; /* of all kernels that have lines */
    size_t without;         /* kernels that were built without -g */
};

/* Lines of all kernels of a profile, which must outlive the result. Errors:
 * SONDE_ERROR_NOT_FOUND when no kernel has debug data, SONDE_ERROR_MEMORY. */
enum sonde_status analyze_lines_create(const struct analyze_profile *profile,
                                       struct analyze_lines **lines, struct sonde_error *error);
void analyze_lines_destroy(struct analyze_lines *lines);

#endif
