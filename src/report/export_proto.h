/* Protocol buffers of Perfetto's traces. Field numbers are those of
 * perfetto/trace/trace_packet.proto, track_event/track_event.proto and
 * track_event/debug_annotation.proto. */
#ifndef SONDE_REPORT_EXPORT_PROTO_H
#define SONDE_REPORT_EXPORT_PROTO_H

#include "report/text.h"

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
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    INTERNED_CATEGORIES = 1,
    INTERNED_NAMES = 2,
    INTERNED_ID = 1,
    INTERNED_NAME = 2,
    ANNOTATION_UNSIGNED = 3,
    ANNOTATION_NAME = 10,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    FLAG_STATE_CLEARED = 1,
    FLAG_NEEDS_STATE = 2,
    SEQUENCE = 1,
};

void proto_put_number(struct report_text *text, unsigned field, uint64_t value);
void proto_put_bytes(struct report_text *text, unsigned field, const char *bytes, size_t size);
void proto_put_string(struct report_text *text, unsigned field, const char *string);
/* The message in `from` as a field, and `from` empty again. */
void proto_put_message(struct report_text *text, unsigned field, struct report_text *from);

#endif
