#include "attach/neo/memory.h"

#include <string.h>

#include "base/bytes.h"

/* The driver wraps memory of the host, which the device sees at the address
 * where the host does: where the device has as many address bits as the host. */
void attach_memory_prepare(const struct attach_dispatch *dispatch)
{
    const struct attach_buffer *buffer = dispatch->buffer;
    if (buffer == NULL)
        return;
    base_store64(buffer->memory + PROFILE_CONTROL_ADDRESS, (uintptr_t)buffer->memory);
    for (size_t i = 0; i < dispatch->kernel->mapping_count; i++) {
        const struct tools_mapping *mapping = &dispatch->kernel->mappings[i];
        if (mapping->direction == SONDE_MAP_BOTH || mapping->direction == SONDE_MAP_IN)
            memcpy(buffer->memory + mapping->offset, mapping->host, mapping->size);
    }
}

void attach_memory_take(const struct attach_dispatch *dispatch)
{
    if (dispatch->buffer == NULL || !dispatch->instrumented)
        return;
    for (size_t i = 0; i < dispatch->kernel->mapping_count; i++) {
        const struct tools_mapping *mapping = &dispatch->kernel->mappings[i];
        if (mapping->direction == SONDE_MAP_BOTH || mapping->direction == SONDE_MAP_OUT)
            memcpy(mapping->host, dispatch->buffer->memory + mapping->offset, mapping->size);
    }
}
