/* A call flow in the formats of other programs: one struct a format. */
#ifndef SONDE_REPORT_EXPORT_H
#define SONDE_REPORT_EXPORT_H

#include "report/report.h"

struct report_exporter {
    const char *name; /* on the command line */
    const char *file; /* default name of the file */
    const char *summary;
    bool shows_calls; /* obeys the filter */
    enum sonde_status (*write)(const struct analyze_callflow *flow,
                               const struct report_filter *filter, struct report_text *text,
                               struct sonde_error *error);
};

extern const struct report_exporter report_export_chrome;
extern const struct report_exporter report_export_perfetto;
extern const struct report_exporter report_export_speedscope;
extern const struct report_exporter report_export_folded;
extern const struct report_exporter report_export_callgrind;
extern const struct report_exporter report_export_html;

const struct report_exporter *report_exporter_at(size_t index); /* NULL at the end */
const struct report_exporter *report_exporter_find(const char *name);

/* What the processor does, as one row of nested pieces that cover the run
 * without gaps: where the stack is switched, all pieces of the old one end and
 * those of the new one go on. */
struct report_piece {
    uint32_t span;
    uint32_t depth;
    uint64_t cycle; /* of the opening or closing */
};
struct report_walker {
    void (*open)(void *context, const struct report_piece *piece);
    void (*close)(void *context, const struct report_piece *piece);
    void *context;
};
/* `filter` may be NULL. False when memory runs out. */
bool report_callflow_walk(const struct analyze_callflow *flow, const struct report_filter *filter,
                          const struct report_walker *walker);
bool report_filter_accepts(const struct report_filter *filter, const struct analyze_span *span);

/* The names of functions as JSON strings, malloc'ed one by one; NULL when
 * memory runs out. */
char **report_export_quote_names(const struct analyze_callflow *flow);
void report_export_free_names(char **names, const struct analyze_callflow *flow);

/* The base name of the firmware. */
const char *report_export_title(const struct analyze_callflow *flow);

#endif
