/* Emptying a buffer of records while the device writes to it. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "profile/trace.h"

static uint32_t *word(const struct profile_drain *drain, uint32_t offset)
{
    return (uint32_t *)(void *)(drain->buffer + offset);
}

static uint32_t load(const struct profile_drain *drain, uint32_t offset)
{
    return __atomic_load_n(word(drain, offset), __ATOMIC_ACQUIRE);
}

enum sonde_status profile_drain_begin(const struct profile_trace *trace, uint8_t *buffer,
                                      size_t size, struct profile_drain *drain,
                                      struct sonde_error *error)
{
    *drain = (struct profile_drain){.buffer = buffer, .size = size, .taken = trace->base};
    drain->visits = calloc(trace->layout.block_count, sizeof *drain->visits);
    return drain->visits != NULL ? SONDE_OK
                                 : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

/* Where the records end, as far as they are in the buffer. */
static uint32_t end_of(const struct profile_drain *drain, uint32_t cursor)
{
    uint32_t limit = load(drain, PROFILE_CONTROL_LIMIT);
    uint32_t end = cursor < limit ? cursor : limit;
    return end < drain->size ? end : (uint32_t)drain->size;
}

bool profile_drain_take(const struct profile_trace *trace, struct profile_drain *drain,
                        const uint8_t **records, size_t *size)
{
    uint32_t mode = load(drain, PROFILE_CONTROL_MODE), state = load(drain, PROFILE_CONTROL_STATE);
    bool waits = state == PROFILE_TRACE_FULL;
    if (state == PROFILE_TRACE_NONE || (mode == PROFILE_TRACE_WINDOW && !waits))
        return false;
    /* Bytes done before the cursor: were it the other way round, a record begun
     * in between could stand for one that is not done. */
    uint32_t done = load(drain, PROFILE_CONTROL_DONE);
    uint32_t cursor = load(drain, PROFILE_CONTROL_CURSOR);
    uint32_t end = end_of(drain, cursor);
    if (!waits && done != cursor - trace->base)
        return false;
    if (!waits && load(drain, PROFILE_CONTROL_OVERFLOW) == 0 &&
        end - trace->base < (drain->size - trace->base) / 4)
        return false;
    *records = drain->buffer + drain->taken;
    *size = 0;
    if (end > drain->taken)
        *size =
            profile_trace_walk(trace, *records, end - drain->taken, drain->visits, &drain->stored);
    if (end > drain->taken && load(drain, PROFILE_CONTROL_OVERFLOW) == 0)
        drain->torn += end - drain->taken - *size;
    drain->used += *size;
    drain->taken = end;
    return true;
}

void profile_drain_empty(const struct profile_trace *trace, struct profile_drain *drain)
{
    uint32_t cursor = load(drain, PROFILE_CONTROL_CURSOR);
    bool waits = load(drain, PROFILE_CONTROL_STATE) == PROFILE_TRACE_FULL;
    /* A record begun since then keeps its place. */
    if (end_of(drain, cursor) != drain->taken)
        return;
    memset(drain->buffer + trace->base, 0, drain->taken - trace->base);
    if (!__atomic_compare_exchange_n(word(drain, PROFILE_CONTROL_CURSOR), &cursor, trace->base,
                                     false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    drain->taken = trace->base;
    __atomic_fetch_add(word(drain, PROFILE_CONTROL_TAKEN),
                       (cursor - trace->base) / SONDE_RECORD_ALIGNMENT, __ATOMIC_ACQ_REL);
    if (waits)
        __atomic_store_n(word(drain, PROFILE_CONTROL_DONE), 0, __ATOMIC_RELEASE);
    else
        __atomic_fetch_sub(word(drain, PROFILE_CONTROL_DONE), cursor - trace->base,
                           __ATOMIC_ACQ_REL);
    __atomic_store_n(word(drain, PROFILE_CONTROL_OVERFLOW), 0, __ATOMIC_RELEASE);
    if (waits)
        __atomic_store_n(word(drain, PROFILE_CONTROL_STATE), PROFILE_TRACE_RUN, __ATOMIC_RELEASE);
}

enum sonde_status profile_drain_end(const struct profile_trace *trace,
                                    const struct profile_drain *drain,
                                    struct profile_trace_result *result, uint64_t *rest,
                                    struct sonde_error *error)
{
    enum sonde_status status =
        profile_trace_collect_from(trace, drain->buffer, drain->size, drain->taken, result, error);
    if (status != SONDE_OK)
        return status;
    for (size_t b = 0; b < trace->layout.block_count; b++)
        result->visits[b] += drain->visits[b];
    *rest = result->used;
    result->used += drain->used;
    result->stored += drain->stored;
    result->torn_bytes += drain->torn;
    return SONDE_OK;
}

void profile_drain_clear(struct profile_drain *drain)
{
    free(drain->visits);
    *drain = (struct profile_drain){.buffer = NULL};
}
