/* Reading one trace file into a part, and parts into a whole trace. */
#ifndef SONDE_TRACE_READER_H
#define SONDE_TRACE_READER_H

#include "sonde/trace.h"
#include "trace/arena.h"
#include "trace/calls.h"
#include "trace/records.h"

extern const struct sonde_trace_header trace_empty_header;

/* What one process wrote. Kernel and dispatch ids are indices into the part. */
struct trace_part {
    char name[64]; /* file name, for messages */
    struct sonde_trace_header header;
    bool has_header;
    bool ended;
    struct sonde_trace_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    uint32_t *kernel_file_ids; /* ascending */
    size_t kernel_file_id_capacity;
    struct sonde_trace_dispatch *dispatches;
    size_t dispatch_count, dispatch_capacity;
    uint32_t *dispatch_file_ids; /* ascending */
    size_t dispatch_file_id_capacity;
    struct sonde_trace_block_counts *counts;
    size_t count_count, count_capacity;
    struct sonde_trace_loss *losses;
    size_t loss_count, loss_capacity;
    struct sonde_trace_message *messages;
    size_t message_count, message_capacity;
    struct trace_call_flow flow;
    struct trace_layout *layouts; /* one a kernel at most, ascending */
    size_t layout_count, layout_capacity;
    struct trace_stretch *stretches;
    size_t stretch_count, stretch_capacity;
    struct sonde_trace_record_totals *totals;
    size_t total_count, total_capacity;
    struct sonde_trace_counters *counters;
    size_t counters_count, counters_capacity;
    struct sonde_trace_arguments *arguments; /* one a kernel at most */
    size_t argument_count, argument_capacity;
    struct sonde_trace_buffers *buffers; /* one a dispatch at most */
    size_t buffer_count, buffer_capacity;
    uint64_t looked_at; /* bytes of the file */
    char warning[256];  /* "" when whole */
};

/* How long the bytes of a file are there. */
enum trace_life {
    TRACE_PASSING,      /* until the part is read */
    TRACE_LASTING,      /* as long as the part; mapped from a file */
    TRACE_LASTING_LAZY, /* the same; records are looked at when they are asked for */
};

/* Read a file's bytes; the file may be cut or damaged anywhere. */
enum sonde_status trace_part_read(struct trace_part *part, const uint8_t *data, size_t size,
                                  enum trace_life life, struct trace_arena *arena,
                                  struct sonde_error *error);
void trace_part_clear(struct trace_part *part);

/* A trace of one file that is in memory already (fuzzing, tests). */
enum sonde_status trace_open_bytes(const uint8_t *data, size_t size, struct sonde_trace **trace,
                                   struct sonde_error *error);
/* The same of bytes that are there for that long. */
enum sonde_status trace_open_for(const uint8_t *data, size_t size, enum trace_life life,
                                 struct sonde_trace **trace, struct sonde_error *error);

#endif
