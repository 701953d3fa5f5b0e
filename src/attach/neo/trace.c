#include "attach/neo/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/neo/drain.h"
#include "attach/neo/protocol.h"
#include "base/bytes.h"

/* Bytes of a stretch of records, before its last record. */
#define ATTACH_STRETCH (1u << 20)

enum sonde_status attach_trace_load_known(const char *directory, struct sonde_error *error)
{
    struct sonde_trace *trace;
    enum sonde_status status = sonde_trace_open(directory, &trace, error);
    if (status != SONDE_OK)
        return status;
    size_t count = sonde_trace_record_totals_count(trace);
    struct attach_known *known = calloc(count + 1, sizeof *known);
    for (size_t i = 0; i < count && known != NULL; i++) {
        const struct sonde_trace_record_totals *totals = sonde_trace_record_totals(trace, i);
        known[i] = (struct attach_known){.hash = sonde_trace_kernel(trace, totals->kernel)->hash,
                                         .bytes = totals->used + totals->lost_bytes};
    }
    sonde_trace_close(trace);
    attach_session.known = known;
    attach_session.known_count = known == NULL ? 0 : count;
    return SONDE_OK;
}

uint64_t attach_trace_known(const struct attach_kernel *kernel)
{
    uint64_t bytes = UINT64_MAX;
    for (size_t i = 0; i < attach_session.known_count; i++) {
        const struct attach_known *known = &attach_session.known[i];
        if (known->hash == kernel->record.hash && (bytes == UINT64_MAX || known->bytes > bytes))
            bytes = known->bytes;
    }
    return bytes;
}

enum sonde_status attach_trace_build(struct attach_kernel *kernel, struct sonde_tool_build *build,
                                     struct sonde_error *error)
{
    if (!build->every_block && build->point_count == 0)
        return SONDE_OK;
    struct sonde_gen_model model;
    sonde_coder_gen_model(sonde_instrument_coder(build->instrument), &model);
    struct sonde_record_layout layout;
    kernel->trace = calloc(1, sizeof *kernel->trace);
    if (kernel->trace == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status =
        sonde_record_layout_make(kernel->model, model.grf_size, build->every_block, build->points,
                                 build->point_count, &layout, error);
    if (status == SONDE_OK)
        status = profile_trace_instrument(&layout, build->instrument, build->buckets,
                                          attach_session.drains && !attach_session.windows,
                                          &build->buffer_size, kernel->trace, error);
    return status == SONDE_OK ? status : sonde_error_prefix(error, "records");
}

/* A dispatch that could not be counted is no reason to lose records where the
 * device can run work-groups again. */
static enum profile_trace_mode choose_mode(const struct attach_dispatch *dispatch)
{
    if (dispatch->dry)
        return PROFILE_TRACE_DRY;
    if (attach_session.original_mode)
        return PROFILE_TRACE_RECORD;
    if (attach_session.drains)
        return attach_session.windows ? PROFILE_TRACE_WINDOW : PROFILE_TRACE_DRAIN;
    return attach_session.sized && dispatch->predicted == UINT64_MAX && !dispatch->is_stored
               ? PROFILE_TRACE_WINDOW
               : PROFILE_TRACE_RECORD;
}

void attach_trace_size(struct attach_dispatch *dispatch)
{
    dispatch->buffer_size = dispatch->kernel->buffer_size;
    dispatch->wanted = 0;
    if (dispatch->kernel->trace == NULL)
        return;
    uint64_t most = attach_session.maximum_records;
    uint64_t known = attach_trace_known(dispatch->kernel);
    dispatch->wanted = dispatch->predicted != UINT64_MAX ? dispatch->predicted
                       : known != UINT64_MAX             ? known
                                                         : attach_session.default_records;
    dispatch->is_stored = dispatch->predicted == UINT64_MAX && known != UINT64_MAX;
    dispatch->mode = choose_mode(dispatch);
    if (dispatch->dry || attach_session.original_mode)
        return;
    uint64_t space = dispatch->wanted < most ? dispatch->wanted : most;
    uint64_t limit = PROFILE_TRACE_LIMIT - dispatch->kernel->buffer_size;
    dispatch->buffer_size += (uint32_t)(space < limit ? space : limit);
}

void attach_trace_prepare(const struct attach_dispatch *dispatch)
{
    if (dispatch->kernel->trace != NULL && dispatch->buffer != NULL)
        profile_trace_prepare(dispatch->kernel->trace, dispatch->buffer->memory,
                              dispatch->buffer_size, dispatch->mode);
}

static void widen(struct sonde_trace_records *stretch, const uint8_t *record)
{
    uint64_t time = base_load64(record + SONDE_RECORD_TIME);
    if (stretch->count == 0 || time < stretch->time_first)
        stretch->time_first = time;
    if (stretch->count == 0 || time > stretch->time_last)
        stretch->time_last = time;
    stretch->threads |= UINT64_C(1)
                        << sonde_trace_thread_bit(base_load32(record + SONDE_RECORD_THREAD));
    stretch->count++;
}

/* The stretch that starts at byte `at` of `size` bytes of records. */
static struct sonde_trace_records cut(const struct attach_dispatch *dispatch,
                                      const uint8_t *records, uint64_t size, uint64_t at)
{
    const struct sonde_record_layout *layout = &dispatch->kernel->trace->layout;
    struct sonde_trace_records stretch = {
        .dispatch = dispatch->id, .kernel = dispatch->kernel->id, .data = records + at};
    uint64_t end = at;
    while (end < size && end - at < ATTACH_STRETCH) {
        const uint8_t *record = records + end;
        widen(&stretch, record);
        end += layout->blocks[base_load32(record + SONDE_RECORD_BLOCK)].size;
    }
    stretch.size = end - at;
    return stretch;
}

void attach_trace_write_records(struct attach_dispatch *dispatch, const uint8_t *records,
                                uint64_t first, uint64_t size)
{
    struct sonde_trace_writer *writer = attach_session_writer();
    for (uint64_t at = 0; at < size;) {
        struct sonde_trace_records stretch = cut(dispatch, records, size, at);
        stretch.first = first + at;
        if (writer == NULL || sonde_trace_write_records(writer, &stretch, NULL) != SONDE_OK)
            dispatch->unwritten += stretch.count;
        at += stretch.size;
    }
}

static void write_loss(const struct attach_dispatch *dispatch, uint64_t records, const char *reason)
{
    struct sonde_trace_loss loss = {.dispatch = dispatch->id, .records = records, .reason = reason};
    sonde_trace_write_loss(attach_session_writer(), &loss, NULL);
}

/* Records that are in no trace, and why. */
static void write_losses(const struct attach_dispatch *dispatch,
                         const struct profile_trace_result *result)
{
    char reason[256];
    uint64_t space = dispatch->buffer_size - dispatch->kernel->buffer_size;
    if (result->lost > 0) {
        snprintf(reason, sizeof reason,
                 "the space for records was full: %" PRIu64 " of %" PRIu64
                 " bytes in dispatch %u of kernel %s; see --max-buffer",
                 space, result->used + result->lost_bytes, dispatch->id, dispatch->kernel->name);
        write_loss(dispatch, result->lost, reason);
    }
    if (result->torn_bytes > 0) {
        snprintf(reason, sizeof reason,
                 "%" PRIu64 " bytes of records in dispatch %u of kernel %s were never filled: it "
                 "was stopped",
                 result->torn_bytes, dispatch->id, dispatch->kernel->name);
        write_loss(dispatch, 1 + result->torn_bytes / dispatch->kernel->trace->largest, reason);
    }
    if (dispatch->unwritten > 0)
        write_loss(dispatch, dispatch->unwritten, "records could not be written to the trace");
}

static const char *mode_of(const struct attach_dispatch *dispatch, bool drained)
{
    return drained && dispatch->mode == PROFILE_TRACE_WINDOW ? ATTACH_RECORDS_WINDOW
           : drained                                         ? ATTACH_RECORDS_DRAIN
           : dispatch->predicted != UINT64_MAX               ? ATTACH_RECORDS_SIZED
           : dispatch->is_stored                             ? "stored"
                                                             : ATTACH_RECORDS_TRUNCATE;
}

static void write_totals(const struct attach_dispatch *dispatch,
                         const struct profile_trace_result *result, bool drained)
{
    struct sonde_trace_record_totals totals = {
        .dispatch = dispatch->id,
        .kernel = dispatch->kernel->id,
        .mode = mode_of(dispatch, drained),
        .predicted = dispatch->predicted,
        .used = result->used,
        .stored = result->stored,
        .lost = result->lost,
        .lost_bytes = result->lost_bytes,
        .visits = result->visits,
        .visit_count = dispatch->kernel->trace->layout.block_count,
    };
    sonde_trace_write_record_totals(attach_session_writer(), &totals, NULL);
    write_losses(dispatch, result);
    if (dispatch->predicted != UINT64_MAX && result->torn_bytes == 0 &&
        result->used + result->lost_bytes != dispatch->predicted)
        attach_session_message("dispatch %u of kernel %s: %" PRIu64 " bytes of records were "
                               "counted, and %" PRIu64 " made: it did not do the same twice",
                               dispatch->id, dispatch->kernel->name, dispatch->predicted,
                               result->used + result->lost_bytes);
}

void attach_trace_write(struct attach_dispatch *dispatch)
{
    struct profile_trace_result result;
    struct sonde_error error;
    if (dispatch->kernel->trace == NULL || dispatch->buffer == NULL || !dispatch->instrumented ||
        attach_session_writer() == NULL)
        return;
    uint64_t rest = 0;
    bool drained = attach_drain_finish(dispatch, &result, &rest);
    if (!drained) {
        if (profile_trace_collect(dispatch->kernel->trace, dispatch->buffer->memory,
                                  dispatch->buffer_size, &result, &error) != SONDE_OK) {
            attach_session_message("dispatch %u of kernel %s: %s", dispatch->id,
                                   dispatch->kernel->name, error.message);
            write_loss(dispatch, 1, "its records could not be read");
            return;
        }
        rest = result.used;
    }
    if (!drained && dispatch->mode != PROFILE_TRACE_RECORD)
        attach_session_message("dispatch %u of kernel %s: its buffer could not be emptied while it "
                               "ran, for want of shared memory",
                               dispatch->id, dispatch->kernel->name);
    attach_trace_write_records(dispatch, result.records, result.used - rest, rest);
    write_totals(dispatch, &result, drained);
    profile_trace_result_clear(&result);
}

uint64_t attach_trace_counted(const struct attach_dispatch *dispatch)
{
    struct profile_trace_result result;
    if (dispatch->kernel->trace == NULL || dispatch->buffer == NULL ||
        profile_trace_collect(dispatch->kernel->trace, dispatch->buffer->memory,
                              dispatch->buffer_size, &result, NULL) != SONDE_OK)
        return UINT64_MAX;
    uint64_t bytes = result.lost_bytes;
    profile_trace_result_clear(&result);
    return bytes;
}
