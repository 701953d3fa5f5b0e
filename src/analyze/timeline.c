#include "analyze/timeline.h"

#include <stdlib.h>

#include "analyze/hash.h"
#include "analyze/records.h"
#include "base/array.h"
#include "base/bytes.h"

/* The hardware thread slots of the dispatch at hand. */
struct slot {
    struct analyze_tick_span thread, block;
    bool runs, in_block;
};

struct timeline {
    const struct analyze_timeline_sink *sink;
    struct analyze_hash known; /* sr0.0 -> slot */
    struct slot *slots;
    size_t slot_count, slot_capacity;
    struct analyze_tick_span dispatch; /* records 0: none */
    const struct sonde_record_layout *layout;
    bool every_block; /* of the layout */
};

uint32_t analyze_thread_unit(const struct sonde_trace_kernel *kernel, uint32_t thread)
{
    return sonde_gen_thread_field(kernel->platform, SONDE_GEN_THREAD_SLICE, thread) << 6 |
           sonde_gen_thread_field(kernel->platform, SONDE_GEN_THREAD_SUBSLICE, thread) << 4 |
           sonde_gen_thread_field(kernel->platform, SONDE_GEN_THREAD_UNIT, thread);
}

static bool opens(const struct timeline *timeline, enum analyze_span_kind kind,
                  const struct analyze_tick_span *span)
{
    const struct analyze_timeline_sink *sink = timeline->sink;
    return sink->open == NULL || sink->open(sink->context, kind, span);
}

static bool closes(const struct timeline *timeline, enum analyze_span_kind kind,
                   struct analyze_tick_span *span, uint64_t end)
{
    const struct analyze_timeline_sink *sink = timeline->sink;
    span->end = end > span->start ? end : span->start;
    return sink->close == NULL || sink->close(sink->context, kind, span);
}

/* The clock may have been set back: a thread does not end before its blocks. */
static bool close_block(struct timeline *timeline, struct slot *slot, uint64_t end)
{
    bool good = !slot->in_block || closes(timeline, ANALYZE_SPAN_BLOCK, &slot->block, end);
    if (slot->in_block && slot->block.end > slot->thread.end)
        slot->thread.end = slot->block.end;
    slot->in_block = false;
    return good;
}

static bool close_thread(struct timeline *timeline, struct slot *slot)
{
    bool good = true;
    if (slot->runs)
        good = close_block(timeline, slot, slot->thread.end) &&
               closes(timeline, ANALYZE_SPAN_THREAD, &slot->thread, slot->thread.end);
    slot->runs = false;
    return good;
}

static bool close_dispatch(struct timeline *timeline)
{
    bool good = true;
    for (size_t i = 0; i < timeline->slot_count && good; i++)
        good = close_thread(timeline, &timeline->slots[i]);
    if (good && timeline->dispatch.records > 0)
        good = closes(timeline, ANALYZE_SPAN_DISPATCH, &timeline->dispatch, timeline->dispatch.end);
    analyze_hash_clear(&timeline->known);
    timeline->slot_count = 0;
    timeline->dispatch.records = 0;
    return good;
}

static struct slot *slot_of(struct timeline *timeline, uint32_t thread)
{
    bool found;
    uint64_t *place = analyze_hash_find(&timeline->known, thread, &found);
    if (place == NULL)
        return NULL;
    if (found)
        return &timeline->slots[*place];
    if (base_array_reserve((void **)&timeline->slots, &timeline->slot_capacity,
                           timeline->slot_count + 1, sizeof *timeline->slots) != SONDE_OK)
        return NULL;
    *place = timeline->slot_count++;
    struct slot *slot = &timeline->slots[*place];
    *slot = (struct slot){.runs = false};
    return slot;
}

static bool start_thread(struct timeline *timeline, struct slot *slot,
                         const struct analyze_visit *visit)
{
    const uint8_t *header;
    if (!close_thread(timeline, slot))
        return false;
    slot->thread = (struct analyze_tick_span){
        .kernel = visit->kernel,
        .dispatch = visit->dispatch,
        .thread = visit->thread,
        .unit = analyze_thread_unit(visit->kernel, visit->thread),
        .slot = visit->thread & 7,
        .start = visit->time,
        .end = visit->time,
    };
    if (analyze_visit_item_count(visit) > 0 && analyze_visit_item(visit, 0, &header)->size >= 32) {
        slot->thread.group[0] = base_load32(header + 4);
        slot->thread.group[1] = base_load32(header + 24);
        slot->thread.group[2] = base_load32(header + 28);
    }
    slot->runs = true;
    return opens(timeline, ANALYZE_SPAN_THREAD, &slot->thread);
}

static bool enter_block(struct timeline *timeline, struct slot *slot,
                        const struct analyze_visit *visit)
{
    if (!close_block(timeline, slot, visit->time))
        return false;
    slot->block = slot->thread;
    slot->block.block = visit->block;
    slot->block.start = visit->time > slot->thread.end ? visit->time : slot->thread.end;
    slot->in_block = true;
    return opens(timeline, ANALYZE_SPAN_BLOCK, &slot->block);
}

static bool records_every_block(const struct sonde_record_layout *layout)
{
    for (size_t b = 0; b < layout->block_count; b++)
        if (layout->blocks[b].size == 0)
            return false;
    return true;
}

static void widen_dispatch(struct timeline *timeline, const struct analyze_visit *visit)
{
    struct analyze_tick_span *dispatch = &timeline->dispatch;
    if (dispatch->records++ == 0) {
        *dispatch = (struct analyze_tick_span){.kernel = visit->kernel,
                                               .dispatch = visit->dispatch,
                                               .start = visit->time,
                                               .end = visit->time,
                                               .records = 1};
        return;
    }
    if (visit->time < dispatch->start)
        dispatch->start = visit->time;
    if (visit->time > dispatch->end)
        dispatch->end = visit->time;
}

static enum sonde_status see_visit(const struct analyze_visit *visit, void *context,
                                   struct sonde_error *error)
{
    struct timeline *timeline = context;
    bool good = true;
    if (timeline->dispatch.records > 0 && timeline->dispatch.dispatch != visit->dispatch)
        good = close_dispatch(timeline);
    if (timeline->layout != visit->layout)
        timeline->every_block = records_every_block(visit->layout);
    timeline->layout = visit->layout;
    widen_dispatch(timeline, visit);
    struct slot *slot = good ? slot_of(timeline, visit->thread) : NULL;
    good = slot != NULL;
    if (good && visit->starts_thread)
        good = start_thread(timeline, slot, visit);
    if (good && slot->runs) { /* else its start is lost */
        slot->thread.records++;
        if (!visit->starts_thread && timeline->every_block)
            good = enter_block(timeline, slot, visit);
        slot->thread.ended = !visit->starts_thread && visit->kernel->blocks[visit->block].is_eot;
        if (visit->time > slot->thread.end)
            slot->thread.end = visit->time;
    }
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

enum sonde_status analyze_timeline_walk(const struct sonde_trace *trace,
                                        const struct analyze_matcher *matcher,
                                        const struct analyze_timeline_sink *sink,
                                        struct sonde_error *error)
{
    struct timeline timeline = {.sink = sink};
    enum sonde_status status = analyze_records_walk(trace, matcher, see_visit, &timeline, error);
    if (status == SONDE_OK && !close_dispatch(&timeline))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    analyze_hash_clear(&timeline.known);
    free(timeline.slots);
    return status;
}
