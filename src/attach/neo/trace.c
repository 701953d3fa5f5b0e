#include "attach/neo/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
                                          &build->buffer_size, kernel->trace, error);
    return status == SONDE_OK ? status : sonde_error_prefix(error, "records");
}

void attach_trace_size(struct attach_dispatch *dispatch)
{
    dispatch->buffer_size = dispatch->kernel->buffer_size;
    dispatch->wanted = 0;
    if (dispatch->kernel->trace == NULL || dispatch->dry || attach_session.original_mode)
        return;
    uint64_t most = attach_session.maximum_records;
    uint64_t known = attach_trace_known(dispatch->kernel);
    dispatch->wanted = dispatch->predicted != UINT64_MAX ? dispatch->predicted
                       : known != UINT64_MAX             ? known
                                                         : attach_session.default_records;
    dispatch->is_stored = dispatch->predicted == UINT64_MAX && known != UINT64_MAX;
    uint64_t space = dispatch->wanted < most ? dispatch->wanted : most;
    uint64_t limit = PROFILE_TRACE_LIMIT - dispatch->kernel->buffer_size;
    dispatch->buffer_size += (uint32_t)(space < limit ? space : limit);
}

void attach_trace_prepare(const struct attach_dispatch *dispatch)
{
    if (dispatch->kernel->trace != NULL && dispatch->buffer != NULL)
        profile_trace_prepare(dispatch->kernel->trace, dispatch->buffer->memory,
                              dispatch->buffer_size,
                              dispatch->dry ? PROFILE_TRACE_DRY : PROFILE_TRACE_RECORD);
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

/* The stretch that starts at byte `first`. */
static struct sonde_trace_records cut(const struct attach_dispatch *dispatch,
                                      const struct profile_trace_result *result, uint64_t first)
{
    const struct sonde_record_layout *layout = &dispatch->kernel->trace->layout;
    struct sonde_trace_records stretch = {.dispatch = dispatch->id,
                                          .kernel = dispatch->kernel->id,
                                          .first = first,
                                          .data = result->records + first};
    uint64_t at = first;
    while (at < result->used && at - first < ATTACH_STRETCH) {
        const uint8_t *record = result->records + at;
        widen(&stretch, record);
        at += layout->blocks[base_load32(record + SONDE_RECORD_BLOCK)].size;
    }
    stretch.size = at - first;
    return stretch;
}

static void write_loss(const struct attach_dispatch *dispatch, uint64_t records, const char *reason)
{
    struct sonde_trace_loss loss = {.dispatch = dispatch->id, .records = records, .reason = reason};
    sonde_trace_write_loss(attach_session_writer(), &loss, NULL);
}

/* Records that are in no trace, and why. */
static void write_losses(const struct attach_dispatch *dispatch,
                         const struct profile_trace_result *result, uint64_t unwritten)
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
    if (unwritten > 0)
        write_loss(dispatch, unwritten, "records could not be written to the trace");
}

static void write_result(const struct attach_dispatch *dispatch,
                         const struct profile_trace_result *result)
{
    struct sonde_trace_writer *writer = attach_session_writer();
    uint64_t unwritten = 0;
    for (uint64_t at = 0; at < result->used;) {
        struct sonde_trace_records stretch = cut(dispatch, result, at);
        if (sonde_trace_write_records(writer, &stretch, NULL) != SONDE_OK)
            unwritten += stretch.count;
        at += stretch.size;
    }
    struct sonde_trace_record_totals totals = {
        .dispatch = dispatch->id,
        .kernel = dispatch->kernel->id,
        .mode = dispatch->predicted != UINT64_MAX ? ATTACH_RECORDS_SIZED
                : dispatch->is_stored             ? "stored"
                                                  : ATTACH_RECORDS_TRUNCATE,
        .predicted = dispatch->predicted,
        .used = result->used,
        .stored = result->stored,
        .lost = result->lost,
        .lost_bytes = result->lost_bytes,
        .visits = result->visits,
        .visit_count = dispatch->kernel->trace->layout.block_count,
    };
    sonde_trace_write_record_totals(writer, &totals, NULL);
    write_losses(dispatch, result, unwritten);
    if (dispatch->predicted != UINT64_MAX && result->torn_bytes == 0 &&
        result->used + result->lost_bytes != dispatch->predicted)
        attach_session_message("dispatch %u of kernel %s: %" PRIu64 " bytes of records were "
                               "counted, and %" PRIu64 " made: it did not do the same twice",
                               dispatch->id, dispatch->kernel->name, dispatch->predicted,
                               result->used + result->lost_bytes);
}

void attach_trace_write(const struct attach_dispatch *dispatch)
{
    struct profile_trace_result result;
    struct sonde_error error;
    if (dispatch->kernel->trace == NULL || dispatch->buffer == NULL || !dispatch->instrumented ||
        attach_session_writer() == NULL)
        return;
    if (profile_trace_collect(dispatch->kernel->trace, dispatch->buffer->memory,
                              dispatch->buffer_size, &result, &error) != SONDE_OK) {
        attach_session_message("dispatch %u of kernel %s: %s", dispatch->id, dispatch->kernel->name,
                               error.message);
        write_loss(dispatch, 1, "its records could not be read");
        return;
    }
    write_result(dispatch, &result);
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
