/* The events of a run, one after the other. */
#include "analyze/callflow_internal.h"

#include <stdlib.h>

#include "base/array.h"

/* The shortest call; a return and a call behind an exit take longer than any
 * jump, which is how tail calls are told apart. */
enum { SHORTEST_CALL_CYCLES = 4, INTERRUPT_FRAME_BYTES = 4 };

/* What a reset leaves in it. */
enum { UNSET_STACK_POINTER = 0 };

static size_t frame_count(const struct callflow_builder *builder)
{
    return builder->stacks[builder->current].count;
}

/* Frames with a return address below the stack pointer are gone; with
 * `replaced`, so is one exactly there. frames[0] stays, and so does one that
 * was entered behind a reset, before the stack pointer was set. */
static void unwind(struct callflow_builder *builder, uint32_t sp, bool replaced)
{
    while (frame_count(builder) > 1) {
        uint32_t top = callflow_top(builder)->sp;
        if (top == UNSET_STACK_POINTER || top > sp || (top == sp && !replaced))
            break;
        callflow_close(builder, ANALYZE_SPAN_UNWOUND);
    }
}

/* A tail call's jump: the function that ended so keeps the cycles of the jump. */
static bool take_tail_jump(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    struct callflow_frame *top = callflow_top(builder);
    if (!top->is_exiting || top->exit_sp != call->sp ||
        call->cycle - top->exit_cycle >=
            (uint64_t)builder->firmware->return_cycles + SHORTEST_CALL_CYCLES)
        return false;
    top->exit_cost = (uint32_t)(call->cycle - top->exit_cycle);
    builder->flow->spans[top->span].flags |= ANALYZE_SPAN_JUMPED;
    return true;
}

static void on_enter(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    bool tail = take_tail_jump(builder, call);
    callflow_pass_time(builder, call->cycle);
    callflow_select_stack(builder, call);
    if (builder->failed)
        return;
    unwind(builder, call->sp, true);
    callflow_open(builder, callflow_function_at(builder, call->address), call->sp,
                  tail ? ANALYZE_SPAN_TAIL : 0);
}

static void begin_exit(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    const struct callflow_stack *stack = &builder->stacks[builder->current];
    struct callflow_frame *top = callflow_top(builder);
    const struct callflow_frame *below = top - 1;
    bool is_handler = stack->count > 1 && callflow_kind(builder, below) == ANALYZE_INTERRUPT &&
                      below->sp == top->sp + INTERRUPT_FRAME_BYTES;
    top->is_exiting = true;
    top->exit_cycle = call->cycle;
    top->exit_sp = call->sp;
    top->exit_cost =
        is_handler ? builder->firmware->interrupt_return_cycles : builder->firmware->return_cycles;
}

static void on_exit_marker(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    callflow_pass_time(builder, call->cycle);
    callflow_select_stack(builder, call);
    if (builder->failed)
        return;
    uint32_t function = callflow_function_at(builder, call->address);
    size_t at = callflow_find_frame(builder, function, call->sp);
    if (at > 0)
        callflow_close_to(builder, at + 1, ANALYZE_SPAN_UNWOUND);
    else
        unwind(builder, call->sp, false);
    const struct callflow_frame *top = callflow_top(builder);
    struct analyze_span *span = &builder->flow->spans[top->span];
    /* A return with the stack pointer of the frame's entry ends the frame,
     * whichever function's code it is in. */
    bool ends_top = frame_count(builder) > 1 && callflow_kind(builder, top) == ANALYZE_FUNCTION &&
                    (span->function == function || top->sp == call->sp);
    if (!ends_top) {
        /* The exit of a switch to a task that begins belongs to another stack. */
        bool begins_task =
            builder->current != 0 && frame_count(builder) == 1 && span->begin == builder->now;
        builder->flow->orphans += !begins_task;
        return;
    }
    if (span->function != function)
        span->flags |= ANALYZE_SPAN_JUMPED;
    begin_exit(builder, call);
}

static void on_interrupt(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    callflow_pass_time(builder, call->cycle);
    callflow_select_stack(builder, call);
    if (builder->failed)
        return;
    unwind(builder, call->sp, false);
    callflow_open(builder, callflow_function_of_kind(builder, ANALYZE_INTERRUPT, call->vector),
                  call->sp, 0);
}

static void on_interrupt_return(struct callflow_builder *builder,
                                const struct sonde_trace_call *call)
{
    callflow_pass_time(builder, call->cycle);
    callflow_select_stack(builder, call);
    if (builder->failed)
        return;
    size_t at = callflow_find_interrupt(builder, call->sp);
    if (at == 0) {
        unwind(builder, call->sp, false);
        return;
    }
    callflow_close_to(builder, at + 1, ANALYZE_SPAN_UNWOUND);
    callflow_close(builder, 0);
}

static void on_sleep(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    callflow_pass_time(builder, call->cycle);
    callflow_select_stack(builder, call);
    if (builder->failed)
        return;
    unwind(builder, call->sp, false);
    callflow_open(builder, callflow_function_of_kind(builder, ANALYZE_SLEEP, 0), call->sp, 0);
}

static void on_wake(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    callflow_pass_time(builder, call->cycle);
    if (callflow_kind(builder, callflow_top(builder)) == ANALYZE_SLEEP)
        callflow_close(builder, 0);
}

/* End everything on every stack, at the current cycle. */
static void close_all(struct callflow_builder *builder)
{
    uint32_t current = builder->current;
    for (uint32_t i = 0; i < builder->stack_count; i++) {
        builder->current = i;
        callflow_close_to(builder, 0, ANALYZE_SPAN_OPEN);
    }
    builder->current = current;
}

static void on_reset(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    callflow_pass_time(builder, call->cycle);
    /* What a power-up finds is nothing yet. */
    if (builder->now == 0 && builder->flow->span_count == 1)
        return;
    close_all(builder);
    builder->current = 0;
    for (uint32_t i = 0; i < builder->stack_count; i++)
        builder->stacks[i].is_known = false;
    callflow_open(builder, callflow_function_of_kind(builder, ANALYZE_UNMARKED, 0), 0, 0);
}

/* Nothing is known of the time since the event before. */
static void on_lost(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    callflow_pass_time(builder, builder->now); /* ends a call that was returning */
    callflow_open(builder, callflow_function_of_kind(builder, ANALYZE_LOST, 0),
                  callflow_top(builder)->sp, 0);
    if (builder->failed)
        return;
    callflow_pass_time(builder, call->cycle);
    callflow_close(builder, 0);
    builder->flow->lost += call->address;
}

static void take_event(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    switch ((enum sonde_trace_call_kind)call->kind) {
    case SONDE_TRACE_CALL_ENTER:
        on_enter(builder, call);
        break;
    case SONDE_TRACE_CALL_EXIT:
        on_exit_marker(builder, call);
        break;
    case SONDE_TRACE_CALL_INTERRUPT:
        on_interrupt(builder, call);
        break;
    case SONDE_TRACE_CALL_INTERRUPT_RETURN:
        on_interrupt_return(builder, call);
        break;
    case SONDE_TRACE_CALL_SLEEP:
        on_sleep(builder, call);
        break;
    case SONDE_TRACE_CALL_WAKE:
        on_wake(builder, call);
        break;
    case SONDE_TRACE_CALL_RESET:
        on_reset(builder, call);
        break;
    case SONDE_TRACE_CALL_STACK:
        builder->move = (struct callflow_move){call->address, call->sp, true};
        break;
    case SONDE_TRACE_CALL_LOST:
        on_lost(builder, call);
        break;
    case SONDE_TRACE_CALL_KIND_COUNT:
        break;
    }
}

static void take_events(struct callflow_builder *builder,
                        const struct analyze_callflow_input *input)
{
    struct analyze_callflow *flow = builder->flow;
    const struct sonde_trace_firmware_end *end = input->end;
    size_t count = input->call_count;
    const struct sonde_trace_call *calls = input->calls;
    callflow_open(builder, callflow_function_of_kind(builder, ANALYZE_UNMARKED, 0), 0, 0);
    for (size_t i = 0; i < count && !builder->failed; i++)
        take_event(builder, &calls[i]);
    flow->is_cut = end == NULL;
    flow->cycles = end != NULL ? end->cycles : count > 0 ? calls[count - 1].cycle : 0;
    if (builder->failed)
        return;
    callflow_pass_time(builder, flow->cycles);
    close_all(builder);
    if (builder->stacks[0].highest > 0)
        flow->peak_stack = builder->stacks[0].highest - builder->stacks[0].lowest;
}

/* Every cycle counted once, and the sleep that the simulator counted itself. */
static enum sonde_status check_sums(const struct analyze_callflow *flow,
                                    const struct sonde_trace_firmware_end *end,
                                    struct sonde_error *error)
{
    uint64_t sum = 0, interrupts = 0;
    for (size_t i = 0; i < ANALYZE_FUNCTION_KIND_COUNT; i++)
        sum += flow->cycles_of[i];
    for (size_t i = 0; i < flow->function_count; i++) {
        if (flow->functions[i].kind == ANALYZE_INTERRUPT)
            interrupts += flow->functions[i].calls;
    }
    if (sum != flow->cycles)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                               "the spans have %llu cycles and the run %llu",
                               (unsigned long long)sum, (unsigned long long)flow->cycles);
    if (end == NULL || end->is_fault || flow->lost > 0)
        return SONDE_OK;
    if (flow->cycles_of[ANALYZE_SLEEP] != end->idle_cycles || interrupts != end->interrupts)
        return sonde_error_set(
            error, SONDE_ERROR_FORMAT, 0,
            "the events show %llu idle cycles and %llu interrupts, the simulator counted %llu and "
            "%llu; events are missing from the run",
            (unsigned long long)flow->cycles_of[ANALYZE_SLEEP], (unsigned long long)interrupts,
            (unsigned long long)end->idle_cycles, (unsigned long long)end->interrupts);
    return SONDE_OK;
}

static void builder_clear(struct callflow_builder *builder)
{
    for (size_t i = 0; i < builder->stack_count; i++)
        free(builder->stacks[i].frames);
    free(builder->stacks);
    callflow_index_clear(&builder->edges);
    callflow_index_clear(&builder->nodes);
    callflow_functions_end(builder);
}

static enum sonde_status fill(struct analyze_callflow *flow,
                              const struct analyze_callflow_input *input, struct sonde_error *error)
{
    struct callflow_builder builder = {.flow = flow, .firmware = input->firmware};
    builder.failed = !callflow_functions_begin(&builder) ||
                     base_array_reserve((void **)&builder.stacks, &builder.stack_capacity, 1,
                                        sizeof *builder.stacks) != SONDE_OK;
    if (!builder.failed) {
        builder.stack_count = flow->stack_count = 1;
        take_events(&builder, input);
    }
    builder_clear(&builder);
    if (builder.failed)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    callflow_functions_summarize(flow);
    callflow_nodes_sum(flow);
    return check_sums(flow, input->end, error);
}

enum sonde_status analyze_callflow_build(const struct analyze_callflow_input *input,
                                         struct analyze_callflow **flow, struct sonde_error *error)
{
    *flow = NULL;
    struct analyze_callflow *made = calloc(1, sizeof *made);
    if (made == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = fill(made, input, error);
    if (status == SONDE_OK)
        *flow = made;
    else
        analyze_callflow_destroy(made);
    return status;
}

enum sonde_status analyze_callflow_create(const struct sonde_trace *trace,
                                          struct analyze_callflow **flow, struct sonde_error *error)
{
    struct analyze_callflow_input input = {.firmware = sonde_trace_firmware(trace),
                                           .end = sonde_trace_firmware_end(trace)};
    *flow = NULL;
    if (input.firmware == NULL)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0,
                               "the run has no call events; record them with sonde msp430 run -o");
    input.calls = sonde_trace_calls(trace, &input.call_count);
    enum sonde_status status = analyze_callflow_build(&input, flow, error);
    if (status == SONDE_OK)
        (*flow)->trace = trace;
    return status;
}

void analyze_callflow_destroy(struct analyze_callflow *flow)
{
    if (flow == NULL)
        return;
    for (size_t i = 0; i < flow->function_count; i++) {
        free(flow->functions[i].name);
        free(flow->functions[i].distribution.slots);
    }
    free(flow->functions);
    free(flow->spans);
    free(flow->steps);
    free(flow->edges);
    free(flow->nodes);
    free(flow);
}
