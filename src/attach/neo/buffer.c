#include "attach/neo/buffer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ATTACH_SMALLEST_BUFFER 4096u

static struct attach_buffer *find_idle(gtpin_handle context, uint32_t size)
{
    struct attach_buffer **place = &attach_session.idle;
    while (*place != NULL && ((*place)->context != context || (*place)->size != size))
        place = &(*place)->next;
    struct attach_buffer *found = *place;
    if (found != NULL)
        *place = found->next;
    return found;
}

static struct attach_buffer *allocate(gtpin_handle context, uint32_t size)
{
    const struct gtpin_services *services = &attach_session.services;
    struct attach_buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL)
        return NULL;
    buffer->context = context;
    buffer->size = size;
    if (services->allocate(context, size, &buffer->resource) != GTPIN_OK ||
        buffer->resource == NULL) {
        free(buffer);
        return NULL;
    }
    if (services->map(context, buffer->resource, &buffer->memory) != GTPIN_OK ||
        buffer->memory == NULL) {
        services->deallocate(context, buffer->resource);
        free(buffer);
        return NULL;
    }
    return buffer;
}

struct attach_buffer *attach_buffer_take(gtpin_handle context, uint32_t size)
{
    uint32_t rounded = ATTACH_SMALLEST_BUFFER;
    while (rounded < size)
        rounded *= 2;
    if (!attach_session_lock())
        return NULL;
    struct attach_buffer *buffer = find_idle(context, rounded);
    attach_session_unlock();
    if (buffer == NULL)
        buffer = allocate(context, rounded);
    if (buffer != NULL)
        memset(buffer->memory, 0, buffer->size);
    return buffer;
}

void attach_buffer_return(struct attach_buffer *buffer)
{
    if (buffer == NULL)
        return;
    /* The driver's socket back end uploads a buffer once: cleared again by the
     * host, the old contents would still be on the emulated device. */
    struct attach_buffer **list =
        attach_session.emulated ? &attach_session.retired : &attach_session.idle;
    buffer->next = *list;
    *list = buffer;
}

static void unlink_context(struct attach_buffer **list, gtpin_handle context,
                           struct attach_buffer **taken)
{
    while (*list != NULL) {
        struct attach_buffer *buffer = *list;
        if (context != NULL && buffer->context != context) {
            list = &buffer->next;
            continue;
        }
        *list = buffer->next;
        buffer->next = *taken;
        *taken = buffer;
    }
}

void attach_buffer_release(gtpin_handle context)
{
    struct attach_buffer *taken = NULL;
    if (!attach_session_lock())
        return;
    unlink_context(&attach_session.retired, context, &taken);
    if (context != NULL)
        unlink_context(&attach_session.idle, context, &taken);
    attach_session_unlock();
    while (taken != NULL) {
        struct attach_buffer *next = taken->next;
        attach_session.services.deallocate(taken->context, taken->resource);
        if (taken->shared != NULL) {
            munmap(taken->shared, taken->size);
            close(taken->shared_file);
        }
        free(taken);
        taken = next;
    }
}
