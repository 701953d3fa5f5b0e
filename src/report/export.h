/* Recorded runs in the formats of other programs: one struct a format. */
#ifndef SONDE_REPORT_EXPORT_H
#define SONDE_REPORT_EXPORT_H

#include "report/report.h"

/* What of a run on a GPU is written. */
struct report_run_export {
    const struct sonde_trace *trace;
    const struct analyze_matcher *matcher;
    const char *table; /* only this one of the tables; NULL = all */
};

/* NULL where the format is not for that kind of run. */
struct report_exporter {
    const char *name; /* on the command line */
    const char *file; /* default name of the file */
    const char *summary;
    bool shows_calls; /* obeys the filter */
    /* The call flow of a firmware. */
    enum sonde_status (*write)(const struct analyze_callflow *flow,
                               const struct report_filter *filter, struct report_text *text,
                               struct sonde_error *error);
    /* A run on a GPU. */
    enum sonde_status (*write_run)(const struct report_run_export *run, struct report_text *text,
                                   struct sonde_error *error);
    const char *run_file; /* default name of the file */
    bool has_tables;      /* obeys `table` */
    /* Instead of write_run: makes `path` itself, which is not there yet. */
    enum sonde_status (*write_place)(const struct report_run_export *run, const char *path,
                                     struct sonde_error *error);
};

extern const struct report_exporter report_export_chrome;
extern const struct report_exporter report_export_perfetto;
extern const struct report_exporter report_export_speedscope;
extern const struct report_exporter report_export_folded;
extern const struct report_exporter report_export_callgrind;
extern const struct report_exporter report_export_html;
extern const struct report_exporter report_export_csv;
extern const struct report_exporter report_export_json;
extern const struct report_exporter report_export_sqlite;

/* The timeline of a run on a GPU. */
enum sonde_status report_export_run_chrome(const struct report_run_export *run,
                                           struct report_text *text, struct sonde_error *error);
enum sonde_status report_export_run_perfetto(const struct report_run_export *run,
                                             struct report_text *text, struct sonde_error *error);

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
