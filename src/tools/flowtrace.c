/* The blocks that each hardware thread visits, in order. */
#include "tools/builtin.h"

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    return sonde_tool_build_record_blocks(build, error);
}

const struct sonde_tool tools_flowtrace = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "flowtrace",
    .summary = "basic blocks in the order of each hardware thread",
    .on_kernel_build = build,
};
