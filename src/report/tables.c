#include "report/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/records.h"
#include "report/rows.h"

typedef unsigned long long ull;

static uint64_t lost_records(const struct sonde_trace *trace)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        lost += sonde_trace_loss(trace, i)->records;
    return lost;
}

bool report_table_was_run(const struct report_table *table, const struct sonde_trace *trace)
{
    size_t length = strlen(table->view.name);
    if (sonde_trace_counters_count(trace) + sonde_trace_record_totals_count(trace) == 0)
        return false;
    if (table->analyze == analyze_schema || table->analyze == analyze_histograms)
        return analyze_schema_has(trace, table->analyze == analyze_histograms);
    if (table->analyze == analyze_channel_values)
        return analyze_values_exist(trace);
    /* A schema may have results for the table. */
    for (size_t i = 0; i < sonde_trace_counters_count(trace); i++)
        if (strcmp(sonde_trace_counters(trace, i)->tool, table->view.name) == 0)
            return true;
    for (size_t i = 0; i < sonde_trace_process_count(trace); i++) {
        const char *list = sonde_trace_process(trace, i)->tools;
        while (list != NULL && *list != '\0') {
            size_t word = strcspn(list, ",");
            if (word == length && strncmp(list, table->view.name, length) == 0)
                return true;
            list += word;
            list += *list == ',';
        }
    }
    return false;
}

bool report_table_is_on_request(const struct report_table *table)
{
    return table->analyze == analyze_channel_values;
}

static void print_heading(const struct report_table *table, const struct analyze_rows *rows,
                          const struct report_options *options, struct report_text *text)
{
    (void)options;
    report_text_add(text, "%s: %s\n", table->view.name, table->view.summary);
    if (rows->note[0] != '\0')
        report_text_add(text, "%s\n", rows->note);
    if (rows->lost > 0)
        report_text_add(text, "INCOMPLETE: %llu records were lost\n", (ull)rows->lost);
    if (rows->missing > 0)
        report_text_add(text, "INCOMPLETE: %llu bytes of records are missing from the file\n",
                        (ull)rows->missing);
}

static bool same_kernel(const struct report_row *a, const struct report_row *b)
{
    return a->record->kernel == b->record->kernel;
}

/* Rows are sorted by what was asked for: text has a heading where the kernel changes. */
static void print_text(const struct report_layout *layout, const struct report_row *rows,
                       size_t count, const struct report_options *options, struct report_text *text)
{
    for (size_t first = 0; first < count;) {
        const struct sonde_trace_kernel *kernel = rows[first].record->kernel;
        size_t next = first + 1;
        while (next < count && same_kernel(&rows[first], &rows[next]))
            next++;
        report_text_add(text, "\n%s%s%s: SIMD%u, hash %016llx\n", options->color ? "\033[1m" : "",
                        kernel->name, options->color ? "\033[0m" : "", kernel->simd_width,
                        (ull)kernel->hash);
        size_t shown = next - first;
        if (options->limit > 0 && shown > options->limit)
            shown = options->limit;
        report_rows_print_text(layout, rows + first, shown, text);
        first = next;
    }
    if (count == 0)
        report_text_add(text, "nothing was found\n");
}

static void print(const struct report_table *table, const struct report_layout *layout,
                  const struct analyze_rows *from, const struct report_row *rows,
                  const struct report_options *options, struct report_text *text,
                  struct report_json *json)
{
    size_t count = from->count;
    if (options->format != REPORT_FORMAT_TEXT && options->limit > 0 && count > options->limit)
        count = options->limit;
    switch (options->format) {
    case REPORT_FORMAT_TEXT:
        print_heading(table, from, options, text);
        print_text(layout, rows, count, options, text);
        break;
    case REPORT_FORMAT_CSV:
        report_rows_print_csv_heading(layout, text);
        report_rows_print_csv(layout, rows, count, text);
        break;
    case REPORT_FORMAT_JSON:
        report_json_begin_object(json, NULL);
        report_json_string(json, "tool", table->view.name);
        report_json_number(json, "lost_records", from->lost);
        report_json_number(json, "missing_bytes", from->missing);
        report_json_string(json, "note", from->note);
        report_rows_print_json(layout, rows, count, json);
        report_json_end_object(json);
        break;
    }
}

static bool has_sources(const struct analyze_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].source[0] != '\0')
            return true;
    return false;
}

enum sonde_status report_table_print(const struct report_table *table,
                                     const struct sonde_trace *trace,
                                     const struct analyze_matcher *matcher,
                                     const struct report_options *options, struct report_text *text,
                                     struct report_json *json, uint64_t *lost,
                                     struct sonde_error *error)
{
    struct report_layout layout;
    struct analyze_rows from = {.lost = lost_records(trace),
                                .missing = analyze_records_missing(trace)};
    const char *flat = options->format == REPORT_FORMAT_TEXT ? NULL : "kernel,hash";
    struct report_view view = table->view;
    char columns[512];
    *lost = from.lost + (from.missing > 0);
    /* A wrong column is said before a long analysis. */
    enum sonde_status status = report_layout_select(&view, options, flat, &layout, error);
    if (status == SONDE_OK)
        status = table->analyze(trace, matcher, &from, error);
    if (status == SONDE_OK)
        analyze_rows_locate(&from);
    /* JSON rows stand in one list too: they need the kernel. */
    snprintf(columns, sizeof columns, "%s%s%s",
             options->format == REPORT_FORMAT_JSON ? "kernel,hash," : "",
             from.columns[0] != '\0' ? from.columns : view.default_columns,
             has_sources(&from) ? ",source" : "");
    view.default_columns = columns;
    if (status == SONDE_OK)
        status = report_layout_select(&view, options, flat, &layout, error);
    struct report_row *rows = status == SONDE_OK ? calloc(from.count + 1, sizeof *rows) : NULL;
    if (status == SONDE_OK && rows == NULL)
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (status == SONDE_OK) {
        for (size_t i = 0; i < from.count; i++)
            rows[i].record = &from.items[i];
        report_rows_sort(&layout, rows, from.count);
        print(table, &layout, &from, rows, options, text, json);
    }
    free(rows);
    analyze_rows_clear(&from);
    if (status == SONDE_OK && text->failed)
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    return status;
}
