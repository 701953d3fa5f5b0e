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
#include "sonde/dependency.h"

#include "kernel/footprint.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define NO_TOKEN 0xffu

/* Instructions of a pipe after which an earlier one of it is complete. */
#define LATENCY      10u
#define LATENCY_LONG 14u
#define LATENCY_MATH 18u

struct pending {
    uint32_t instruction;
    uint8_t distance; /* in its pipe, 1 = the last one; in-order only */
    uint8_t token;
    bool reads;
    bool writes;
    /* Tokens of later messages of the same function: when the payload of one of
     * them was read, so was this one's. */
    uint32_t followers;
    /* How the thread may have come from there: with the channels that ran the
     * instruction, or without them, because they wait elsewhere. Then only what
     * ignores the execution mask meets it. */
    bool together;
    bool alone;
    uint32_t meeting; /* where the channels wait that the thread left alone, when known */
};

struct state {
    struct pending *items; /* by rising instruction */
    size_t count;
    size_t capacity;
    bool reached;
};

struct check {
    const struct sonde_kernel *kernel;
    struct kernel_footprints footprints;
    struct state *in; /* one a block */
    struct state current;
    sonde_dependency_function *report;
    void *context;
    size_t found;
};

static const struct sonde_gen_instruction *instruction_of(const struct check *c, uint32_t index)
{
    return &c->kernel->instructions[index];
}

static bool counts_all_pipes(const struct check *c)
{
    return c->kernel->info.platform == SONDE_GEN_PLATFORM_XE;
}

static unsigned latency(enum sonde_gen_pipe pipe)
{
    if (pipe == SONDE_GEN_PIPE_LONG)
        return LATENCY_LONG;
    return pipe == SONDE_GEN_PIPE_MATH ? LATENCY_MATH : LATENCY;
}

/* The token of an out-of-order instruction. The systolic operations of an
 * atomic sequence share that of the last. */
static uint8_t token_of(const struct check *c, uint32_t index)
{
    struct sonde_gen_wait wait;
    while (instruction_of(c, index)->thread_control == SONDE_GEN_THREAD_ATOMIC &&
           sonde_gen_instruction_pipe(instruction_of(c, index)) == SONDE_GEN_PIPE_SYSTOLIC &&
           index + 1 < c->kernel->instruction_count)
        index++;
    if (!sonde_gen_instruction_wait(instruction_of(c, index), &wait) || !wait.sets_token)
        return NO_TOKEN;
    return wait.token;
}

/* ---- states ---- */

static enum sonde_status insert(struct state *s, size_t at, const struct pending *item)
{
    enum sonde_status status =
        base_array_reserve((void **)&s->items, &s->capacity, s->count + 1, sizeof *s->items);
    if (status != SONDE_OK)
        return status;
    memmove(&s->items[at + 1], &s->items[at], (s->count - at) * sizeof *s->items);
    s->items[at] = *item;
    s->count++;
    return SONDE_OK;
}

/* Add an item, or what it says of an instruction that is there. */
static enum sonde_status join_item(struct state *s, const struct pending *item, bool *changed)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->items[middle].instruction < item->instruction)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->count || s->items[low].instruction != item->instruction) {
        *changed = true;
        return insert(s, low, item);
    }
    struct pending *old = &s->items[low];
    struct pending joined = *old;
    joined.reads |= item->reads;
    joined.writes |= item->writes;
    joined.followers &= item->followers;
    joined.together |= item->together;
    joined.alone |= item->alone;
    if (!old->alone)
        joined.meeting = item->meeting;
    else if (item->alone && item->meeting != old->meeting)
        joined.meeting = SONDE_NO_INSTRUCTION;
    if (item->distance < joined.distance)
        joined.distance = item->distance;
    *changed |= joined.reads != old->reads || joined.writes != old->writes ||
                joined.distance != old->distance || joined.followers != old->followers ||
                joined.together != old->together || joined.alone != old->alone ||
                joined.meeting != old->meeting;
    *old = joined;
    return SONDE_OK;
}

/* Drop what is complete after the wait. */
static void wait_for(const struct check *c, struct state *s, const struct sonde_gen_wait *wait)
{
    size_t kept = 0;
    /* A token that is given anew is waited for by the hardware. */
    uint32_t reused = wait->sets_token ? UINT32_C(1) << wait->token : 0;
    uint32_t written = wait->destination | reused, read = wait->source | written;
    for (size_t n = 0; n < s->count; n++) {
        struct pending item = s->items[n];
        if (item.token == NO_TOKEN) {
            unsigned pipe = sonde_gen_instruction_pipe(instruction_of(c, item.instruction));
            if (wait->distance != 0 && (wait->pipes >> pipe & 1) != 0 &&
                item.distance >= wait->distance)
                continue;
        } else {
            if ((written >> item.token & 1) != 0)
                continue;
            if ((read >> item.token & 1) != 0 || (read & item.followers) != 0)
                item.reads = false;
            if (!item.reads && !item.writes)
                continue;
        }
        s->items[kept++] = item;
    }
    s->count = kept;
}

static bool same_function(const struct sonde_gen_instruction *a,
                          const struct sonde_gen_instruction *b, enum sonde_gen_pipe pipe)
{
    return sonde_gen_instruction_pipe(b) == pipe &&
           (pipe != SONDE_GEN_PIPE_SEND || a->send.sfid == b->send.sfid);
}

/* An out-of-order instruction got a token. */
static void follow(const struct check *c, struct state *s, uint32_t index, uint8_t token)
{
    const struct sonde_gen_instruction *i = instruction_of(c, index);
    uint32_t bit = UINT32_C(1) << token;
    for (size_t n = 0; n < s->count; n++) {
        struct pending *item = &s->items[n];
        const struct sonde_gen_instruction *other = instruction_of(c, item->instruction);
        bool same =
            item->token != NO_TOKEN && same_function(other, i, sonde_gen_instruction_pipe(other));
        item->followers = same ? item->followers | bit : item->followers & ~bit;
    }
}

/* An instruction entered an in-order pipe. */
static void advance(const struct check *c, struct state *s, enum sonde_gen_pipe entered)
{
    size_t kept = 0;
    for (size_t n = 0; n < s->count; n++) {
        struct pending *item = &s->items[n];
        if (item->token == NO_TOKEN) {
            enum sonde_gen_pipe pipe =
                sonde_gen_instruction_pipe(instruction_of(c, item->instruction));
            if (pipe == entered || counts_all_pipes(c))
                item->distance++;
            if (item->distance > latency(pipe))
                continue;
        }
        s->items[kept++] = *item;
    }
    s->count = kept;
}

static enum sonde_status enter(const struct check *c, struct state *s, uint32_t index)
{
    const struct sonde_gen_instruction *i = instruction_of(c, index);
    enum sonde_gen_pipe pipe = sonde_gen_instruction_pipe(i);
    bool out_of_order = sonde_gen_instruction_is_out_of_order(i), changed = false;
    struct pending item = {index, 1, NO_TOKEN, true, true, 0, true, false, SONDE_NO_INSTRUCTION};
    if (pipe == SONDE_GEN_PIPE_NONE)
        return SONDE_OK;
    if (out_of_order) {
        item.token = token_of(c, index);
        if (item.token == NO_TOKEN)
            return SONDE_OK;
        follow(c, s, index, item.token);
        return join_item(s, &item, &changed);
    }
    advance(c, s, pipe);
    /* In a loop the instruction itself may still be in flight. */
    return join_item(s, &item, &changed);
}

/* ---- hazards ---- */

/* Bytes that ranges of both have in common: the first run. */
static bool overlap(const struct check *c, uint32_t first_a, uint16_t count_a, uint32_t first_b,
                    uint16_t count_b, struct sonde_dependency *d)
{
    const struct kernel_range *a = &c->footprints.ranges[first_a];
    const struct kernel_range *b = &c->footprints.ranges[first_b];
    for (uint16_t n = 0, m = 0; n < count_a && m < count_b;) {
        uint16_t start = a[n].start > b[m].start ? a[n].start : b[m].start;
        uint16_t end = a[n].end < b[m].end ? a[n].end : b[m].end;
        if (start < end) {
            d->byte = start;
            d->length = (uint16_t)(end - start);
            return true;
        }
        if (a[n].end < b[m].end)
            n++;
        else
            m++;
    }
    return false;
}

/* Whether a write of the consumer may overtake a write (or a read) of an
 * in-order producer. */
static bool may_overtake(const struct check *c, const struct sonde_gen_instruction *producer,
                         const struct sonde_gen_instruction *consumer, bool over_write)
{
    enum sonde_gen_pipe pipe = sonde_gen_instruction_pipe(producer);
    enum sonde_gen_pipe into = sonde_gen_instruction_pipe(consumer);
    if (sonde_gen_instruction_is_out_of_order(consumer))
        return true;
    if (counts_all_pipes(c))
        return over_write && pipe == SONDE_GEN_PIPE_LONG && into != SONDE_GEN_PIPE_LONG;
    return pipe != into;
}

static bool one_sequence(const struct check *c, uint32_t producer, uint32_t consumer)
{
    if (producer >= consumer)
        return false;
    for (uint32_t n = producer; n < consumer; n++) {
        if (sonde_gen_instruction_pipe(instruction_of(c, n)) != SONDE_GEN_PIPE_SYSTOLIC ||
            instruction_of(c, n)->thread_control != SONDE_GEN_THREAD_ATOMIC)
            return false;
    }
    return sonde_gen_instruction_pipe(instruction_of(c, consumer)) == SONDE_GEN_PIPE_SYSTOLIC;
}

/* Flags and accumulators that both touch. */
static bool overlap_small(uint8_t flags_a, uint16_t accumulators_a, uint8_t flags_b,
                          uint16_t accumulators_b, struct sonde_dependency *d)
{
    d->flags = flags_a & flags_b;
    d->accumulators = accumulators_a & accumulators_b;
    return d->flags != 0 || d->accumulators != 0;
}

/* Flags and accumulators: between in-order pipes only writes have to wait. */
static bool find_small_hazard(const struct check *c, const struct pending *p, uint32_t index,
                              struct sonde_dependency *d)
{
    const struct sonde_gen_instruction *producer = instruction_of(c, p->instruction);
    const struct sonde_gen_instruction *consumer = instruction_of(c, index);
    const struct kernel_footprint *a = &c->footprints.of[p->instruction];
    const struct kernel_footprint *b = &c->footprints.of[index];
    if (p->token != NO_TOKEN || sonde_gen_instruction_is_out_of_order(consumer) ||
        !may_overtake(c, producer, consumer, true) || counts_all_pipes(c))
        return false;
    if (overlap_small(a->flags_written, a->accumulators_written, b->flags_written,
                      b->accumulators_written, d)) {
        d->kind = SONDE_DEPENDENCY_WRITE_AFTER_WRITE;
        return true;
    }
    d->kind = SONDE_DEPENDENCY_WRITE_AFTER_READ;
    return overlap_small(a->flags_read, a->accumulators_read, b->flags_written,
                         b->accumulators_written, d);
}

static bool find_hazard(const struct check *c, const struct pending *p, uint32_t index,
                        struct sonde_dependency *d)
{
    const struct sonde_gen_instruction *producer = instruction_of(c, p->instruction);
    const struct sonde_gen_instruction *consumer = instruction_of(c, index);
    const struct kernel_footprint *a = &c->footprints.of[p->instruction];
    const struct kernel_footprint *b = &c->footprints.of[index];
    bool in_order = p->token == NO_TOKEN;
    uint32_t a_writes = a->first + a->reads, b_writes = b->first + b->reads;
    if (p->writes && overlap(c, a_writes, a->writes, b->first, b->reads, d)) {
        d->kind = SONDE_DEPENDENCY_READ_AFTER_WRITE;
        return true;
    }
    if (p->writes && (!in_order || may_overtake(c, producer, consumer, true)) &&
        overlap(c, a_writes, a->writes, b_writes, b->writes, d)) {
        d->kind = SONDE_DEPENDENCY_WRITE_AFTER_WRITE;
        return true;
    }
    bool overtakes = in_order
                         ? may_overtake(c, producer, consumer, false)
                         : !same_function(producer, consumer, sonde_gen_instruction_pipe(producer));
    if (p->reads && overtakes && overlap(c, a->first, a->reads, b_writes, b->writes, d)) {
        d->kind = SONDE_DEPENDENCY_WRITE_AFTER_READ;
        return true;
    }
    return find_small_hazard(c, p, index, d);
}

static void report(struct check *c, const struct pending *p, uint32_t index,
                   struct sonde_dependency *d)
{
    d->producer = p->instruction;
    d->consumer = index;
    d->pipe = (uint8_t)sonde_gen_instruction_pipe(instruction_of(c, p->instruction));
    d->has_token = p->token != NO_TOKEN;
    d->token = d->has_token ? p->token : 0;
    d->distance = d->has_token ? 0 : p->distance;
    c->found++;
    if (c->report != NULL)
        c->report(c->context, d);
}

static bool is_state_register(const struct sonde_gen_operand *o)
{
    if (o->file != SONDE_GEN_FILE_ARF || o->indirect)
        return false;
    switch (o->number & 0xf0) {
    case SONDE_GEN_ARF_CHANNEL_ENABLE:
    case SONDE_GEN_ARF_STACK_POINTER:
    case SONDE_GEN_ARF_STATE:
    case SONDE_GEN_ARF_CONTROL:
    case SONDE_GEN_ARF_IP:
    case SONDE_GEN_ARF_TIMESTAMP:
    case SONDE_GEN_ARF_DEBUG:
        return true;
    default:
        return false;
    }
}

/* Arithmetic on a state or control register. */
static bool touches_state(const struct check *c, uint32_t index)
{
    const struct sonde_gen_instruction *i = instruction_of(c, index);
    switch (sonde_gen_instruction_pipe(i)) {
    case SONDE_GEN_PIPE_NONE:
    case SONDE_GEN_PIPE_SEND:
    case SONDE_GEN_PIPE_SYSTOLIC:
        return false;
    default:
        break;
    }
    if (sonde_gen_opcode_is_branch((enum sonde_gen_opcode)i->opcode))
        return false;
    bool touches = is_state_register(&i->dst);
    for (unsigned n = 0; n < i->source_count && n < 3; n++)
        touches = touches || is_state_register(&i->src[n]);
    return touches;
}

static void check_hazards(struct check *c, const struct state *s, uint32_t index)
{
    bool wants_all = touches_state(c, index);
    for (size_t n = 0; n < s->count; n++) {
        const struct pending *p = &s->items[n];
        struct sonde_dependency d = {0};
        if (p->token != NO_TOKEN && one_sequence(c, p->instruction, index))
            continue;
        if (!p->together && !instruction_of(c, p->instruction)->no_mask &&
            !instruction_of(c, index)->no_mask)
            continue;
        bool hazard = find_hazard(c, p, index, &d);
        bool after_state =
            p->token == NO_TOKEN && touches_state(c, p->instruction) &&
            sonde_gen_instruction_pipe(instruction_of(c, index)) != SONDE_GEN_PIPE_NONE;
        if (!hazard && p->token == NO_TOKEN && (wants_all || after_state)) {
            d.kind = SONDE_DEPENDENCY_STATE;
            hazard = true;
        }
        if (hazard)
            report(c, p, index, &d);
    }
}

/* ---- the flow ---- */

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
           c->kernel->block_of[jip] == edge->destination;
}

/* What is in flight is not followed into a procedure and out of it: a return
 * leads to all calls, and behind a call is what the procedure left. */
static bool passes_procedure(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint8_t opcode = instruction_of(c, block->first + block->count - 1)->opcode;
    return opcode == SONDE_GEN_RET || opcode == SONDE_GEN_CALL || opcode == SONDE_GEN_CALLA;
}

/* Where channels come to along an edge: those that break a loop pass its while. */
static uint32_t destination_of(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint32_t last = block->first + block->count - 1, uip = c->kernel->uip_target[last];
    bool breaks = instruction_of(c, last)->opcode == SONDE_GEN_BREAK && !edge->falls_through &&
                  uip + 1 < c->kernel->instruction_count &&
                  c->kernel->block_of[uip] == edge->destination &&
                  instruction_of(c, uip)->opcode == SONDE_GEN_WHILE;
    return breaks ? c->kernel->block_of[uip + 1] : edge->destination;
}

/* Where channels wait that leave at the end of a block. */
static uint32_t meeting_of(const struct check *c, const struct sonde_edge *edge)
{
    const struct sonde_block *block = &c->kernel->blocks[edge->source];
    uint32_t last = block->first + block->count - 1, uip = c->kernel->uip_target[last];
    if (uip == SONDE_NO_INSTRUCTION)
        return SONDE_NO_INSTRUCTION;
    bool breaks = instruction_of(c, last)->opcode == SONDE_GEN_BREAK &&
                  instruction_of(c, uip)->opcode == SONDE_GEN_WHILE;
    return breaks ? uip + 1 : uip;
}

/* The thread goes on without the channels of an item. */
static void leave(struct pending *item, uint32_t meeting)
{
    if (item->together && item->alone && item->meeting != meeting)
        item->meeting = SONDE_NO_INSTRUCTION;
    else if (item->together)
        item->meeting = meeting;
    item->together = false;
    item->alone = true;
}

/* The thread comes to where channels wait. */
static void meet(struct state *s, uint32_t index)
{
    for (size_t n = 0; n < s->count; n++) {
        struct pending *item = &s->items[n];
        if (!item->alone || item->meeting != index)
            continue;
        item->together = true;
        item->alone = false;
        item->meeting = SONDE_NO_INSTRUCTION;
    }
}

static enum sonde_status flow_along(struct check *c, const struct sonde_edge *edge, bool *changed)
{
    struct state *to = &c->in[destination_of(c, edge)];
    *changed = !to->reached;
    to->reached = true;
    if (passes_procedure(c, edge))
        return SONDE_OK;
    bool keeps = keeps_channels(c, edge), empty = finds_no_channel(c, edge);
    uint32_t meeting = meeting_of(c, edge);
    for (size_t n = 0; n < c->current.count; n++) {
        struct pending item = c->current.items[n];
        if (!edge->falls_through && item.token == NO_TOKEN)
            continue; /* a taken branch drains the in-order pipes */
        if (empty && !item.alone)
            continue;
        /* An in-order instruction is close enough to meet the channels again. */
        if (item.token != NO_TOKEN && !keeps)
            leave(&item, meeting);
        enum sonde_status status = join_item(to, &item, changed);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

static enum sonde_status run_block(struct check *c, const struct sonde_block *block, bool reports)
{
    struct state *s = &c->current;
    const struct state *in = &c->in[block->id];
    s->count = 0;
    enum sonde_status status =
        base_array_reserve((void **)&s->items, &s->capacity, in->count + 1, sizeof *s->items);
    if (status != SONDE_OK)
        return status;
    if (in->count > 0)
        memcpy(s->items, in->items, in->count * sizeof *s->items);
    s->count = in->count;
    meet(s, block->first);
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        struct sonde_gen_wait wait;
        sonde_gen_instruction_wait(instruction_of(c, i), &wait);
        wait_for(c, s, &wait);
        if (reports)
            check_hazards(c, s, i);
        status = enter(c, s, i);
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
