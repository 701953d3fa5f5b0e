#include "report/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const struct report_exporter *const exporters[] = {
    &report_export_html,       &report_export_chrome, &report_export_perfetto,
    &report_export_speedscope, &report_export_folded, &report_export_callgrind,
    &report_export_csv,        &report_export_json,   &report_export_sqlite,
};

const struct report_exporter *report_exporter_at(size_t index)
{
    return index < sizeof exporters / sizeof *exporters ? exporters[index] : NULL;
}

const struct report_exporter *report_exporter_find(const char *name)
{
    for (size_t i = 0; i < sizeof exporters / sizeof *exporters; i++) {
        if (strcmp(exporters[i]->name, name) == 0)
            return exporters[i];
    }
    return NULL;
}

const char *report_export_title(const struct analyze_callflow *flow)
{
    const char *path = sonde_trace_header(flow->trace)->program;
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The open spans of one stack. */
struct open_spans {
    uint32_t *items;
    size_t count, capacity;
};

struct walk {
    const struct analyze_callflow *flow;
    const struct report_filter *filter;
    const struct report_walker *walker;
    struct open_spans *stacks;
    uint32_t current;
    bool is_showing; /* between the filter's `from` and `to` */
};

bool report_filter_accepts(const struct report_filter *filter, const struct analyze_span *span)
{
    return filter == NULL ||
           (span->end - span->begin >= filter->minimum &&
            (filter->depth == 0 || span->depth <= filter->depth) && span->end >= filter->from &&
            (filter->to == 0 || span->begin <= filter->to));
}

static void show(const struct walk *walk, size_t depth, uint64_t cycle, bool opens)
{
    const struct open_spans *stack = &walk->stacks[walk->current];
    struct report_piece piece = {
        .span = stack->items[depth], .depth = (uint32_t)depth, .cycle = cycle};
    if (!walk->is_showing || !report_filter_accepts(walk->filter, &walk->flow->spans[piece.span]))
        return;
    if (opens)
        walk->walker->open(walk->walker->context, &piece);
    else
        walk->walker->close(walk->walker->context, &piece);
}

static void open_all(const struct walk *walk, uint64_t cycle)
{
    for (size_t i = 0; i < walk->stacks[walk->current].count; i++)
        show(walk, i, cycle, true);
}

static void close_all(const struct walk *walk, uint64_t cycle)
{
    for (size_t i = walk->stacks[walk->current].count; i-- > 0;)
        show(walk, i, cycle, false);
}

/* Behind a reset the main stack runs without having been switched to. */
static bool open_span(struct walk *walk, uint32_t span, uint64_t cycle)
{
    walk->current = walk->flow->spans[span].stack;
    struct open_spans *stack = &walk->stacks[walk->current];
    if (base_array_reserve((void **)&stack->items, &stack->capacity, stack->count + 1,
                           sizeof *stack->items) != SONDE_OK)
        return false;
    stack->items[stack->count++] = span;
    show(walk, stack->count - 1, cycle, true);
    return true;
}

/* A span of another stack than the current one ends (at a reset or the end of
 * the run) without having a piece open. */
static void close_span(struct walk *walk, uint32_t span, uint64_t cycle)
{
    uint32_t number = walk->flow->spans[span].stack;
    struct open_spans *stack = &walk->stacks[number];
    if (number == walk->current)
        show(walk, stack->count - 1, cycle, false);
    stack->count--;
}

static bool take_step(struct walk *walk, const struct analyze_step *step)
{
    if (step->kind == ANALYZE_STEP_OPEN)
        return open_span(walk, step->index, step->cycle);
    if (step->kind == ANALYZE_STEP_CLOSE) {
        close_span(walk, step->index, step->cycle);
        return true;
    }
    close_all(walk, step->cycle);
    walk->current = step->index;
    open_all(walk, step->cycle);
    return true;
}

bool report_callflow_walk(const struct analyze_callflow *flow, const struct report_filter *filter,
                          const struct report_walker *walker)
{
    struct walk walk = {.flow = flow,
                        .filter = filter,
                        .walker = walker,
                        .stacks = calloc(flow->stack_count + 1, sizeof *walk.stacks)};
    uint64_t from = filter != NULL ? filter->from : 0;
    uint64_t to = filter != NULL && filter->to > 0 ? filter->to : UINT64_MAX;
    bool done = walk.stacks != NULL;
    walk.is_showing = from == 0;
    for (size_t i = 0; i < flow->step_count && done; i++) {
        uint64_t cycle = flow->steps[i].cycle;
        if (!walk.is_showing && cycle > from) {
            walk.is_showing = true;
            open_all(&walk, from);
        }
        if (cycle > to) {
            close_all(&walk, to);
            break;
        }
        done = take_step(&walk, &flow->steps[i]);
    }
    for (size_t i = 0; walk.stacks != NULL && i < flow->stack_count; i++)
        free(walk.stacks[i].items);
    free(walk.stacks);
    return done;
}

char **report_export_quote_names(const struct analyze_callflow *flow)
{
    char **names = calloc(flow->function_count + 1, sizeof *names);
    bool done = names != NULL;
    for (size_t i = 0; i < flow->function_count && done; i++) {
        struct report_text text = {.data = NULL};
        struct report_json json = {.text = &text};
        report_json_string(&json, NULL, flow->functions[i].name);
        names[i] = text.data;
        done = !text.failed;
    }
    if (done)
        return names;
    report_export_free_names(names, flow);
    return NULL;
}

void report_export_free_names(char **names, const struct analyze_callflow *flow)
{
    for (size_t i = 0; names != NULL && i < flow->function_count; i++)
        free(names[i]);
    free(names);
}
