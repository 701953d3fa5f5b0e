#include "emu/gen/worker.h"

#include <stdlib.h>
#include <string.h>

#include "emu/gen/check.h"
#include "emu/gen/events.h"
#include "emu/gen/timing.h"

#define RESIDENT_MAX 64u
/* Bytes of groups' memory that a worker keeps. */
#define KEEP_BYTES (4u << 20)
/* What a small kernel needs. */
#define WARM_GROUPS  2u
#define WARM_THREADS 32u

struct emu_worker *emu_worker_create(struct emu *emu)
{
    struct emu_worker *worker = calloc(1, sizeof(*worker));
    if (worker)
        worker->emu = emu;
    return worker;
}

static void group_free(struct emu_group *group)
{
    free(group->threads);
    free(group->slm);
    memset(group, 0, sizeof(*group));
}

static void free_residents(struct emu_worker *worker)
{
    for (uint32_t i = 0; i < worker->resident_capacity; i++)
        group_free(&worker->resident[i]);
    free(worker->resident);
    worker->resident = NULL;
    worker->resident_capacity = 0;
}

void emu_worker_destroy(struct emu_worker *worker)
{
    if (!worker)
        return;
    free_residents(worker);
    free(worker->tallies);
    free(worker);
}

bool emu_worker_grow_tallies(struct emu_worker *worker, uint32_t count)
{
    uint32_t wanted = emu_program_operation_count(worker->program);
    if (wanted < count)
        wanted = count;
    if (wanted > worker->tally_capacity) {
        struct emu_tally *tallies = realloc(worker->tallies, wanted * sizeof(*tallies));
        if (!tallies)
            return false;
        worker->tallies = tallies;
        worker->tally_capacity = wanted;
    }
    memset(worker->tallies + worker->tally_count, 0,
           (wanted - worker->tally_count) * sizeof(*worker->tallies));
    worker->tally_count = wanted;
    return true;
}

static bool reserve_residents(struct emu_worker *worker, uint32_t count)
{
    if (count > worker->resident_capacity) {
        free_residents(worker);
        worker->resident = calloc(count, sizeof(*worker->resident));
        if (!worker->resident)
            return false;
        worker->resident_capacity = count;
    }
    worker->resident_max = count;
    return true;
}

bool emu_worker_prepare(struct emu_worker *worker, const struct emu_dispatch *dispatch,
                        struct emu_program *program, const struct emu_memory *memory,
                        const struct emu_options *options, uint32_t places)
{
    *worker = (struct emu_worker){
        .emu = worker->emu,
        .tallies = worker->tallies,
        .tally_capacity = worker->tally_capacity,
        .resident = worker->resident,
        .resident_capacity = worker->resident_capacity,
        .dispatch = dispatch,
        .program = program,
        .memory = *memory,
    };
    worker->counts = options->count || options->timing; /* that looks at them */
    if (options->check)
        worker->check_facts = emu_check_facts_create();
    if (options->timing)
        worker->timing = emu_timing_create(dispatch, places);
    return (worker->check_facts || !options->check) && (worker->timing || !options->timing) &&
           reserve_residents(worker,
                             places < RESIDENT_MAX || options->timing ? places : RESIDENT_MAX) &&
           (!worker->counts ||
            emu_worker_grow_tallies(worker, emu_program_operation_count(program)));
}

void emu_worker_release(struct emu_worker *worker)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < worker->resident_capacity; i++) {
        struct emu_group *group = &worker->resident[i];
        for (uint32_t t = 0; group->unfinished && t < group->thread_count; t++)
            emu_events_clear(group->threads[t].log);
        group->unfinished = 0;
        emu_check_destroy(group->checks);
        group->checks = NULL;
        kept += group->thread_capacity * sizeof(struct emu_thread) + group->slm_capacity;
        if (kept > KEEP_BYTES)
            group_free(group);
    }
    emu_events_clear(worker->logs);
    worker->logs = NULL;
    emu_timing_destroy(worker->timing);
    worker->timing = NULL;
    emu_check_facts_destroy(worker->check_facts);
    worker->check_facts = NULL;
}

static bool reserve_threads(struct emu_group *group, uint32_t count)
{
    if (count <= group->thread_capacity)
        return true;
    free(group->threads);
    group->thread_capacity = 0;
    group->threads = aligned_alloc(64, count * sizeof(struct emu_thread));
    if (!group->threads)
        return false;
    group->thread_capacity = count;
    return true;
}

static bool reserve_slm(struct emu_group *group, uint32_t size)
{
    if (size <= group->slm_capacity)
        return true;
    free(group->slm);
    group->slm_capacity = 0;
    group->slm = malloc(size);
    if (!group->slm)
        return false;
    group->slm_capacity = size;
    return true;
}

void emu_worker_warm(struct emu_worker *worker)
{
    memset(worker->tlb, 0, sizeof(worker->tlb));
    memset(worker->surfaces, 0, sizeof(worker->surfaces));
    if (!reserve_residents(worker, RESIDENT_MAX))
        return;
    for (uint32_t i = 0; i < WARM_GROUPS; i++)
        if (reserve_threads(&worker->resident[i], WARM_THREADS))
            memset(worker->resident[i].threads, 0, WARM_THREADS * sizeof(struct emu_thread));
}

bool emu_worker_group_allocate(struct emu_worker *worker, struct emu_group *group)
{
    const struct emu_dispatch *dispatch = worker->dispatch;
    if (!reserve_threads(group, dispatch->threads_per_group) ||
        !reserve_slm(group, dispatch->slm_size))
        return false;
    if (worker->check_facts && !group->checks)
        group->checks = emu_check_create(dispatch->threads_per_group);
    return group->checks || !worker->check_facts;
}
