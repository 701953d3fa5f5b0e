/* From the call events of a firmware to what called what, when and for how
 * long. The stack pointer decides: where it contradicts the order of the
 * events (longjmp, missing exits, jumps between functions, several stacks),
 * the frames that cannot be alive any more are closed.
 *
 * Every cycle of a run belongs to exactly one span's `self`: that of the
 * function, interrupt or sleep that was innermost. */
#ifndef SONDE_ANALYZE_CALLFLOW_H
#define SONDE_ANALYZE_CALLFLOW_H

#include <stdbool.h>

#include "sonde/trace.h"

#define ANALYZE_NONE UINT32_MAX

enum analyze_function_kind {
    ANALYZE_FUNCTION,
    ANALYZE_UNMARKED,  /* code outside of all marked functions */
    ANALYZE_INTERRUPT, /* acceptance of an interrupt and unmarked code of its handler */
    ANALYZE_SLEEP,     /* the CPU is off */
    ANALYZE_LOST,      /* from the event before a loss to the one behind it */
    ANALYZE_FUNCTION_KIND_COUNT
};

/* How often calls took so many cycles. */
struct analyze_distribution {
    struct analyze_duration {
        uint64_t cycles, count;
    } * slots; /* hashed until sorted */
    size_t count, capacity;
};

struct analyze_function {
    char *name;
    enum analyze_function_kind kind;
    uint32_t address; /* of the symbol; the vector of an interrupt */
    uint64_t calls;
    uint64_t self;
    uint64_t total; /* with callees, of outermost calls; without interrupts and sleep */
    uint64_t sum;   /* of every call's total, so that inner ones of a recursion count again */
    uint64_t minimum, maximum, percentile_95; /* of a call's total */
    uint64_t peak_stack; /* bytes below its return address, at most, as seen at events */
    uint64_t unwound;    /* calls that did not end by an exit of their own */
    struct analyze_distribution distribution;
    uint32_t active; /* open calls, while analysing */
};

enum {
    ANALYZE_SPAN_TAIL = 1,      /* entered by a jump from a function that ended so */
    ANALYZE_SPAN_JUMPED = 2,    /* ended by a jump into another function */
    ANALYZE_SPAN_UNWOUND = 4,   /* ended without an exit: longjmp, no marker */
    ANALYZE_SPAN_OPEN = 8,      /* had not ended when the run did, or at a reset */
    ANALYZE_SPAN_RECURSIVE = 16 /* the function was active already */
};

struct analyze_span {
    uint64_t begin, end; /* cycles of the run */
    uint64_t self;
    uint64_t total;    /* self + those of callees */
    uint32_t function; /* index */
    uint32_t parent;   /* span, or ANALYZE_NONE */
    uint32_t stack;
    uint32_t depth; /* spans below it on its stack */
    uint32_t sp;    /* at entry */
    uint16_t flags;
};

/* In order of time. Spans of a stack nest; a stack that is not the current one
 * does not run. */
enum analyze_step_kind {
    ANALYZE_STEP_OPEN,
    ANALYZE_STEP_CLOSE,
    ANALYZE_STEP_SWITCH,
};
struct analyze_step {
    uint64_t cycle;
    uint32_t index; /* span; SWITCH: the stack that runs from here */
    uint8_t kind;
};

/* Calls from one function to another. */
struct analyze_edge {
    uint32_t caller, callee;
    uint64_t calls;
    uint64_t total; /* of calls in which the callee was not active already */
};

/* All calls with the same callers. Interrupts, sleep and losses have no caller. */
struct analyze_node {
    uint32_t parent, function; /* parent: an earlier node, or ANALYZE_NONE */
    uint64_t calls, self;
    uint64_t total; /* self of it and of the nodes below it */
};

struct analyze_callflow {
    const struct sonde_trace *trace; /* NULL when it was made from events */
    struct analyze_function *functions;
    size_t function_count, function_capacity;
    struct analyze_span *spans; /* by begin */
    size_t span_count, span_capacity;
    struct analyze_step *steps;
    size_t step_count, step_capacity;
    struct analyze_edge *edges;
    size_t edge_count, edge_capacity;
    struct analyze_node *nodes;
    size_t node_count, node_capacity;
    size_t stack_count;
    uint64_t cycles;                                 /* of the run */
    uint64_t cycles_of[ANALYZE_FUNCTION_KIND_COUNT]; /* add up to `cycles` */
    uint64_t orphans;    /* exits of functions that had not been entered */
    uint64_t lost;       /* events */
    uint64_t peak_stack; /* bytes of the main stack, as seen at events */
    bool is_cut;         /* the end of the run was not recorded */
};

/* What a call flow is made from. Cycles of the events do not decrease. */
struct analyze_callflow_input {
    const struct sonde_trace_firmware *firmware;
    const struct sonde_trace_call *calls;
    size_t call_count;
    const struct sonde_trace_firmware_end *end; /* NULL = cut off behind the last event */
};

/* Errors: SONDE_ERROR_MEMORY, SONDE_ERROR_FORMAT when events and the
 * simulator's own totals contradict each other. */
enum sonde_status analyze_callflow_build(const struct analyze_callflow_input *input,
                                         struct analyze_callflow **flow, struct sonde_error *error);
/* The same from a run, which must outlive it; SONDE_ERROR_NOT_FOUND when the
 * run has no firmware. */
enum sonde_status analyze_callflow_create(const struct sonde_trace *trace,
                                          struct analyze_callflow **flow,
                                          struct sonde_error *error);
void analyze_callflow_destroy(struct analyze_callflow *flow);

const char *analyze_function_kind_name(enum analyze_function_kind kind);

#endif
