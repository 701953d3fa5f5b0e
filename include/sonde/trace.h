/* The run directory (sonde.data/): what a run recorded, written by the attach
 * library inside the profiled program and read by every report.
 *
 * doc/trace-format.md draws the format. Explicit little-endian fields; a file
 * is valid when cut off at any byte (the reader says what is missing); losses
 * are records. */
#ifndef SONDE_TRACE_H
#define SONDE_TRACE_H

#include "sonde/gen.h"
#include "sonde/status.h"

struct sonde_trace_header {
    uint32_t version;
    uint64_t feature_mask;
    const char *command_line;  /* of the profiled program, words quoted for a shell */
    const char *device;        /* "emu:skl" or the hardware device's name */
    const char *driver;        /* driver name and version */
    const char *tools;         /* comma-separated */
    uint64_t clock_frequency;  /* Hz of device timestamps, 0 = unknown */
    uint64_t start_time;       /* Unix nanoseconds */
    uint32_t process;          /* process id */
};

struct sonde_trace_block {
    uint32_t id;
    uint32_t first; /* instruction index */
    uint32_t count;
    bool is_entry;
    bool is_eot;
};

struct sonde_trace_kernel {
    uint32_t id;               /* from 0, order of creation */
    const char *name;
    uint64_t hash;             /* xxh3-64 of the original ISA */
    uint64_t igc_hash;
    enum sonde_gen_platform platform;
    uint32_t simd_width;
    const uint8_t *original;   /* ISA bytes */
    size_t original_size;
    const uint8_t *heap;       /* what the driver was handed (both bodies), NULL when refused */
    size_t heap_size;
    uint32_t instrumented_entry;
    const uint32_t *instruction_offsets; /* in heap, per original instruction; UINT32_MAX = none */
    size_t instruction_count;
    const struct sonde_trace_block *blocks;
    size_t block_count;
    const char *refusal;       /* NULL, or why the kernel ran uninstrumented */
    uint32_t profile_bti;      /* binding-table index of the profile buffer, UINT32_MAX none */
    uint32_t inserted_instructions, inserted_bytes, spills;
};

struct sonde_trace_dispatch {
    uint32_t id;               /* from 0, order of submission */
    uint32_t kernel;
    bool instrumented;
    bool complete;             /* buffers were read */
    uint64_t submit_time, complete_time; /* host nanoseconds, CLOCK_MONOTONIC; 0 unknown */
};

/* Block counters of one dispatch from one tool: executions of each basic
 * block by hardware threads, summed over thread buckets. */
struct sonde_trace_block_counts {
    uint32_t dispatch;
    uint32_t kernel;
    const char *tool;
    const uint64_t *counts; /* block_count of the kernel */
    size_t count;
};

struct sonde_trace_loss {
    uint32_t dispatch; /* UINT32_MAX: the whole run */
    uint64_t records;
    const char *reason;
};

/* --- writer ---------------------------------------------------------- */
struct sonde_trace_writer;

/* Create `directory` (an existing run there becomes directory + ".old").
 * Every write_* call leaves the files valid on disk. No stdio. */
SONDE_API enum sonde_status sonde_trace_writer_create(const char *directory,
                                                      const struct sonde_trace_header *header,
                                                      struct sonde_trace_writer **writer,
                                                      struct sonde_error *error);
SONDE_API enum sonde_status sonde_trace_write_kernel(struct sonde_trace_writer *writer,
                                                     const struct sonde_trace_kernel *kernel,
                                                     struct sonde_error *error);
SONDE_API enum sonde_status sonde_trace_write_dispatch(struct sonde_trace_writer *writer,
                                                       const struct sonde_trace_dispatch *dispatch,
                                                       struct sonde_error *error);
SONDE_API enum sonde_status
sonde_trace_write_block_counts(struct sonde_trace_writer *writer,
                               const struct sonde_trace_block_counts *counts,
                               struct sonde_error *error);
SONDE_API enum sonde_status sonde_trace_write_loss(struct sonde_trace_writer *writer,
                                                   const struct sonde_trace_loss *loss,
                                                   struct sonde_error *error);
/* Flush, mark the run as ended properly, free. */
SONDE_API enum sonde_status sonde_trace_writer_close(struct sonde_trace_writer *writer,
                                                     struct sonde_error *error);

/* --- reader ----------------------------------------------------------- */
struct sonde_trace;

/* Open and index a run. A cut or damaged tail is dropped and reported by
 * sonde_trace_warning. Everything returned lives until sonde_trace_close. */
SONDE_API enum sonde_status sonde_trace_open(const char *directory, struct sonde_trace **trace,
                                             struct sonde_error *error);
SONDE_API void sonde_trace_close(struct sonde_trace *trace);
SONDE_API const struct sonde_trace_header *sonde_trace_header(const struct sonde_trace *trace);
/* NULL when the run is whole, else what is missing. */
SONDE_API const char *sonde_trace_warning(const struct sonde_trace *trace);
SONDE_API size_t sonde_trace_kernel_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_kernel *sonde_trace_kernel(const struct sonde_trace *trace,
                                                              size_t index);
SONDE_API size_t sonde_trace_dispatch_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_dispatch *sonde_trace_dispatch(const struct sonde_trace *trace,
                                                                  size_t index);
SONDE_API size_t sonde_trace_block_counts_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_block_counts *
sonde_trace_block_counts(const struct sonde_trace *trace, size_t index);
SONDE_API size_t sonde_trace_loss_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_loss *sonde_trace_loss(const struct sonde_trace *trace,
                                                          size_t index);

#endif
