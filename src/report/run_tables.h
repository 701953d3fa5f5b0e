/* All that a run on a GPU has, as tables with all their columns: its kernels,
 * dispatches and hardware threads, and what each tool found. */
#ifndef SONDE_REPORT_RUN_TABLES_H
#define SONDE_REPORT_RUN_TABLES_H

#include "report/rows.h"

/* Rows come in parts; `table` is the name of the view. */
struct report_table_sink {
    bool (*begin)(void *context, const char *table, const struct report_layout *layout);
    bool (*rows)(void *context, const struct report_row *rows, size_t count);
    bool (*end)(void *context);
    void *context;
};

/* Only the table `wanted`, NULL = all. SONDE_ERROR_ARGUMENT when the run has no
 * such table; SONDE_ERROR_IO when the sink returns false. */
enum sonde_status report_run_tables_walk(const struct sonde_trace *trace,
                                         const struct analyze_matcher *matcher, const char *wanted,
                                         const struct report_table_sink *sink,
                                         struct sonde_error *error);

#endif
