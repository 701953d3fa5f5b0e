#include "profile/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

void profile_trace_clear(struct profile_trace *trace)
{
    sonde_record_layout_clear(&trace->layout);
    *trace = (struct profile_trace){.base = 0};
}

void profile_trace_prepare(const struct profile_trace *trace, uint8_t *buffer, size_t size,
                           enum profile_trace_mode mode)
{
    size_t end = size < PROFILE_TRACE_LIMIT ? size : PROFILE_TRACE_LIMIT;
    bool dry = mode == PROFILE_TRACE_DRY || end < trace->base;
    memset(buffer, 0, PROFILE_CONTROL_BYTES);
    base_store32(buffer + PROFILE_CONTROL_LIMIT, dry ? 0 : (uint32_t)end);
    base_store32(buffer + PROFILE_CONTROL_MODE, (uint32_t)mode);
    memcpy(buffer + PROFILE_CONTROL_MAGIC, PROFILE_TRACE_MAGIC, 16);
    base_store32(buffer + PROFILE_CONTROL_BASE, trace->base);
    base_store32(buffer + PROFILE_CONTROL_CURSOR, trace->base);
}

/* Records stand one behind the other; behind the last one is what a record that
 * did not fit left zero, or the end. */
size_t profile_trace_walk(const struct profile_trace *trace, const uint8_t *records, size_t size,
                          uint64_t *visits, uint64_t *count)
{
    size_t at = 0;
    while (size - at >= SONDE_RECORD_HEADER_BYTES &&
           base_load32(records + at + SONDE_RECORD_DISPATCH) != 0) {
        uint32_t block = base_load32(records + at + SONDE_RECORD_BLOCK);
        uint32_t bytes = block < trace->layout.block_count ? trace->layout.blocks[block].size : 0;
        if (bytes == 0 || bytes > size - at)
            break;
        visits[block]++;
        (*count)++;
        at += bytes;
    }
    return at;
}

static enum sonde_status allocate(const struct profile_trace *trace, size_t size,
                                  struct profile_trace_result *result, struct sonde_error *error)
{
    size_t blocks = trace->layout.block_count;
    if (size < trace->base)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0, "the profile buffer is too small");
    result->visits = calloc(blocks, sizeof *result->visits);
    result->lost_visits = calloc(blocks, sizeof *result->lost_visits);
    if (result->visits != NULL && result->lost_visits != NULL)
        return SONDE_OK;
    profile_trace_result_clear(result);
    return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

enum sonde_status profile_trace_collect_from(const struct profile_trace *trace,
                                             const uint8_t *buffer, size_t size, uint32_t from,
                                             struct profile_trace_result *result,
                                             struct sonde_error *error)
{
    *result = (struct profile_trace_result){.records = buffer + from};
    enum sonde_status status = allocate(trace, size, result, error);
    if (status != SONDE_OK)
        return status;
    uint32_t limit = base_load32(buffer + PROFILE_CONTROL_LIMIT);
    uint32_t cursor = base_load32(buffer + PROFILE_CONTROL_CURSOR);
    size_t end = cursor < limit ? cursor : limit;
    result->overflow = base_load32(buffer + PROFILE_CONTROL_OVERFLOW) != 0;
    if (end > size)
        end = size;
    if (end > from)
        result->used =
            profile_trace_walk(trace, result->records, end - from, result->visits, &result->stored);
    if (end > from && !result->overflow)
        result->torn_bytes = end - from - result->used;
    for (uint32_t b = 0; b < trace->layout.block_count; b++) {
        result->lost_visits[b] = sonde_profile_array_sum(&trace->lost, buffer, size, b, 0);
        result->visits[b] += result->lost_visits[b];
        result->lost += result->lost_visits[b];
    }
    result->lost_bytes = sonde_record_layout_bytes(&trace->layout, result->lost_visits);
    return SONDE_OK;
}

enum sonde_status profile_trace_collect(const struct profile_trace *trace, const uint8_t *buffer,
                                        size_t size, struct profile_trace_result *result,
                                        struct sonde_error *error)
{
    return profile_trace_collect_from(trace, buffer, size, trace->base, result, error);
}

void profile_trace_result_clear(struct profile_trace_result *result)
{
    free(result->visits);
    free(result->lost_visits);
    *result = (struct profile_trace_result){.records = NULL};
}
