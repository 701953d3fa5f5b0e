/* Dispatches: from the driver's submission to the end of the device's work.
 *
 * The driver keeps a list of what it submitted and matches two later events
 * against it: buffers become resident, and task counts are assigned, in the
 * order of that list. A submission that it then refuses (bad work-group size,
 * missing argument) or drops (no work-item) stays in that list until its queue
 * is deleted, and takes the residency of the next dispatch of the same kernel
 * and the task count of the next dispatch in the same queue (22.43,
 * gtpin_callbacks.cpp). So
 * - the next dispatch of that kernel runs uninstrumented, without a buffer,
 *   which puts the residency right again, and is recorded as lost;
 * - completions in that queue come late, never early; clFinish, the release of
 *   the queue and the end of the program complete what is left. */
#ifndef SONDE_ATTACH_NEO_DISPATCH_H
#define SONDE_ATTACH_NEO_DISPATCH_H

#include "attach/neo/session.h"

/* The driver's callbacks. */
void attach_command_buffer_create(gtpin_handle context, gtpin_handle command_buffer);
void attach_kernel_submit(gtpin_handle command_buffer, uint64_t kernel_id, uint32_t *entry_offset,
                          gtpin_handle *resource);
void attach_command_buffer_complete(gtpin_handle command_buffer);

/* Around an enqueue call of the program, in its thread; the device will see
 * `parts` dispatches of it. `runs` = it succeeded and has work-items. */
void attach_enqueue_begin(void *queue, void *cl_kernel, uint32_t parts);
/* True when the driver announced no submission for a call that runs; the
 * caller then names the kernel with attach_dispatch_unseen. */
bool attach_enqueue_end(bool runs);
void attach_dispatch_unseen(const char *kernel_name);
bool attach_enqueue_is_active(void);

/* Counting the records of a dispatch before it: the same enqueue, once more,
 * dry, which the device leaves no trace of. Only between attach_count_begin
 * that returned true (in the thread of the enqueue, of a kernel of which that
 * is wanted and safe) and attach_count_end, which returns the bytes counted,
 * UINT64_MAX when they are not known. */
bool attach_count_begin(void *context, const void *cl_kernel);
uint64_t attach_count_end(void);
/* What the next submission of this thread is known to need. */
void attach_count_use(uint64_t bytes);

/* Lock held. It runs: number it and put it on disk, if that is not done. */
void attach_dispatch_announce(struct attach_dispatch *dispatch);

/* Sequence number of the latest submission, for attach_queue_finished. */
uint64_t attach_dispatch_latest(void);
/* Everything in `queue` up to `sequence` has ended. */
void attach_queue_finished(void *queue, uint64_t sequence);
/* `queue` is one that is only believed when it is finished (trust.h), and has
 * many dispatches that wait for that: the caller may finish it. */
bool attach_queue_needs_finish(void *queue);
/* The driver deletes `queue`, and what it holds of it. */
void attach_queue_forgotten(void *queue);
/* What is left in `queue` will never be reported. NULL: in any queue. */
void attach_queue_abandon(void *queue, const char *reason);
bool attach_queue_is_pending(void *queue);
/* Up to `limit` distinct queues with pending dispatches. */
size_t attach_pending_queues(void **queues, size_t limit);

#endif
