/* Reports and exports of the call flow of a firmware. */
#ifndef SONDE_CLI_CALLFLOW_H
#define SONDE_CLI_CALLFLOW_H

#include "cli/cli.h"
#include "report/report.h"

/* The tables in `wanted` (NULL-terminated; NULL = the functions). Prints what
 * is wrong and returns an exit status. */
int results_report_callflow(const struct sonde_trace *trace, const char *const *wanted,
                            const struct analyze_matcher *matcher,
                            const struct report_options *options, struct report_text *text);
/* The filter of --min-cycles, --depth, --from and --to; false when it is wrong
 * (said). */
bool results_take_filter(const struct cli_arguments *arguments, struct report_filter *filter);
/* The call flow of a run; NULL when there is none (said). */
struct analyze_callflow *results_open_callflow(const struct sonde_trace *trace);

#endif
