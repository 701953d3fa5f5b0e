/* A call flow to text, CSV and JSON. */
#ifndef SONDE_REPORT_CALLFLOW_H
#define SONDE_REPORT_CALLFLOW_H

#include "report/report.h"

/* A table of a call flow. */
struct report_callflow_view {
    struct report_view view;
    const char *flat_columns; /* default ones of CSV and JSON; NULL = as in text */
    /* Make the rows; false when memory runs out. */
    bool (*rows)(const struct analyze_callflow *flow, const struct analyze_matcher *matcher,
                 const struct report_filter *filter, struct report_row **rows, size_t *count);
};

const struct report_callflow_view *report_callflow_view_at(size_t index); /* NULL at the end */

/* What the run was and where its cycles went, before the tables; as keys of
 * the open JSON object. */
void report_callflow_summary_text(const struct analyze_callflow *flow, bool color,
                                  struct report_text *text);
void report_callflow_summary_json(const struct analyze_callflow *flow, struct report_json *json);

/* Add one table, in JSON as an object. `matcher` chooses functions by name
 * (NULL = all). Errors: SONDE_ERROR_ARGUMENT for a column that the view lacks. */
enum sonde_status report_callflow_print(const struct analyze_callflow *flow,
                                        const struct report_callflow_view *view,
                                        const struct analyze_matcher *matcher,
                                        const struct report_options *options,
                                        struct report_text *text, struct report_json *json,
                                        struct sonde_error *error);

#endif
