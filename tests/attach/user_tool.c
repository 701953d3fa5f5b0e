/* A tool in a shared object of its own: uses the public interface only. */
#include <stdio.h>
#include <stdlib.h>

#include "sonde/tool.h"

static unsigned submitted, completed;
static struct sonde_profile_array array;

static enum sonde_status build(struct sonde_tool_build *build_handle, struct sonde_error *error)
{
    if (sonde_kernel_block_count(
            sonde_instrument_kernel(sonde_tool_build_instrument(build_handle))) == 0)
        return SONDE_ERROR_ARGUMENT;
    return sonde_tool_build_allocate(build_handle, 4, 1, &array, error);
}

static enum sonde_status dispatch(struct sonde_tool_dispatch *handle, struct sonde_error *error)
{
    (void)handle;
    (void)error;
    submitted++;
    return SONDE_OK;
}

static enum sonde_status complete(struct sonde_tool_dispatch *handle, struct sonde_error *error)
{
    char text[64];
    size_t size;
    completed++;
    if (sonde_tool_dispatch_buffer(handle, &size) == NULL || size < array.chunk_size)
        return SONDE_ERROR_ARGUMENT;
    if (completed < 3)
        return SONDE_OK;
    snprintf(text, sizeof text, "%u dispatches, %u complete", submitted, completed);
    return sonde_trace_write_message(sonde_tool_dispatch_trace(handle), text, error);
}

static void finish(void)
{
    const char *mark = getenv("TEST_FINISH");
    FILE *file = mark == NULL ? NULL : fopen(mark, "wx");
    if (file != NULL)
        fclose(file);
}

SONDE_API const struct sonde_tool *sonde_tool_entry(void);
const struct sonde_tool *sonde_tool_entry(void)
{
    static const struct sonde_tool tool = {
        .struct_size = sizeof tool,
        .api_version = SONDE_TOOL_API_VERSION,
        .name = "user",
        .summary = "counts dispatches",
        .on_kernel_build = build,
        .on_dispatch = dispatch,
        .on_dispatch_complete = complete,
        .on_finish = finish,
    };
    return &tool;
}
