/* Source lines of the rows of a profile. */
#ifndef SONDE_REPORT_SOURCES_H
#define SONDE_REPORT_SOURCES_H

#include "analyze/sources.h"
#include "report/report.h"

typedef char report_source[ANALYZE_SOURCE_SIZE];

/* Where a kernel was built with -g, give its rows their lines; `texts`, one for
 * each row, must outlive them. */
void report_sources_fill(const struct analyze_kernel *kernel, bool by_block,
                         struct report_row *rows, report_source *texts, size_t count);

#endif
