/* Reports of the tools that record, or count at instructions. */
#ifndef SONDE_REPORT_TABLES_H
#define SONDE_REPORT_TABLES_H

#include "report/report.h"

struct report_table {
    struct report_view view;
    analyze_table_function *analyze;
};

const struct report_table *report_table_at(size_t index);          /* NULL at the end */
const struct report_table *report_table_of_tool(const char *tool); /* NULL: has none */

/* The run had the tool, and it left something. */
bool report_table_was_run(const struct report_table *table, const struct sonde_trace *trace);

/* Too long to be shown unless it is asked for by name. */
bool report_table_is_on_request(const struct report_table *table);

/* Add the report of a tool of the run, as report_profile_print does. *lost is
 * what the figures lack. */
enum sonde_status report_table_print(const struct report_table *table,
                                     const struct sonde_trace *trace,
                                     const struct analyze_matcher *matcher,
                                     const struct report_options *options, struct report_text *text,
                                     struct report_json *json, uint64_t *lost,
                                     struct sonde_error *error);

#endif
