/* The tables of a call flow: their columns, and what their rows are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/callflow.h"
#include "report/export.h"

enum { INDENT = 1, DEEPEST_INDENT = 20 };

static const struct analyze_function *function_of(const struct report_row *row)
{
    return &row->flow->functions[row->index];
}

static const struct analyze_edge *edge_of(const struct report_row *row)
{
    return &row->flow->edges[row->index];
}

static const struct analyze_node *node_of(const struct report_row *row)
{
    return &row->flow->nodes[row->index];
}

static const struct analyze_span *span_of(const struct report_row *row)
{
    return &row->flow->spans[row->index];
}

/* A function that fills a cell with a number from one of them. */
#define FILL(function, of, expression)                                                             \
    static void function(const struct report_row *row, struct report_cell *cell)                   \
    {                                                                                              \
        cell->number = of(row)->expression;                                                        \
        cell->whole = row->flow->cycles;                                                           \
    }

FILL(function_address, function_of, address)
FILL(function_calls, function_of, calls)
FILL(function_self, function_of, self)
FILL(function_total, function_of, total)
FILL(function_minimum, function_of, minimum)
FILL(function_percentile, function_of, percentile_95)
FILL(function_maximum, function_of, maximum)
FILL(function_stack, function_of, peak_stack)
FILL(function_unwound, function_of, unwound)
FILL(edge_calls, edge_of, calls)
FILL(edge_total, edge_of, total)
FILL(node_calls, node_of, calls)
FILL(node_self, node_of, self)
FILL(node_total, node_of, total)
FILL(span_begin, span_of, begin)
FILL(span_end, span_of, end)
FILL(span_self, span_of, self)
FILL(span_total, span_of, total)
FILL(span_stack, span_of, stack)
FILL(span_sp, span_of, sp)

static void function_name(const struct report_row *row, struct report_cell *cell)
{
    cell->name = function_of(row)->name;
}

static void function_kind(const struct report_row *row, struct report_cell *cell)
{
    cell->name = analyze_function_kind_name(function_of(row)->kind);
}

static void function_mean(const struct report_row *row, struct report_cell *cell)
{
    cell->number = function_of(row)->sum;
    cell->whole = function_of(row)->calls;
}

static void edge_caller(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->flow->functions[edge_of(row)->caller].name;
}

static void edge_callee(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->flow->functions[edge_of(row)->callee].name;
}

static void row_depth(const struct report_row *row, struct report_cell *cell)
{
    cell->number = row->depth;
}

static void node_name(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->flow->functions[node_of(row)->function].name;
}

static void span_name(const struct report_row *row, struct report_cell *cell)
{
    cell->name = row->flow->functions[span_of(row)->function].name;
}

static void indent(const struct report_row *row, const char *name, struct report_cell *cell)
{
    unsigned depth = row->depth < DEEPEST_INDENT ? row->depth : DEEPEST_INDENT;
    snprintf(cell->text, sizeof cell->text, "%*s%s%.40s", (int)(depth * INDENT), "",
             depth < row->depth ? "~" : "", name);
}

static void node_tree(const struct report_row *row, struct report_cell *cell)
{
    indent(row, row->flow->functions[node_of(row)->function].name, cell);
}

static void span_tree(const struct report_row *row, struct report_cell *cell)
{
    indent(row, row->flow->functions[span_of(row)->function].name, cell);
}

static void span_notes(const struct report_row *row, struct report_cell *cell)
{
    static const struct {
        unsigned flag;
        const char *name;
    } notes[] = {
        {ANALYZE_SPAN_TAIL, "tail-called"},
        {ANALYZE_SPAN_JUMPED, "jumped-away"},
        {ANALYZE_SPAN_UNWOUND, "unwound"},
        {ANALYZE_SPAN_OPEN, "not-ended"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        if ((span_of(row)->flags & notes[i].flag) == 0)
            continue;
        size_t used = strlen(cell->text);
        snprintf(cell->text + used, sizeof cell->text - used, "%s%s", used > 0 ? " " : "",
                 notes[i].name);
    }
}

static const struct report_column function_columns[] = {
    {"function", "FUNCTION", REPORT_CELL_TEXT, "name of the function", function_name},
    {"kind", "KIND", REPORT_CELL_TEXT, "function, unmarked code, interrupt, sleep or lost",
     function_kind},
    {"address", "ADDRESS", REPORT_CELL_HEX, "of the function, or of the interrupt's vector",
     function_address},
    {"calls", "CALLS", REPORT_CELL_COUNT, "how often it was entered", function_calls},
    {"self", "SELF", REPORT_CELL_COUNT, "its own cycles", function_self},
    {"self-share", "SELF%", REPORT_CELL_SHARE, "their share of the run", function_self},
    {"total", "TOTAL", REPORT_CELL_COUNT,
     "cycles with callees, of outermost calls, without interrupts and sleep", function_total},
    {"total-share", "TOTAL%", REPORT_CELL_SHARE, "their share of the run", function_total},
    {"min", "MIN", REPORT_CELL_COUNT, "the shortest call, with callees", function_minimum},
    {"mean", "MEAN", REPORT_CELL_RATIO, "a call in the mean, with callees", function_mean},
    {"p95", "P95", REPORT_CELL_COUNT, "95 of 100 calls take no longer", function_percentile},
    {"max", "MAX", REPORT_CELL_COUNT, "the longest call, with callees", function_maximum},
    {"stack", "STACK", REPORT_CELL_COUNT,
     "bytes below its return address at most, as seen at events", function_stack},
    {"unwound", "UNWOUND", REPORT_CELL_COUNT, "calls that ended without an exit of their own",
     function_unwound},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

static const struct report_column edge_columns[] = {
    {"caller", "CALLER", REPORT_CELL_TEXT, "function that calls", edge_caller},
    {"callee", "CALLEE", REPORT_CELL_TEXT, "function that is called", edge_callee},
    {"calls", "CALLS", REPORT_CELL_COUNT, "how often", edge_calls},
    {"total", "TOTAL", REPORT_CELL_COUNT,
     "cycles of the callee in these calls, inner calls of a recursion left out", edge_total},
    {"total-share", "TOTAL%", REPORT_CELL_SHARE, "their share of the run", edge_total},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

static const struct report_column node_columns[] = {
    {"depth", "DEPTH", REPORT_CELL_NUMBER, "callers above it", row_depth},
    {"function", "FUNCTION", REPORT_CELL_TEXT, "name of the function", node_name},
    {"tree", "CALL", REPORT_CELL_TEXT, "the name, indented by depth", node_tree},
    {"calls", "CALLS", REPORT_CELL_COUNT, "calls on this path", node_calls},
    {"self", "SELF", REPORT_CELL_COUNT, "own cycles on this path", node_self},
    {"total", "TOTAL", REPORT_CELL_COUNT, "with callees", node_total},
    {"total-share", "TOTAL%", REPORT_CELL_SHARE, "their share of the run", node_total},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

static const struct report_column span_columns[] = {
    {"cycle", "CYCLE", REPORT_CELL_NUMBER, "when it was entered", span_begin},
    {"end", "END", REPORT_CELL_NUMBER, "when it was left", span_end},
    {"total", "TOTAL", REPORT_CELL_COUNT, "cycles with callees, without interrupts and sleep",
     span_total},
    {"self", "SELF", REPORT_CELL_COUNT, "its own cycles", span_self},
    {"depth", "DEPTH", REPORT_CELL_NUMBER, "calls and interrupts around it", row_depth},
    {"function", "FUNCTION", REPORT_CELL_TEXT, "name of the function", span_name},
    {"tree", "CALL", REPORT_CELL_TEXT, "the name, indented by depth", span_tree},
    {"task", "TASK", REPORT_CELL_NUMBER, "the stack that it is on, 0 = main", span_stack},
    {"sp", "SP", REPORT_CELL_HEX, "stack pointer at entry", span_sp},
    {"notes", "NOTES", REPORT_CELL_TEXT, "how it began or ended, when not by call and return",
     span_notes},
    {NULL, NULL, REPORT_CELL_TEXT, NULL, NULL},
};

static struct report_row *new_rows(size_t count)
{
    return calloc(count + 1, sizeof(struct report_row));
}

static bool function_rows(const struct analyze_callflow *flow,
                          const struct analyze_matcher *matcher, const struct report_filter *filter,
                          struct report_row **rows, size_t *count)
{
    (void)filter;
    *rows = new_rows(flow->function_count);
    *count = 0;
    for (size_t i = 0; i < flow->function_count && *rows != NULL; i++) {
        if (flow->functions[i].calls > 0 &&
            analyze_matcher_accepts(matcher, flow->functions[i].name))
            (*rows)[(*count)++] = (struct report_row){.flow = flow, .index = i};
    }
    return *rows != NULL;
}

static bool edge_rows(const struct analyze_callflow *flow, const struct analyze_matcher *matcher,
                      const struct report_filter *filter, struct report_row **rows, size_t *count)
{
    (void)filter;
    *rows = new_rows(flow->edge_count);
    *count = 0;
    for (size_t i = 0; i < flow->edge_count && *rows != NULL; i++) {
        if (analyze_matcher_accepts(matcher, flow->functions[flow->edges[i].caller].name) ||
            analyze_matcher_accepts(matcher, flow->functions[flow->edges[i].callee].name))
            (*rows)[(*count)++] = (struct report_row){.flow = flow, .index = i};
    }
    return *rows != NULL;
}

static bool span_rows(const struct analyze_callflow *flow, const struct analyze_matcher *matcher,
                      const struct report_filter *filter, struct report_row **rows, size_t *count)
{
    *rows = new_rows(flow->span_count);
    *count = 0;
    for (size_t i = 0; i < flow->span_count && *rows != NULL; i++) {
        const struct analyze_span *span = &flow->spans[i];
        if (report_filter_accepts(filter, span) &&
            analyze_matcher_accepts(matcher, flow->functions[span->function].name))
            (*rows)[(*count)++] =
                (struct report_row){.flow = flow, .index = i, .depth = span->depth};
    }
    return *rows != NULL;
}

/* Children of a node, heaviest first. */
struct heavy {
    const struct analyze_callflow *flow;
    size_t index;
};

static int compare_heavy(const void *a, const void *b)
{
    const struct heavy *x = a, *y = b;
    const struct analyze_node *left = &x->flow->nodes[x->index], *right = &y->flow->nodes[y->index];
    if (left->parent != right->parent)
        return left->parent < right->parent ? -1 : 1;
    if (left->total != right->total)
        return left->total > right->total ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

struct walk {
    const struct analyze_callflow *flow;
    const struct heavy *sorted; /* by parent, then heaviest first; roots last */
    const size_t *first;        /* of a node's children in `sorted` */
    const struct analyze_matcher *matcher;
    struct report_row *rows;
    size_t count;
};

/* The children of `parent` and all below them, depth first. An explicit stack
 * of positions, because a recursion may be as deep as the firmware's. */
static void walk_nodes(struct walk *walk, size_t *positions)
{
    const struct analyze_callflow *flow = walk->flow;
    size_t depth = 0;
    positions[0] = walk->first[flow->node_count];
    for (;;) {
        size_t at = positions[depth];
        uint32_t parent =
            depth == 0 ? ANALYZE_NONE : (uint32_t)walk->sorted[positions[depth - 1] - 1].index;
        if (at == flow->node_count || flow->nodes[walk->sorted[at].index].parent != parent) {
            if (depth == 0)
                return;
            depth--;
            continue;
        }
        positions[depth]++;
        size_t node = walk->sorted[at].index;
        if (analyze_matcher_accepts(walk->matcher,
                                    flow->functions[flow->nodes[node].function].name))
            walk->rows[walk->count++] =
                (struct report_row){.flow = flow, .index = node, .depth = (unsigned)depth};
        positions[++depth] = walk->first[node];
    }
}

static bool node_rows(const struct analyze_callflow *flow, const struct analyze_matcher *matcher,
                      const struct report_filter *filter, struct report_row **rows, size_t *count)
{
    (void)filter;
    size_t n = flow->node_count;
    struct heavy *sorted = calloc(n + 1, sizeof *sorted);
    size_t *first = calloc(n + 1, sizeof *first), *positions = calloc(n + 2, sizeof *positions);
    *rows = new_rows(n);
    bool made = sorted != NULL && first != NULL && positions != NULL && *rows != NULL;
    if (made) {
        for (size_t i = 0; i < n; i++) {
            sorted[i] = (struct heavy){flow, i};
            first[i] = n;
        }
        qsort(sorted, n, sizeof *sorted, compare_heavy);
        first[n] = n;
        for (size_t i = n; i-- > 0;) {
            uint32_t parent = flow->nodes[sorted[i].index].parent;
            first[parent == ANALYZE_NONE ? n : parent] = i;
        }
        struct walk walk = {flow, sorted, first, matcher, *rows, 0};
        walk_nodes(&walk, positions);
        *count = walk.count;
    }
    free(sorted);
    free(first);
    free(positions);
    return made;
}

static const struct report_callflow_view views[] = {
    {{"functions", "functions of a firmware and their cycles", function_columns,
      "function,calls,self,self-share,total,min,mean,p95,max,stack", "self,function", false, false},
     "function,kind,address,calls,self,self-share,total,min,mean,p95,max,stack,unwound",
     function_rows},
    {{"calls", "which function calls which", edge_columns, "caller,callee,calls,total,total-share",
      "total,calls,caller,callee", false, false},
     NULL,
     edge_rows},
    {{"tree", "calling paths, the heaviest first", node_columns,
      "total,total-share,self,calls,tree", "", false, false},
     "depth,function,calls,self,total",
     node_rows},
    {{"replay", "every call in order of time", span_columns, "cycle,total,self,tree,notes", "",
      false, false},
     "cycle,end,total,self,depth,function,task,sp,notes",
     span_rows},
};

const struct report_callflow_view *report_callflow_view_at(size_t index)
{
    return index < sizeof views / sizeof *views ? &views[index] : NULL;
}
