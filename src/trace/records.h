/* Sections of record streams: layouts, stretches of records, totals. */
#ifndef SONDE_TRACE_RECORDS_H
#define SONDE_TRACE_RECORDS_H

#include "sonde/trace.h"
#include "trace/arena.h"
#include "trace/encode.h"
#include "trace/section.h"

void trace_encode_record_layout(struct trace_buffer *buffer, uint32_t kernel,
                                const struct sonde_record_layout *layout);
/* `compressor` is a ZSTD_CCtx, or NULL: stored as they are. */
void trace_encode_records(struct trace_buffer *buffer, const struct sonde_trace_records *records,
                          void *compressor);
void trace_encode_record_totals(struct trace_buffer *buffer,
                                const struct sonde_trace_record_totals *totals);
void trace_encode_counters(struct trace_buffer *buffer,
                           const struct sonde_trace_counters *counters);

struct trace_layout {
    uint32_t kernel;
    struct sonde_record_layout layout; /* in the arena */
};

struct trace_stretch {
    struct sonde_trace_records records;
    const uint8_t *frame;
    size_t frame_size;
    bool compressed;
    bool is_owned;     /* the frame is malloc'ed, else in the file's bytes */
    bool is_unchecked; /* nobody has looked at it: `check` is what its section should hash to */
    uint64_t check;
};

/* Whether the fields in front of a stretch's records hold their own hash. */
bool trace_stretch_head_is_good(const uint8_t *payload, size_t size);

/* False when the payload is not what its kind says, or memory ran out. */
bool trace_decode_record_layout(const struct trace_section *section, struct trace_arena *arena,
                                struct trace_layout *layout);
bool trace_decode_records(const struct trace_section *section, struct trace_stretch *stretch);
bool trace_decode_record_totals(const struct trace_section *section, struct trace_arena *arena,
                                struct sonde_trace_record_totals *totals);
bool trace_decode_counters(const struct trace_section *section, struct trace_arena *arena,
                           struct sonde_trace_counters *counters);

/* The bytes of a stretch into `data`. */
enum sonde_status trace_stretch_read(const struct trace_stretch *stretch, uint8_t *data,
                                     struct sonde_error *error);

#endif
