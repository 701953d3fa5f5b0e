/* Models to text, CSV and JSON. The columns of a report are rows of one table
 * (columns.c); the three formats print the same cells, so they agree. */
#ifndef SONDE_REPORT_REPORT_H
#define SONDE_REPORT_REPORT_H

#include "analyze/analyze.h"
#include "analyze/callflow.h"
#include "analyze/tables.h"
#include "report/text.h"

struct analyze_lines;
struct analyze_tick_span;

/* One line of a report: an instruction kind or a basic block; of a call flow a
 * function, a pair of functions, a path or a call. */
struct report_row {
    const struct analyze_kernel *kernel;  /* NULL in the total over all kernels */
    const struct analyze_mix *whole;      /* what shares are taken of */
    const struct analyze_mix_row *kind;   /* of an instruction-mix report */
    size_t block;                         /* of a block report */
    const char *source;                   /* of these two: its source lines, NULL not known */
    const struct analyze_callflow *flow;  /* of a call flow; `index` is one into */
    size_t index;                         /* its functions, edges, nodes or spans */
    const struct analyze_lines *lines;    /* of source lines, `index` is one into them */
    unsigned depth;                       /* of a path or a call */
    const struct analyze_row *record;     /* of a tool that records or counts (tables.h) */
    const struct sonde_trace *trace;      /* of a kernel or dispatch, `index` is its id */
    const struct analyze_tick_span *span; /* of a hardware thread */
    const struct sonde_trace_record_totals *totals; /* of a dispatch, NULL none */
};

enum report_cell_kind {
    REPORT_CELL_TEXT,
    REPORT_CELL_NUMBER, /* numbers something: sorted upwards */
    REPORT_CELL_COUNT,  /* how many: sorted downwards */
    REPORT_CELL_SHARE,  /* number of whole, shown in per cent */
    REPORT_CELL_HEX,
    REPORT_CELL_RATIO, /* number / whole, with two digits behind the point */
};

struct report_cell {
    char text[64];    /* REPORT_CELL_TEXT when `name` is NULL */
    const char *name; /* REPORT_CELL_TEXT, longer than `text` may be */
    uint64_t number;
    uint64_t whole;
};

struct report_column {
    const char *name;  /* on the command line, in CSV and JSON */
    const char *title; /* in text */
    enum report_cell_kind kind;
    const char *help;
    void (*fill)(const struct report_row *row, struct report_cell *cell);
};

/* One kind of report; the name is that of the tool whose counts it shows. */
struct report_view {
    const char *name;
    const char *summary;
    const struct report_column *columns; /* ends with a NULL name */
    const char *default_columns;
    const char *default_sort;
    bool has_total; /* rows can be summed over kernels */
    bool by_block;
};

const struct report_view *report_view_at(size_t index); /* NULL at the end */
/* The view of a tool; tools without one get the view of basic blocks. */
const struct report_view *report_view_of_tool(const char *tool);

enum report_format {
    REPORT_FORMAT_TEXT,
    REPORT_FORMAT_CSV,
    REPORT_FORMAT_JSON,
};

/* Which calls of a call flow to show where each is shown. */
struct report_filter {
    uint64_t minimum;  /* cycles from entry to end */
    uint32_t depth;    /* callers and interrupts around a call, at most; 0 = any */
    uint64_t from, to; /* part of the run, `to` = 0: its end */
};

struct report_options {
    enum report_format format;
    const char *columns; /* comma-separated; NULL = default; leading + adds */
    const char *sort;    /* comma-separated, leading - turns round; NULL = default */
    size_t limit;        /* rows of each kernel, 0 = all */
    bool total_only;
    bool color; /* text only */
    struct report_filter filter;
};

/* Add the report of one profile to *text. CSV and text stand on their own;
 * for JSON pass the surrounding document in `json`, in which an object is
 * added. Errors: SONDE_ERROR_ARGUMENT for a column that the view lacks. */
enum sonde_status report_profile_print(const struct analyze_profile *profile,
                                       const struct report_options *options,
                                       struct report_text *text, struct report_json *json,
                                       struct sonde_error *error);

/* What identifies a run, as keys of the open JSON object. */
void report_run_print_json(const struct sonde_trace *trace, struct report_json *json);
/* Every record of a run. */
void report_dump_text(const struct sonde_trace *trace, struct report_text *text);
void report_dump_json(const struct sonde_trace *trace, struct report_text *text);
/* What became of the records of a dispatch. */
void report_totals_dump_text(const struct sonde_trace_record_totals *totals,
                             struct report_text *text);
/* The records of a run that are selected, NULL = all: lines, and an array of the
 * open JSON object. */
struct analyze_selection;
enum sonde_status report_records_dump_text(const struct sonde_trace *trace,
                                           const struct analyze_selection *selection,
                                           struct report_text *text, struct sonde_error *error);
enum sonde_status report_records_dump_json(const struct sonde_trace *trace,
                                           const struct analyze_selection *selection,
                                           struct report_json *json, struct sonde_error *error);
/* What tools counted at instructions. */
void report_counters_dump_text(const struct sonde_trace *trace, struct report_text *text);
void report_counters_dump_json(const struct sonde_trace *trace, struct report_json *json);
/* What the kernels' arguments are, and what was bound to them. */
void report_buffers_dump_text(const struct sonde_trace *trace, struct report_text *text);
void report_buffers_dump_json(const struct sonde_trace *trace, struct report_json *json);
/* The firmware of a run and its call events; nothing for a run without. */
void report_firmware_dump_text(const struct sonde_trace *trace, struct report_text *text);
void report_firmware_dump_json(const struct sonde_trace *trace, struct report_json *json);
/* Of a run that has a firmware. */
void report_firmware_info_text(const struct sonde_trace *trace, struct report_text *text);
/* What a run is, in a few lines. */
void report_info_text(const struct sonde_trace *trace, struct report_text *text);
void report_info_json(const struct sonde_trace *trace, struct report_text *text);

#endif
