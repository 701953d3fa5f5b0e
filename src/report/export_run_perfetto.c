/* The timeline of a GPU run in Perfetto's protocol buffers: one tick of the
 * device's clock is a nanosecond there. */
#include <stdio.h>
#include <stdlib.h>

#include "report/export_proto.h"
#include "report/export_timeline.h"

enum {
    CATEGORY_BASE = 1, /* + kind of the span */
    NAME_KERNEL = 1,   /* + id of the kernel; blocks behind all kernels */
};

struct perfetto {
    const struct sonde_trace *trace;
    struct report_text *text;
    struct report_text packet, part, inner; /* reused */
    bool *has_process;
};

static void end_packet(struct perfetto *file)
{
    proto_put_number(&file->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_put_message(file->text, TRACE_PACKET, &file->packet);
}

static uint64_t process_uuid(const struct report_event *event)
{
    return event->process;
}

static uint64_t track_uuid(const struct report_event *event)
{
    return (uint64_t)event->process << 32 | event->track;
}

static void put_track(void *context, const struct report_event *event, const char *process,
                      const char *name)
{
    struct perfetto *file = context;
    if (!file->has_process[event->process]) {
        file->has_process[event->process] = true;
        proto_put_number(&file->inner, PROCESS_PID, event->process);
        proto_put_string(&file->inner, PROCESS_NAME, process);
        proto_put_number(&file->part, DESCRIPTOR_UUID, process_uuid(event));
        proto_put_message(&file->part, DESCRIPTOR_PROCESS, &file->inner);
        proto_put_message(&file->packet, PACKET_TRACK_DESCRIPTOR, &file->part);
        end_packet(file);
    }
    proto_put_number(&file->inner, THREAD_PID, event->process);
    proto_put_number(&file->inner, THREAD_TID, event->track);
    proto_put_string(&file->inner, THREAD_NAME, name);
    proto_put_number(&file->part, DESCRIPTOR_UUID, track_uuid(event));
    proto_put_number(&file->part, DESCRIPTOR_PARENT, process_uuid(event));
    proto_put_message(&file->part, DESCRIPTOR_THREAD, &file->inner);
    proto_put_message(&file->packet, PACKET_TRACK_DESCRIPTOR, &file->part);
    end_packet(file);
}

static void put_interned(struct perfetto *file, unsigned field, uint64_t id, const char *name)
{
    proto_put_number(&file->inner, INTERNED_ID, id);
    proto_put_string(&file->inner, INTERNED_NAME, name);
    proto_put_message(&file->part, field, &file->inner);
}

static void put_names(struct perfetto *file)
{
    static const char *const categories[] = {"thread", "block", "dispatch"};
    size_t kernels = sonde_trace_kernel_count(file->trace), blocks = 0;
    for (unsigned i = 0; i < sizeof categories / sizeof *categories; i++)
        put_interned(file, INTERNED_CATEGORIES, CATEGORY_BASE + i, categories[i]);
    for (size_t k = 0; k < kernels; k++) {
        const struct sonde_trace_kernel *kernel = sonde_trace_kernel(file->trace, k);
        put_interned(file, INTERNED_NAMES, NAME_KERNEL + k, kernel->name);
        blocks = kernel->block_count > blocks ? kernel->block_count : blocks;
    }
    for (size_t b = 0; b < blocks; b++) {
        char name[32];
        snprintf(name, sizeof name, "block %zu", b);
        put_interned(file, INTERNED_NAMES, NAME_KERNEL + kernels + b, name);
    }
    proto_put_number(&file->packet, PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED);
    proto_put_message(&file->packet, PACKET_INTERNED_DATA, &file->part);
    end_packet(file);
}

static void put_event(struct perfetto *file, const struct report_event *event, uint64_t time)
{
    proto_put_number(&file->part, EVENT_TRACK, track_uuid(event));
    proto_put_number(&file->packet, PACKET_TIMESTAMP, time);
    proto_put_number(&file->packet, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
    proto_put_message(&file->packet, PACKET_TRACK_EVENT, &file->part);
    end_packet(file);
}

static void annotate(struct perfetto *file, const char *name, uint64_t value)
{
    proto_put_number(&file->inner, ANNOTATION_UNSIGNED, value);
    proto_put_string(&file->inner, ANNOTATION_NAME, name);
    proto_put_message(&file->part, EVENT_ANNOTATION, &file->inner);
}

static void open_event(void *context, const struct report_event *event)
{
    struct perfetto *file = context;
    uint64_t name = NAME_KERNEL + event->span->kernel->id;
    if (event->kind == ANALYZE_SPAN_BLOCK)
        name = NAME_KERNEL + sonde_trace_kernel_count(file->trace) + event->span->block;
    proto_put_number(&file->part, EVENT_CATEGORY, CATEGORY_BASE + (uint64_t)event->kind);
    if (event->kind != ANALYZE_SPAN_BLOCK)
        annotate(file, "dispatch", event->span->dispatch);
    if (event->kind == ANALYZE_SPAN_THREAD) {
        annotate(file, "group x", event->span->group[0]);
        annotate(file, "group y", event->span->group[1]);
        annotate(file, "group z", event->span->group[2]);
    }
    proto_put_number(&file->part, EVENT_TYPE, TYPE_BEGIN);
    proto_put_number(&file->part, EVENT_NAME, name);
    put_event(file, event, event->start);
}

static void close_event(void *context, const struct report_event *event)
{
    struct perfetto *file = context;
    proto_put_number(&file->part, EVENT_TYPE, TYPE_END);
    put_event(file, event, event->end);
}

enum sonde_status report_export_run_perfetto(const struct report_run_export *run,
                                             struct report_text *text, struct sonde_error *error)
{
    struct perfetto file = {.trace = run->trace, .text = text};
    struct report_timeline_sink sink = {put_track, open_event, close_event, &file};
    size_t processes = 2 * sonde_trace_process_count(run->trace) + 2;
    file.has_process = calloc(processes, sizeof *file.has_process);
    if (file.has_process == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the export");
    put_names(&file);
    enum sonde_status status = report_timeline_walk(run, &sink, error);
    free(file.has_process);
    free(file.packet.data);
    free(file.part.data);
    free(file.inner.data);
    return status;
}
