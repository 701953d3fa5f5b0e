/* The addresses of each memory message, by channel. */
#include "tools/builtin.h"

const struct sonde_tool tools_memtrace = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "memtrace",
    .summary = "addresses of memory messages, by channel",
    .on_kernel_build = tools_record_addresses,
};
