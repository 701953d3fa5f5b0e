/* A profile buffer that lies in memory of both this server and the program's
 * process, for as long as a dispatch runs: the attach library made the memory
 * and empties the buffer. */
#ifndef SONDE_DEVICE_SHARE_H
#define SONDE_DEVICE_SHARE_H

#include "device/dry.h"
#include "device/process.h"

struct device_share {
    struct device_process *process;
    uint64_t address;
    uint32_t size;
    uint8_t *memory;      /* the shared memory, apart from the pages */
    atomic_bool is_alone; /* the host did not answer in time: not asked again */
    /* Of device_share_admits. */
    _Atomic uint64_t admitted; /* when the last group was, ns */
};

/* Move the buffer into the shared memory. False, with a reason, when that is
 * not possible: it stays where it was. */
bool device_share_begin(struct device_process *process, const struct device_profile *profile,
                        struct device_share *share, struct sonde_error *error);
/* Have the host take the last records, and move the buffer back. */
void device_share_end(struct device_share *share);

/* A dword of the control block. */
uint32_t device_share_load(const struct device_share *share, uint32_t offset);
void device_share_store(struct device_share *share, uint32_t offset, uint32_t value);
/* Wait until the host has emptied the buffer. Nothing runs. False when it
 * does not, or the program is gone. */
bool device_share_empty(struct device_share *share);
/* For emu_dispatch.may_start: holds groups back while the buffer is likely too
 * full for their records, by what groups made so far, but never for long. */
bool device_share_admits(void *share, uint64_t started, uint64_t running);
/* For emu_dispatch.hurries: while the buffer overflows threads run only until
 * they have filled their last records; then it waits for the host. */
bool device_share_hurries(void *share);

#endif
