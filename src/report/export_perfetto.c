/* Perfetto's own trace: protocol buffers, a track for each lane, function names
 * interned. Its clock has nanoseconds: here one is a cycle. Field numbers are
 * those of perfetto/trace/trace_packet.proto and track_event/track_event.proto. */
#include <stdlib.h>
#include <string.h>

#include "report/export_lanes.h"

enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT = 5,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    EVENT_CATEGORY = 3,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    INTERNED_CATEGORIES = 1,
    INTERNED_NAMES = 2,
    INTERNED_ID = 1,
    INTERNED_NAME = 2,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    FLAG_STATE_CLEARED = 1,
    FLAG_NEEDS_STATE = 2,
    SEQUENCE = 1,
    PROCESS_UUID = 1,
    LANE_UUID = 1000, /* + lane */
};

struct perfetto {
    const struct analyze_callflow *flow;
    const uint32_t *lanes;
    struct report_text *text;
    struct report_text packet, part, inner; /* reused */
};

static void put_varint(struct report_text *text, uint64_t value)
{
    char out[10];
    size_t size = 0;
    do {
        out[size++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    report_text_add_bytes(text, out, size);
}

static void put_number(struct report_text *text, unsigned field, uint64_t value)
{
    put_varint(text, field << 3);
    put_varint(text, value);
}

static void put_bytes(struct report_text *text, unsigned field, const char *bytes, size_t size)
{
    put_varint(text, field << 3 | 2);
    put_varint(text, size);
    report_text_add_bytes(text, bytes, size);
}

static void put_string(struct report_text *text, unsigned field, const char *string)
{
    put_bytes(text, field, string, strlen(string));
}

/* The message in `from` as a field, and `from` empty again. */
static void put_message(struct report_text *text, unsigned field, struct report_text *from)
{
    put_bytes(text, field, from->data, from->size);
    text->failed = text->failed || from->failed;
    from->size = 0;
}

static void end_packet(struct perfetto *file)
{
    put_number(&file->packet, PACKET_SEQUENCE, SEQUENCE);
    put_message(file->text, TRACE_PACKET, &file->packet);
}

static void put_process(struct perfetto *file)
{
    put_number(&file->inner, PROCESS_PID, 1);
    put_string(&file->inner, PROCESS_NAME, report_export_title(file->flow));
    put_number(&file->part, DESCRIPTOR_UUID, PROCESS_UUID);
    put_message(&file->part, DESCRIPTOR_PROCESS, &file->inner);
    put_message(&file->packet, PACKET_TRACK_DESCRIPTOR, &file->part);
    end_packet(file);
}

static void put_lane(struct perfetto *file, uint32_t lane)
{
    char name[32];
    report_lane_name(lane, name);
    put_number(&file->inner, THREAD_PID, 1);
    put_number(&file->inner, THREAD_TID, lane);
    put_string(&file->inner, THREAD_NAME, name);
    put_number(&file->part, DESCRIPTOR_UUID, LANE_UUID + lane);
    put_number(&file->part, DESCRIPTOR_PARENT, PROCESS_UUID);
    put_message(&file->part, DESCRIPTOR_THREAD, &file->inner);
    put_message(&file->packet, PACKET_TRACK_DESCRIPTOR, &file->part);
    end_packet(file);
}

static void put_interned(struct perfetto *file, unsigned field, uint64_t id, const char *name)
{
    put_number(&file->inner, INTERNED_ID, id);
    put_string(&file->inner, INTERNED_NAME, name);
    put_message(&file->part, field, &file->inner);
}

static void put_names(struct perfetto *file)
{
    const struct analyze_callflow *flow = file->flow;
    for (unsigned kind = 0; kind < ANALYZE_FUNCTION_KIND_COUNT; kind++)
        put_interned(file, INTERNED_CATEGORIES, kind + 1,
                     analyze_function_kind_name((enum analyze_function_kind)kind));
    for (size_t i = 0; i < flow->function_count; i++)
        put_interned(file, INTERNED_NAMES, i + 1, flow->functions[i].name);
    put_number(&file->packet, PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED);
    put_message(&file->packet, PACKET_INTERNED_DATA, &file->part);
    end_packet(file);
}

static void put_event(struct perfetto *file, const struct report_piece *piece)
{
    put_number(&file->part, EVENT_TRACK, LANE_UUID + file->lanes[piece->span]);
    put_number(&file->packet, PACKET_TIMESTAMP, piece->cycle);
    put_number(&file->packet, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
    put_message(&file->packet, PACKET_TRACK_EVENT, &file->part);
    end_packet(file);
}

static void open_piece(void *context, const struct report_piece *piece)
{
    struct perfetto *file = context;
    uint32_t function = file->flow->spans[piece->span].function;
    put_number(&file->part, EVENT_CATEGORY, file->flow->functions[function].kind + 1);
    put_number(&file->part, EVENT_TYPE, TYPE_BEGIN);
    put_number(&file->part, EVENT_NAME, function + 1u);
    put_event(file, piece);
}

static void close_piece(void *context, const struct report_piece *piece)
{
    struct perfetto *file = context;
    put_number(&file->part, EVENT_TYPE, TYPE_END);
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
    "perfetto", "callflow.pftrace", "protocol buffers, for Perfetto", true, write_perfetto};
