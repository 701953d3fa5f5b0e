#include "attach/neo/trust.h"

#include <pthread.h>
#include <stddef.h>

#include "attach/neo/session.h"
#include "base/array.h"

struct used_queue {
    const void *queue;
    pthread_t thread; /* that enqueued first */
    bool shared;
};

static struct used_queue *queues;
static size_t queue_count, queue_capacity;
static bool user_events;
static bool incomplete; /* memory ran out: believe nobody */

static struct used_queue *find(const void *queue)
{
    for (size_t i = 0; i < queue_count; i++)
        if (queues[i].queue == queue)
            return &queues[i];
    return NULL;
}

void attach_trust_note_call(void *queue)
{
    if (!attach_session_lock())
        return;
    struct used_queue *known = find(queue);
    if (known != NULL)
        known->shared = known->shared || !pthread_equal(known->thread, pthread_self());
    else if (base_array_reserve((void **)&queues, &queue_capacity, queue_count + 1,
                                sizeof *queues) == SONDE_OK)
        queues[queue_count++] = (struct used_queue){queue, pthread_self(), false};
    else
        incomplete = true;
    attach_session_unlock();
}

void attach_trust_note_user_event(void)
{
    if (!attach_session_lock())
        return;
    user_events = true;
    attach_session_unlock();
}

bool attach_trust_is_given(const void *queue)
{
    const struct used_queue *known = find(queue);
    return !user_events && !incomplete && (known == NULL || !known->shared);
}

void attach_trust_forget(const void *queue)
{
    struct used_queue *known = find(queue);
    if (known != NULL)
        *known = queues[--queue_count];
}
