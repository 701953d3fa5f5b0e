/* A dispatch: the grid of groups over host threads, each of which runs its
 * resident groups in turn. */
#include <fenv.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "emu/gen/check.h"
#include "emu/gen/crew.h"
#include "emu/gen/events.h"
#include "emu/gen/semantics.h"
#include "emu/gen/timing.h"
#include "emu/gen/worker.h"

#define SLICE_INSTRUCTIONS 4096u      /* a thread, before its neighbours run */
#define SHORT_INSTRUCTIONS 64u        /* the same, in a hurry */
#define GROUP_INSTRUCTIONS (1u << 16) /* a group, before another one starts */
/* After so many the first worker calls the others: a kernel that ends sooner is
 * done before they would have woken up. */
#define ALONE_INSTRUCTIONS 1024u
#define WARM_PROGRAM       ((size_t)1 << 20) /* bytes: some 800 instructions */
#define PROGRAM_CACHE      64u

struct emu {
    struct emu_options options;
    enum emu_path path;
    struct emu_program *programs[PROGRAM_CACHE]; /* most recent first */
    const struct emu_dispatch *dispatch;
    atomic_uint_fast64_t next_group;
    atomic_uint_fast64_t instructions;
    atomic_bool stop;
    uint64_t first_group, group_total; /* from and to, of the grid */
    atomic_uint_fast64_t running;
    /* Group n uses the hardware threads of place n modulo `places`, whatever
     * host thread runs it and when: what a kernel sees of its hardware thread
     * is the same in every run. It starts when the group before it at that
     * place has ended. */
    uint32_t places;
    atomic_uint_fast64_t *ended; /* groups, a place */
    struct emu_crew *crew;
    struct emu_arena *spare; /* for the first program */
    uint32_t host_threads;
    struct emu_worker **workers;
    uint32_t worker_count;
    size_t worker_capacity;
    bool alone; /* the first worker has not called the others yet; its own */
};

enum start { START_DONE, START_WAIT, START_NONE_LEFT };

static bool reserve_workers(struct emu *emu, uint32_t count)
{
    void *workers = emu->workers;
    if (base_array_reserve(&workers, &emu->worker_capacity, count, sizeof(*emu->workers)))
        return false;
    emu->workers = workers;
    for (; emu->worker_count < count; emu->worker_count++)
        if (!(emu->workers[emu->worker_count] = emu_worker_create(emu)))
            return false;
    return true;
}

/* The first worker, which small kernels have for themselves. */
static void warm(struct emu *emu)
{
    if (!reserve_workers(emu, 1))
        return;
    emu_worker_warm(emu->workers[0]);
    emu->spare = emu_arena_create_warm(WARM_PROGRAM);
}

static uint32_t online_processors(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

enum sonde_status emu_create(const struct emu_options *options, struct emu **result)
{
    struct emu *emu = calloc(1, sizeof(*emu));
    if (!emu)
        return SONDE_ERROR_MEMORY;
    if (options)
        emu->options = *options;
    emu->host_threads = emu->options.host_threads ? emu->options.host_threads : online_processors();
    emu->crew = emu_crew_create();
    if (!emu->crew) {
        emu_destroy(emu);
        return SONDE_ERROR_MEMORY;
    }
    if (emu->options.warm)
        warm(emu);
    *result = emu;
    return SONDE_OK;
}

void emu_choose_path(struct emu *emu, enum emu_path path)
{
    emu->path = path;
}

void emu_destroy(struct emu *emu)
{
    if (!emu)
        return;
    for (unsigned i = 0; i < PROGRAM_CACHE; i++)
        emu_program_destroy(emu->programs[i]);
    emu_arena_destroy(emu->spare);
    emu_crew_destroy(emu->crew);
    for (uint32_t i = 0; i < emu->worker_count; i++)
        emu_worker_destroy(emu->workers[i]);
    free(emu->workers);
    free(emu);
}

/* The translated kernel, from the cache when its code is unchanged. */
static enum sonde_status find_program(struct emu *emu, const struct emu_memory *memory,
                                      const struct emu_dispatch *dispatch,
                                      struct emu_program **result, struct sonde_error *error)
{
    struct emu_program *program = NULL;
    unsigned slot = 0;
    for (; slot < PROGRAM_CACHE - 1 && emu->programs[slot]; slot++)
        if (emu_program_matches(emu->programs[slot], dispatch, memory)) {
            program = emu->programs[slot];
            break;
        }
    if (!program) {
        struct emu_arena *arena = emu->spare;
        emu->spare = NULL;
        enum sonde_status status =
            emu_program_create(dispatch, memory, emu->path, arena, &program, error);
        if (status != SONDE_OK)
            return status;
        emu_program_destroy(emu->programs[slot]);
    }
    memmove(&emu->programs[1], &emu->programs[0], slot * sizeof(emu->programs[0]));
    emu->programs[0] = program;
    *result = program;
    return SONDE_OK;
}

void emu_worker_fault(struct emu_worker *worker, const char *format, ...)
{
    char text[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    emu_thread_fault(worker->current, worker->current_operation, worker->current_mask, "%s", text);
}

void emu_worker_out_of_bounds(struct emu_worker *worker, uint32_t lanes)
{
    worker->out_of_bounds += lanes;
}

bool emu_worker_touch(struct emu_worker *worker, uint64_t address, size_t size)
{
    if (!worker->timing)
        return false;
    emu_timing_touch(worker->timing, address, size);
    return true;
}

struct emu_tlb_entry *emu_worker_tlb(struct emu_worker *worker)
{
    return worker->tlb;
}

const struct emu_memory *emu_worker_memory(struct emu_worker *worker)
{
    return &worker->memory;
}

struct emu_surface *emu_worker_surfaces(struct emu_worker *worker)
{
    return worker->surfaces;
}

static bool group_start(struct emu_worker *worker, struct emu_group *group, uint64_t number)
{
    const struct emu_dispatch *dispatch = worker->dispatch;
    group->place = (uint32_t)(number % worker->emu->places);
    group->number = number;
    if (!emu_worker_group_allocate(worker, group)) {
        worker->status = SONDE_ERROR_MEMORY;
        return false;
    }
    for (unsigned axis = 0; axis < 3; axis++) {
        uint64_t size = dispatch->group_end[axis] - dispatch->group_start[axis];
        group->id[axis] = dispatch->group_start[axis] + (uint32_t)(number % size);
        number /= size;
    }
    if (dispatch->slm_size)
        memset(group->slm, 0, dispatch->slm_size);
    group->thread_count = dispatch->threads_per_group;
    group->unfinished = group->thread_count;
    group->signalled = 0;
    group->met_barrier = NULL;
    group->first_slot = group->place * dispatch->threads_per_group;
    for (uint32_t i = 0; i < group->thread_count; i++) {
        struct emu_thread *thread = &group->threads[i];
        emu_thread_start(worker, group, i);
        if (worker->emu->options.events && !(thread->log = emu_events_begin(thread)))
            worker->status = SONDE_ERROR_MEMORY;
    }
    if (worker->timing && !emu_timing_admit(worker->timing, group)) {
        worker->status = SONDE_ERROR_MEMORY;
        return false;
    }
    return true;
}

/* No thread of the group can go on: it waits for a barrier that some thread
 * will never reach. */
static void fault_deadlock(struct emu_group *group)
{
    struct emu_thread *stuck = NULL;
    for (uint32_t i = 0; i < group->thread_count && !stuck; i++)
        if (!group->threads[i].finished)
            stuck = &group->threads[i];
    emu_thread_fault(stuck, stuck->next, stuck->active,
                     "barrier divergence: %u of %u threads of the group wait, %u have ended",
                     group->unfinished, group->thread_count,
                     group->thread_count - group->unfinished);
}

/* Is there more to do than to end the last threads? */
static bool goes_on(const struct emu *emu, const struct emu_thread *thread)
{
    return !thread->finished || atomic_load(&emu->next_group) < emu->group_total;
}

/* Publish the count; stop at the limit or when someone else stopped. A dispatch
 * of very many groups that each end soon reaches it between two of them. */
static bool check_limits(struct emu_worker *worker, struct emu_thread *thread)
{
    struct emu *emu = worker->emu;
    uint64_t fresh = worker->instructions - worker->reported;
    worker->reported = worker->instructions;
    uint64_t total = atomic_fetch_add(&emu->instructions, fresh) + fresh;
    if (worker == emu->workers[0] && emu->alone && total >= ALONE_INSTRUCTIONS) {
        emu->alone = false;
        emu_crew_join_in(emu->crew);
    }
    const volatile bool *cancel = emu->options.cancel;
    const struct emu_operation *here =
        thread->finished ? emu_program_operation(worker->program, 0) : thread->next;
    if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED))
        emu_thread_fault(thread, here, thread->active, "cancelled");
    else if (emu->options.max_instructions && total >= emu->options.max_instructions &&
             goes_on(emu, thread))
        emu_thread_fault(thread, here, thread->active,
                         "the limit of %llu instructions was reached here",
                         (unsigned long long)emu->options.max_instructions);
    return !worker->faulted && !atomic_load_explicit(&emu->stop, memory_order_relaxed);
}

/* Run a group for a while. False when the worker must stop. */
static bool group_run(struct emu_worker *worker, struct emu_group *group)
{
    const struct emu_dispatch *dispatch = worker->dispatch;
    uint64_t executed = 0;
    bool hurries = false;
    while (group->unfinished && executed < GROUP_INSTRUCTIONS && !hurries) {
        bool progressed = false;
        for (uint32_t i = 0; i < group->thread_count; i++) {
            struct emu_thread *thread = &group->threads[i];
            if (thread->finished || thread->blocked)
                continue;
            if (dispatch->hurries != NULL && dispatch->hurries(dispatch->hurries_context))
                hurries = true;
            executed += emu_thread_run(thread, hurries ? SHORT_INSTRUCTIONS : SLICE_INSTRUCTIONS);
            progressed = true;
            if (!check_limits(worker, thread))
                return false;
        }
        if (!progressed) {
            fault_deadlock(group);
            return false;
        }
    }
    return true;
}

/* Room for one more group of this worker, or NULL. */
static struct emu_group *free_resident(struct emu_worker *worker)
{
    for (uint32_t i = 0; i < worker->resident_max; i++)
        if (!worker->resident[i].unfinished) {
            if (worker->resident_used <= i)
                worker->resident_used = i + 1;
            return &worker->resident[i];
        }
    return NULL;
}

static bool may_start(struct emu *emu, uint64_t number)
{
    const struct emu_dispatch *dispatch = emu->dispatch;
    return dispatch->may_start == NULL ||
           dispatch->may_start(dispatch->may_start_context, number - emu->first_group,
                               atomic_load(&emu->running));
}

static void group_ended(struct emu *emu, const struct emu_group *group)
{
    atomic_fetch_add(&emu->ended[group->place], 1);
    atomic_fetch_sub(&emu->running, 1);
}

static enum start start_next(struct emu_worker *worker)
{
    struct emu *emu = worker->emu;
    for (;;) {
        uint_fast64_t number = atomic_load(&emu->next_group);
        if (number >= emu->group_total)
            return START_NONE_LEFT;
        if (atomic_load(&emu->ended[number % emu->places]) != number / emu->places)
            return START_WAIT;
        struct emu_group *group = free_resident(worker);
        if (!group)
            return START_WAIT;
        if (!may_start(emu, number))
            return START_WAIT;
        if (atomic_compare_exchange_strong(&emu->next_group, &number, number + 1)) {
            atomic_fetch_add(&emu->running, 1);
            return group_start(worker, group, number) ? START_DONE : START_NONE_LEFT;
        }
    }
}

/* One turn of every resident group. False when the worker must stop. */
static bool run_residents(struct emu_worker *worker, bool *any)
{
    *any = false;
    for (uint32_t i = 0; i < worker->resident_used; i++) {
        struct emu_group *group = &worker->resident[i];
        if (!group->unfinished)
            continue;
        if (!group_run(worker, group))
            return false;
        if (group->unfinished)
            *any = true;
        else
            group_ended(worker->emu, group);
    }
    return true;
}

/* Some group that cannot go on. */
static void fault_first_stuck(struct emu_worker *worker)
{
    for (uint32_t i = 0; i < worker->resident_used; i++)
        if (worker->resident[i].unfinished) {
            fault_deadlock(&worker->resident[i]);
            return;
        }
}

/* The whole dispatch in the order of modelled time. */
static void run_timed(struct emu_worker *worker)
{
    for (;;) {
        struct emu_group *group = NULL;
        struct emu_thread *last = NULL;
        enum start start;
        while ((start = start_next(worker)) == START_DONE) {
        }
        if (worker->status != SONDE_OK)
            break;
        bool any = false;
        for (uint32_t i = 0; i < worker->resident_used && !any; i++)
            any = worker->resident[i].unfinished != 0;
        if (!any && start == START_NONE_LEFT)
            break;
        if (!any) { /* held back (emu_dispatch.may_start) */
            sched_yield();
            continue;
        }
        switch (emu_timing_run(worker->timing, worker, &group, &last)) {
        case TIMING_ENDED:
            group_ended(worker->emu, group);
            break;
        case TIMING_DEADLOCK:
            fault_first_stuck(worker);
            return;
        case TIMING_STOPPED:
            return;
        case TIMING_PAUSED:
            if (!check_limits(worker, last))
                return;
            break;
        }
    }
}

/* Each turn gives every resident group its share, then admits one more, so
 * that a group may spin until one started later has done its part. */
static void worker_main(void *item)
{
    struct emu_worker *worker = item;
    fenv_t environment;
    fegetenv(&environment);
    if (worker->timing)
        run_timed(worker);
    while (!worker->timing) {
        enum start start = start_next(worker);
        bool any;
        if (worker->status != SONDE_OK || !run_residents(worker, &any)) {
            atomic_store(&worker->emu->stop, true);
            break;
        }
        if (atomic_load(&worker->emu->stop) || (!any && start == START_NONE_LEFT))
            break;
        if (!any && start == START_WAIT) /* for a group of another worker */
            sched_yield();
    }
    fesetenv(&environment);
}

/* Hardware thread slots: they bound how many groups exist at a time, because
 * scratch space is one piece a slot. */
static uint32_t slot_total(const struct emu_dispatch *dispatch)
{
    uint32_t total = dispatch->slices * dispatch->subslices * dispatch->eus_per_subslice *
                     dispatch->threads_per_eu;
    return total ? total : 168;
}

static bool set_places(struct emu *emu, const struct emu_dispatch *dispatch)
{
    emu->places = slot_total(dispatch) / dispatch->threads_per_group;
    if (emu->places == 0)
        emu->places = 1;
    emu->ended = calloc(emu->places, sizeof(*emu->ended));
    for (uint32_t place = 0; emu->ended != NULL && place < emu->places; place++)
        atomic_init(&emu->ended[place], (emu->first_group + emu->places - 1 - place) / emu->places);
    return emu->ended != NULL;
}

static uint32_t worker_count_for(const struct emu *emu)
{
    uint64_t count = emu->options.timing ? 1 : emu->host_threads;
    if (count > emu->group_total - emu->first_group)
        count = emu->group_total - emu->first_group;
    if (count > emu->places)
        count = emu->places;
    return count ? (uint32_t)count : 1;
}

/* Of this many, or those that there is memory for. */
static bool prepare_workers(struct emu *emu, uint32_t count, struct emu_program *program,
                            const struct emu_memory *memory)
{
    if (!reserve_workers(emu, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!emu_worker_prepare(emu->workers[i], emu->dispatch, program, memory, &emu->options,
                                emu->places))
            return false;
    }
    return true;
}

/* The first alone, until there is enough to do. */
static void run_workers(struct emu *emu, uint32_t count)
{
    emu->alone = count > 1;
    emu_crew_run(emu->crew, worker_main, (void *const *)emu->workers, count);
}

static enum sonde_status check_dispatch(struct emu *emu, const struct emu_dispatch *dispatch,
                                        struct sonde_error *error)
{
    if (dispatch->platform != SONDE_GEN_PLATFORM_GEN9 &&
        dispatch->platform != SONDE_GEN_PLATFORM_XE &&
        dispatch->platform != SONDE_GEN_PLATFORM_XEHPG)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "the emulator executes Gen9, Gen12LP and Xe-HPG code only");
    if (dispatch->grf_count != 0 && dispatch->grf_count != 128 &&
        dispatch->grf_count != EMU_GRF_COUNT)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "dispatch with %u registers a thread", dispatch->grf_count);
    if (dispatch->threads_per_group == 0 || dispatch->threads_per_group > 1024 ||
        (dispatch->simd != 8 && dispatch->simd != 16 && dispatch->simd != 32) ||
        dispatch->slm_size > EMU_SLM_MAX)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "dispatch of %u threads a group, SIMD%u, %u bytes of SLM",
                               dispatch->threads_per_group, dispatch->simd, dispatch->slm_size);
    emu->group_total = 1;
    for (unsigned axis = 0; axis < 3; axis++) {
        if (dispatch->group_end[axis] <= dispatch->group_start[axis])
            emu->group_total = 0;
        else
            emu->group_total *= dispatch->group_end[axis] - dispatch->group_start[axis];
    }
    emu->first_group = dispatch->first_group;
    if (emu->first_group > emu->group_total)
        emu->first_group = emu->group_total;
    if (dispatch->group_count != 0 && dispatch->group_count < emu->group_total - emu->first_group)
        emu->group_total = emu->first_group + dispatch->group_count;
    return SONDE_OK;
}

enum sonde_status emu_run(struct emu *emu, const struct emu_memory *memory,
                          const struct emu_dispatch *dispatch, struct emu_result *result,
                          struct sonde_error *error)
{
    memset(result, 0, sizeof(*result));
    enum sonde_status status = check_dispatch(emu, dispatch, error);
    if (status != SONDE_OK || emu->group_total == emu->first_group)
        return status;
    struct emu_program *program;
    status = find_program(emu, memory, dispatch, &program, error);
    if (status != SONDE_OK)
        return status;
    emu->dispatch = dispatch;
    if (!set_places(emu, dispatch))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the groups");
    atomic_store(&emu->next_group, emu->first_group);
    atomic_store(&emu->running, 0);
    atomic_store(&emu->instructions, 0);
    atomic_store(&emu->stop, false);
    uint32_t count = worker_count_for(emu);
    if (!prepare_workers(emu, count, program, memory)) {
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the workers");
    } else {
        struct emu_worker **workers = emu->workers;
        run_workers(emu, count);
        for (uint32_t i = 0; i < count; i++)
            if (workers[i]->status != SONDE_OK)
                status =
                    sonde_error_set(error, workers[i]->status, 0, "out of memory for a work-group");
        emu_result_gather(workers, count, result);
        if (status == SONDE_OK && emu->options.count)
            status = emu_result_count(program, workers, count, result, error);
        if (status == SONDE_OK && emu->options.events && !emu_events_gather(workers, count, result))
            status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the events");
    }
    for (uint32_t i = 0; i < emu->worker_count; i++)
        emu_worker_release(emu->workers[i]);
    free(emu->ended);
    emu->ended = NULL;
    emu->dispatch = NULL;
    return status;
}
