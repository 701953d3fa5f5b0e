/* Whether the driver's word on the end of a dispatch can be taken.
 *
 * The driver (22.43) gives the task count of each flush to the oldest
 * submission of the queue that has none, in the belief that this is the one
 * that was flushed. It is not when another thread enqueues anything into the
 * same queue between the submission and its flush, nor when commands wait for
 * an event of the program and are flushed later. Then a dispatch is reported
 * before it ran: its results are not there, and its buffer must not be freed.
 * Such queues are only believed when they are finished. */
#ifndef SONDE_ATTACH_NEO_TRUST_H
#define SONDE_ATTACH_NEO_TRUST_H

#include <stdbool.h>

/* This thread enqueues something into `queue`. Takes the session's lock. */
void attach_trust_note_call(void *queue);
/* The program made an event that only it can set. Takes the session's lock. */
void attach_trust_note_user_event(void);
/* Lock held. */
bool attach_trust_is_given(const void *queue);
/* Lock held. The queue is gone; its address may be used again. */
void attach_trust_forget(const void *queue);

#endif
