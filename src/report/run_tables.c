#include "report/sources.h"
#include "report/run_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/timeline.h"
#include "report/run_columns.h"
#include "report/tables.h"

enum { MAXIMUM_TOOLS = 32 };

struct walk {
    const struct sonde_trace *trace;
    const struct analyze_matcher *matcher;
    const char *wanted;
    const struct report_table_sink *sink;
    struct sonde_error *error;
    bool found;
    char names[400]; /* of all tables */
};

/* Whether the table is to be written. */
static bool takes(struct walk *walk, const char *name)
{
    size_t used = strlen(walk->names);
    snprintf(walk->names + used, sizeof walk->names - used, "%s%s", used > 0 ? ", " : "", name);
    bool takes = walk->wanted == NULL || strcmp(walk->wanted, name) == 0;
    walk->found = walk->found || takes;
    return takes;
}

static enum sonde_status sink_failed(const struct walk *walk)
{
    return sonde_error_set(walk->error, SONDE_ERROR_IO, 0, "the export could not be written");
}

static enum sonde_status put_table(struct walk *walk, const struct report_view *view,
                                   struct report_row *rows, size_t count)
{
    const struct report_table_sink *sink = walk->sink;
    struct report_layout layout;
    report_layout_all(view, &layout);
    report_rows_sort(&layout, rows, count);
    bool good = sink->begin(sink->context, view->name, &layout) &&
                sink->rows(sink->context, rows, count) && sink->end(sink->context);
    return good ? SONDE_OK : sink_failed(walk);
}

/* --- kernels, dispatches, threads ------------------------------------------------- */

static enum sonde_status put_indexed(struct walk *walk, const struct report_view *view,
                                     size_t count)
{
    if (!takes(walk, view->name))
        return SONDE_OK;
    struct report_row *rows = calloc(count + 1, sizeof *rows);
    if (rows == NULL)
        return sonde_error_set(walk->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    size_t kept = 0;
    if (view == &report_dispatches_view)
        for (size_t i = 0; i < sonde_trace_record_totals_count(walk->trace); i++) {
            const struct sonde_trace_record_totals *totals =
                sonde_trace_record_totals(walk->trace, i);
            rows[totals->dispatch].totals = totals;
        }
    for (size_t i = 0; i < count; i++) {
        const struct sonde_trace_kernel *kernel = sonde_trace_kernel(
            walk->trace,
            view == &report_kernels_view ? i : sonde_trace_dispatch(walk->trace, i)->kernel);
        if (analyze_matcher_accepts_kernel(walk->matcher, kernel))
            rows[kept++] =
                (struct report_row){.trace = walk->trace, .index = i, .totals = rows[i].totals};
    }
    enum sonde_status status = put_table(walk, view, rows, kept);
    free(rows);
    return status;
}

static bool put_thread(void *context, enum analyze_span_kind kind,
                       const struct analyze_tick_span *span)
{
    struct walk *walk = context;
    const struct report_row row = {.span = span};
    return kind != ANALYZE_SPAN_THREAD || walk->sink->rows(walk->sink->context, &row, 1);
}

static enum sonde_status put_threads(struct walk *walk)
{
    const struct report_table_sink *sink = walk->sink;
    struct report_layout layout;
    if (sonde_trace_records_count(walk->trace) == 0 || !takes(walk, report_threads_view.name))
        return SONDE_OK;
    report_layout_all(&report_threads_view, &layout);
    struct analyze_timeline_sink threads = {.close = put_thread, .context = walk};
    if (!sink->begin(sink->context, report_threads_view.name, &layout))
        return sink_failed(walk);
    enum sonde_status status =
        analyze_timeline_walk(walk->trace, walk->matcher, &threads, walk->error);
    if (status == SONDE_OK && !sink->end(sink->context))
        status = sink_failed(walk);
    return status;
}

/* --- tools -------------------------------------------------------------------------- */

static enum sonde_status put_profile(struct walk *walk, const char *tool)
{
    struct analyze_profile *profile;
    struct report_view view = *report_view_of_tool(tool);
    view.name = tool;
    if (!takes(walk, tool))
        return SONDE_OK;
    enum sonde_status status =
        analyze_profile_create(walk->trace, tool, walk->matcher, &profile, walk->error);
    if (status != SONDE_OK)
        return status;
    size_t count = 0, filled = 0;
    for (size_t k = 0; k < profile->kernel_count; k++)
        count +=
            view.by_block ? profile->kernels[k].kernel->block_count : profile->kernels[k].mix.count;
    struct report_row *rows = calloc(count + 1, sizeof *rows);
    report_source *sources = calloc(count + 1, sizeof *sources);
    for (size_t k = 0; k < profile->kernel_count && rows != NULL && sources != NULL; k++) {
        const struct analyze_kernel *kernel = &profile->kernels[k];
        size_t here = view.by_block ? kernel->kernel->block_count : kernel->mix.count;
        for (size_t i = 0; i < here; i++)
            rows[filled++] = (struct report_row){
                .kernel = kernel,
                .whole = &kernel->mix,
                .block = i,
                .kind = view.by_block ? NULL : &kernel->mix.rows[i],
            };
        report_sources_fill(kernel, view.by_block, rows + filled - here, sources + filled - here,
                            here);
    }
    status = rows == NULL || sources == NULL
                 ? sonde_error_set(walk->error, SONDE_ERROR_MEMORY, 0, "out of memory")
                 : put_table(walk, &view, rows, count);
    free(rows);
    free(sources);
    analyze_profile_destroy(profile);
    return status;
}

static enum sonde_status put_records(struct walk *walk, const struct report_table *table)
{
    struct analyze_rows from = {.items = NULL};
    if (report_table_is_on_request(table) || !report_table_was_run(table, walk->trace) ||
        !takes(walk, table->view.name))
        return SONDE_OK;
    enum sonde_status status = table->analyze(walk->trace, walk->matcher, &from, walk->error);
    if (status == SONDE_OK)
        analyze_rows_locate(&from);
    struct report_row *rows = calloc(from.count + 1, sizeof *rows);
    if (status == SONDE_OK && rows == NULL)
        status = sonde_error_set(walk->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < from.count && rows != NULL; i++)
        rows[i].record = &from.items[i];
    if (status == SONDE_OK)
        status = put_table(walk, &table->view, rows, from.count);
    free(rows);
    analyze_rows_clear(&from);
    return status;
}

enum sonde_status report_run_tables_walk(const struct sonde_trace *trace,
                                         const struct analyze_matcher *matcher, const char *wanted,
                                         const struct report_table_sink *sink,
                                         struct sonde_error *error)
{
    struct walk walk = {
        .trace = trace, .matcher = matcher, .wanted = wanted, .sink = sink, .error = error};
    const char *tools[MAXIMUM_TOOLS];
    const struct report_table *table;
    size_t count = analyze_tools_list(trace, tools, MAXIMUM_TOOLS);
    enum sonde_status status =
        put_indexed(&walk, &report_kernels_view, sonde_trace_kernel_count(trace));
    if (status == SONDE_OK)
        status = put_indexed(&walk, &report_dispatches_view, sonde_trace_dispatch_count(trace));
    if (status == SONDE_OK)
        status = put_threads(&walk);
    for (size_t i = 0; i < count && status == SONDE_OK; i++)
        status = put_profile(&walk, tools[i]);
    for (size_t i = 0; (table = report_table_at(i)) != NULL && status == SONDE_OK; i++)
        status = put_records(&walk, table);
    if (status == SONDE_OK && !walk.found)
        status = sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                                 "the run has no table '%s'; it has: %s", wanted, walk.names);
    return status;
}
