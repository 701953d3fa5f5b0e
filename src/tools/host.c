#include "tools/host.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/array.h"
#include "sonde/hli.h"

struct sonde_instrument *sonde_tool_build_instrument(struct sonde_tool_build *build)
{
    return build->instrument;
}

const struct sonde_trace_arguments *sonde_tool_build_arguments(const struct sonde_tool_build *build)
{
    return build->arguments != NULL && build->arguments->items != NULL ? build->arguments : NULL;
}

enum sonde_status sonde_tool_build_allocate(struct sonde_tool_build *build, uint32_t record_size,
                                            uint32_t records, struct sonde_profile_array *array,
                                            struct sonde_error *error)
{
    return profile_array_place(record_size, records, build->buckets, &build->buffer_size, array,
                               error);
}

enum sonde_status sonde_tool_build_record_blocks(struct sonde_tool_build *build,
                                                 struct sonde_error *error)
{
    (void)error;
    build->every_block = true;
    return SONDE_OK;
}

enum sonde_status sonde_tool_build_record(struct sonde_tool_build *build,
                                          const struct sonde_record_point *point,
                                          struct sonde_error *error)
{
    if (base_array_reserve((void **)&build->points, &build->point_capacity, build->point_count + 1,
                           sizeof *build->points) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    build->points[build->point_count++] = *point;
    return SONDE_OK;
}

#define MAPPING_ALIGNMENT 64u /* of the copy: what vector types may ask for, less 128-byte ones */

enum sonde_status sonde_tool_build_map(struct sonde_tool_build *build, void *host, size_t size,
                                       enum sonde_map direction, struct sonde_error *error)
{
    uint64_t offset = ((uint64_t)build->buffer_size + MAPPING_ALIGNMENT - 1) / MAPPING_ALIGNMENT *
                      MAPPING_ALIGNMENT;
    if (host == NULL || size == 0 || (unsigned)direction > SONDE_MAP_NONE)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "there is nothing to be mapped into the profile buffer");
    if (size > INT32_MAX || offset + size > INT32_MAX)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                               "%zu bytes of host memory have no room in the profile buffer", size);
    if (base_array_reserve((void **)&build->mappings, &build->mapping_capacity,
                           build->mapping_count + 1, sizeof *build->mappings) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = sonde_coder_map_host(sonde_instrument_coder(build->instrument), host,
                                                    size, (uint32_t)offset, error);
    if (status != SONDE_OK)
        return status;
    build->mappings[build->mapping_count++] = (struct tools_mapping){
        .host = host, .size = size, .offset = (uint32_t)offset, .direction = (uint8_t)direction};
    build->buffer_size = (uint32_t)(offset + size);
    return SONDE_OK;
}

void tools_build_note(struct sonde_tool_build *build, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t used = build->notes != NULL ? strlen(build->notes) : 0;
    char *grown = realloc(build->notes, used + strlen(line) + 2);
    if (grown == NULL)
        return;
    sprintf(grown + used, "%s%s", used > 0 ? "\n" : "", line);
    build->notes = grown;
}

void sonde_tool_build_set_state(struct sonde_tool_build *build, void *state)
{
    if (build->state != state)
        free(build->state);
    build->state = state;
}

const struct sonde_kernel *sonde_tool_dispatch_kernel(const struct sonde_tool_dispatch *dispatch)
{
    return dispatch->kernel;
}

void *sonde_tool_dispatch_state(const struct sonde_tool_dispatch *dispatch)
{
    return dispatch->state;
}

const uint8_t *sonde_tool_dispatch_buffer(const struct sonde_tool_dispatch *dispatch, size_t *size)
{
    *size = dispatch->buffer_size;
    return dispatch->buffer;
}

uint32_t sonde_tool_dispatch_id(const struct sonde_tool_dispatch *dispatch)
{
    return dispatch->id;
}

uint32_t sonde_tool_dispatch_kernel_id(const struct sonde_tool_dispatch *dispatch)
{
    return dispatch->kernel_id;
}

struct sonde_trace_writer *sonde_tool_dispatch_trace(const struct sonde_tool_dispatch *dispatch)
{
    return dispatch->trace;
}

static enum sonde_status load_object(const char *path, const struct sonde_tool **tool,
                                     struct sonde_error *error)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "tool %s: %s", path, dlerror());
    const struct sonde_tool *(*entry)(void);
    *(void **)&entry = dlsym(handle, "sonde_tool_entry");
    const struct sonde_tool *found = entry == NULL ? NULL : entry();
    if (found == NULL)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                               "tool %s exports no sonde_tool_entry that returns a tool", path);
    if (found->api_version != SONDE_TOOL_API_VERSION ||
        found->struct_size < sizeof(struct sonde_tool) || found->name == NULL)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "tool %s was built for tool interface %u, this Sonde has %u; "
                               "build it again",
                               path, found->api_version, SONDE_TOOL_API_VERSION);
    *tool = found;
    return SONDE_OK;
}

static enum sonde_status add_tool(struct tools_set *set, const char *entry,
                                  struct sonde_error *error)
{
    const struct sonde_tool *tool = NULL;
    if (strchr(entry, '/') != NULL) {
        enum sonde_status status = load_object(entry, &tool, error);
        if (status != SONDE_OK)
            return status;
    } else {
        tool = sonde_tool_find(entry);
    }
    if (tool == NULL)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0,
                               "there is no tool %s; see `sonde list tools`", entry);
    for (size_t i = 0; i < set->count; i++)
        if (set->tools[i] == tool)
            return SONDE_OK;
    if (set->count == TOOLS_LIMIT)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0, "more than %u tools", TOOLS_LIMIT);
    set->tools[set->count++] = tool;
    return SONDE_OK;
}

enum sonde_status tools_set_load(struct tools_set *set, const char *list, struct sonde_error *error)
{
    *set = (struct tools_set){.count = 0};
    char *copy = strdup(list);
    if (copy == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status result = SONDE_OK;
    char *rest = NULL;
    for (char *entry = strtok_r(copy, ",", &rest); entry != NULL;
         entry = strtok_r(NULL, ",", &rest)) {
        struct sonde_error problem;
        enum sonde_status status = add_tool(set, entry, &problem);
        if (status != SONDE_OK && result == SONDE_OK) {
            result = status;
            if (error != NULL)
                *error = problem;
        }
    }
    free(copy);
    return result;
}
