/* What two runs of a program differ in. */
#ifndef SONDE_REPORT_DIFF_H
#define SONDE_REPORT_DIFF_H

#include "report/report.h"

struct report_diff {
    uint64_t compared, different; /* figures */
    uint64_t only_left, only_right; /* rows that the other run lacks */
};

/* Compare the figures of every tool that both runs had, row by row; a line (or
 * an element of the array "differences") for each one that differs, and sums. */
enum sonde_status report_diff_print(const struct sonde_trace *left, const struct sonde_trace *right,
                                    const struct analyze_matcher *matcher,
                                    struct report_text *text, struct report_json *json,
                                    struct report_diff *diff, struct sonde_error *error);

#endif
