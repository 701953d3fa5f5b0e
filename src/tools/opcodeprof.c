/* Executions of each block; the report spreads them over its instructions and
 * sums up by opcode, SIMD width and data type. */
#include "tools/builtin.h"

static enum sonde_status record(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    return tools_record_blocks(dispatch, "opcodeprof", error);
}

const struct sonde_tool tools_opcodeprof = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "opcodeprof",
    .summary = "dynamic counts of opcodes, SIMD widths and data types",
    .on_kernel_build = tools_count_blocks,
    .on_dispatch_complete = record,
};
