#include <string.h>

#include "tools/builtin.h"

static const struct sonde_tool *const builtin[] = {
    &tools_opcodeprof, &tools_bblprof,    &tools_simdprof,  &tools_flowtrace, &tools_memtrace,
    &tools_latency,    &tools_memlatency, &tools_funtime,   &tools_regtrace,  &tools_stride,
    &tools_cacheline,  &tools_race,       &tools_occupancy, &tools_bounds,    &tools_schema,
};

const struct sonde_tool *sonde_tool_at(size_t index)
{
    return index < sizeof builtin / sizeof builtin[0] ? builtin[index] : NULL;
}

const struct sonde_tool *sonde_tool_find(const char *name)
{
    const struct sonde_tool *tool;
    for (size_t i = 0; (tool = sonde_tool_at(i)) != NULL; i++)
        if (strcmp(tool->name, name) == 0)
            return tool;
    return NULL;
}
