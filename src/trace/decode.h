/* Section payloads into the public structs: everything checked, everything
 * copied into the arena. Ids stay as the file has them. */
#ifndef SONDE_TRACE_DECODE_H
#define SONDE_TRACE_DECODE_H

#include "sonde/trace.h"
#include "base/bytes.h"
#include "trace/arena.h"
#include "trace/section.h"

/* Each returns false when the payload is not what its kind says, or memory ran out. */
/* Text is shown on terminals: it ends at a NUL inside, and control characters
 * (escape sequences of a hostile kernel name) become '?'. Never NULL. */
const char *trace_read_string(struct base_reader *reader, struct trace_arena *arena);

bool trace_decode_process(const struct trace_section *section, struct trace_arena *arena,
                          struct sonde_trace_header *header);
bool trace_decode_kernel(const struct trace_section *section, struct trace_arena *arena,
                         struct sonde_trace_kernel *kernel);
bool trace_decode_dispatch(const struct trace_section *section,
                           struct sonde_trace_dispatch *dispatch);
bool trace_decode_block_counts(const struct trace_section *section, struct trace_arena *arena,
                               struct sonde_trace_block_counts *counts);
bool trace_decode_loss(const struct trace_section *section, struct trace_arena *arena,
                       struct sonde_trace_loss *loss);
bool trace_decode_message(const struct trace_section *section, struct trace_arena *arena,
                          struct sonde_trace_message *message);
bool trace_decode_end(const struct trace_section *section, uint64_t *sections, uint64_t *dropped);

#endif
