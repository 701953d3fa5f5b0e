#include "flow_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/export.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct walk {
    const struct analyze_callflow *flow;
    uint64_t cycle;   /* of the last piece */
    uint64_t covered; /* cycles in which any piece is open */
    uint64_t *self;   /* by span */
    uint32_t *open;   /* innermost last */
    size_t depth;
};

static void pass(struct walk *walk, uint64_t cycle)
{
    CHECK(cycle >= walk->cycle);
    if (walk->depth > 0) {
        walk->covered += cycle - walk->cycle;
        walk->self[walk->open[walk->depth - 1]] += cycle - walk->cycle;
    }
    walk->cycle = cycle;
}

static void open_piece(void *context, const struct report_piece *piece)
{
    struct walk *walk = context;
    const struct analyze_span *span = &walk->flow->spans[piece->span];
    pass(walk, piece->cycle);
    CHECK(piece->depth == walk->depth && span->depth == walk->depth);
    CHECK(span->parent == (walk->depth > 0 ? walk->open[walk->depth - 1] : ANALYZE_NONE));
    walk->open[walk->depth++] = piece->span;
}

static void close_piece(void *context, const struct report_piece *piece)
{
    struct walk *walk = context;
    pass(walk, piece->cycle);
    CHECK(walk->depth > 0 && walk->open[--walk->depth] == piece->span);
}

static void check_walk(const struct analyze_callflow *flow)
{
    struct walk walk = {.flow = flow};
    walk.self = calloc(flow->span_count + 1, sizeof *walk.self);
    walk.open = calloc(flow->span_count + 1, sizeof *walk.open);
    struct report_walker walker = {open_piece, close_piece, &walk};
    CHECK(report_callflow_walk(flow, NULL, &walker));
    CHECK(walk.depth == 0 && walk.covered == flow->cycles);
    for (size_t i = 0; i < flow->span_count; i++)
        CHECK(walk.self[i] == flow->spans[i].self);
    free(walk.self);
    free(walk.open);
}

static void check_spans(const struct analyze_callflow *flow)
{
    uint64_t *children = calloc(flow->span_count + 1, sizeof *children), sum = 0;
    for (size_t i = flow->span_count; i-- > 0;) {
        const struct analyze_span *span = &flow->spans[i];
        CHECK(span->begin <= span->end && span->end <= flow->cycles);
        CHECK(i == 0 || flow->spans[i - 1].begin <= span->begin);
        CHECK(span->total == span->self + children[i]);
        sum += span->self;
        if (span->parent == ANALYZE_NONE)
            continue;
        CHECK(span->parent < i);
        const struct analyze_span *parent = &flow->spans[span->parent];
        CHECK(parent->begin <= span->begin && span->end <= parent->end);
        CHECK(parent->stack == span->stack);
        if (flow->functions[span->function].kind == ANALYZE_FUNCTION)
            children[span->parent] += span->total;
    }
    CHECK(sum == flow->cycles);
    free(children);
}

static void check_tables(const struct analyze_callflow *flow)
{
    uint64_t self = 0, kinds = 0, nodes = 0, calls = 0, edges = 0, called = 0;
    for (size_t i = 0; i < flow->function_count; i++) {
        const struct analyze_function *function = &flow->functions[i];
        self += function->self;
        calls += function->calls;
        CHECK(function->active == 0 && function->self <= function->total);
        CHECK(function->minimum <= function->percentile_95);
        CHECK(function->percentile_95 <= function->maximum);
    }
    for (size_t i = 0; i < ANALYZE_FUNCTION_KIND_COUNT; i++)
        kinds += flow->cycles_of[i];
    for (size_t i = 0; i < flow->node_count; i++)
        nodes += flow->nodes[i].self;
    for (size_t i = 0; i < flow->edge_count; i++)
        edges += flow->edges[i].calls;
    for (size_t i = 0; i < flow->span_count; i++)
        called += flow->spans[i].parent != ANALYZE_NONE &&
                  flow->functions[flow->spans[i].function].kind == ANALYZE_FUNCTION;
    CHECK(self == flow->cycles && kinds == flow->cycles && nodes == flow->cycles);
    CHECK(calls == flow->span_count && edges == called);
}

void flow_check(const struct analyze_callflow *flow)
{
    check_spans(flow);
    check_walk(flow);
    check_tables(flow);
}
