/* Source lines to text, CSV and JSON. */
#ifndef SONDE_REPORT_LINES_H
#define SONDE_REPORT_LINES_H

#include "analyze/lines.h"
#include "report/report.h"

extern const struct report_view report_lines_view;

/* Add the table; JSON is a document of its own. Errors: SONDE_ERROR_ARGUMENT
 * for a column that the view lacks. */
enum sonde_status report_lines_print(const struct analyze_lines *lines,
                                     const struct report_options *options, struct report_text *text,
                                     struct sonde_error *error);

#endif
