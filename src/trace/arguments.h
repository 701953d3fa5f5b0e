/* Sections of kernels' arguments and of what was bound to them. */
#ifndef SONDE_TRACE_ARGUMENTS_H
#define SONDE_TRACE_ARGUMENTS_H

#include "sonde/trace.h"
#include "trace/arena.h"
#include "trace/encode.h"
#include "trace/section.h"

void trace_encode_arguments(struct trace_buffer *buffer,
                            const struct sonde_trace_arguments *arguments);
void trace_encode_buffers(struct trace_buffer *buffer, const struct sonde_trace_buffers *buffers);

/* False when the payload is not what its kind says, or memory ran out. */
bool trace_decode_arguments(const struct trace_section *section, struct trace_arena *arena,
                            struct sonde_trace_arguments *arguments);
bool trace_decode_buffers(const struct trace_section *section, struct trace_arena *arena,
                          struct sonde_trace_buffers *buffers);

#endif
