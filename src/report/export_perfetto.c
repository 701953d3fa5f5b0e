/* Perfetto's own trace: protocol buffers, a track for each lane, function names
 * interned. Its clock has nanoseconds: here one is a cycle. */
#include <stdlib.h>

#include "report/export_lanes.h"
#include "report/export_proto.h"

enum {
    PROCESS_UUID = 1,
    LANE_UUID = 1000, /* + lane */
};

struct perfetto {
    const struct analyze_callflow *flow;
    const uint32_t *lanes;
    struct report_text *text;
    struct report_text packet, part, inner; /* reused */
};

static void end_packet(struct perfetto *file)
{
    proto_put_number(&file->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_put_message(file->text, TRACE_PACKET, &file->packet);
}

static void put_process(struct perfetto *file)
{
    proto_put_number(&file->inner, PROCESS_PID, 1);
    proto_put_string(&file->inner, PROCESS_NAME, report_export_title(file->flow));
    proto_put_number(&file->part, DESCRIPTOR_UUID, PROCESS_UUID);
    proto_put_message(&file->part, DESCRIPTOR_PROCESS, &file->inner);
    proto_put_message(&file->packet, PACKET_TRACK_DESCRIPTOR, &file->part);
    end_packet(file);
}

static void put_lane(struct perfetto *file, uint32_t lane)
{
    char name[32];
    report_lane_name(lane, name);
    proto_put_number(&file->inner, THREAD_PID, 1);
    proto_put_number(&file->inner, THREAD_TID, lane);
    proto_put_string(&file->inner, THREAD_NAME, name);
    proto_put_number(&file->part, DESCRIPTOR_UUID, LANE_UUID + lane);
    proto_put_number(&file->part, DESCRIPTOR_PARENT, PROCESS_UUID);
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
    const struct analyze_callflow *flow = file->flow;
    for (unsigned kind = 0; kind < ANALYZE_FUNCTION_KIND_COUNT; kind++)
        put_interned(file, INTERNED_CATEGORIES, kind + 1,
                     analyze_function_kind_name((enum analyze_function_kind)kind));
    for (size_t i = 0; i < flow->function_count; i++)
        put_interned(file, INTERNED_NAMES, i + 1, flow->functions[i].name);
    proto_put_number(&file->packet, PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED);
    proto_put_message(&file->packet, PACKET_INTERNED_DATA, &file->part);
    end_packet(file);
}

static void put_event(struct perfetto *file, const struct report_piece *piece)
{
    proto_put_number(&file->part, EVENT_TRACK, LANE_UUID + file->lanes[piece->span]);
    proto_put_number(&file->packet, PACKET_TIMESTAMP, piece->cycle);
    proto_put_number(&file->packet, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
    proto_put_message(&file->packet, PACKET_TRACK_EVENT, &file->part);
    end_packet(file);
}

static void open_piece(void *context, const struct report_piece *piece)
{
    struct perfetto *file = context;
    uint32_t function = file->flow->spans[piece->span].function;
    proto_put_number(&file->part, EVENT_CATEGORY, file->flow->functions[function].kind + 1);
    proto_put_number(&file->part, EVENT_TYPE, TYPE_BEGIN);
    proto_put_number(&file->part, EVENT_NAME, function + 1u);
    put_event(file, piece);
}

static void close_piece(void *context, const struct report_piece *piece)
{
    struct perfetto *file = context;
    proto_put_number(&file->part, EVENT_TYPE, TYPE_END);
    put_event(file, piece);
}

static enum sonde_status write_perfetto(const struct analyze_callflow *flow,
                                        const struct report_filter *filter,
                                        struct report_text *text, struct sonde_error *error)
{
    uint32_t *lanes = report_lanes_make(flow), lane;
    struct perfetto file = {.flow = flow, .lanes = lanes, .text = text};
    struct report_walker walker = {open_piece, close_piece, &file};
    bool done = lanes != NULL;
    put_process(&file);
    for (size_t i = 0; (lane = report_lane_at(flow, i)) != 0; i++)
        put_lane(&file, lane);
    put_names(&file);
    done = done && report_callflow_walk(flow, filter, &walker);
    free(lanes);
    free(file.packet.data);
    free(file.part.data);
    free(file.inner.data);
    if (!done || text->failed)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory for the export");
    return SONDE_OK;
}

const struct report_exporter report_export_perfetto = {
    .name = "perfetto",
    .file = "callflow.pftrace",
    .summary = "protocol buffers, for Perfetto",
    .shows_calls = true,
    .write = write_perfetto,
    .write_run = report_export_run_perfetto,
    .run_file = "timeline.pftrace",
};
