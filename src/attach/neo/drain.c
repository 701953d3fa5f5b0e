#include "attach/neo/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "attach/neo/dispatch.h"
#include "attach/neo/trace.h"
#include "base/bytes.h"

#define POLL_NS   200000
#define LOWEST_FD 500 /* out of the way of programs that count on small numbers */

static bool is_running; /* the thread, under the lock */
static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static unsigned active; /* dispatches to look after, under wake_lock */

int attach_drain_map(size_t size, uint8_t **memory)
{
    int small = memfd_create("sonde-records", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (small < 0)
        return -1;
    int fd = fcntl(small, F_DUPFD_CLOEXEC, LOWEST_FD);
    if (fd < 0)
        fd = small;
    else
        close(small);
    void *place = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
        place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (place == MAP_FAILED) {
        close(fd);
        return -1;
    }
    *memory = place;
    return fd;
}

void attach_drain_prepare(struct attach_dispatch *dispatch)
{
    struct attach_buffer *buffer = dispatch->buffer;
    const struct profile_trace *trace = dispatch->kernel->trace;
    if (trace == NULL || buffer == NULL ||
        (dispatch->mode != PROFILE_TRACE_DRAIN && dispatch->mode != PROFILE_TRACE_WINDOW))
        return;
    uint8_t *memory = buffer->memory;
    if (attach_session.emulated && buffer->shared == NULL)
        buffer->shared_file = attach_drain_map(buffer->size, &buffer->shared);
    if (attach_session.emulated && buffer->shared == NULL)
        return;
    if (attach_session.emulated) {
        base_store32(memory + PROFILE_CONTROL_FILE, (uint32_t)buffer->shared_file);
        base_store32(memory + PROFILE_CONTROL_SIZE, buffer->size);
        memcpy(buffer->shared, memory, PROFILE_CONTROL_BYTES);
        memory = buffer->shared;
    } else {
        base_store32(memory + PROFILE_CONTROL_STATE, PROFILE_TRACE_RUN);
    }
    dispatch->drains = profile_drain_begin(trace, memory, dispatch->buffer_size, &dispatch->drain,
                                           NULL) == SONDE_OK;
}

/* Lock held. */
static void look_after(struct attach_dispatch *dispatch)
{
    const struct profile_trace *trace = dispatch->kernel->trace;
    const uint8_t *records;
    size_t size;
    uint64_t before = dispatch->drain.used;
    if (!profile_drain_take(trace, &dispatch->drain, &records, &size))
        return;
    attach_dispatch_announce(dispatch);
    attach_trace_write_records(dispatch, records, before, size);
    profile_drain_empty(trace, &dispatch->drain);
}

static void wait_for_work(void)
{
    pthread_mutex_lock(&wake_lock);
    while (active == 0)
        pthread_cond_wait(&wake, &wake_lock);
    pthread_mutex_unlock(&wake_lock);
}

static void *empty_buffers(void *unused)
{
    for (;;) {
        wait_for_work();
        if (attach_session_lock()) {
            for (struct attach_dispatch *d = attach_session.first; d != NULL; d = d->next)
                if (d->drains && !d->finished)
                    look_after(d);
            attach_session_unlock();
        }
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return unused;
}

static void start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    /* The program's handlers run in its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_running = pthread_create(&thread, &attributes, empty_buffers, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!is_running)
        attach_session_message("no thread to empty buffers with: what finds no space is lost");
}

static void change_active(int by)
{
    pthread_mutex_lock(&wake_lock);
    active += (unsigned)by;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&wake_lock);
}

void attach_drain_start(struct attach_dispatch *dispatch)
{
    if (!dispatch->drains)
        return;
    if (!is_running)
        start_thread();
    change_active(1);
    dispatch->is_active = true;
}

static void stop(struct attach_dispatch *dispatch)
{
    if (dispatch->is_active)
        change_active(-1);
    dispatch->is_active = false;
}

bool attach_drain_finish(struct attach_dispatch *dispatch, struct profile_trace_result *result,
                         uint64_t *rest)
{
    stop(dispatch);
    if (!dispatch->drains ||
        base_load32(dispatch->drain.buffer + PROFILE_CONTROL_STATE) == PROFILE_TRACE_NONE)
        return false;
    uint32_t unequal = base_load32(dispatch->drain.buffer + PROFILE_CONTROL_UNEQUAL);
    if (unequal > 0)
        attach_session_message("dispatch %u of kernel %s: %u range%s of work-groups did not do the "
                               "same when run again: the records are of the run that counts",
                               dispatch->id, dispatch->kernel->name, unequal,
                               unequal == 1 ? "" : "s");
    return profile_drain_end(dispatch->kernel->trace, &dispatch->drain, result, rest, NULL) ==
           SONDE_OK;
}

void attach_drain_release(struct attach_dispatch *dispatch)
{
    stop(dispatch);
    profile_drain_clear(&dispatch->drain);
    dispatch->drains = false;
}

void attach_drain_forget(void)
{
    pthread_mutex_init(&wake_lock, NULL);
    pthread_cond_init(&wake, NULL);
    is_running = false;
    active = 0;
}
