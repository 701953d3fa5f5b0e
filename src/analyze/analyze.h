/* Pure functions from a recorded run to a model of what was executed. Nothing
 * here reads files or prints.
 *
 * Every instruction of a basic block is executed as often as the block, so
 * block counts give the executions of each instruction exactly. */
#ifndef SONDE_ANALYZE_ANALYZE_H
#define SONDE_ANALYZE_ANALYZE_H

#include <stdbool.h>

#include "sonde/trace.h"

/* Kernels to take: shell patterns over the whole name, "re:" and a POSIX
 * extended regular expression that may match anywhere, "sub:" and a part of
 * the name, "simd:" and a width, "hash:" and the hash of the binary. */
struct analyze_matcher;
/* No patterns: everything matches. Errors: SONDE_ERROR_ARGUMENT for a bad
 * regular expression, SONDE_ERROR_MEMORY. */
enum sonde_status analyze_matcher_create(const char *const *patterns, size_t count,
                                         struct analyze_matcher **matcher,
                                         struct sonde_error *error);
void analyze_matcher_destroy(struct analyze_matcher *matcher);
/* A NULL matcher matches everything. SIMD widths and hashes match no name. */
bool analyze_matcher_accepts(const struct analyze_matcher *matcher, const char *name);
bool analyze_matcher_accepts_kernel(const struct analyze_matcher *matcher,
                                    const struct sonde_trace_kernel *kernel);

/* One kind of instruction: opcode, SIMD width, and the type of the first
 * source operand (ud where it has none). */
struct analyze_mix_row {
    enum sonde_gen_opcode opcode;
    uint8_t simd;
    enum sonde_gen_type type;
    uint64_t static_count;
    uint64_t dynamic_count;
};

struct analyze_mix {
    struct analyze_mix_row *rows;
    size_t count, capacity;
    uint64_t static_count;  /* instructions in the binary */
    uint64_t dynamic_count; /* instructions executed by hardware threads */
};

/* All dispatches of one kernel binary, however often it was created. */
struct analyze_kernel {
    const struct sonde_trace_kernel *kernel; /* the first of its kind in the trace */
    uint64_t dispatches;
    struct sonde_gen_instruction *instructions;
    size_t instruction_count;
    uint64_t *block_executions;       /* by block */
    uint64_t *instruction_executions; /* by instruction */
    struct analyze_mix mix;
};

struct analyze_profile {
    char *tool;
    struct analyze_kernel *kernels; /* in order of first dispatch */
    size_t kernel_count, kernel_capacity;
    struct analyze_mix total;
    uint64_t lost_records; /* over the whole run, of every tool */
};

/* The block counts of `tool` in the trace. Kernels that were never dispatched
 * with it are left out. The profile points into the trace, which must outlive
 * it. Errors: SONDE_ERROR_FORMAT when the records contradict each other. */
enum sonde_status analyze_profile_create(const struct sonde_trace *trace, const char *tool,
                                         const struct analyze_matcher *matcher,
                                         struct analyze_profile **profile,
                                         struct sonde_error *error);
void analyze_profile_destroy(struct analyze_profile *profile);

/* About how many inserted instructions were executed: each is taken to belong
 * to the original instruction behind it, which is wrong by a block for code at
 * points where channels meet again and leaves out code on jmpi edges. False
 * when the instrumented code is not in the trace. */
bool analyze_inserted_executions(const struct analyze_profile *profile, uint64_t *executed);

/* The kind of an instruction: a row without counts. */
struct analyze_mix_row analyze_mix_row_of(const struct sonde_gen_instruction *instruction);
/* The instructions of a mix in a stable order (opcode, SIMD width, type). */
int analyze_mix_row_compare(const void *a, const void *b);

/* Names of the tools that left block counts, in the order of their first record;
 * entries of `names` point into the trace. Returns how many were stored. */
size_t analyze_tools_list(const struct sonde_trace *trace, const char **names, size_t capacity);

#endif
