#include "attach/neo/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "attach/neo/arguments.h"
#include "attach/neo/buffer.h"
#include "attach/neo/created.h"
#include "attach/neo/drain.h"
#include "attach/neo/kernel.h"
#include "attach/neo/memory.h"
#include "attach/neo/stale.h"
#include "attach/neo/trace.h"
#include "attach/neo/trust.h"

/* Dispatches after which a queue is finished that is not believed otherwise. */
#define ATTACH_FINISH_INTERVAL 64u

/* The enqueue call that this thread is in, as far as it is known. */
static __thread struct {
    bool active; /* between attach_enqueue_begin and _end */
    void *queue;
    void *cl_kernel;
    uint32_t parts;
    uint64_t sequence;    /* of the submission inside the call, 0 = none */
    gtpin_handle context; /* of the command buffer that is being built */
    gtpin_handle command_buffer;
    bool dry;                         /* the submission is one that only counts records */
    struct attach_buffer *dry_buffer; /* for it: without one it would have an effect */
    gtpin_handle dry_resource;
    uint64_t counted;
    uint64_t predicted; /* bytes of records that the submission is known to make */
} current = {.predicted = UINT64_MAX};

static uint64_t last_sequence;

static const char stale_loss[] = "not instrumented, because the driver still holds an earlier "
                                 "enqueue of this kernel that failed or had no work-items";

static void write_record(const struct attach_dispatch *dispatch, bool complete)
{
    struct sonde_trace_writer *writer = attach_session_writer();
    struct sonde_trace_dispatch record = {
        .id = dispatch->id,
        .kernel = dispatch->kernel->id,
        .instrumented = dispatch->instrumented,
        .complete = complete,
        .submit_time = dispatch->submit_time,
        .complete_time = complete ? attach_session_now() : 0,
        .parts = dispatch->parts,
    };
    if (writer != NULL)
        sonde_trace_write_dispatch(writer, &record, NULL);
}

static void write_loss(uint32_t dispatch, const char *reason)
{
    struct sonde_trace_writer *writer = attach_session_writer();
    struct sonde_trace_loss loss = {.dispatch = dispatch, .records = 1, .reason = reason};
    if (writer != NULL)
        sonde_trace_write_loss(writer, &loss, NULL);
}

static struct sonde_tool_dispatch tool_view(const struct attach_dispatch *dispatch, size_t tool)
{
    return (struct sonde_tool_dispatch){
        .kernel = dispatch->kernel->model,
        .state = dispatch->kernel->states[tool],
        .buffer = dispatch->buffer->memory,
        .buffer_size = dispatch->kernel->buffer_size,
        .id = dispatch->id,
        .kernel_id = dispatch->kernel->id,
        .trace = attach_session_writer(),
        .schema = &attach_session.schema,
    };
}

static void call_tools(const struct attach_dispatch *dispatch, bool complete)
{
    if (dispatch->buffer == NULL || attach_session_writer() == NULL)
        return;
    for (size_t i = 0; i < attach_session.tools.count; i++) {
        const struct sonde_tool *tool = attach_session.tools.tools[i];
        struct sonde_tool_dispatch view = tool_view(dispatch, i);
        struct sonde_error error = {.message = ""};
        enum sonde_status (*callback)(struct sonde_tool_dispatch *, struct sonde_error *) =
            complete ? tool->on_dispatch_complete : tool->on_dispatch;
        /* In original mode no counter runs: zeros would pass for results. */
        if (callback == NULL || !dispatch->instrumented || callback(&view, &error) == SONDE_OK)
            continue;
        attach_session_message("%s, dispatch %u of kernel %s: %s", tool->name, dispatch->id,
                               dispatch->kernel->name, error.message);
    }
}

/* It will run: number it and put it on disk. */
void attach_dispatch_announce(struct attach_dispatch *dispatch)
{
    if (dispatch->announced)
        return;
    dispatch->announced = true;
    if (dispatch->dry)
        return;
    dispatch->id = attach_session.next_dispatch++;
    attach_kernel_write(dispatch->kernel);
    write_record(dispatch, false);
    if (dispatch->instrumented)
        attach_bind_write(dispatch);
    if (dispatch->loss != NULL)
        write_loss(dispatch->id, dispatch->loss);
    call_tools(dispatch, false);
}

static void finish(struct attach_dispatch *dispatch)
{
    if (dispatch->finished)
        return;
    dispatch->finished = true;
    if (dispatch->dry && dispatch->counted != NULL)
        *dispatch->counted = attach_trace_counted(dispatch);
    if (dispatch->dry)
        return;
    attach_dispatch_announce(dispatch);
    attach_memory_take(dispatch);
    attach_trace_write(dispatch);
    call_tools(dispatch, true);
    write_record(dispatch, true);
}

static void destroy(struct attach_dispatch *dispatch)
{
    if (dispatch != NULL)
        free(dispatch->bound);
    free(dispatch);
}

static void append(struct attach_dispatch *dispatch)
{
    dispatch->next = NULL;
    *attach_session.last = dispatch;
    attach_session.last = &dispatch->next;
}

static struct attach_dispatch *detach(struct attach_dispatch **place)
{
    struct attach_dispatch *dispatch = *place;
    *place = dispatch->next;
    if (attach_session.last == &dispatch->next)
        attach_session.last = place;
    return dispatch;
}

static void release(struct attach_dispatch *dispatch)
{
    attach_drain_release(dispatch);
    attach_buffer_return(dispatch->buffer);
    destroy(dispatch);
}

void attach_command_buffer_create(gtpin_handle context, gtpin_handle command_buffer)
{
    current.context = context;
    current.command_buffer = command_buffer;
}

/* Lock held. Whether a dispatch of `kernel` is to run instrumented; sets
 * *loss when it should and cannot. */
static bool wants_buffer(const struct attach_kernel *kernel, const char **loss)
{
    if (kernel->record.heap == NULL || kernel->buffer_size == 0)
        return false;
    uint64_t number = attach_session.selected_dispatches++;
    if (!attach_filter_selects_dispatch(&attach_session.filter, number))
        return false;
    if (current.active && attach_stale_take(current.cl_kernel)) {
        *loss = stale_loss;
        return false;
    }
    return true;
}

/* The kernel of a new dispatch, NULL when it is not known; *wanted: it is to have a buffer. */
static struct attach_dispatch *make(uint64_t kernel_id, bool *wanted)
{
    struct attach_dispatch *dispatch = calloc(1, sizeof *dispatch);
    if (dispatch == NULL || !attach_session_lock()) {
        destroy(dispatch);
        return NULL;
    }
    dispatch->kernel = attach_kernel_find(kernel_id);
    dispatch->dry = current.active && current.dry;
    *wanted = dispatch->kernel != NULL &&
              (dispatch->dry || wants_buffer(dispatch->kernel, &dispatch->loss));
    attach_session_unlock();
    if (dispatch->kernel != NULL)
        return dispatch;
    destroy(dispatch);
    return NULL;
}

/* That of the count before the dispatch, or one of its own. */
static void take_buffer(struct attach_dispatch *dispatch, gtpin_handle context, bool wanted)
{
    dispatch->predicted = current.active && !dispatch->dry ? current.predicted : UINT64_MAX;
    dispatch->counted = dispatch->dry ? &current.counted : NULL;
    attach_trace_size(dispatch);
    if (dispatch->dry) {
        dispatch->buffer = current.dry_buffer;
        current.dry_buffer = NULL;
        /* An enqueue of several parts: every one of them is to be dry. */
        if (dispatch->buffer != NULL)
            current.dry_resource = dispatch->buffer->resource;
    } else if (wanted && context != NULL)
        dispatch->buffer = attach_buffer_take(context, dispatch->buffer_size);
    attach_trace_prepare(dispatch);
    attach_memory_prepare(dispatch);
    attach_drain_prepare(dispatch);
    if (wanted && dispatch->buffer == NULL)
        dispatch->loss = "not instrumented, because the driver gave no memory for its profile "
                         "buffer";
}

/* The dispatch stands in the list, and starts. */
static void enter(struct attach_dispatch *dispatch)
{
    if (!attach_session_lock())
        return;
    dispatch->sequence = ++last_sequence;
    attach_bind_take(dispatch);
    append(dispatch);
    if (dispatch->instrumented)
        attach_drain_start(dispatch);
    if (current.active)
        current.sequence = dispatch->sequence;
    else
        attach_dispatch_announce(dispatch);
    attach_session_unlock();
}

void attach_kernel_submit(gtpin_handle command_buffer, uint64_t kernel_id, uint32_t *entry_offset,
                          gtpin_handle *resource)
{
    bool wanted;
    *entry_offset = 0;
    *resource = NULL;
    attach_buffer_release(NULL);
    struct attach_dispatch *dispatch = make(kernel_id, &wanted);
    if (dispatch == NULL)
        return;
    gtpin_handle context = current.command_buffer == command_buffer ? current.context : NULL;
    take_buffer(dispatch, context, wanted);
    dispatch->command_buffer = command_buffer;
    dispatch->submit_time = attach_session_now();
    dispatch->instrumented = dispatch->buffer != NULL && !attach_session.original_mode;
    if (current.active) {
        dispatch->queue = current.queue;
        dispatch->cl_kernel = current.cl_kernel;
        dispatch->parts = current.parts;
    }
    if (dispatch->instrumented)
        *entry_offset = dispatch->kernel->record.instrumented_entry;
    if (dispatch->buffer != NULL)
        *resource = dispatch->buffer->resource;
    else if (dispatch->dry)
        *resource = current.dry_resource;
    enter(dispatch);
}

/* Lock held. Drop what both sides are done with. */
static void drop_done(void)
{
    struct attach_dispatch **place = &attach_session.first;
    while (*place != NULL) {
        if (!(*place)->finished || !(*place)->forgotten) {
            place = &(*place)->next;
            continue;
        }
        release(detach(place));
    }
}

void attach_command_buffer_complete(gtpin_handle command_buffer)
{
    if (!attach_session_lock())
        return;
    struct attach_dispatch **place = &attach_session.first;
    while (*place != NULL && (*place)->command_buffer != command_buffer)
        place = &(*place)->next;
    struct attach_dispatch *dispatch = *place;
    if (dispatch != NULL) {
        dispatch->forgotten = true;
        if (attach_trust_is_given(dispatch->queue))
            finish(dispatch);
        if (dispatch->finished) {
            release(detach(place));
        }
    }
    attach_session_unlock();
}

void attach_enqueue_begin(void *queue, void *cl_kernel, uint32_t parts)
{
    current.parts = parts;
    current.active = true;
    current.queue = queue;
    current.cl_kernel = cl_kernel;
    current.sequence = 0;
}

bool attach_enqueue_is_active(void)
{
    return current.active;
}

bool attach_enqueue_end(bool runs)
{
    uint64_t sequence = current.sequence;
    current.active = false;
    if (sequence == 0)
        return runs;
    if (!attach_session_lock())
        return false;
    struct attach_dispatch **place = &attach_session.first;
    while (*place != NULL && (*place)->sequence != sequence)
        place = &(*place)->next;
    if (*place != NULL && runs) {
        attach_dispatch_announce(*place);
    } else if (*place != NULL) {
        struct attach_dispatch *dispatch = detach(place);
        /* The driver's list still points to the buffer: it is never freed. A
         * submission that was to put an earlier one right did not. */
        if (dispatch->buffer != NULL || dispatch->loss == stale_loss)
            attach_stale_add(dispatch->cl_kernel);
        attach_drain_release(dispatch);
        destroy(dispatch);
    }
    attach_session_unlock();
    return false;
}

bool attach_count_begin(void *context, const void *cl_kernel)
{
    if (!attach_session.sized || attach_session.original_mode || !attach_session_lock())
        return false;
    const struct attach_kernel *kernel = attach_created_find(cl_kernel);
    uint64_t number = attach_session.selected_dispatches;
    bool wanted = kernel != NULL && kernel->trace != NULL && kernel->record.heap != NULL &&
                  kernel->buffer_size != 0 && !attach_stale_has(cl_kernel) &&
                  attach_trace_known(kernel) == UINT64_MAX &&
                  attach_filter_selects_dispatch(&attach_session.filter, number);
    uint32_t size = wanted ? kernel->buffer_size : 0;
    attach_session_unlock();
    if (wanted)
        current.dry_buffer = attach_buffer_take(context, size);
    current.dry = wanted && current.dry_buffer != NULL;
    current.counted = UINT64_MAX;
    return current.dry;
}

uint64_t attach_count_end(void)
{
    current.dry = false;
    if (!attach_session_lock())
        return UINT64_MAX;
    for (struct attach_dispatch *dispatch = attach_session.first; dispatch != NULL;
         dispatch = dispatch->next)
        if (dispatch->counted == &current.counted)
            dispatch->counted = NULL;
    attach_buffer_return(current.dry_buffer); /* never submitted */
    current.dry_buffer = NULL;
    attach_session_unlock();
    return current.counted;
}

void attach_count_use(uint64_t bytes)
{
    current.predicted = bytes;
}

void attach_dispatch_unseen(const char *kernel_name)
{
    if (!attach_session_lock())
        return;
    struct attach_dispatch dispatch = {.kernel = attach_kernel_unseen(kernel_name),
                                       .submit_time = attach_session_now()};
    if (dispatch.kernel != NULL)
        attach_dispatch_announce(&dispatch);
    attach_session_unlock();
}

uint64_t attach_dispatch_latest(void)
{
    if (!attach_session_lock())
        return 0;
    uint64_t sequence = last_sequence;
    attach_session_unlock();
    return sequence;
}

void attach_queue_finished(void *queue, uint64_t sequence)
{
    if (!attach_session_lock())
        return;
    for (struct attach_dispatch *dispatch = attach_session.first; dispatch != NULL;
         dispatch = dispatch->next)
        if (dispatch->queue == queue && dispatch->sequence <= sequence && dispatch->announced)
            finish(dispatch);
    drop_done();
    attach_session_unlock();
}

bool attach_queue_needs_finish(void *queue)
{
    size_t waiting = 0;
    if (!attach_session_lock())
        return false;
    if (!attach_trust_is_given(queue) && last_sequence % ATTACH_FINISH_INTERVAL == 0)
        for (struct attach_dispatch *dispatch = attach_session.first; dispatch != NULL;
             dispatch = dispatch->next)
            waiting += dispatch->queue == queue && !dispatch->finished;
    attach_session_unlock();
    return waiting > ATTACH_FINISH_INTERVAL;
}

void attach_queue_forgotten(void *queue)
{
    if (!attach_session_lock())
        return;
    for (struct attach_dispatch *dispatch = attach_session.first; dispatch != NULL;
         dispatch = dispatch->next)
        if (dispatch->queue == queue)
            dispatch->forgotten = true;
    drop_done();
    attach_trust_forget(queue);
    attach_session_unlock();
}

void attach_queue_abandon(void *queue, const char *reason)
{
    if (!attach_session_lock())
        return;
    for (struct attach_dispatch *dispatch = attach_session.first; dispatch != NULL;
         dispatch = dispatch->next) {
        if (dispatch->finished || (queue != NULL && dispatch->queue != queue))
            continue;
        dispatch->finished = true;
        attach_dispatch_announce(dispatch);
        attach_drain_release(dispatch);
        dispatch->buffer = NULL; /* never freed: the device may still write to it */
        if (dispatch->instrumented && !dispatch->dry)
            write_loss(dispatch->id, reason);
    }
    attach_session_unlock();
}

bool attach_queue_is_pending(void *queue)
{
    bool pending = false;
    if (!attach_session_lock())
        return false;
    for (struct attach_dispatch *dispatch = attach_session.first; dispatch != NULL && !pending;
         dispatch = dispatch->next)
        pending = dispatch->queue == queue && !dispatch->finished;
    attach_session_unlock();
    return pending;
}

size_t attach_pending_queues(void **queues, size_t limit)
{
    size_t count = 0;
    if (!attach_session_lock())
        return 0;
    for (struct attach_dispatch *dispatch = attach_session.first; dispatch != NULL && count < limit;
         dispatch = dispatch->next) {
        size_t i = 0;
        while (i < count && queues[i] != dispatch->queue)
            i++;
        if (i == count && dispatch->queue != NULL && !dispatch->finished)
            queues[count++] = dispatch->queue;
    }
    attach_session_unlock();
    return count;
}
