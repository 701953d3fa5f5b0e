/* The time model: when the instructions of a dispatch issue and end.
 *
 * Off by default; then a thread's clock counts its instructions. When on, one
 * host thread executes the dispatch in the order of modelled time: always the
 * hardware thread that can issue first. Numbers and their sources stand in
 * one table (timing_table.c), from which doc/timing-model.md is written. */
#ifndef SONDE_EMU_GEN_TIMING_H
#define SONDE_EMU_GEN_TIMING_H

#include "emu/gen/core.h"

/* What the hardware has of each; one column of the table. Times are cycles of
 * the execution units. */
struct timing_model {
    uint32_t alu_latency;  /* issue to a dependent issue, first 8 channels */
    uint32_t wide_latency; /* more for each doubling of the channels */
    uint32_t accumulator_latency;
    uint32_t flag_latency; /* flags and address registers */
    uint32_t math_latency;
    uint32_t long_math_latency; /* division and power */
    uint32_t wide_math_latency;
    uint32_t branch_latency; /* to the next instruction of the thread */
    uint32_t alu_pipes;      /* that any arithmetic may take */
    uint32_t pass_cycles;    /* a pipe is taken by 8 channels of 32 bits */
    uint32_t math_cycles;    /* the same of an extended math function */
    uint32_t math_has_pipe;  /* 0: the last arithmetic pipe does it */
    uint32_t slm_latency;
    uint32_t l3_latency;
    uint32_t memory_latency;
    uint32_t sampler_latency;
    uint32_t gateway_latency;
    uint32_t fence_latency;
    uint32_t other_latency;   /* other messages */
    uint32_t payload_latency; /* until the registers of a payload may be written again */
    uint32_t payload_cycles;  /* send pipe, a register */
    uint32_t line_bytes;
    uint32_t port_bytes;    /* data port of a sub-slice, a cycle */
    uint32_t slm_bytes;     /* local memory of a sub-slice, a cycle */
    uint32_t atomic_cycles; /* data port, a channel */
    uint32_t memory_bytes;  /* all of the device, a cycle */
    uint32_t l3_kilobytes;
    uint32_t l3_ways;
    uint32_t launch_cycles; /* between two threads that a sub-slice starts */
};

struct timing_row {
    const char *name; /* for people */
    const char *unit;
    const char *source;
    uint32_t offset; /* of the field in struct timing_model */
    uint32_t gen9, xe, xehpg;
};

/* The table, for its documentation. */
const struct timing_row *timing_row_at(size_t index); /* NULL past the end */
void timing_model_fill(enum sonde_gen_platform platform, struct timing_model *model);

/* What the model needs to know of an instruction. */
enum timing_pipe {
    TIMING_PIPE_ALU,
    TIMING_PIPE_LAST_ALU,
    TIMING_PIPE_MATH,
    TIMING_PIPE_SEND,
    TIMING_PIPE_BRANCH,
    TIMING_PIPE_NONE
};

struct timing_facts {
    bool filled;
    bool unknown_read, unknown_write; /* register-indirect: any register */
    bool reads_accumulator, writes_accumulator;
    bool reads_address, writes_address;
    uint8_t flags_read, flags_written; /* bit 2n+h: half h of fn */
    uint8_t pipe;                      /* enum timing_pipe */
    uint32_t cycles;                   /* the pipe is taken */
    uint32_t latency;                  /* of registers; messages: see the caches */
    uint64_t reads[EMU_GRF_COUNT / 64], writes[EMU_GRF_COUNT / 64];
};

void timing_facts_fill(const struct timing_model *model,
                       const struct sonde_gen_instruction *instruction, struct timing_facts *facts);

/* L3 and what lies behind it, one a device; starts cold with each dispatch. */
struct timing_cache;

struct timing_cache *timing_cache_create(const struct timing_model *model, uint32_t subslices);
void timing_cache_destroy(struct timing_cache *cache);

/* An access to memory lines that reaches the data port of a sub-slice at
 * `time`; returns when its data is back. */
uint64_t timing_cache_access(struct timing_cache *cache, uint32_t subslice, uint64_t time,
                             const uint64_t *lines, uint32_t line_count, uint32_t atomic_channels,
                             uint32_t hit_latency);
uint64_t timing_cache_local(struct timing_cache *cache, uint32_t subslice, uint64_t time,
                            uint32_t bytes);

/* The run of a dispatch. */
struct emu_timing;

enum timing_outcome {
    TIMING_PAUSED,   /* many instructions were executed: look at the limits */
    TIMING_ENDED,    /* *group has no thread left */
    TIMING_DEADLOCK, /* no thread can go on */
    TIMING_STOPPED,  /* a fault */
};

struct emu_timing *emu_timing_create(const struct emu_dispatch *dispatch, uint32_t places);
void emu_timing_destroy(struct emu_timing *timing);
/* The threads of a group that was started in its place. False: no memory. */
bool emu_timing_admit(struct emu_timing *timing, struct emu_group *group);
enum timing_outcome emu_timing_run(struct emu_timing *timing, struct emu_worker *worker,
                                   struct emu_group **group, struct emu_thread **last);
/* Cycles until the last thread ended. */
uint64_t emu_timing_cycles(const struct emu_timing *timing);
/* A message touches memory. */
void emu_timing_touch(struct emu_timing *timing, uint64_t address, size_t size);

#endif
