/* Executions of each basic block. */
#include "tools/builtin.h"

static enum sonde_status record(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    return tools_record_blocks(dispatch, "bblprof", error);
}

const struct sonde_tool tools_bblprof = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "bblprof",
    .summary = "execution counts of basic blocks",
    .on_kernel_build = tools_count_blocks,
    .on_dispatch_complete = record,
};
