/* The tool that does what a schema says. The schema is the session's; the
 * results are written a probe at a time, under the name of the tool whose
 * report shows them, or as "schema:NAME". */
#include "tools/schema_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/host.h"

void schema_leave_out(struct schema_work *work)
{
    work->state->left_out[work->group] += !work->places;
}

static void take_probe(struct schema_work *work, size_t index)
{
    uint32_t collect = 0, into = 0;
    work->probe = &work->build->schema->probes[index];
    work->group = (uint16_t)index;
    schema_value(work->probe, SCHEMA_COLLECT, &collect);
    schema_value(work->probe, SCHEMA_INTO, &into);
    work->collect = (enum schema_collect)collect;
    work->into = (enum schema_into)into;
}

static enum sonde_status build_probe(struct schema_work *work)
{
    if (work->into == SCHEMA_TRACE)
        return schema_record_points(work);
    if (work->collect == SCHEMA_TIME && work->places) {
        work->timer = sonde_vreg_make_counter(work->coder, SONDE_VREG_DWORD);
        if (work->timer == 0)
            return sonde_error_set(work->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    return schema_count_points(work);
}

/* Keep everything else out of the registers that the probe names, and that the
 * kernel may not need any more. False: something stands there already. */
static bool observe(struct schema_work *work)
{
    const struct schema_values *values = &work->probe->values[SCHEMA_REGISTERS];
    const struct sonde_trace_argument *argument =
        work->collect == SCHEMA_ARGUMENT ? schema_find_argument(work) : NULL;
    bool good = true;
    for (size_t i = 0; work->collect == SCHEMA_REGISTER && i < values->count; i++) {
        struct schema_grf grf;
        if (schema_grf_parse(values->items[i], &grf) && grf.operand == SCHEMA_GRF)
            good = sonde_coder_observe(work->coder, grf.first, grf.count, work->error) !=
                       SONDE_ERROR_NO_REGISTER &&
                   good;
    }
    if (argument != NULL) {
        const struct sonde_record_point point =
            schema_argument_point(work, work->kernel.first, argument);
        good = sonde_coder_observe(work->coder, point.first, point.count, work->error) == SONDE_OK;
    }
    return good;
}

static enum sonde_status pass(struct schema_work *work)
{
    const struct schema *schema = work->build->schema;
    enum sonde_status status = SONDE_OK;
    work->next = 0;
    for (size_t p = 0; p < schema->count && status == SONDE_OK; p++) {
        take_probe(work, p);
        work->state->applied[p] = schema_selects_kernel(work->probe, work->kernel.kernel);
        if (!work->state->applied[p])
            continue;
        if (observe(work))
            status = build_probe(work);
        else
            schema_leave_out(work);
    }
    work->state->counters.record_count = work->next;
    return status;
}

/* State with room for so many counters, kept by the build. */
static bool make_state(struct schema_work *work, size_t capacity)
{
    struct schema_state *state =
        calloc(1, sizeof *state + capacity * sizeof *state->counters.items);
    if (state == NULL)
        return false;
    state->counters.items = (struct tools_counter *)(void *)(state + 1);
    state->counters.capacity = capacity;
    sonde_tool_build_set_state(work->build, state);
    work->state = state;
    return true;
}

/* How many counters there are is known once they were counted. */
static enum sonde_status build_probes(struct schema_work *work)
{
    enum sonde_status status = pass(work);
    if (status == SONDE_OK && !make_state(work, work->state->counters.needed))
        status = sonde_error_set(work->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (status == SONDE_OK)
        status = pass(work);
    if (status == SONDE_OK && work->next != 0)
        status = tools_counters_allocate(&work->state->counters, work->build, work->error);
    work->places = true;
    return status == SONDE_OK ? pass(work) : status;
}

/* What the kernel lacks. */
static void say(const struct schema_work *work)
{
    const struct schema_state *state = work->state;
    const char *kernel = sonde_kernel_info(work->kernel.kernel)->name;
    for (size_t p = 0; p < work->build->schema->count; p++) {
        const struct schema_probe *probe = &work->build->schema->probes[p];
        const char *name = schema_text(probe, SCHEMA_NAME);
        if (!state->applied[p])
            continue;
        if (probe->values[SCHEMA_SOURCE].count > 0 && work->kernel.lines.find == NULL)
            tools_build_note(work->build,
                             "probe %s asks for source lines, and kernel %.100s has none: build "
                             "its program with -g",
                             name, kernel);
        if (state->left_out[p] > 0)
            tools_build_note(work->build,
                             "probe %s left out %u of %u points in kernel %.100s: no code can "
                             "stand there, or there is nothing of the kind to collect",
                             name, state->left_out[p], state->left_out[p] + state->points[p],
                             kernel);
    }
}

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct schema_work work = {
        .build = build, .instrument = sonde_tool_build_instrument(build), .error = error};
    if (!make_state(&work, 0))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (build->schema == NULL)
        return SONDE_OK;
    work.coder = sonde_instrument_coder(work.instrument);
    enum sonde_status status =
        schema_kernel_open(sonde_instrument_kernel(work.instrument), &work.kernel, error);
    work.kernel.lines = build->lines;
    if (status == SONDE_OK)
        status = build_probes(&work);
    if (status == SONDE_OK)
        say(&work);
    schema_kernel_close(&work.kernel);
    return status;
}

/* --- results --- */

static bool counts_blocks(const struct schema_probe *probe)
{
    const char *name = schema_text(probe, SCHEMA_REPORT);
    const struct schema_report *report;
    for (size_t i = 0; name != NULL && (report = schema_report_at(i)) != NULL; i++)
        if (strcmp(report->name, name) == 0)
            return report->block_counts;
    return false;
}

/* A block has a counter of the probe each, in order. */
static enum sonde_status write_blocks(struct sonde_tool_dispatch *dispatch, size_t probe,
                                      const char *tool, struct sonde_error *error)
{
    const struct schema_state *state = sonde_tool_dispatch_state(dispatch);
    size_t blocks = sonde_kernel_block_count(sonde_tool_dispatch_kernel(dispatch)), size, block = 0;
    const uint8_t *buffer = sonde_tool_dispatch_buffer(dispatch, &size);
    uint64_t *counts = calloc(blocks + 1, sizeof *counts);
    if (counts == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < state->counters.count && block < blocks; i++)
        if (state->counters.items[i].group == probe)
            counts[block++] = sonde_profile_array_sum(&state->counters.array, buffer, size,
                                                      state->counters.items[i].record, 0);
    struct sonde_trace_block_counts record = {.dispatch = sonde_tool_dispatch_id(dispatch),
                                              .kernel = sonde_tool_dispatch_kernel_id(dispatch),
                                              .tool = tool,
                                              .counts = counts,
                                              .count = blocks};
    enum sonde_status status =
        sonde_trace_write_block_counts(sonde_tool_dispatch_trace(dispatch), &record, error);
    free(counts);
    return status;
}

static enum sonde_status complete(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    struct schema_state *state = sonde_tool_dispatch_state(dispatch);
    enum sonde_status status = SONDE_OK;
    if (dispatch->schema == NULL)
        return SONDE_OK;
    for (size_t p = 0; p < dispatch->schema->count && status == SONDE_OK; p++) {
        const struct schema_probe *probe = &dispatch->schema->probes[p];
        const char *report = schema_text(probe, SCHEMA_REPORT);
        char tool[80];
        if (!state->applied[p])
            continue;
        snprintf(tool, sizeof tool, "%s%s", report != NULL ? "" : "schema:",
                 report != NULL ? report : schema_text(probe, SCHEMA_NAME));
        status = counts_blocks(probe) ? write_blocks(dispatch, p, tool, error)
                                      : tools_counters_write_group(dispatch, &state->counters,
                                                                   (uint16_t)p, tool, error);
    }
    return status;
}

const struct sonde_tool tools_schema = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "schema",
    .summary = "what --schema and --at say",
    .on_kernel_build = build,
    .on_dispatch_complete = complete,
};
