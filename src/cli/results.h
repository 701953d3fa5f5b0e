/* Opening recorded runs and printing the reports of their tools. */
#ifndef SONDE_CLI_RESULTS_H
#define SONDE_CLI_RESULTS_H

#include "cli/cli.h"
#include "report/report.h"

#define RESULTS_DIRECTORY "sonde.data"

/* Open the run of -i. Prints and returns NULL when that fails; a damaged run
 * is opened with a warning. */
struct sonde_trace *results_open(const struct cli_arguments *arguments);
/* The kernel filter of -k; false when it is wrong (said). */
bool results_matcher(const struct cli_arguments *arguments, struct analyze_matcher **matcher);
/* --format, --columns and what else says how rows are shown; false when it is
 * wrong (said). */
bool results_options(const struct cli_arguments *arguments, struct report_options *options);
/* Whether any kernel of the run matches; warns with what there is if not. */
bool results_matches(const struct sonde_trace *trace, const struct analyze_matcher *matcher);
/* Print `text` on `out` and free it; an exit status. */
int results_print(struct report_text *text, FILE *out);
/* The reports of the tools in `wanted` (NULL-terminated; NULL = all of the
 * run). Prints what is wrong and returns an exit status. */
int results_report(const struct sonde_trace *trace, const char *const *wanted,
                   const struct analyze_matcher *matcher, const struct report_options *options,
                   struct report_text *text);

#endif
