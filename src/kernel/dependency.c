/* Forward data flow over the control-flow graph. The state at a point is what
 * may still be in flight there: instructions whose reads or writes no later
 * instruction has waited for, each with the shortest distance to it.
 *
 * Facts: when the MIT-licensed Intel Graphics Compiler and its assembler count
 * on the hardware and when they set the scoreboard field. In one in-order
 * pipe nothing overtakes, so that only a read after a write needs a wait. A
 * pipe has done with an instruction after some more have entered it. Taken
 * branches drain the in-order pipes. Messages of one function read their
 * payloads in order. Reads of flags and accumulators behind in-order writes
 * are tracked by the hardware. */
#include "kernel/in_flight.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

struct check {
    const struct sonde_kernel *kernel;
    struct kernel_footprints footprints;
    struct kernel_in_flight *in; /* one a block */
    struct kernel_in_flight current;
    sonde_dependency_function *report;
    void *context;
    size_t found;
};

static const struct sonde_gen_instruction *instruction_of(const struct check *c, uint32_t index)
{
    return &c->kernel->instructions[index];
}

static void report(struct check *c, const struct kernel_pending *p, uint32_t index,
                   struct sonde_dependency *d)
{
    d->producer = p->instruction;
    d->consumer = index;
    d->pipe = (uint8_t)sonde_gen_instruction_pipe(instruction_of(c, p->instruction));
    d->has_token = p->token != KERNEL_NO_TOKEN;
    d->token = d->has_token ? p->token : 0;
    d->distance = d->has_token ? 0 : p->distance;
    c->found++;
    if (c->report != NULL)
        c->report(c->context, d);
}

static void check_hazards(struct check *c, const struct kernel_in_flight *s, uint32_t index)
{
    bool wants_all = kernel_touches_state(c->kernel, index);
    for (size_t n = 0; n < s->count; n++) {
        const struct kernel_pending *p = &s->items[n];
        struct sonde_dependency d = {0};
        if (p->token != KERNEL_NO_TOKEN && kernel_is_one_sequence(c->kernel, p->instruction, index))
            continue;
        if (!p->together && !instruction_of(c, p->instruction)->no_mask &&
            !instruction_of(c, index)->no_mask)
            continue;
        bool hazard = kernel_find_hazard(c->kernel, &c->footprints, p, index, &d);
        bool after_state =
            p->token == KERNEL_NO_TOKEN && kernel_touches_state(c->kernel, p->instruction) &&
            sonde_gen_instruction_pipe(instruction_of(c, index)) != SONDE_GEN_PIPE_NONE;
        if (!hazard && p->token == KERNEL_NO_TOKEN && (wants_all || after_state)) {
            d.kind = SONDE_DEPENDENCY_STATE;
            hazard = true;
        }
        if (hazard)
            report(c, p, index, &d);
    }
}

/* Whether channels that ran the last instruction of a block run on along an
 * edge. Else the thread alone goes there, for channels that wait. */
static bool keeps_channels(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint32_t last = block->first + block->count - 1;
    const struct sonde_gen_instruction *i = instruction_of(c, last);
    uint32_t jip = c->kernel->jip_target[last], uip = c->kernel->uip_target[last];
    bool all_leave = i->opcode == SONDE_GEN_ELSE, jip_is_theirs = true;
    switch (i->opcode) {
    case SONDE_GEN_GOTO:
    case SONDE_GEN_BREAK:
    case SONDE_GEN_CONT:
    case SONDE_GEN_HALT:
        all_leave = i->predicate == SONDE_GEN_PREDICATE_NONE;
        jip_is_theirs = jip == uip;
        break;
    case SONDE_GEN_ENDIF:
    case SONDE_GEN_JOIN:
        jip_is_theirs = false;
        break;
    default:
        break;
    }
    if (edge->falls_through && !all_leave)
        return true;
    if (jip != SONDE_NO_INSTRUCTION && c->kernel->block_of[jip] == edge->destination &&
        jip_is_theirs)
        return true;
    if (uip != SONDE_NO_INSTRUCTION && c->kernel->block_of[uip] == edge->destination)
        return true;
    return jip == SONDE_NO_INSTRUCTION && uip == SONDE_NO_INSTRUCTION;
}

/* Where endif and join jump, no channel has come together there. */
static bool finds_no_channel(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint8_t opcode = instruction_of(c, block->first + block->count - 1)->opcode;
    return (opcode == SONDE_GEN_ENDIF || opcode == SONDE_GEN_JOIN) && !edge->falls_through;
}

/* No channel goes from `if` to its endif where there is an else. */
static bool is_taken(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint32_t last = block->first + block->count - 1;
    uint32_t jip = c->kernel->jip_target[last];
    return instruction_of(c, last)->opcode != SONDE_GEN_IF || edge->falls_through ||
           jip == SONDE_NO_INSTRUCTION || c->kernel->block_of[jip] == edge->destination;
}

/* What is in flight is not followed into a procedure and out of it: a return
 * leads to all calls, and behind a call is what the procedure left. */
static bool passes_procedure(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint8_t opcode = instruction_of(c, block->first + block->count - 1)->opcode;
    return opcode == SONDE_GEN_RET || opcode == SONDE_GEN_CALL || opcode == SONDE_GEN_CALLA;
}

/* Whether nothing between two instructions branches or lets channels meet. */
static bool is_straight(const struct check *c, uint32_t from, uint32_t to)
{
    for (uint32_t n = from; n < to; n++) {
        if (sonde_gen_opcode_is_branch((enum sonde_gen_opcode)instruction_of(c, n)->opcode))
            return false;
    }
    return from <= to;
}

/* The while that the break at the end of a block leaves, or no instruction. */
static uint32_t broken_while(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint32_t last = block->first + block->count - 1, uip = c->kernel->uip_target[last];
    bool breaks = instruction_of(c, last)->opcode == SONDE_GEN_BREAK &&
                  uip != SONDE_NO_INSTRUCTION && uip + 1 < c->kernel->instruction_count &&
                  instruction_of(c, uip)->opcode == SONDE_GEN_WHILE;
    return breaks ? uip : SONDE_NO_INSTRUCTION;
}

/* Where the thread comes to along an edge: channels that break a loop pass its
 * while, and without a channel so does the thread. */
static uint32_t destination_of(const struct check *c, const struct sonde_edge *edge)
{
    uint32_t left = broken_while(c, edge);
    uint32_t first = c->kernel->blocks[edge->destination].first;
    if (edge->falls_through || left == SONDE_NO_INSTRUCTION || !is_straight(c, first, left))
        return edge->destination;
    return c->kernel->block_of[left + 1];
}

/* Where channels wait that leave at the end of a block. */
static uint32_t meeting_of(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint32_t left = broken_while(c, edge);
    return left != SONDE_NO_INSTRUCTION ? left + 1
                                        : c->kernel->uip_target[block->first + block->count - 1];
}

static enum sonde_status flow_along(struct check *c, const struct sonde_edge *edge, bool *changed)
{
    struct kernel_in_flight *to = &c->in[destination_of(c, edge)];
    *changed = !to->reached;
    to->reached = true;
    if (passes_procedure(c, edge))
        return SONDE_OK;
    bool keeps = keeps_channels(c, edge), empty = finds_no_channel(c, edge);
    uint32_t meeting = meeting_of(c, edge);
    for (size_t n = 0; n < c->current.count; n++) {
        struct kernel_pending item = c->current.items[n];
        if (!edge->falls_through && item.token == KERNEL_NO_TOKEN)
            continue; /* a taken branch drains the in-order pipes */
        if (empty && !item.alone)
            continue;
        /* An in-order instruction is close enough to meet the channels again. */
        if (item.token != KERNEL_NO_TOKEN && !keeps)
            kernel_pending_leave(&item, meeting);
        enum sonde_status status = kernel_in_flight_join(to, &item, changed);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

static enum sonde_status run_block(struct check *c, const struct sonde_block *block, bool reports)
{
    struct kernel_in_flight *s = &c->current;
    const struct kernel_in_flight *in = &c->in[block->id];
    s->count = 0;
    enum sonde_status status =
        base_array_reserve((void **)&s->items, &s->capacity, in->count + 1, sizeof *s->items);
    if (status != SONDE_OK)
        return status;
    if (in->count > 0)
        memcpy(s->items, in->items, in->count * sizeof *s->items);
    s->count = in->count;
    kernel_in_flight_meet(s, block->first);
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        struct sonde_gen_wait wait;
        sonde_gen_instruction_wait(instruction_of(c, i), &wait);
        kernel_in_flight_wait(c->kernel, s, &wait);
        if (reports)
            check_hazards(c, s, i);
        status = kernel_in_flight_enter(c->kernel, s, i);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

static enum sonde_status solve(struct check *c)
{
    const struct sonde_kernel *kernel = c->kernel;
    bool *waiting = calloc(kernel->block_count, sizeof *waiting);
    if (waiting == NULL)
        return SONDE_ERROR_MEMORY;
    for (size_t b = 0; b < kernel->block_count; b++)
        waiting[b] = c->in[b].reached = kernel->blocks[b].is_entry;
    enum sonde_status status = SONDE_OK;
    for (bool again = true; again && status == SONDE_OK;) {
        again = false;
        for (size_t b = 0; b < kernel->block_count && status == SONDE_OK; b++) {
            const struct sonde_block *block = &kernel->blocks[b];
            if (!waiting[b])
                continue;
            waiting[b] = false;
            status = run_block(c, block, false);
            for (uint32_t e = 0; e < block->successor_count && status == SONDE_OK; e++) {
                const struct sonde_edge *edge = &kernel->edges[block->first_successor + e];
                bool changed = false;
                if (is_taken(c, edge))
                    status = flow_along(c, edge, &changed);
                if (changed)
                    waiting[destination_of(c, edge)] = again = true;
            }
        }
    }
    free(waiting);
    return status;
}

static void release(struct check *c)
{
    for (size_t b = 0; c->in != NULL && b < c->kernel->block_count; b++)
        free(c->in[b].items);
    free(c->in);
    free(c->current.items);
    kernel_footprints_free(&c->footprints);
}

enum sonde_status sonde_kernel_check_dependencies(const struct sonde_kernel *kernel,
                                                  sonde_dependency_function *report_function,
                                                  void *context, size_t *count,
                                                  struct sonde_error *error)
{
    struct check c = {.kernel = kernel, .report = report_function, .context = context};
    *count = 0;
    if (kernel->info.platform < SONDE_GEN_PLATFORM_XE)
        return SONDE_OK;
    enum sonde_status status = kernel_footprints_make(kernel, &c.footprints);
    c.in = calloc(kernel->block_count, sizeof *c.in);
    if (c.in == NULL)
        status = SONDE_ERROR_MEMORY;
    if (status == SONDE_OK)
        status = solve(&c);
    for (size_t b = 0; b < kernel->block_count && status == SONDE_OK; b++) {
        if (c.in[b].reached)
            status = run_block(&c, &kernel->blocks[b], true);
    }
    *count = c.found;
    release(&c);
    return status == SONDE_OK ? SONDE_OK : sonde_error_set(error, status, 0, "out of memory");
}
