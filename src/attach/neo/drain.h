/* Taking records out of a buffer while the kernel that makes them runs
 * (ATTACH_RECORDS_DRAIN, ATTACH_RECORDS_WINDOW).
 *
 * A thread of ours does it, from the first such dispatch on: the program's own
 * waits inside the driver. On the emulated GPU the buffer lies in memory that
 * this process shares with it; on a device it is the driver's mapping of it. */
#ifndef SONDE_ATTACH_NEO_DRAIN_H
#define SONDE_ATTACH_NEO_DRAIN_H

#include "attach/neo/session.h"

/* Set up the dispatch's buffer, whose control block is ready. No lock. */
void attach_drain_prepare(struct attach_dispatch *dispatch);
/* Lock held. The dispatch is in the list: have the thread look after it. */
void attach_drain_start(struct attach_dispatch *dispatch);
/* Lock held. The device is done: stop taking. True when the result is filled,
 * *rest = bytes at its records that are not in the trace yet; false when the
 * device never knew of the sharing, and the records are in the buffer. */
bool attach_drain_finish(struct attach_dispatch *dispatch, struct profile_trace_result *result,
                         uint64_t *rest);
/* Lock held. Before the dispatch goes away. */
void attach_drain_release(struct attach_dispatch *dispatch);
/* In a forked child: the thread does not exist here. */
void attach_drain_forget(void);

/* Memory that a device in another process can share: the file descriptor, -1
 * none, and *memory. */
int attach_drain_map(size_t size, uint8_t **memory);

#endif
