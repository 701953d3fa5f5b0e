/* The sets of instructions in flight, by rising index.
 *
 * Facts: see dependency.c. */
#include "kernel/in_flight.h"

#include "base/array.h"

#include <string.h>

/* Instructions of a pipe after which an earlier one of it is complete. */
#define LATENCY      10u
#define LATENCY_LONG 14u
#define LATENCY_MATH 18u

bool kernel_counts_all_pipes(const struct sonde_kernel *kernel)
{
    return kernel->info.platform == SONDE_GEN_PLATFORM_XE;
}

static unsigned latency(enum sonde_gen_pipe pipe)
{
    if (pipe == SONDE_GEN_PIPE_LONG)
        return LATENCY_LONG;
    return pipe == SONDE_GEN_PIPE_MATH ? LATENCY_MATH : LATENCY;
}

/* The token of an out-of-order instruction. The systolic operations of an
 * atomic sequence share that of the last. */
static uint8_t token_of(const struct sonde_kernel *kernel, uint32_t index)
{
    struct sonde_gen_wait wait;
    while (kernel->instructions[index].thread_control == SONDE_GEN_THREAD_ATOMIC &&
           sonde_gen_instruction_pipe(&kernel->instructions[index]) == SONDE_GEN_PIPE_SYSTOLIC &&
           index + 1 < kernel->instruction_count)
        index++;
    if (!sonde_gen_instruction_wait(&kernel->instructions[index], &wait) || !wait.sets_token)
        return KERNEL_NO_TOKEN;
    return wait.token;
}

static enum sonde_status insert(struct kernel_in_flight *s, size_t at,
                                const struct kernel_pending *item)
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
enum sonde_status kernel_in_flight_join(struct kernel_in_flight *s,
                                        const struct kernel_pending *item, bool *changed)
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
    struct kernel_pending *old = &s->items[low];
    struct kernel_pending joined = *old;
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
void kernel_in_flight_wait(const struct sonde_kernel *kernel, struct kernel_in_flight *s,
                           const struct sonde_gen_wait *wait)
{
    size_t kept = 0;
    /* A token that is given anew is waited for by the hardware. */
    uint32_t reused = wait->sets_token ? UINT32_C(1) << wait->token : 0;
    uint32_t written = wait->destination | reused, read = wait->source | written;
    for (size_t n = 0; n < s->count; n++) {
        struct kernel_pending item = s->items[n];
        if (item.token == KERNEL_NO_TOKEN) {
            unsigned pipe = sonde_gen_instruction_pipe(&kernel->instructions[item.instruction]);
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

/* An out-of-order instruction got a token. */
static void follow(const struct sonde_kernel *kernel, struct kernel_in_flight *s, uint32_t index,
                   uint8_t token)
{
    const struct sonde_gen_instruction *i = &kernel->instructions[index];
    uint32_t bit = UINT32_C(1) << token;
    for (size_t n = 0; n < s->count; n++) {
        struct kernel_pending *item = &s->items[n];
        const struct sonde_gen_instruction *other = &kernel->instructions[item->instruction];
        bool same = item->token != KERNEL_NO_TOKEN &&
                    kernel_same_function(other, i, sonde_gen_instruction_pipe(other));
        item->followers = same ? item->followers | bit : item->followers & ~bit;
    }
}

/* An instruction entered an in-order pipe. */
static void advance(const struct sonde_kernel *kernel, struct kernel_in_flight *s,
                    enum sonde_gen_pipe entered)
{
    size_t kept = 0;
    for (size_t n = 0; n < s->count; n++) {
        struct kernel_pending *item = &s->items[n];
        if (item->token == KERNEL_NO_TOKEN) {
            enum sonde_gen_pipe pipe =
                sonde_gen_instruction_pipe(&kernel->instructions[item->instruction]);
            if (pipe == entered || kernel_counts_all_pipes(kernel))
                item->distance++;
            if (item->distance > latency(pipe))
                continue;
        }
        s->items[kept++] = *item;
    }
    s->count = kept;
}

enum sonde_status kernel_in_flight_enter(const struct sonde_kernel *kernel,
                                         struct kernel_in_flight *s, uint32_t index)
{
    const struct sonde_gen_instruction *i = &kernel->instructions[index];
    enum sonde_gen_pipe pipe = sonde_gen_instruction_pipe(i);
    bool out_of_order = sonde_gen_instruction_is_out_of_order(i), changed = false;
    struct kernel_pending item = {index, 1,     KERNEL_NO_TOKEN,     true, true, 0,
                                  true,  false, SONDE_NO_INSTRUCTION};
    if (pipe == SONDE_GEN_PIPE_NONE)
        return SONDE_OK;
    if (out_of_order) {
        item.token = token_of(kernel, index);
        if (item.token == KERNEL_NO_TOKEN)
            return SONDE_OK;
        follow(kernel, s, index, item.token);
        return kernel_in_flight_join(s, &item, &changed);
    }
    advance(kernel, s, pipe);
    /* In a loop the instruction itself may still be in flight. */
    return kernel_in_flight_join(s, &item, &changed);
}

/* The thread goes on without the channels of an item. */
void kernel_pending_leave(struct kernel_pending *item, uint32_t meeting)
{
    if (item->together && item->alone && item->meeting != meeting)
        item->meeting = SONDE_NO_INSTRUCTION;
    else if (item->together)
        item->meeting = meeting;
    item->together = false;
    item->alone = true;
}

/* The thread comes to where channels wait. */
void kernel_in_flight_meet(struct kernel_in_flight *s, uint32_t index)
{
    for (size_t n = 0; n < s->count; n++) {
        struct kernel_pending *item = &s->items[n];
        if (!item->alone || item->meeting != index)
            continue;
        item->together = true;
        item->alone = false;
        item->meeting = SONDE_NO_INSTRUCTION;
    }
}
