/* The run directory (sonde.data/): what a run recorded, written by the attach
 * library inside the profiled program and read by every report.
 *
 * doc/trace-format.md draws the format. Explicit little-endian fields; a file
 * is valid when cut off at any byte (the reader says what is missing); losses
 * are records.
 *
 * A run may have several processes (a program that forks or starts others).
 * Each writes a file of its own, in which it numbers its kernels and
 * dispatches from 0. The reader merges them, processes in order of their start
 * time, and renumbers: in what it returns, a kernel id is an index for
 * sonde_trace_kernel and a dispatch id one for sonde_trace_dispatch. */
#ifndef SONDE_TRACE_H
#define SONDE_TRACE_H

#include "sonde/record.h"
#include "sonde/status.h"

struct sonde_trace_header {
    uint32_t version;
    uint64_t feature_mask;
    const char *command_line; /* of the profiled program, words quoted for a shell */
    const char *device;       /* "emu:skl" or the hardware device's name */
    const char *driver;       /* driver name and version */
    const char *tools;        /* comma-separated */
    uint64_t clock_frequency; /* Hz of device timestamps, 0 = unknown */
    uint64_t start_time;      /* Unix nanoseconds */
    uint32_t process;         /* process id */
    const char *mode;         /* "instrument" or "original" (baseline of `sonde verify`) */
    const char *registers;    /* "recompile" or "unmodified" */
    const char *program;      /* path of the process's executable */
    /* How records get their space, "" when no tool traces or not known: "sized",
     * "truncate", "drain", "window"; and the bytes that a dispatch gets at most. */
    const char *records;
    uint64_t record_space;
    const char *scope;        /* "threads=... groups=...", as far as given; "" everything */
    const char *writer;       /* Sonde version that wrote the file; set by the writer */
};

struct sonde_trace_block {
    uint32_t id;
    uint32_t first; /* instruction index */
    uint32_t count;
    bool is_entry;
    bool is_eot;
};

struct sonde_trace_kernel {
    uint32_t id; /* from 0, order of creation */
    const char *name;
    uint64_t hash; /* xxh3-64 of the original ISA */
    uint64_t igc_hash;
    enum sonde_gen_platform platform;
    uint32_t simd_width;
    const uint8_t *original; /* ISA bytes */
    size_t original_size;
    const uint8_t *heap; /* what the driver was handed (both bodies), NULL when refused */
    size_t heap_size;
    uint32_t instrumented_entry;
    const uint32_t *instruction_offsets; /* in heap, per original instruction; UINT32_MAX = none */
    size_t instruction_count;
    const struct sonde_trace_block *blocks;
    size_t block_count;
    const char *refusal;  /* NULL, or why the kernel ran uninstrumented */
    uint32_t profile_bti; /* binding-table index of the profile buffer, UINT32_MAX none */
    uint32_t inserted_instructions, inserted_bytes, spills;
    const uint8_t *debug_elf; /* for sonde_source_lines_read; NULL = built without -g */
    size_t debug_elf_size;
    uint32_t process; /* reader: index for sonde_trace_process */
};

struct sonde_trace_dispatch {
    uint32_t id; /* from 0, order of submission */
    uint32_t kernel;
    bool instrumented;
    bool complete;                       /* buffers were read */
    uint64_t submit_time, complete_time; /* host nanoseconds, CLOCK_MONOTONIC; 0 unknown */
    /* Dispatches that the device sees: more than one where work-groups do not
     * divide the range; 0 as 1. */
    uint32_t parts;
    uint32_t process; /* reader: index for sonde_trace_process */
};

/* An argument of a kernel, as the compiler laid it out. */
struct sonde_trace_argument {
    uint32_t index;
    uint32_t kind;         /* enum sonde_argument_kind (sonde/image.h) */
    uint32_t bti;          /* binding-table index, UINT32_MAX none */
    uint32_t offset, size; /* bytes of the cross-thread data that hold it; size 0 none */
    const char *name;      /* "" when the program was built without */
};
struct sonde_trace_arguments {
    uint32_t kernel;
    uint32_t slm_size;         /* bytes, without local arguments */
    uint32_t payload_register; /* that the cross-thread data starts in, 0 = not known */
    const struct sonde_trace_argument *items; /* by index */
    size_t count;
};

/* What is bound to the arguments of one dispatch: buffers and local memory. */
struct sonde_trace_buffer {
    uint32_t argument; /* its index */
    uint64_t address;  /* of the device, 0 = the host was not told */
    uint64_t size;     /* bytes, UINT64_MAX = not known */
};
struct sonde_trace_buffers {
    uint32_t dispatch;
    const struct sonde_trace_buffer *items;
    size_t count;
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

/* What a tool counted at the instructions of one dispatch. */
enum sonde_trace_counter_kind {
    SONDE_TRACE_EXECUTIONS, /* by hardware threads */
    SONDE_TRACE_LANES,      /* channels that acted, over all executions */
    SONDE_TRACE_CYCLES,     /* device clock ticks, over all executions that were timed */
    SONDE_TRACE_SKIPPED,    /* executions whose time was not to be believed */
    SONDE_TRACE_COUNTER_KIND_COUNT,
    /* Of schemas only. */
    SONDE_TRACE_CHANNELS = 0x20, /* enabled at the head of a block, over all executions */
    SONDE_TRACE_SUM,             /* of values */
    /* No count: something that is recorded at the instruction. Bits 7:0 kind of the point
     * (sonde/record.h), 8 behind the instruction, 11:9 which operand (0 dst, 1-3 src0-src2, 4
     * none), 31:16 and 63:32 first register and how many. Or 5, an argument of the kernel: then
     * 47:32 are how many, 55:48 its first byte in them and 63:56 its bytes. */
    SONDE_TRACE_POINT,
    SONDE_TRACE_BIN = 0x100, /* and BIN + n, n to 64: values of n bits */
};
#define SONDE_TRACE_BIN_COUNT 65u
struct sonde_trace_counter {
    uint32_t instruction; /* blocks: the first; kernels: 0 */
    uint32_t kind;        /* enum sonde_trace_counter_kind */
    uint64_t value;
};
struct sonde_trace_counters {
    uint32_t dispatch;
    uint32_t kernel;
    const char *tool;
    const struct sonde_trace_counter *items;
    size_t count;
};

/* A stretch of the records (sonde/record.h) of one dispatch: whole records, in
 * the order of their space. */
struct sonde_trace_records {
    uint32_t dispatch;
    uint32_t kernel;
    uint64_t first; /* byte of the dispatch's records that this stretch starts with */
    uint64_t size;  /* bytes */
    uint64_t count; /* records */
    uint64_t time_first, time_last; /* lowest and highest SONDE_RECORD_TIME */
    uint64_t threads;    /* bit sonde_trace_thread_bit(sr0.0): there is a record of the thread */
    const uint8_t *data; /* writer; reader: NULL, see sonde_trace_read_records */
};

/* What became of the records of one dispatch. */
struct sonde_trace_record_totals {
    uint32_t dispatch;
    uint32_t kernel;
    const char *mode;      /* "sized", "truncate", ... */
    uint64_t predicted;    /* bytes, by a count before; UINT64_MAX = not counted */
    uint64_t used;         /* bytes */
    uint64_t stored, lost; /* records */
    uint64_t lost_bytes;
    /* By block of the kernel's record layout: visits, stored and lost together.
     * 0 for blocks without records. */
    const uint64_t *visits;
    size_t visit_count;
};

struct sonde_trace_loss {
    uint32_t dispatch; /* UINT32_MAX: the whole process */
    uint64_t records;
    const char *reason;
    uint32_t process; /* reader: index for sonde_trace_process */
};

/* Something that went wrong inside the profiled program and did not stop it. */
struct sonde_trace_message {
    uint64_t time; /* host nanoseconds, CLOCK_MONOTONIC */
    const char *text;
    uint32_t process; /* reader: index for sonde_trace_process */
};

/* What `sonde msp430 run` records: a firmware, its call events in order of
 * time, and how the run ended. Addresses and stack pointers have 20 bits. */
enum sonde_trace_call_kind {
    SONDE_TRACE_CALL_ENTER,            /* the first instruction of a function is next */
    SONDE_TRACE_CALL_EXIT,             /* a return or a tail jump is next */
    SONDE_TRACE_CALL_INTERRUPT,        /* before the cycles of its acceptance */
    SONDE_TRACE_CALL_INTERRUPT_RETURN, /* behind RETI */
    SONDE_TRACE_CALL_SLEEP,            /* the CPU is off from here */
    SONDE_TRACE_CALL_WAKE,
    SONDE_TRACE_CALL_RESET,
    SONDE_TRACE_CALL_STACK, /* an instruction, at the address, put this value into SP */
    SONDE_TRACE_CALL_LOST,  /* made by the reader: events are missing here */
    SONDE_TRACE_CALL_KIND_COUNT
};

struct sonde_trace_call {
    uint64_t cycle;
    uint32_t address; /* of the marker or the program counter; LOST: how many, at most */
    uint32_t sp;
    uint16_t vector; /* address of the interrupt vector; INTERRUPT and RESET only */
    uint8_t kind;    /* enum sonde_trace_call_kind */
};

struct sonde_trace_symbol {
    const char *name;
    uint32_t address, size; /* size 0 = unknown */
    bool is_function;       /* else an object in memory */
};

struct sonde_trace_firmware {
    bool is_extended; /* MSP430X */
    uint16_t enter_word, exit_word;
    uint32_t return_cycles, interrupt_return_cycles; /* of RET and RETI, behind an exit event */
    uint32_t data_end; /* the main stack is above, stacks in objects below; 0 = unknown */
    const struct sonde_trace_symbol *symbols;
    size_t symbol_count;
};

struct sonde_trace_firmware_end {
    uint64_t cycles; /* all, idle ones too */
    uint64_t idle_cycles;
    uint64_t instructions;
    uint64_t interrupts;
    uint32_t address; /* program counter */
    uint32_t sp;
    bool is_fault;
    const char *reason;
};

/* --- writer ---------------------------------------------------------- */
struct sonde_trace_writer;

/* Start a run: make `directory`, empty. A run that is there already becomes
 * directory + ".old", and an older .old is removed; anything else at that
 * place (a file, a directory that holds other things) is refused and left
 * alone. Called once a run, before any process of the run writes. */
SONDE_API enum sonde_status sonde_trace_directory_create(const char *directory,
                                                         struct sonde_error *error);

/* Add this process's file to `directory`, which is made when missing (without
 * its parents) and otherwise kept, with the files of the run's other
 * processes. Strings of the header may be NULL.
 *
 * A writer is used from one thread at a time. Every write_* call is one
 * write(2) that leaves the file valid on disk. No stdio, no threads, no
 * signals; the descriptor is close-on-exec, and checked at each call so that a
 * program which closes descriptors it does not know never gets trace bytes in
 * a file of its own. In a forked child the parent's writer refuses to write. */
SONDE_API enum sonde_status sonde_trace_writer_create(const char *directory,
                                                      const struct sonde_trace_header *header,
                                                      struct sonde_trace_writer **writer,
                                                      struct sonde_error *error);
SONDE_API enum sonde_status sonde_trace_write_kernel(struct sonde_trace_writer *writer,
                                                     const struct sonde_trace_kernel *kernel,
                                                     struct sonde_error *error);
/* A dispatch is written when it is submitted (complete = false) and again,
 * same id, when its buffers were read: the later one counts, so that a program
 * that is killed leaves a record of what had not finished. */
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
SONDE_API enum sonde_status sonde_trace_write_message(struct sonde_trace_writer *writer,
                                                      const char *text, struct sonde_error *error);
SONDE_API enum sonde_status sonde_trace_write_firmware(struct sonde_trace_writer *writer,
                                                       const struct sonde_trace_firmware *firmware,
                                                       struct sonde_error *error);
/* Up to 65536 events in order of time, not LOST ones. */
SONDE_API enum sonde_status sonde_trace_write_calls(struct sonde_trace_writer *writer,
                                                    const struct sonde_trace_call *calls,
                                                    size_t count, struct sonde_error *error);
SONDE_API enum sonde_status
sonde_trace_write_firmware_end(struct sonde_trace_writer *writer,
                               const struct sonde_trace_firmware_end *end,
                               struct sonde_error *error);
SONDE_API enum sonde_status sonde_trace_write_counters(struct sonde_trace_writer *writer,
                                                       const struct sonde_trace_counters *counters,
                                                       struct sonde_error *error);
/* The layout of a kernel's records, once, behind its kernel. */
SONDE_API enum sonde_status
sonde_trace_write_record_layout(struct sonde_trace_writer *writer, uint32_t kernel,
                                const struct sonde_record_layout *layout,
                                struct sonde_error *error);
/* Behind its kernel or dispatch, once. */
SONDE_API enum sonde_status
sonde_trace_write_arguments(struct sonde_trace_writer *writer,
                            const struct sonde_trace_arguments *arguments,
                            struct sonde_error *error);
SONDE_API enum sonde_status sonde_trace_write_buffers(struct sonde_trace_writer *writer,
                                                      const struct sonde_trace_buffers *buffers,
                                                      struct sonde_error *error);
/* At most SONDE_TRACE_RECORDS_LIMIT bytes at a time. */
#define SONDE_TRACE_RECORDS_LIMIT (UINT32_C(32) << 20)
SONDE_API enum sonde_status sonde_trace_write_records(struct sonde_trace_writer *writer,
                                                      const struct sonde_trace_records *records,
                                                      struct sonde_error *error);
SONDE_API enum sonde_status
sonde_trace_write_record_totals(struct sonde_trace_writer *writer,
                                const struct sonde_trace_record_totals *totals,
                                struct sonde_error *error);
/* Number of a hardware thread's bit in sonde_trace_records.threads. */
SONDE_API unsigned sonde_trace_thread_bit(uint32_t thread);
/* Mark the process as ended properly and free, also when that fails. */
SONDE_API enum sonde_status sonde_trace_writer_close(struct sonde_trace_writer *writer,
                                                     struct sonde_error *error);

/* --- reader ----------------------------------------------------------- */
struct sonde_trace;

/* Open and index a run. What is cut or damaged is dropped and reported by
 * sonde_trace_warning. What is returned is checked: every kernel and dispatch
 * id is an index, blocks lie inside their kernel, counts match its blocks.
 * Everything returned lives until sonde_trace_close. SONDE_ERROR_NOT_FOUND
 * when there is no run in `directory`. */
SONDE_API enum sonde_status sonde_trace_open(const char *directory, struct sonde_trace **trace,
                                             struct sonde_error *error);
/* The same by the index of the records alone: what stands in front of each
 * stretch. Records are looked at when they are read, and what is damaged of them
 * is said then (sonde_trace_read_records, SONDE_ERROR_FORMAT). */
SONDE_API enum sonde_status sonde_trace_open_index(const char *directory,
                                                   struct sonde_trace **trace,
                                                   struct sonde_error *error);
/* Bytes of the run's files that were looked at so far. */
SONDE_API uint64_t sonde_trace_bytes_read(const struct sonde_trace *trace);
SONDE_API void sonde_trace_close(struct sonde_trace *trace);
/* Of the process that started first; never NULL. A run in which no process
 * used OpenCL has no process and an empty header (strings "", process 0). */
SONDE_API const struct sonde_trace_header *sonde_trace_header(const struct sonde_trace *trace);
SONDE_API size_t sonde_trace_process_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_header *sonde_trace_process(const struct sonde_trace *trace,
                                                               size_t index);
/* The process ended by itself (not killed, not cut off). */
SONDE_API bool sonde_trace_process_ended(const struct sonde_trace *trace, size_t index);
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
SONDE_API size_t sonde_trace_message_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_message *sonde_trace_message(const struct sonde_trace *trace,
                                                                size_t index);

/* The firmware of the run, NULL when it has none (a run of GPU kernels). */
SONDE_API const struct sonde_trace_firmware *sonde_trace_firmware(const struct sonde_trace *trace);
/* Its events in order of time; LOST stands for what is missing between two.
 * Cycles do not decrease. */
SONDE_API const struct sonde_trace_call *sonde_trace_calls(const struct sonde_trace *trace,
                                                           size_t *count);
/* NULL when the run was cut off. */
SONDE_API const struct sonde_trace_firmware_end *
sonde_trace_firmware_end(const struct sonde_trace *trace);
/* NULL when the kernel made no records. */
SONDE_API const struct sonde_record_layout *
sonde_trace_record_layout(const struct sonde_trace *trace, uint32_t kernel);
/* NULL when they are not known. */
SONDE_API const struct sonde_trace_arguments *
sonde_trace_arguments(const struct sonde_trace *trace, uint32_t kernel);
SONDE_API const struct sonde_trace_buffers *sonde_trace_buffers(const struct sonde_trace *trace,
                                                                uint32_t dispatch);
/* Stretches of records in the order of their dispatches, each dispatch's in
 * the order of its bytes. */
SONDE_API size_t sonde_trace_records_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_records *sonde_trace_records(const struct sonde_trace *trace,
                                                                size_t index);
/* Decompress a stretch into `data`, which has its size. */
SONDE_API enum sonde_status sonde_trace_read_records(const struct sonde_trace *trace, size_t index,
                                                     uint8_t *data, struct sonde_error *error);
SONDE_API size_t sonde_trace_record_totals_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_record_totals *
sonde_trace_record_totals(const struct sonde_trace *trace, size_t index);

SONDE_API size_t sonde_trace_counters_count(const struct sonde_trace *trace);
SONDE_API const struct sonde_trace_counters *sonde_trace_counters(const struct sonde_trace *trace,
                                                                  size_t index);

#endif
