/* The records of kernels and dispatches: asked for by tools, written to the
 * trace when a dispatch ends. Lock held, but for attach_trace_build. */
#ifndef SONDE_ATTACH_NEO_TRACE_H
#define SONDE_ATTACH_NEO_TRACE_H

#include "attach/neo/session.h"

/* Read the sizes of an earlier run into the session. */
enum sonde_status attach_trace_load_known(const char *directory, struct sonde_error *error);
/* Bytes known for a kernel, UINT64_MAX none. */
uint64_t attach_trace_known(const struct attach_kernel *kernel);

/* Insert the records that the tools asked for into the kernel. No lock. */
enum sonde_status attach_trace_build(struct attach_kernel *kernel, struct sonde_tool_build *build,
                                     struct sonde_error *error);
/* Decide how much space the dispatch's records get: fills its buffer_size. */
void attach_trace_size(struct attach_dispatch *dispatch);
/* Set up the buffer, which is zero. */
void attach_trace_prepare(const struct attach_dispatch *dispatch);
/* What an ended dispatch recorded, into the trace. */
void attach_trace_write(struct attach_dispatch *dispatch);
/* `size` bytes of whole records, byte `first` of the dispatch's. */
void attach_trace_write_records(struct attach_dispatch *dispatch, const uint8_t *records,
                                uint64_t first, uint64_t size);
/* Bytes of records that a dry dispatch counted; UINT64_MAX when it cannot be told. */
uint64_t attach_trace_counted(const struct attach_dispatch *dispatch);

#endif
