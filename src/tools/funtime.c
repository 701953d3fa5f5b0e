/* Time of each hardware thread in the kernel, from its entry to its end. */
#include "tools/builtin.h"
#include "tools/counters.h"

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    const struct sonde_kernel *kernel = sonde_instrument_kernel(instrument);
    struct tools_counters *counters = tools_counters_create(build, 3);
    struct sonde_procedure *start = sonde_procedure_create(coder, "start timer");
    struct sonde_procedure *stop = sonde_procedure_create(coder, "stop timer");
    if (counters == NULL || start == NULL || stop == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct tools_timer_place place;
    enum sonde_status status = tools_timer_place_choose(&place, build, coder, error);
    struct tools_timer timer = tools_timer_make(counters, tools_first_instruction(kernel), &place);
    if (status == SONDE_OK)
        status = tools_counters_allocate(counters, build, error);
    if (status == SONDE_OK)
        status = tools_timer_start(&place, coder, start, error);
    if (status == SONDE_OK)
        status = tools_timer_stop(&timer, counters, coder, stop, error);
    if (status == SONDE_OK)
        status = sonde_instrument_entries(instrument, start, error);
    if (status == SONDE_OK)
        status = sonde_instrument_exits(instrument, stop, error);
    return status;
}

static enum sonde_status complete(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    return tools_counters_write(dispatch, "funtime", error);
}

const struct sonde_tool tools_funtime = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "funtime",
    .summary = "time of hardware threads in each kernel",
    .on_kernel_build = build,
    .on_dispatch_complete = complete,
};
