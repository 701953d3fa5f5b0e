/* Frames open and close, and cycles pass between. */
#include "analyze/callflow_internal.h"
#include "base/array.h"

static struct callflow_stack *stack_of(const struct callflow_builder *builder)
{
    return &builder->stacks[builder->current];
}

struct callflow_frame *callflow_top(struct callflow_builder *builder)
{
    struct callflow_stack *stack = stack_of(builder);
    return &stack->frames[stack->count - 1];
}

enum analyze_function_kind callflow_kind(const struct callflow_builder *builder,
                                         const struct callflow_frame *frame)
{
    const struct analyze_callflow *flow = builder->flow;
    return flow->functions[flow->spans[frame->span].function].kind;
}

/* An interrupt begins anew: what it preempted is not its caller. */
static bool is_called(enum analyze_function_kind kind)
{
    return kind == ANALYZE_FUNCTION;
}

static void add_step(struct callflow_builder *builder, enum analyze_step_kind kind, uint32_t index)
{
    struct analyze_callflow *flow = builder->flow;
    if (base_array_reserve((void **)&flow->steps, &flow->step_capacity, flow->step_count + 1,
                           sizeof *flow->steps) != SONDE_OK) {
        builder->failed = true;
        return;
    }
    flow->steps[flow->step_count++] =
        (struct analyze_step){.cycle = builder->now, .index = index, .kind = (uint8_t)kind};
}

/* Whether the function is active among the callers of a new call. */
static bool is_active(struct callflow_builder *builder, uint32_t function)
{
    const struct analyze_callflow *flow = builder->flow;
    const struct callflow_stack *stack = stack_of(builder);
    if (flow->functions[function].active == 0 || !is_called(flow->functions[function].kind))
        return false;
    for (size_t i = stack->count; i-- > 0;) {
        uint32_t other = flow->spans[stack->frames[i].span].function;
        if (other == function)
            return true;
        if (!is_called(flow->functions[other].kind))
            return false;
    }
    return false;
}

static uint32_t node_of(struct callflow_builder *builder, uint32_t function)
{
    struct callflow_stack *stack = stack_of(builder);
    bool called = is_called(builder->flow->functions[function].kind) && stack->count > 0;
    uint32_t parent = called ? callflow_top(builder)->node : ANALYZE_NONE;
    uint32_t node = callflow_node(builder, parent, function);
    if (node == ANALYZE_NONE)
        builder->failed = true;
    return node;
}

void callflow_open(struct callflow_builder *builder, uint32_t function, uint32_t sp, uint16_t flags)
{
    struct analyze_callflow *flow = builder->flow;
    struct callflow_stack *stack = stack_of(builder);
    if (builder->failed || function == ANALYZE_NONE || flow->span_count >= ANALYZE_NONE - 1 ||
        base_array_reserve((void **)&flow->spans, &flow->span_capacity, flow->span_count + 1,
                           sizeof *flow->spans) != SONDE_OK ||
        base_array_reserve((void **)&stack->frames, &stack->capacity, stack->count + 1,
                           sizeof *stack->frames) != SONDE_OK) {
        builder->failed = true;
        return;
    }
    uint32_t node = node_of(builder, function);
    if (builder->failed)
        return;
    if (is_active(builder, function))
        flags |= ANALYZE_SPAN_RECURSIVE;
    uint32_t index = (uint32_t)flow->span_count++;
    flow->spans[index] = (struct analyze_span){
        .begin = builder->now,
        .function = function,
        .parent = stack->count > 0 ? callflow_top(builder)->span : ANALYZE_NONE,
        .stack = builder->current,
        .depth = (uint32_t)stack->count,
        .sp = sp,
        .flags = flags,
    };
    stack->frames[stack->count++] =
        (struct callflow_frame){.span = index, .node = node, .sp = sp, .lowest = sp};
    flow->functions[function].active++;
    flow->nodes[node].calls++;
    add_step(builder, ANALYZE_STEP_OPEN, index);
}

static void count_call(struct callflow_builder *builder, const struct analyze_span *span,
                       const struct callflow_frame *frame)
{
    struct analyze_callflow *flow = builder->flow;
    struct analyze_function *function = &flow->functions[span->function];
    bool recursive = (span->flags & ANALYZE_SPAN_RECURSIVE) != 0;
    function->calls++;
    function->active--;
    function->self += span->self;
    function->sum += span->total;
    function->total += recursive ? 0 : span->total;
    function->unwound += (span->flags & ANALYZE_SPAN_UNWOUND) != 0;
    if (frame->sp - frame->lowest > function->peak_stack)
        function->peak_stack = frame->sp - frame->lowest;
    if (!callflow_distribution_add(&function->distribution, span->total))
        builder->failed = true;
    flow->cycles_of[function->kind] += span->self;
    flow->nodes[frame->node].self += span->self;
    if (span->parent == ANALYZE_NONE || !is_called(function->kind))
        return;
    uint32_t edge = callflow_edge(builder, flow->spans[span->parent].function, span->function);
    if (edge == ANALYZE_NONE) {
        builder->failed = true;
        return;
    }
    flow->edges[edge].calls++;
    flow->edges[edge].total += recursive ? 0 : span->total;
}

void callflow_close(struct callflow_builder *builder, uint16_t flags)
{
    struct analyze_callflow *flow = builder->flow;
    struct callflow_stack *stack = stack_of(builder);
    struct callflow_frame frame = *callflow_top(builder);
    struct analyze_span *span = &flow->spans[frame.span];
    span->end = builder->now;
    span->total = span->self + frame.children;
    span->flags |= flags;
    count_call(builder, span, &frame);
    add_step(builder, ANALYZE_STEP_CLOSE, frame.span);
    stack->count--;
    if (stack->count == 0)
        return;
    struct callflow_frame *below = callflow_top(builder);
    if (is_called(flow->functions[span->function].kind))
        below->children += span->total;
    if (frame.lowest < below->lowest)
        below->lowest = frame.lowest;
}

void callflow_close_to(struct callflow_builder *builder, size_t count, uint16_t flags)
{
    while (stack_of(builder)->count > count) {
        enum analyze_function_kind kind = callflow_kind(builder, callflow_top(builder));
        callflow_close(builder, kind == ANALYZE_SLEEP ? 0 : flags);
    }
}

static void charge(struct callflow_builder *builder, uint64_t cycle)
{
    builder->flow->spans[callflow_top(builder)->span].self += cycle - builder->now;
    builder->now = cycle;
}

void callflow_pass_time(struct callflow_builder *builder, uint64_t cycle)
{
    const struct callflow_frame *top = callflow_top(builder);
    if (top->is_exiting) {
        uint64_t end = top->exit_cycle + top->exit_cost;
        charge(builder, end < cycle ? end : cycle);
        callflow_close(builder, 0);
    }
    charge(builder, cycle);
}
