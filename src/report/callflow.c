#include "report/callflow.h"

#include <stdlib.h>
#include <string.h>

#include "report/rows.h"

typedef unsigned long long ull;

/* Kinds in the order in which they are shown. */
static const struct {
    enum analyze_function_kind kind;
    const char *title;
    const char *key;
} parts[ANALYZE_FUNCTION_KIND_COUNT] = {
    {ANALYZE_FUNCTION, "functions", "function_cycles"},
    {ANALYZE_UNMARKED, "unmarked code", "unmarked_cycles"},
    {ANALYZE_INTERRUPT, "interrupts", "interrupt_cycles"},
    {ANALYZE_SLEEP, "sleep", "idle_cycles"},
    {ANALYZE_LOST, "lost", "lost_cycles"},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void report_callflow_summary_text(const struct analyze_callflow *flow, bool color,
                                  struct report_text *text)
{
    const struct sonde_trace_header *header = sonde_trace_header(flow->trace);
    const struct sonde_trace_firmware_end *end = sonde_trace_firmware_end(flow->trace);
    report_text_add(text, "%s%s%s on %s: %llu cycles, %s\n", color ? "\033[1m" : "",
                    base_name(header->program), color ? "\033[0m" : "", header->device,
                    (ull)flow->cycles,
                    end != NULL ? end->reason : "INCOMPLETE: the end was not recorded");
    for (size_t i = 0; i < ANALYZE_FUNCTION_KIND_COUNT; i++) {
        uint64_t cycles = flow->cycles_of[parts[i].kind];
        if (cycles > 0)
            report_text_add(text, "  %-14s %12llu  %6.2f%%\n", parts[i].title, (ull)cycles,
                            100.0 * (double)cycles / (double)flow->cycles);
    }
    report_text_add(text, "  main stack     %12llu  bytes at most, as seen at events\n",
                    (ull)flow->peak_stack);
    if (flow->stack_count > 1)
        report_text_add(text, "  stacks         %12zu\n", flow->stack_count);
    if (flow->lost > 0)
        report_text_add(text, "INCOMPLETE: %llu events were lost\n", (ull)flow->lost);
    if (flow->orphans > 0)
        report_text_add(text, "%llu exits belong to no call that was seen\n", (ull)flow->orphans);
}

void report_callflow_summary_json(const struct analyze_callflow *flow, struct report_json *json)
{
    const struct sonde_trace_firmware_end *end = sonde_trace_firmware_end(flow->trace);
    report_json_begin_object(json, "callflow");
    report_json_number(json, "cycles", flow->cycles);
    for (size_t i = 0; i < ANALYZE_FUNCTION_KIND_COUNT; i++)
        report_json_number(json, parts[i].key, flow->cycles_of[parts[i].kind]);
    report_json_number(json, "peak_stack", flow->peak_stack);
    report_json_number(json, "stacks", flow->stack_count);
    report_json_number(json, "orphan_exits", flow->orphans);
    report_json_number(json, "lost_events", flow->lost);
    report_json_string(json, "end", end != NULL ? end->reason : NULL);
    report_json_end_object(json);
}

static void print_rows(const struct report_layout *layout, const struct report_row *rows,
                       size_t count, const struct report_options *options,
                       const struct report_callflow_view *view, struct report_text *text,
                       struct report_json *json)
{
    switch (options->format) {
    case REPORT_FORMAT_TEXT:
        report_text_add(text, "\n%s%s%s: %s\n", options->color ? "\033[1m" : "", view->view.name,
                        options->color ? "\033[0m" : "", view->view.summary);
        report_rows_print_text(layout, rows, count, text);
        break;
    case REPORT_FORMAT_CSV:
        report_rows_print_csv_heading(layout, text);
        report_rows_print_csv(layout, rows, count, text);
        break;
    case REPORT_FORMAT_JSON:
        report_json_begin_object(json, NULL);
        report_json_string(json, "tool", view->view.name);
        report_rows_print_json(layout, rows, count, json);
        report_json_end_object(json);
        break;
    }
}

enum sonde_status
report_callflow_print(const struct analyze_callflow *flow, const struct report_callflow_view *view,
                      const struct analyze_matcher *matcher, const struct report_options *options,
                      struct report_text *text, struct report_json *json, struct sonde_error *error)
{
    struct report_layout layout;
    struct report_view shown = view->view;
    if (options->format != REPORT_FORMAT_TEXT && view->flat_columns != NULL)
        shown.default_columns = view->flat_columns;
    enum sonde_status status = report_layout_select(&shown, options, NULL, &layout, error);
    if (status != SONDE_OK)
        return status;
    struct report_row *rows;
    size_t count = 0;
    if (!view->rows(flow, matcher, &options->filter, &rows, &count)) {
        free(rows);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    report_rows_sort(&layout, rows, count);
    if (options->limit > 0 && count > options->limit)
        count = options->limit;
    print_rows(&layout, rows, count, options, view, text, json);
    free(rows);
    return text->failed ? sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory") : SONDE_OK;
}
