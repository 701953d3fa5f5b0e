/* A firmware, its call events and its end: payloads and what a reader keeps. */
#ifndef SONDE_TRACE_CALLS_H
#define SONDE_TRACE_CALLS_H

#include "sonde/trace.h"
#include "trace/arena.h"
#include "trace/encode.h"
#include "trace/section.h"

void trace_encode_firmware(struct trace_buffer *buffer,
                           const struct sonde_trace_firmware *firmware);
/* `first` = events before these. */
void trace_encode_calls(struct trace_buffer *buffer, const struct sonde_trace_call *calls,
                        size_t count, uint64_t first);
/* `calls` = events of the run. */
void trace_encode_firmware_end(struct trace_buffer *buffer,
                               const struct sonde_trace_firmware_end *end, uint64_t calls);

struct trace_call_flow {
    bool has_firmware, has_end;
    struct sonde_trace_firmware firmware;
    struct sonde_trace_call *calls;
    size_t call_count, call_capacity;
    uint64_t next_call; /* number of the event that follows those seen */
    struct sonde_trace_firmware_end end;
};

/* Take a section in; false when it is unusable. */
bool trace_call_flow_add_firmware(struct trace_call_flow *flow, const struct trace_section *section,
                                  struct trace_arena *arena);
bool trace_call_flow_add_calls(struct trace_call_flow *flow, const struct trace_section *section);
bool trace_call_flow_add_end(struct trace_call_flow *flow, const struct trace_section *section,
                             struct trace_arena *arena);
void trace_call_flow_clear(struct trace_call_flow *flow);

#endif
