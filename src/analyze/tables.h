/* What the tools that record or count at instructions found, as rows. Pure
 * functions from a run; memory grows with the kernel's code and what a tool
 * has to remember, not with the number of records. */
#ifndef SONDE_ANALYZE_TABLES_H
#define SONDE_ANALYZE_TABLES_H

#include "analyze/analyze.h"

enum { ANALYZE_VALUES = 12 };

struct analyze_row {
    const struct sonde_trace_kernel *kernel;
    uint32_t instruction; /* UINT32_MAX none */
    uint32_t block;       /* UINT32_MAX none */
    char text[48];
    size_t argument; /* of the analysis itself */
    char buffer[48]; /* name of the argument whose memory it is, "" not known or none */
    char source[64]; /* "file.cl:12", "" not known */
    uint64_t value[ANALYZE_VALUES]; /* which is what: enum of the function */
};

struct analyze_rows {
    struct analyze_row *items;
    size_t count, capacity;
    uint64_t lost;     /* records of the run that are in no row, of every tool */
    uint64_t missing;  /* bytes of records that a damaged file lacks */
    char note[400];    /* what the figures rest on; "" none */
    char columns[160]; /* to show by default, "" those of the table */
};

/* A new zeroed row, NULL when out of memory. */
struct analyze_row *analyze_rows_add(struct analyze_rows *rows);
void analyze_rows_clear(struct analyze_rows *rows);
/* Fill in the source line of each row that names an instruction or block, where
 * the compiler gave debug data. */
void analyze_rows_locate(struct analyze_rows *rows);

typedef enum sonde_status analyze_table_function(const struct sonde_trace *trace,
                                                 const struct analyze_matcher *matcher,
                                                 struct analyze_rows *rows,
                                                 struct sonde_error *error);

/* A row an instruction that uses the execution mask. */
enum { SIMD_WIDTH, SIMD_EXECUTIONS, SIMD_LANES, SIMD_CAPACITY };
analyze_table_function analyze_simd;
/* A row a place that was timed; funtime: a kernel. */
enum { TIME_EXECUTIONS, TIME_CYCLES, TIME_SKIPPED, TIME_TIMED };
analyze_table_function analyze_latency, analyze_memory_latency, analyze_kernel_time;
/* A row a pair of blocks that threads went between. */
enum { FLOW_FROM, FLOW_TO, FLOW_TIMES, FLOW_LANES };
analyze_table_function analyze_flow;
/* A row a message. */
enum {
    MEMORY_EXECUTIONS,
    MEMORY_LANES,
    MEMORY_WIDTH,
    MEMORY_BYTES,
    MEMORY_LOWEST,
    MEMORY_HIGHEST,
};
analyze_table_function analyze_memory;
/* A row a message: how its channels' addresses differ, executions of each kind. */
enum {
    STRIDE_EXECUTIONS,
    STRIDE_UNIFORM,  /* all channels the same address */
    STRIDE_UNIT,     /* one width apart */
    STRIDE_CONSTANT, /* another distance */
    STRIDE_GATHER,   /* none */
    STRIDE_BLOCK,    /* one address for all */
    STRIDE_LINES,    /* cache lines touched */
    STRIDE_IDEAL,    /* lines that the bytes would fill */
};
analyze_table_function analyze_stride;
/* A row a message: lines of 64 bytes, and a direct-mapped cache of 64 KiB. */
enum {
    LINE_EXECUTIONS,
    LINE_LINES,
    LINE_MOST,      /* lines of one execution */
    LINE_FOOTPRINT, /* different lines */
    LINE_HITS,
    LINE_MISSES,
    LINE_READ_AFTER_READ,
    LINE_READ_AFTER_WRITE,
    LINE_WRITE_AFTER_READ,
    LINE_WRITE_AFTER_WRITE,
};
analyze_table_function analyze_cachelines;
/* A row a message and register: what it returned. */
enum {
    VALUE_REGISTER,
    VALUE_EXECUTIONS,
    VALUE_LOWEST,
    VALUE_HIGHEST,
    VALUE_DIFFERENT,
    VALUE_CHANNEL,
    VALUE_TYPE, /* enum sonde_gen_type */
    VALUE_LAST,
    VALUE_OPERAND, /* 0 dst, 1-3 src0-src2, 4 a register by number */
};
analyze_table_function analyze_values;
/* The same of registers that a schema chose for the report of regtrace. */
analyze_table_function analyze_chosen_values;
/* A row a register and channel there; of any tool that recorded registers. */
analyze_table_function analyze_channel_values;
bool analyze_values_exist(const struct sonde_trace *trace);
/* Bits of an integer of a type, with its sign. */
int64_t analyze_value_signed(uint8_t type, uint64_t bits);
/* A row a point of a probe of a schema, and a register there. */
enum {
    SCHEMA_ROW_WHAT,     /* enum analyze_what */
    SCHEMA_ROW_REGISTER, /* number + 1, 0 none */
    SCHEMA_ROW_OPCODE,
    SCHEMA_ROW_EXECUTIONS,
    SCHEMA_ROW_SUM,
    SCHEMA_ROW_LOWEST,
    SCHEMA_ROW_HIGHEST,
    SCHEMA_ROW_SKIPPED,
    SCHEMA_ROW_TIMED, /* executions without the skipped ones */
};
enum analyze_what {
    ANALYZE_WHAT_COUNT,
    ANALYZE_WHAT_LANES,
    ANALYZE_WHAT_TIME,
    ANALYZE_WHAT_ADDRESSES,
    ANALYZE_WHAT_VALUE,
    ANALYZE_WHAT_CLOCK,
};
analyze_table_function analyze_schema;
/* A row a bin that is not empty: LOWEST to HIGHEST came SUM times. */
analyze_table_function analyze_histograms;
/* The run has probes that have histograms, or others. */
bool analyze_schema_has(const struct sonde_trace *trace, bool bins);
bool analyze_schema_is_probe(const char *tool);
/* A row a pair of instructions that race. */
enum { RACE_FIRST, RACE_SECOND, RACE_TIMES, RACE_ADDRESS };
analyze_table_function analyze_races;
/* A row a message and argument of which an address is outside of the buffer,
 * or could not be checked. */
enum {
    BOUNDS_BEHIND, /* addresses behind the buffer's end, over all executions */
    BOUNDS_BEFORE,
    BOUNDS_UNKNOWN,  /* addresses of which it is not known */
    BOUNDS_ADDRESS,  /* the first outside, in the order of the records */
    BOUNDS_DISTANCE, /* bytes by which it leaves the buffer */
    BOUNDS_FURTHEST, /* the largest distance */
    BOUNDS_SIZE,     /* bytes of the buffer */
};
analyze_table_function analyze_bounds;
/* A row an execution unit and dispatch. */
enum {
    OCCUPANCY_DISPATCH,
    OCCUPANCY_UNIT,
    OCCUPANCY_THREADS,
    OCCUPANCY_SLOTS,
    OCCUPANCY_BUSY,
    OCCUPANCY_COVERED,
    OCCUPANCY_SPAN,
    OCCUPANCY_ROOM,
    OCCUPANCY_RELATIVE, /* busy ticks times the units of the dispatch */
    OCCUPANCY_ALL,      /* busy ticks of all of them */
};
analyze_table_function analyze_occupancy;

#endif
