/* The timeline of a run on a GPU as tracks with events: dispatches by the
 * host's clock, dispatches and hardware threads by the device's. */
#ifndef SONDE_REPORT_EXPORT_TIMELINE_H
#define SONDE_REPORT_EXPORT_TIMELINE_H

#include "analyze/timeline.h"
#include "report/export.h"

struct report_event {
    uint32_t process; /* number of the track's group, from 1 */
    uint32_t track;   /* number in the group */
    bool on_host;     /* times are ns since the first dispatch; else ticks of the device's clock */
    enum analyze_span_kind kind;
    const struct analyze_tick_span *span;
    uint64_t start, end; /* in the file's time; `end` when it is closed */
    char name[256];
};

struct report_timeline_sink {
    /* Before the first event of a track. */
    void (*track)(void *context, const struct report_event *event, const char *process,
                  const char *name);
    /* Either may be NULL. Events of one track nest; those of a dispatch and of
     * the host come as a pair when they end. */
    void (*open)(void *context, const struct report_event *event);
    void (*close)(void *context, const struct report_event *event);
    void *context;
};

enum sonde_status report_timeline_walk(const struct report_run_export *run,
                                       const struct report_timeline_sink *sink,
                                       struct sonde_error *error);

/* What the times are, for readers of the file. */
#define REPORT_TIMELINE_CLOCK                                                                      \
    "host tracks: CLOCK_MONOTONIC since the first dispatch; device tracks: ticks of the device's " \
    "clock tm0. That of the emulated GPU starts again with each dispatch, and without --timing "   \
    "with each thread: they are put one behind the other"

#endif
