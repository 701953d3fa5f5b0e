/* What a host thread needs for its part of a dispatch, kept for the next one. */
#ifndef SONDE_EMU_GEN_WORKER_H
#define SONDE_EMU_GEN_WORKER_H

#include "emu/gen/core.h"

/* NULL when out of memory. */
struct emu_worker *emu_worker_create(struct emu *emu);
void emu_worker_destroy(struct emu_worker *worker);

/* Before a dispatch over `places` (dispatch.c). False when out of memory. */
bool emu_worker_prepare(struct emu_worker *worker, const struct emu_dispatch *dispatch,
                        struct emu_program *program, const struct emu_memory *memory,
                        const struct emu_options *options, uint32_t places);
/* After it: keeps some memory. */
void emu_worker_release(struct emu_worker *worker);

/* Have the memory that a small dispatch needs, before there is one. */
void emu_worker_warm(struct emu_worker *worker);

/* Memory of a group of the dispatch. False when out of it. */
bool emu_worker_group_allocate(struct emu_worker *worker, struct emu_group *group);

#endif
