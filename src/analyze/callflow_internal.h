/* What the files of the call-flow analyser share. */
#ifndef SONDE_ANALYZE_CALLFLOW_INTERNAL_H
#define SONDE_ANALYZE_CALLFLOW_INTERNAL_H

#include "analyze/callflow.h"

/* A span that is open. */
struct callflow_frame {
    uint32_t span, node;
    uint32_t sp;       /* at entry: it points at the return address */
    uint32_t lowest;   /* stack pointer seen since */
    uint64_t children; /* total of callees */
    uint64_t exit_cycle;
    uint32_t exit_sp, exit_cost;
    bool is_exiting; /* its return is being executed */
};

struct callflow_stack {
    struct callflow_frame *frames; /* frames[0] is the unmarked code below all */
    size_t count, capacity;
    uint32_t base;            /* of a task's stack: its highest stack pointer; main's first one */
    uint32_t object;          /* symbol that it lies in, ANALYZE_NONE = none */
    uint32_t lowest, highest; /* stack pointers seen */
    bool is_known;            /* the stack pointer was seen once */
};

/* The object that stack pointers from `low` to `high` are in. */
struct callflow_object_range {
    uint32_t low, high, object;
    bool is_known;
};

struct callflow_index {
    uint64_t *keys; /* 0 = free */
    uint32_t *values;
    size_t count, capacity;
};

/* The last time that an instruction put a value into the stack pointer. */
struct callflow_move {
    uint32_t address, sp;
    bool is_set;
};

struct callflow_builder {
    struct analyze_callflow *flow;
    const struct sonde_trace_firmware *firmware;
    struct callflow_stack *stacks; /* 0 = main */
    size_t stack_count, stack_capacity;
    uint32_t current;
    struct callflow_object_range range;
    struct callflow_move move;
    uint64_t now;
    uint32_t *function_at;                     /* by address / 2: index + 1, 0 = not looked up */
    const struct sonde_trace_symbol **symbols; /* functions by address */
    size_t symbol_count;
    struct callflow_index edges, nodes;
    bool failed; /* out of memory */
};

/* --- callflow_function.c ------------------------------------------------- */
bool callflow_functions_begin(struct callflow_builder *builder);
void callflow_functions_end(struct callflow_builder *builder);
/* Index of the function that an address is in, made when it is new;
 * ANALYZE_NONE when memory runs out. */
uint32_t callflow_function_at(struct callflow_builder *builder, uint32_t address);
/* Of a kind that is no function; `vector` tells interrupts apart. */
uint32_t callflow_function_of_kind(struct callflow_builder *builder,
                                   enum analyze_function_kind kind, uint32_t vector);
bool callflow_distribution_add(struct analyze_distribution *distribution, uint64_t cycles);
/* Fill in minimum, maximum and percentile of every function. */
void callflow_functions_summarize(struct analyze_callflow *flow);

/* --- callflow_tree.c ------------------------------------------------------ */
/* ANALYZE_NONE when memory runs out. */
uint32_t callflow_edge(struct callflow_builder *builder, uint32_t caller, uint32_t callee);
uint32_t callflow_node(struct callflow_builder *builder, uint32_t parent, uint32_t function);
void callflow_index_clear(struct callflow_index *index);
void callflow_nodes_sum(struct analyze_callflow *flow);

/* --- callflow_frame.c: the frames of the current stack -------------------- */
struct callflow_frame *callflow_top(struct callflow_builder *builder);
enum analyze_function_kind callflow_kind(const struct callflow_builder *builder,
                                         const struct callflow_frame *frame);
void callflow_open(struct callflow_builder *builder, uint32_t function, uint32_t sp,
                   uint16_t flags);
void callflow_close(struct callflow_builder *builder, uint16_t flags);
/* Close what is above frame `count` - 1. */
void callflow_close_to(struct callflow_builder *builder, size_t count, uint16_t flags);
/* Give the cycles up to `cycle` to whom they belong; frames whose return is
 * being executed end. */
void callflow_pass_time(struct callflow_builder *builder, uint64_t cycle);

/* --- callflow_stack.c ------------------------------------------------------ */
/* Make the stack that the event is on the current one. */
void callflow_select_stack(struct callflow_builder *builder, const struct sonde_trace_call *call);
/* The frame of `function` with this stack pointer on the current stack;
 * frames[0] is none. 0 = not there. */
size_t callflow_find_frame(const struct callflow_builder *builder, uint32_t function, uint32_t sp);
size_t callflow_find_interrupt(const struct callflow_builder *builder, uint32_t sp);

#endif
