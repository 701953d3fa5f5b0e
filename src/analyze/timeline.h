/* When hardware threads ran, and the blocks that they went through, from the
 * records of any tool. Spans come as the records do: memory grows with the
 * number of hardware threads that are busy at a time, not with their records. */
#ifndef SONDE_ANALYZE_TIMELINE_H
#define SONDE_ANALYZE_TIMELINE_H

#include "analyze/analyze.h"

enum analyze_span_kind {
    ANALYZE_SPAN_THREAD,   /* from the start of a thread to its last record */
    ANALYZE_SPAN_BLOCK,    /* inside a thread: from a block to the next; only where every
                              block is recorded */
    ANALYZE_SPAN_DISPATCH, /* from the first to the last record */
};

/* A span of ticks of the device's clock. */
struct analyze_tick_span {
    const struct sonde_trace_kernel *kernel;
    uint32_t dispatch;
    uint32_t thread;   /* sr0.0 */
    uint32_t unit;     /* slice << 6 | sub-slice << 4 | execution unit */
    uint32_t slot;     /* hardware thread of the unit */
    uint32_t group[3]; /* work-group that the thread ran */
    uint32_t block;    /* BLOCK */
    uint64_t start, end;
    uint64_t records; /* THREAD, DISPATCH */
    bool ended;       /* THREAD: the block that ends it was seen */
};

/* Each may be NULL. Threads are opened before their blocks and closed behind
 * them; `end` is known only when a span is closed. */
struct analyze_timeline_sink {
    bool (*open)(void *context, enum analyze_span_kind kind, const struct analyze_tick_span *span);
    bool (*close)(void *context, enum analyze_span_kind kind, const struct analyze_tick_span *span);
    void *context;
};

/* Dispatches are only closed. SONDE_ERROR_MEMORY when the sink returns false. */
enum sonde_status analyze_timeline_walk(const struct sonde_trace *trace,
                                        const struct analyze_matcher *matcher,
                                        const struct analyze_timeline_sink *sink,
                                        struct sonde_error *error);

/* slice << 6 | sub-slice << 4 | execution unit, of sr0.0. */
uint32_t analyze_thread_unit(const struct sonde_trace_kernel *kernel, uint32_t thread);

#endif
