/* The ways of threads through blocks, and when they ran. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/hash.h"
#include "analyze/records.h"
#include "analyze/tables.h"
#include "analyze/timeline.h"
#include "base/array.h"

/* --- flowtrace ------------------------------------------------------------------- */

struct flow {
    struct analyze_rows *rows;
    struct analyze_hash last;  /* thread -> block + 1, 0 at its start */
    struct analyze_hash edges; /* -> row + 1 */
    uint32_t dispatch;
};

static bool records_every_block(const struct sonde_record_layout *layout)
{
    for (size_t b = 0; b < layout->block_count; b++)
        if (layout->blocks[b].size == 0)
            return false;
    return true;
}

static enum sonde_status see_flow(const struct analyze_visit *visit, void *context,
                                  struct sonde_error *error)
{
    struct flow *flow = context;
    bool found;
    if (!records_every_block(visit->layout))
        return SONDE_OK;
    if (flow->dispatch != visit->dispatch)
        analyze_hash_clear(&flow->last);
    flow->dispatch = visit->dispatch;
    uint64_t *last = analyze_hash_find(&flow->last, visit->thread, &found);
    if (last == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    uint64_t from = *last;
    *last = visit->starts_thread ? 0 : visit->block + 1;
    if (visit->starts_thread)
        return SONDE_OK;
    uint64_t key = ((uint64_t)visit->kernel->id << 42 ^ from << 21) + visit->block;
    uint64_t *edge = analyze_hash_find(&flow->edges, key, &found);
    if (edge == NULL || (!found && analyze_rows_add(flow->rows) == NULL))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (!found) {
        struct analyze_row *row = &flow->rows->items[flow->rows->count - 1];
        *edge = flow->rows->count - 1;
        row->kernel = visit->kernel;
        row->block = visit->block;
        if (from == 0)
            snprintf(row->text, sizeof row->text, "start");
        else
            snprintf(row->text, sizeof row->text, "%u", (unsigned)(from - 1));
        row->value[FLOW_FROM] = from;
        row->value[FLOW_TO] = visit->block;
    }
    flow->rows->items[*edge].value[FLOW_TIMES]++;
    flow->rows->items[*edge].value[FLOW_LANES] += (uint64_t)__builtin_popcount(visit->enabled);
    return SONDE_OK;
}

enum sonde_status analyze_flow(const struct sonde_trace *trace,
                               const struct analyze_matcher *matcher, struct analyze_rows *rows,
                               struct sonde_error *error)
{
    struct flow flow = {.rows = rows, .dispatch = UINT32_MAX};
    enum sonde_status status = analyze_records_walk(trace, matcher, see_flow, &flow, error);
    analyze_hash_clear(&flow.last);
    analyze_hash_clear(&flow.edges);
    return status;
}

/* --- occupancy --------------------------------------------------------------------- */

struct interval {
    uint32_t thread; /* sr0.0 */
    uint32_t unit;
    uint64_t start, end;
};

struct occupancy {
    struct analyze_rows *rows;
    const struct sonde_trace_kernel *kernel;
    uint32_t dispatch;
    struct interval *intervals; /* of the dispatch at hand; end 0 = open */
    size_t count, capacity;
    struct analyze_hash open; /* thread -> interval + 1 */
};

static int compare_intervals(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static bool add_unit(struct occupancy *work, const struct interval *first, size_t count,
                     uint64_t span)
{
    uint64_t busy = 0, covered = 0, reach = 0;
    uint32_t slots = 0;
    for (size_t i = 0; i < count; i++) {
        const struct interval *interval = &first[i];
        uint64_t start = interval->start > reach ? interval->start : reach;
        busy += interval->end - interval->start;
        if (interval->end > start)
            covered += interval->end - start;
        if (interval->end > reach)
            reach = interval->end;
        slots |= 1u << (interval->thread & 7);
    }
    struct analyze_row *row = analyze_rows_add(work->rows);
    if (row == NULL)
        return false;
    row->kernel = work->kernel;
    uint32_t unit = first->unit;
    snprintf(row->text, sizeof row->text, "%u.%u.%u", unit >> 6, unit >> 4 & 3, unit & 15);
    row->value[OCCUPANCY_DISPATCH] = work->dispatch;
    row->value[OCCUPANCY_UNIT] = unit;
    row->value[OCCUPANCY_THREADS] = count;
    row->value[OCCUPANCY_SLOTS] = (uint64_t)__builtin_popcount(slots);
    row->value[OCCUPANCY_BUSY] = busy;
    row->value[OCCUPANCY_COVERED] = covered;
    row->value[OCCUPANCY_SPAN] = span;
    row->value[OCCUPANCY_ROOM] = span * row->value[OCCUPANCY_SLOTS];
    return true;
}

/* The units of the dispatch that ended. Threads without an end are left out. */
static bool add_units(struct occupancy *work)
{
    uint64_t begin = UINT64_MAX, end = 0;
    size_t kept = 0;
    bool good = true;
    for (size_t i = 0; i < work->count; i++) {
        struct interval interval = work->intervals[i];
        if (interval.end < interval.start)
            continue;
        work->intervals[kept++] = interval;
        begin = interval.start < begin ? interval.start : begin;
        end = interval.end > end ? interval.end : end;
    }
    if (kept > 1)
        qsort(work->intervals, kept, sizeof *work->intervals, compare_intervals);
    for (size_t first = 0; first < kept && good;) {
        size_t next = first + 1;
        while (next < kept && work->intervals[next].unit == work->intervals[first].unit)
            next++;
        good = add_unit(work, &work->intervals[first], next - first, end - begin);
        first = next;
    }
    work->count = 0;
    analyze_hash_clear(&work->open);
    return good;
}

static enum sonde_status see_thread(const struct analyze_visit *visit, void *context,
                                    struct sonde_error *error)
{
    struct occupancy *work = context;
    bool found, good = true;
    if (work->dispatch != visit->dispatch)
        good = add_units(work);
    work->dispatch = visit->dispatch;
    work->kernel = visit->kernel;
    bool ends = !visit->starts_thread && visit->kernel->blocks[visit->block].is_eot;
    if (good && visit->starts_thread) {
        uint64_t *open = analyze_hash_find(&work->open, visit->thread, &found);
        good = open != NULL &&
               base_array_reserve((void **)&work->intervals, &work->capacity, work->count + 1,
                                  sizeof *work->intervals) == SONDE_OK;
        if (good) {
            work->intervals[work->count] =
                (struct interval){.thread = visit->thread,
                                  .unit = analyze_thread_unit(visit->kernel, visit->thread),
                                  .start = visit->time};
            *open = ++work->count;
        }
    } else if (good && ends) {
        uint64_t *open = analyze_hash_find(&work->open, visit->thread, &found);
        good = open != NULL;
        if (good && found && *open != 0)
            work->intervals[*open - 1].end = visit->time;
    }
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

enum sonde_status analyze_occupancy(const struct sonde_trace *trace,
                                    const struct analyze_matcher *matcher,
                                    struct analyze_rows *rows, struct sonde_error *error)
{
    struct occupancy work = {.rows = rows, .dispatch = UINT32_MAX};
    snprintf(rows->note, sizeof rows->note,
             "times as the device's clock tm0 gives them; on the emulated GPU threads run side by "
             "side with --timing only, without it each one's clock starts at 0");
    enum sonde_status status = analyze_records_walk(trace, matcher, see_thread, &work, error);
    if (status == SONDE_OK && !add_units(&work))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    free(work.intervals);
    analyze_hash_clear(&work.open);
    return status;
}
