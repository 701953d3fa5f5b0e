/* Comparing an original and an instrumented run of one program on the
 * emulated GPU, by what the device itself recorded. */
#ifndef SONDE_CLI_VERIFY_H
#define SONDE_CLI_VERIFY_H

#include "device/truth.h"
#include "report/text.h"
#include "sonde/trace.h"

/* The device's dispatches of one enqueue, in order: verify_run.part_list from
 * `first` on; count 0 = the device never saw it. */
struct verify_parts {
    size_t first, count;
};

/* One of the two runs: its trace, the device's own records, and the files
 * that hold what the program printed. */
struct verify_run {
    const char *name; /* "original", "instrumented" */
    struct sonde_trace *trace;
    struct truth_file truth;
    const char *output; /* path of the standard output */
    int exit_status;
    struct verify_parts *parts; /* by trace dispatch */
    size_t *part_list;          /* of all: indices into truth.dispatches */
    /* Truth dispatches that no trace dispatch accounts for: kernels that the
     * driver brings along. Their process, 0 when the trace has none such. */
    size_t *others;
    uint32_t *other_processes;
    size_t other_count;
};

struct verify_result {
    uint64_t differences;
    struct report_text details; /* a line for each of the first differences */
    uint64_t dispatches, other_dispatches;
    uint64_t instrumented;   /* dispatches that ran instrumented */
    uint64_t buffers, bytes; /* written and compared */
    uint64_t output_bytes;
    uint64_t counts;       /* block counts compared with the device's counts */
    uint64_t records;      /* compared with the device's events */
    uint64_t instructions; /* whose executions and lanes were compared */
    uint64_t original_executed, instrumented_executed;
};

/* Find for each trace dispatch the device's record, by its code: dispatches
 * of kernels that the trace knows in the order of submission. */
enum sonde_status verify_run_match(struct verify_run *run, struct sonde_error *error);
void verify_run_clear(struct verify_run *run);

/* Device dispatch `part` of trace dispatch `index`, NULL behind the last. */
const struct truth_dispatch *verify_part(const struct verify_run *run, size_t index, size_t part);
/* Counts and threads of all parts, of which there is one, as one dispatch;
 * without writes. False when out of memory. */
bool verify_join_parts(const struct verify_run *run, size_t index, struct truth_dispatch *whole);
void verify_join_clear(struct truth_dispatch *whole);

/* The writes of one dispatch that have to agree, and what it left as it was beside
 * them, in order of place. */
struct verify_writes {
    const struct truth_write **items;
    size_t count;
};
/* All but scratch and the profile buffer, which are Sonde's own business; free
 * `items`. False when out of memory. */
bool verify_list_writes(const struct truth_dispatch *dispatch, uint32_t profile_bti,
                        struct verify_writes *writes);

/* The dispatches of one process: `count` of the trace, from `first` on. */
struct verify_process {
    size_t first, count;
    uint32_t id; /* 0 = none */
};
/* A process of each run; an empty one stands for none. */
struct verify_pair {
    struct verify_process original, instrumented;
};
/* Processes that run side by side start in any order: tell by what they did
 * which is which. *pairs is malloc'ed. */
enum sonde_status verify_pair_processes(const struct verify_run *original,
                                        const struct verify_run *instrumented,
                                        struct verify_pair **pairs, size_t *count,
                                        struct sonde_error *error);

/* Errors are those of the comparison itself; differences are in *result. */
enum sonde_status verify_compare(const struct verify_run *original,
                                 const struct verify_run *instrumented,
                                 struct verify_result *result, struct sonde_error *error);

/* The writes of a dispatch in both runs, without those to the surface of its
 * profile buffer (UINT32_MAX: none) and scratch memory. */
enum sonde_status verify_compare_writes(struct verify_result *result, const char *where,
                                        const struct truth_dispatch *original,
                                        uint32_t original_profile,
                                        const struct truth_dispatch *instrumented,
                                        uint32_t instrumented_profile, struct sonde_error *error);

/* Note a difference. */
void verify_differ(struct verify_result *result, const char *format, ...) SONDE_PRINTF(2, 3);

/* The records of a dispatch, one by one, against the way of each hardware
 * thread as the device saw it, and its messages' payloads. */
enum sonde_status verify_compare_events(struct verify_result *result, const char *where,
                                        const struct sonde_trace *trace, uint32_t dispatch,
                                        const struct truth_dispatch *device,
                                        struct sonde_error *error);

#endif
