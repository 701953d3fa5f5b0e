/* The event stream of a dispatch: which way each hardware thread went, with
 * which channels, and what its messages carried. Ground truth for traces. */
#ifndef SONDE_EMU_GEN_EVENTS_H
#define SONDE_EMU_GEN_EVENTS_H

#include "emu/gen/core.h"

/* The log of one thread until it ends. Bytes: see struct emu_event_thread. */
struct emu_event_log {
    struct emu_event_log *next; /* of the worker, once the thread has ended */
    uint8_t *data;
    size_t size, capacity;
    size_t run;                           /* place of the open run, SIZE_MAX none */
    const struct emu_operation *expected; /* continues the run */
    uint64_t order;                       /* group number, then thread in the group */
    uint32_t state, group[3];
    bool failed; /* out of memory: the log is cut */
};

/* At the start of a thread, NULL when out of memory; at each instruction
 * before it runs; when the instruction turns out not to have run; at the end. */
struct emu_event_log *emu_events_begin(const struct emu_thread *thread);
void emu_events_step(struct emu_thread *thread, const struct emu_operation *operation,
                     uint32_t mask);
void emu_events_take_back(struct emu_thread *thread);
void emu_events_end(struct emu_thread *thread);
/* The logs of all workers into the result, threads in order of their groups. */
bool emu_events_gather(struct emu_worker *const *workers, uint32_t count,
                       struct emu_result *result);
void emu_events_clear(struct emu_event_log *list);

#endif
