/* What a dispatch comes to: the workers' counts summed, and the first fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/gen/core.h"
#include "emu/gen/timing.h"

static void fill_fault(struct emu_worker *worker, struct emu_fault *fault)
{
    const struct emu_thread *thread = worker->fault_thread;
    const struct emu_operation *operation = worker->fault_operation;
    fault->occurred = true;
    snprintf(fault->reason, sizeof(fault->reason), "%s", worker->fault_reason);
    fault->kernel_start = worker->dispatch->kernel_start;
    fault->execution_mask = worker->fault_mask;
    if (operation) {
        const struct emu_details *details = operation->details;
        struct sonde_gen_instruction found; /* as fetched: the translator edits its copy */
        bool decoded = sonde_gen_decode(worker->dispatch->platform, details->bytes, details->mapped,
                                        0, &found, NULL) == SONDE_OK;
        found.offset = details->address;
        fault->instruction_offset = details->address;
        sonde_gen_print(decoded ? &found : &details->instruction, NULL, NULL, fault->instruction,
                        sizeof(fault->instruction));
    }
    memcpy(fault->group, thread->group->id, sizeof(fault->group));
    fault->thread = thread->index;
    fault->grf_count = thread->register_bytes / EMU_GRF_SIZE;
    memcpy(fault->grf, thread->grf, thread->register_bytes);
}

static int compare_counts(const void *a, const void *b)
{
    int64_t first = (int32_t)((const struct emu_count *)a)->offset;
    int64_t second = (int32_t)((const struct emu_count *)b)->offset;
    return (first > second) - (first < second);
}

enum sonde_status emu_result_count(struct emu_program *program, struct emu_worker *const *workers,
                                   uint32_t worker_count, struct emu_result *result,
                                   struct sonde_error *error)
{
    uint32_t operations = emu_program_operation_count(program);
    struct emu_count *counts = calloc(operations ? operations : 1, sizeof(*counts));
    if (!counts)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the counts");
    size_t used = 0;
    for (uint32_t i = 0; i < operations; i++) {
        struct emu_count *count = &counts[used];
        memset(count, 0, sizeof(*count));
        for (uint32_t w = 0; w < worker_count; w++) {
            if (i >= workers[w]->tally_count)
                continue;
            count->executions += workers[w]->tallies[i].executions;
            count->lanes += workers[w]->tallies[i].lanes;
        }
        result->lanes += count->lanes;
        count->offset = emu_program_operation(program, i)->details->address;
        used += count->executions != 0;
    }
    qsort(counts, used, sizeof(*counts), compare_counts);
    result->counts = counts;
    result->count_count = used;
    return SONDE_OK;
}

void emu_result_gather(struct emu_worker *const *workers, uint32_t count, struct emu_result *result)
{
    for (uint32_t i = 0; i < count; i++) {
        result->instructions += workers[i]->instructions;
        result->threads += workers[i]->threads;
        result->out_of_bounds += workers[i]->out_of_bounds;
        uint64_t barriers = result->divergence.barriers + workers[i]->divergence.barriers;
        if (workers[i]->divergence.barriers && !result->divergence.barriers)
            result->divergence = workers[i]->divergence;
        result->divergence.barriers = barriers;
        if (workers[i]->timing)
            result->cycles = emu_timing_cycles(workers[i]->timing);
        if (workers[i]->faulted && !result->fault.occurred)
            fill_fault(workers[i], &result->fault);
    }
}

static int64_t place_of(const struct emu_count *count)
{
    return (int32_t)count->offset;
}

static bool add_counts(struct emu_result *sum, const struct emu_result *part)
{
    size_t i = 0, j = 0, used = 0;
    struct emu_count *counts = calloc(sum->count_count + part->count_count + 1, sizeof(*counts));
    if (!counts)
        return false;
    while (i < sum->count_count || j < part->count_count) {
        const struct emu_count *a = i < sum->count_count ? &sum->counts[i] : NULL;
        const struct emu_count *b = j < part->count_count ? &part->counts[j] : NULL;
        bool take_a = a && (!b || place_of(a) <= place_of(b));
        bool take_b = b && (!a || place_of(b) <= place_of(a));
        struct emu_count *count = &counts[used++];
        count->offset = take_a ? a->offset : b->offset;
        count->executions = (take_a ? a->executions : 0) + (take_b ? b->executions : 0);
        count->lanes = (take_a ? a->lanes : 0) + (take_b ? b->lanes : 0);
        i += take_a;
        j += take_b;
    }
    free(sum->counts);
    sum->counts = counts;
    sum->count_count = used;
    return true;
}

static bool add_events(struct emu_result *sum, struct emu_result *part)
{
    if (part->event_count == 0)
        return true;
    struct emu_event_thread *events =
        realloc(sum->events, (sum->event_count + part->event_count) * sizeof(*events));
    if (!events)
        return false;
    memcpy(events + sum->event_count, part->events, part->event_count * sizeof(*events));
    sum->events = events;
    sum->event_count += part->event_count;
    part->event_count = 0; /* their data went over */
    return true;
}

bool emu_result_add(struct emu_result *sum, struct emu_result *part)
{
    sum->instructions += part->instructions;
    sum->lanes += part->lanes;
    sum->threads += part->threads;
    sum->cycles += part->cycles;
    sum->out_of_bounds += part->out_of_bounds;
    uint64_t barriers = sum->divergence.barriers + part->divergence.barriers;
    if (!sum->divergence.barriers)
        sum->divergence = part->divergence;
    sum->divergence.barriers = barriers;
    if (!sum->fault.occurred)
        sum->fault = part->fault;
    bool added = add_counts(sum, part) && add_events(sum, part);
    emu_result_clear(part);
    return added;
}

void emu_result_clear(struct emu_result *result)
{
    free(result->counts);
    for (size_t i = 0; i < result->event_count; i++)
        free(result->events[i].data);
    free(result->events);
    memset(result, 0, sizeof(*result));
}
