#include "report/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const struct report_exporter *const exporters[] = {
    &report_export_html,       &report_export_chrome, &report_export_perfetto,
    &report_export_speedscope, &report_export_folded, &report_export_callgrind,
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
    const struct report_walker *walker;
    struct open_spans *stacks;
    uint32_t current;
};

static struct report_piece piece_of(const struct open_spans *stack, size_t depth, uint64_t cycle,
                                    bool is_last)
{
    return (struct report_piece){
        .span = stack->items[depth], .depth = (uint32_t)depth, .cycle = cycle, .is_last = is_last};
}

static void switch_stack(struct walk *walk, uint32_t to, uint64_t cycle)
{
    const struct open_spans *from = &walk->stacks[walk->current], *next = &walk->stacks[to];
    for (size_t i = from->count; i-- > 0;) {
        struct report_piece piece = piece_of(from, i, cycle, false);
        walk->walker->close(walk->walker->context, &piece);
    }
    walk->current = to;
    for (size_t i = 0; i < next->count; i++) {
        struct report_piece piece = piece_of(next, i, cycle, false);
        walk->walker->open(walk->walker->context, &piece);
    }
}

/* Behind a reset the main stack runs without having been switched to. */
static bool open_span(struct walk *walk, const struct analyze_callflow *flow, uint32_t span,
                      uint64_t cycle)
{
    walk->current = flow->spans[span].stack;
    struct open_spans *stack = &walk->stacks[walk->current];
    if (base_array_reserve((void **)&stack->items, &stack->capacity, stack->count + 1,
                           sizeof *stack->items) != SONDE_OK)
        return false;
    stack->items[stack->count++] = span;
    struct report_piece piece = piece_of(stack, stack->count - 1, cycle, false);
    walk->walker->open(walk->walker->context, &piece);
    return true;
}

/* A span of another stack than the current one ends (at a reset or the end of
 * the run) without having a piece open. */
static void close_span(struct walk *walk, const struct analyze_span *span, uint64_t cycle)
{
    struct open_spans *stack = &walk->stacks[span->stack];
    if (stack->count == 0)
        return;
    if (span->stack == walk->current) {
        struct report_piece piece = piece_of(stack, stack->count - 1, cycle, true);
        walk->walker->close(walk->walker->context, &piece);
    }
    stack->count--;
}

bool report_callflow_walk(const struct analyze_callflow *flow, const struct report_walker *walker)
{
    struct walk walk = {.walker = walker,
                        .stacks = calloc(flow->stack_count + 1, sizeof *walk.stacks)};
    bool done = walk.stacks != NULL;
    for (size_t i = 0; i < flow->step_count && done; i++) {
        const struct analyze_step *step = &flow->steps[i];
        if (step->kind == ANALYZE_STEP_SWITCH)
            switch_stack(&walk, step->index, step->cycle);
        else if (step->kind == ANALYZE_STEP_OPEN)
            done = open_span(&walk, flow, step->index, step->cycle);
        else
            close_span(&walk, &flow->spans[step->index], step->cycle);
    }
    for (size_t i = 0; walk.stacks != NULL && i < flow->stack_count; i++)
        free(walk.stacks[i].items);
    free(walk.stacks);
    return done;
}
