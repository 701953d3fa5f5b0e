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

/* Times in which any thread of a unit ran: disjoint, ascending. As threads come
 * about in order of time there are as many as there were gaps. */
struct cover {
    uint64_t start, end;
};

struct unit {
    uint32_t id;
    uint32_t slots; /* a bit each */
    uint64_t threads, busy;
    struct cover *covers;
    size_t count, capacity;
};

struct occupancy {
    struct analyze_rows *rows;
    /* Of the dispatch at hand. */
    const struct sonde_trace_kernel *kernel;
    struct unit *units;
    size_t count, capacity;
    uint64_t start, end;
    bool failed;
};

/* The first interval that ends at `start` or later. */
static size_t find_cover(const struct unit *unit, uint64_t start)
{
    size_t low = 0, high = unit->count;
    if (high > 0 && unit->covers[high - 1].start <= start)
        low = high - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unit->covers[middle].end < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool cover(struct unit *unit, uint64_t start, uint64_t end)
{
    size_t at = find_cover(unit, start), next = at;
    for (; next < unit->count && unit->covers[next].start <= end; next++) {
        if (unit->covers[next].start < start)
            start = unit->covers[next].start;
        if (unit->covers[next].end > end)
            end = unit->covers[next].end;
    }
    if (base_array_reserve((void **)&unit->covers, &unit->capacity, unit->count + 1,
                           sizeof *unit->covers) != SONDE_OK)
        return false;
    memmove(&unit->covers[at + 1], &unit->covers[next],
            (unit->count - next) * sizeof *unit->covers);
    unit->count = unit->count - next + at + 1;
    unit->covers[at] = (struct cover){start, end};
    return true;
}

static struct unit *unit_of(struct occupancy *work, uint32_t id)
{
    for (size_t i = 0; i < work->count; i++)
        if (work->units[i].id == id)
            return &work->units[i];
    if (base_array_reserve((void **)&work->units, &work->capacity, work->count + 1,
                           sizeof *work->units) != SONDE_OK)
        return NULL;
    work->units[work->count] = (struct unit){.id = id};
    return &work->units[work->count++];
}

static int compare_units(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool add_unit(struct occupancy *work, const struct unit *unit, uint32_t dispatch,
                     uint64_t busy)
{
    uint64_t covered = 0, span = work->end - work->start;
    for (size_t i = 0; i < unit->count; i++)
        covered += unit->covers[i].end - unit->covers[i].start;
    struct analyze_row *row = analyze_rows_add(work->rows);
    if (row == NULL)
        return false;
    row->kernel = work->kernel;
    snprintf(row->text, sizeof row->text, "%u.%u.%u", unit->id >> 6, unit->id >> 4 & 3,
             unit->id & 15);
    row->value[OCCUPANCY_DISPATCH] = dispatch;
    row->value[OCCUPANCY_UNIT] = unit->id;
    row->value[OCCUPANCY_THREADS] = unit->threads;
    row->value[OCCUPANCY_SLOTS] = (uint64_t)__builtin_popcount(unit->slots);
    row->value[OCCUPANCY_BUSY] = unit->busy;
    row->value[OCCUPANCY_COVERED] = covered;
    row->value[OCCUPANCY_SPAN] = span;
    row->value[OCCUPANCY_ROOM] = span * row->value[OCCUPANCY_SLOTS];
    row->value[OCCUPANCY_RELATIVE] = unit->busy * work->count;
    row->value[OCCUPANCY_ALL] = busy;
    return true;
}

static void add_units(struct occupancy *work, uint32_t dispatch)
{
    uint64_t busy = 0;
    if (work->count > 1)
        qsort(work->units, work->count, sizeof *work->units, compare_units);
    for (size_t i = 0; i < work->count; i++)
        busy += work->units[i].busy;
    for (size_t i = 0; i < work->count; i++) {
        work->failed = work->failed || !add_unit(work, &work->units[i], dispatch, busy);
        free(work->units[i].covers);
    }
    work->count = 0;
}

/* Threads whose end was not seen are left out. */
static void see_thread(struct occupancy *work, const struct analyze_tick_span *span)
{
    struct unit *unit = unit_of(work, span->unit);
    if (unit == NULL || !cover(unit, span->start, span->end)) {
        work->failed = true;
        return;
    }
    bool first = work->count == 1 && unit->threads == 0;
    work->kernel = span->kernel;
    work->start = first || span->start < work->start ? span->start : work->start;
    work->end = first || span->end > work->end ? span->end : work->end;
    unit->threads++;
    unit->slots |= 1u << span->slot;
    unit->busy += span->end - span->start;
}

static bool close_span(void *context, enum analyze_span_kind kind,
                       const struct analyze_tick_span *span)
{
    struct occupancy *work = context;
    if (kind == ANALYZE_SPAN_THREAD && span->ended)
        see_thread(work, span);
    else if (kind == ANALYZE_SPAN_DISPATCH)
        add_units(work, span->dispatch);
    return !work->failed;
}

enum sonde_status analyze_occupancy(const struct sonde_trace *trace,
                                    const struct analyze_matcher *matcher,
                                    struct analyze_rows *rows, struct sonde_error *error)
{
    struct occupancy work = {.rows = rows};
    const struct analyze_timeline_sink sink = {.close = close_span, .context = &work};
    snprintf(rows->note, sizeof rows->note,
             "times as the device's clock tm0 gives them; on the emulated GPU threads run side by "
             "side with --timing only, without it each one's clock starts at 0");
    enum sonde_status status = analyze_timeline_walk(trace, matcher, &sink, error);
    for (size_t i = 0; i < work.count; i++)
        free(work.units[i].covers);
    free(work.units);
    return status;
}
