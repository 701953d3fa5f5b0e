/* Counters at instructions: a 64-bit one each in the kernel's profile array,
 * written to the trace when a dispatch ends. */
#ifndef SONDE_TOOLS_COUNTERS_H
#define SONDE_TOOLS_COUNTERS_H

#include "sonde/tool.h"

struct tools_counter {
    uint32_t instruction;
    uint32_t kind;   /* enum sonde_trace_counter_kind */
    uint32_t record; /* TOOLS_NO_RECORD: the value stands in the item */
    uint16_t group;  /* what is written together; 0 where there is one group */
    uint64_t value;
};
#define TOOLS_NO_RECORD UINT32_MAX

/* A tool's state of one kernel; several counters may show one record. */
struct tools_counters {
    struct sonde_profile_array array;
    uint32_t record_count;
    size_t count, capacity;
    size_t needed;               /* counters, also those that found no room */
    struct tools_counter *items; /* behind the struct: one allocation, see tools_counters_create */
};

/* State for at most `capacity` counters, kept by the build. NULL: out of memory. */
struct tools_counters *tools_counters_create(struct sonde_tool_build *build, size_t capacity);
/* One more record. */
uint32_t tools_counters_record(struct tools_counters *counters);
/* Show `record` as a counter of the instruction. */
void tools_counters_add(struct tools_counters *counters, uint32_t instruction,
                        enum sonde_trace_counter_kind kind, uint32_t record);
/* The same in a group; and a value that is known now instead of a record. */
void tools_counters_add_to(struct tools_counters *counters, uint16_t group, uint32_t instruction,
                           uint32_t kind, uint32_t record);
void tools_counters_add_value(struct tools_counters *counters, uint16_t group, uint32_t instruction,
                              uint32_t kind, uint64_t value);
/* When every record is known: lay out the array. */
enum sonde_status tools_counters_allocate(struct tools_counters *counters,
                                          struct sonde_tool_build *build,
                                          struct sonde_error *error);
/* Append to a procedure: record += 1, or += value:ud (of 64 bits in all). */
enum sonde_status tools_counters_increment(const struct tools_counters *counters,
                                           struct sonde_coder *coder,
                                           struct sonde_procedure *procedure, uint32_t record,
                                           const struct sonde_predicate *predicate,
                                           struct sonde_error *error);
enum sonde_status tools_counters_accumulate(const struct tools_counters *counters,
                                            struct sonde_coder *coder,
                                            struct sonde_procedure *procedure, uint32_t record,
                                            sonde_vreg value, struct sonde_error *error);
/* record += value:ud << 32. */
enum sonde_status tools_counters_accumulate_high(const struct tools_counters *counters,
                                                 struct sonde_coder *coder,
                                                 struct sonde_procedure *procedure, uint32_t record,
                                                 sonde_vreg value, struct sonde_error *error);
/* Write what a dispatch counted. */
enum sonde_status tools_counters_write(struct sonde_tool_dispatch *dispatch, const char *tool,
                                       struct sonde_error *error);

enum sonde_status tools_counters_write_group(struct sonde_tool_dispatch *dispatch,
                                             const struct tools_counters *counters, uint16_t group,
                                             const char *tool, struct sonde_error *error);

/* Where a timer that runs keeps its start: a register for the whole kernel, or,
 * in kernels that leave none, a slot of memory of each hardware thread. Then times
 * have the slot's load and store in them. */
struct tools_timer_place {
    sonde_vreg vreg, address;
    bool in_memory;
    uint32_t slots, base;
};
enum sonde_status tools_timer_place_choose(struct tools_timer_place *place,
                                           struct sonde_tool_build *build,
                                           struct sonde_coder *coder, struct sonde_error *error);
/* A timer between two places of a kernel: start, then stop, which adds the
 * ticks between them to `cycles` and 1 to `executions`, or 1 to `skipped` when
 * the time is not to be believed. */
struct tools_timer {
    const struct tools_timer_place *place;
    uint32_t cycles, executions, skipped; /* records */
};
struct tools_timer tools_timer_make(struct tools_counters *counters, uint32_t instruction,
                                    const struct tools_timer_place *place);
enum sonde_status tools_timer_start(const struct tools_timer_place *place,
                                    struct sonde_coder *coder, struct sonde_procedure *procedure,
                                    struct sonde_error *error);
enum sonde_status tools_timer_stop(const struct tools_timer *timer,
                                   const struct tools_counters *counters, struct sonde_coder *coder,
                                   struct sonde_procedure *procedure, struct sonde_error *error);

#endif
