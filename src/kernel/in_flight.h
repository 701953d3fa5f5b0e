/* What may be in flight at a point of a kernel: instructions whose reads or
 * writes no later instruction has waited for. */
#ifndef SONDE_KERNEL_IN_FLIGHT_H
#define SONDE_KERNEL_IN_FLIGHT_H

#include "sonde/dependency.h"

#include "kernel/footprint.h"

#define KERNEL_NO_TOKEN 0xffu

struct kernel_pending {
    uint32_t instruction;
    uint8_t distance; /* in its pipe, 1 = the last one; in-order only */
    uint8_t token;
    bool reads;
    bool writes;
    /* Tokens of later messages of the same function: when the payload of one of
     * them was read, so was this one's. */
    uint32_t followers;
    /* How the thread may have come from there: with the channels that ran the
     * instruction, or without them, because they wait elsewhere. Then only what
     * ignores the execution mask meets it. */
    bool together;
    bool alone;
    uint32_t meeting; /* where the channels wait that the thread left alone, when known */
};

struct kernel_in_flight {
    struct kernel_pending *items; /* by rising instruction */
    size_t count;
    size_t capacity;
    bool reached;
};

/* Xe counts distances over all in-order pipes together. */
bool kernel_counts_all_pipes(const struct sonde_kernel *kernel);

/* Add an item, or what it says of an instruction that is there. */
enum sonde_status kernel_in_flight_join(struct kernel_in_flight *s,
                                        const struct kernel_pending *item, bool *changed);
/* Drop what is complete after the wait. */
void kernel_in_flight_wait(const struct sonde_kernel *kernel, struct kernel_in_flight *s,
                           const struct sonde_gen_wait *wait);
/* Instruction `index` was issued. */
enum sonde_status kernel_in_flight_enter(const struct sonde_kernel *kernel,
                                         struct kernel_in_flight *s, uint32_t index);
/* The thread goes on without the channels of an item, which wait at `meeting`. */
void kernel_pending_leave(struct kernel_pending *item, uint32_t meeting);
/* The thread comes to where channels wait. */
void kernel_in_flight_meet(struct kernel_in_flight *s, uint32_t index);

/* hazard.c: two messages of one function, or two of one out-of-order unit. */
bool kernel_same_function(const struct sonde_gen_instruction *a,
                          const struct sonde_gen_instruction *b, enum sonde_gen_pipe pipe);
/* Whether an item and instruction `index` race; fills kind and registers. */
bool kernel_find_hazard(const struct sonde_kernel *kernel,
                        const struct kernel_footprints *footprints, const struct kernel_pending *p,
                        uint32_t index, struct sonde_dependency *d);
/* Systolic operations of one atomic sequence need no wait for each other. */
bool kernel_is_one_sequence(const struct sonde_kernel *kernel, uint32_t producer,
                            uint32_t consumer);
/* Arithmetic on a state or control register. */
bool kernel_touches_state(const struct sonde_kernel *kernel, uint32_t index);

#endif
