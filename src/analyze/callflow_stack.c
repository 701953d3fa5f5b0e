/* Which stack a stack pointer belongs to. The main stack is where the program
 * first had it; a stack pointer in another object of the program, or in its
 * data as a whole, is a task's. */
#include "analyze/callflow_internal.h"
#include "base/array.h"

/* What a return takes off the stack: the first event of a task that was
 * started by one may be so much above an exit on the same stack. */
enum { RETURN_ADDRESS_BYTES = 4 };

/* A task that goes on has its registers at most so far below what was seen of
 * its stack. */
enum { FARTHEST_SAVED_BYTES = 64 };

/* The last answer is kept: a stack pointer rarely leaves its object. */
static uint32_t object_at(struct callflow_builder *builder, uint32_t sp)
{
    const struct sonde_trace_firmware *firmware = builder->firmware;
    struct callflow_object_range *range = &builder->range;
    if (range->is_known && sp >= range->low && sp <= range->high)
        return range->object;
    *range = (struct callflow_object_range){0, UINT32_MAX, ANALYZE_NONE, true};
    for (size_t i = 0; i < firmware->symbol_count; i++) {
        const struct sonde_trace_symbol *symbol = &firmware->symbols[i];
        if (symbol->is_function || symbol->size == 0)
            continue;
        /* An empty stack's pointer is behind its array. */
        uint32_t first = symbol->address + 1, last = symbol->address + symbol->size;
        if (sp >= first && sp <= last) {
            *range = (struct callflow_object_range){first, last, (uint32_t)i, true};
            break;
        }
        if (last < sp && last + 1 > range->low)
            range->low = last + 1;
        if (first > sp && first - 1 < range->high)
            range->high = first - 1;
    }
    return range->object;
}

static size_t find_frame(const struct callflow_builder *builder, const struct callflow_stack *stack,
                         uint32_t function, uint32_t sp)
{
    for (size_t i = stack->count; i-- > 1 && stack->frames[i].sp <= sp;) {
        const struct analyze_span *span = &builder->flow->spans[stack->frames[i].span];
        if (stack->frames[i].sp == sp && span->function == function)
            return i;
    }
    return 0;
}

static size_t find_interrupt(const struct callflow_builder *builder,
                             const struct callflow_stack *stack, uint32_t sp)
{
    for (size_t i = stack->count; i-- > 1 && stack->frames[i].sp <= sp;) {
        if (stack->frames[i].sp == sp &&
            callflow_kind(builder, &stack->frames[i]) == ANALYZE_INTERRUPT)
            return i;
    }
    return 0;
}

size_t callflow_find_frame(const struct callflow_builder *builder, uint32_t function, uint32_t sp)
{
    return find_frame(builder, &builder->stacks[builder->current], function, sp);
}

size_t callflow_find_interrupt(const struct callflow_builder *builder, uint32_t sp)
{
    return find_interrupt(builder, &builder->stacks[builder->current], sp);
}

/* The stack that has the very frame which the event ends. */
static uint32_t stack_of_frame(struct callflow_builder *builder,
                               const struct sonde_trace_call *call)
{
    uint32_t function = ANALYZE_NONE;
    if (call->kind == SONDE_TRACE_CALL_EXIT)
        function = callflow_function_at(builder, call->address);
    else if (call->kind != SONDE_TRACE_CALL_INTERRUPT_RETURN)
        return ANALYZE_NONE;
    for (uint32_t i = 0; i < builder->stack_count; i++) {
        uint32_t at = (builder->current + i) % (uint32_t)builder->stack_count;
        const struct callflow_stack *stack = &builder->stacks[at];
        if (call->kind == SONDE_TRACE_CALL_EXIT ? find_frame(builder, stack, function, call->sp) > 0
                                                : find_interrupt(builder, stack, call->sp) > 0)
            return at;
    }
    return ANALYZE_NONE;
}

static bool is_in_main(const struct callflow_builder *builder, uint32_t sp, uint32_t object)
{
    const struct callflow_stack *stack = &builder->stacks[0];
    if (!stack->is_known)
        return true;
    if (object != stack->object)
        return false;
    uint32_t data_end = builder->firmware->data_end;
    return object != ANALYZE_NONE || (sp >= data_end) == (stack->base >= data_end);
}

/* The task's stack with the lowest base that is not below `sp`, in the same
 * object; ANALYZE_NONE when there is none. */
static uint32_t task_stack_at(const struct callflow_builder *builder, uint32_t sp, uint32_t object)
{
    uint32_t best = ANALYZE_NONE;
    for (uint32_t i = 1; i < builder->stack_count; i++) {
        const struct callflow_stack *stack = &builder->stacks[i];
        if (stack->object == object && sp <= stack->base &&
            (best == ANALYZE_NONE || stack->base < builder->stacks[best].base))
            best = i;
    }
    return best;
}

static uint32_t add_stack(struct callflow_builder *builder, uint32_t base, uint32_t object)
{
    if (base_array_reserve((void **)&builder->stacks, &builder->stack_capacity,
                           builder->stack_count + 1, sizeof *builder->stacks) != SONDE_OK) {
        builder->failed = true;
        return builder->current;
    }
    builder->stacks[builder->stack_count] =
        (struct callflow_stack){.base = base, .object = object, .lowest = base, .is_known = true};
    builder->flow->stack_count = builder->stack_count + 1;
    return (uint32_t)builder->stack_count++;
}

static void switch_to(struct callflow_builder *builder, uint32_t stack, uint32_t sp)
{
    struct analyze_callflow *flow = builder->flow;
    if (builder->failed || stack == builder->current)
        return;
    if (base_array_reserve((void **)&flow->steps, &flow->step_capacity, flow->step_count + 1,
                           sizeof *flow->steps) != SONDE_OK) {
        builder->failed = true;
        return;
    }
    flow->steps[flow->step_count++] =
        (struct analyze_step){.cycle = builder->now, .index = stack, .kind = ANALYZE_STEP_SWITCH};
    builder->current = stack;
    if (builder->stacks[stack].count == 0)
        callflow_open(builder, callflow_function_of_kind(builder, ANALYZE_UNMARKED, 0), sp, 0);
}

/* A stack pointer was set far below what the stack has been used for, and then
 * values came off that were never pushed there: a task begins. Not so when the
 * function itself made room for variables, and gives it back. */
static bool begins_task(struct callflow_builder *builder, const struct sonde_trace_call *call,
                        uint32_t stack)
{
    struct callflow_move *move = &builder->move;
    const struct callflow_frame *top = callflow_top(builder);
    if (!move->is_set || !builder->stacks[stack].is_known || call->sp <= move->sp ||
        move->sp + FARTHEST_SAVED_BYTES >= builder->stacks[stack].lowest)
        return false;
    if (stack != builder->current || call->sp > top->sp)
        return true;
    uint32_t function = builder->flow->spans[top->span].function;
    if (call->kind == SONDE_TRACE_CALL_ENTER)
        return callflow_function_at(builder, move->address) != function;
    return call->sp < top->sp;
}

static uint32_t choose_stack(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    uint32_t stack = stack_of_frame(builder, call);
    if (stack != ANALYZE_NONE)
        return stack;
    if (call->sp == 0) /* not set since the reset */
        return builder->current;
    uint32_t object = object_at(builder, call->sp);
    stack = task_stack_at(builder, call->sp, object);
    if (stack == ANALYZE_NONE && is_in_main(builder, call->sp, object))
        stack = 0;
    if (stack != ANALYZE_NONE && begins_task(builder, call, stack))
        stack = ANALYZE_NONE;
    if (stack == ANALYZE_NONE) {
        bool returns = call->kind == SONDE_TRACE_CALL_EXIT;
        stack = add_stack(builder, call->sp + (returns ? RETURN_ADDRESS_BYTES : 0), object);
    } else if (stack == 0 && !builder->stacks[0].is_known) {
        builder->stacks[0].is_known = true;
        builder->stacks[0].object = object;
        builder->stacks[0].base = builder->stacks[0].lowest = call->sp;
    }
    return stack;
}

void callflow_select_stack(struct callflow_builder *builder, const struct sonde_trace_call *call)
{
    uint32_t stack = choose_stack(builder, call);
    /* An interrupt may come between the setting and what it was for. */
    if (call->sp > builder->move.sp || call->kind == SONDE_TRACE_CALL_ENTER ||
        call->kind == SONDE_TRACE_CALL_EXIT)
        builder->move.is_set = false;
    switch_to(builder, stack, call->sp);
    if (builder->failed)
        return;
    if (call->sp == 0)
        return;
    struct callflow_stack *current = &builder->stacks[stack];
    struct callflow_frame *top = callflow_top(builder);
    if (call->sp < top->lowest)
        top->lowest = call->sp;
    if (call->sp < current->lowest)
        current->lowest = call->sp;
    if (call->sp > current->highest)
        current->highest = call->sp;
}
