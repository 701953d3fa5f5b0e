#include "report/export_timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Overlapping dispatches stand in tracks side by side. */
enum {
    LANES = 64,
    THREAD_TRACKS = 1000, /* + unit << 3 | slot */
    UNITS_LIMIT = 1 << 14,
};

struct slot {
    bool known;
    uint64_t shift; /* of the thread that runs there */
    uint64_t end;   /* of the last thread */
};

struct timeline {
    const struct report_run_export *run;
    const struct report_timeline_sink *sink;
    struct slot *slots; /* thread tracks, by process and number */
    size_t slot_count;
    uint64_t base;                                   /* where the dispatch at hand starts */
    uint64_t high;                                   /* end of the last event of a thread */
    uint64_t host_lanes[LANES], device_lanes[LANES]; /* end of the last event, by lane */
    unsigned host_lane_count, device_lane_count;
};

static const struct sonde_trace_dispatch *dispatch_of(const struct timeline *timeline,
                                                      const struct analyze_tick_span *span)
{
    return sonde_trace_dispatch(timeline->run->trace, span->dispatch);
}

static void announce(const struct timeline *timeline, const struct report_event *event,
                     const char *name)
{
    char process[320];
    const struct sonde_trace *trace = timeline->run->trace;
    const struct sonde_trace_header *header = sonde_trace_process(trace, (event->process - 1) / 2);
    const char *slash = strrchr(header->program, '/');
    snprintf(process, sizeof process, "%.120s %u: %.120s",
             slash != NULL ? slash + 1 : header->program, header->process,
             event->on_host ? "host" : header->device);
    timeline->sink->track(timeline->sink->context, event, process, name);
}

/* The first lane that is free at `start`. */
static uint32_t take_lane(uint64_t *lanes, unsigned *count, uint64_t start, uint64_t end,
                          bool *is_new)
{
    unsigned lane = 0;
    while (lane < *count && lanes[lane] > start && lane + 1 < LANES)
        lane++;
    *is_new = lane == *count;
    *count += *is_new;
    lanes[lane] = end;
    return lane + 1;
}

static void put_dispatch(struct timeline *timeline, const struct analyze_tick_span *span,
                         bool on_host)
{
    bool is_new;
    struct report_event event = {.on_host = on_host, .kind = ANALYZE_SPAN_DISPATCH, .span = span};
    event.start = span->start + (on_host ? 0 : timeline->base);
    event.end = span->end + (on_host ? 0 : timeline->base);
    event.process = 2 * dispatch_of(timeline, span)->process + (on_host ? 1 : 2);
    event.track = take_lane(on_host ? timeline->host_lanes : timeline->device_lanes,
                            on_host ? &timeline->host_lane_count : &timeline->device_lane_count,
                            event.start, event.end, &is_new);
    snprintf(event.name, sizeof event.name, "%s", span->kernel->name);
    if (is_new) {
        char name[48];
        snprintf(name, sizeof name, event.track > 1 ? "dispatches %u" : "dispatches", event.track);
        announce(timeline, &event, name);
    }
    if (timeline->sink->open != NULL)
        timeline->sink->open(timeline->sink->context, &event);
    if (timeline->sink->close != NULL)
        timeline->sink->close(timeline->sink->context, &event);
}

static struct slot *slot_of(const struct timeline *timeline, const struct analyze_tick_span *span)
{
    size_t place = (size_t)dispatch_of(timeline, span)->process * UNITS_LIMIT +
                   (span->unit << 3 | span->slot) % UNITS_LIMIT;
    return &timeline->slots[place < timeline->slot_count ? place : 0];
}

static void fill(const struct timeline *timeline, enum analyze_span_kind kind,
                 const struct analyze_tick_span *span, struct report_event *event)
{
    uint64_t shift = slot_of(timeline, span)->shift;
    event->process = 2 * dispatch_of(timeline, span)->process + 2;
    event->track = THREAD_TRACKS + (span->unit << 3 | span->slot);
    event->on_host = false;
    event->kind = kind;
    event->span = span;
    event->start = span->start + shift;
    event->end = span->end + shift;
    if (kind == ANALYZE_SPAN_BLOCK)
        snprintf(event->name, sizeof event->name, "block %u", span->block);
    else
        snprintf(event->name, sizeof event->name, "%s", span->kernel->name);
}

/* A thread does not start before the one that its slot had before has ended. */
static void place_thread(struct timeline *timeline, const struct analyze_tick_span *span)
{
    struct slot *slot = slot_of(timeline, span);
    uint64_t start = span->start + timeline->base;
    slot->shift = timeline->base + (slot->end > start ? slot->end - start : 0);
}

static bool open_span(void *context, enum analyze_span_kind kind,
                      const struct analyze_tick_span *span)
{
    struct timeline *timeline = context;
    struct slot *slot = slot_of(timeline, span);
    struct report_event event;
    if (kind == ANALYZE_SPAN_THREAD)
        place_thread(timeline, span);
    fill(timeline, kind, span, &event);
    if (kind == ANALYZE_SPAN_THREAD && !slot->known) {
        char name[64];
        slot->known = true;
        snprintf(name, sizeof name, "EU %u.%u.%u thread %u", span->unit >> 6, span->unit >> 4 & 3,
                 span->unit & 15, span->slot);
        announce(timeline, &event, name);
    }
    if (timeline->sink->open != NULL)
        timeline->sink->open(timeline->sink->context, &event);
    return true;
}

static bool is_emulated(const struct timeline *timeline, const struct analyze_tick_span *span)
{
    const struct sonde_trace_header *header =
        sonde_trace_process(timeline->run->trace, dispatch_of(timeline, span)->process);
    return strncmp(header->device, "emu", 3) == 0;
}

static bool close_span(void *context, enum analyze_span_kind kind,
                       const struct analyze_tick_span *span)
{
    struct timeline *timeline = context;
    struct report_event event;
    if (kind == ANALYZE_SPAN_DISPATCH) {
        put_dispatch(timeline, span, false);
        if (timeline->high < span->end + timeline->base)
            timeline->high = span->end + timeline->base;
        if (is_emulated(timeline, span))
            timeline->base = timeline->high;
        return true;
    }
    fill(timeline, kind, span, &event);
    if (kind == ANALYZE_SPAN_THREAD) {
        slot_of(timeline, span)->end = event.end;
        timeline->high = event.end > timeline->high ? event.end : timeline->high;
    }
    if (timeline->sink->close != NULL)
        timeline->sink->close(timeline->sink->context, &event);
    return true;
}

/* Dispatches stand in order of submission. */
static void put_host(struct timeline *timeline)
{
    const struct sonde_trace *trace = timeline->run->trace;
    uint64_t base = UINT64_MAX;
    for (size_t i = 0; i < sonde_trace_dispatch_count(trace); i++) {
        uint64_t time = sonde_trace_dispatch(trace, i)->submit_time;
        base = time != 0 && time < base ? time : base;
    }
    for (size_t i = 0; i < sonde_trace_dispatch_count(trace); i++) {
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(trace, i);
        struct analyze_tick_span span = {
            .kernel = sonde_trace_kernel(trace, dispatch->kernel),
            .dispatch = (uint32_t)i,
            .start = dispatch->submit_time - base,
            .end = dispatch->complete_time - base,
        };
        if (dispatch->submit_time == 0 || dispatch->complete_time < dispatch->submit_time ||
            !analyze_matcher_accepts_kernel(timeline->run->matcher, span.kernel))
            continue;
        put_dispatch(timeline, &span, true);
    }
}

enum sonde_status report_timeline_walk(const struct report_run_export *run,
                                       const struct report_timeline_sink *sink,
                                       struct sonde_error *error)
{
    struct timeline timeline = {.run = run, .sink = sink};
    struct analyze_timeline_sink spans = {open_span, close_span, &timeline};
    timeline.slot_count = sonde_trace_process_count(run->trace) * UNITS_LIMIT;
    timeline.slots = calloc(timeline.slot_count + 1, sizeof *timeline.slots);
    if (timeline.slots == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the export");
    put_host(&timeline);
    enum sonde_status status = analyze_timeline_walk(run->trace, run->matcher, &spans, error);
    free(timeline.slots);
    return status;
}
