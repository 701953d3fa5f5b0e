#include "trace/arguments.h"

#include <string.h>

#include "base/bytes.h"
#include "trace/format.h"

void trace_encode_arguments(struct trace_buffer *buffer,
                            const struct sonde_trace_arguments *arguments)
{
    trace_put32(buffer, arguments->kernel);
    trace_put32(buffer, arguments->slm_size);
    trace_put32(buffer, arguments->payload_register);
    trace_put32(buffer, (uint32_t)arguments->count);
    for (size_t i = 0; i < arguments->count; i++) {
        const struct sonde_trace_argument *item = &arguments->items[i];
        size_t length = item->name == NULL ? 0 : strlen(item->name);
        trace_put32(buffer, item->index);
        trace_put32(buffer, item->kind);
        trace_put32(buffer, item->bti);
        trace_put32(buffer, item->offset);
        trace_put32(buffer, item->size);
        trace_put32(buffer, (uint32_t)length);
        uint8_t *place = trace_buffer_grow(buffer, length);
        if (place != NULL && length > 0)
            memcpy(place, item->name, length);
    }
}

static bool read_argument(struct base_reader *r, struct trace_arena *arena,
                          struct sonde_trace_argument *item)
{
    item->index = base_read32(r);
    item->kind = base_read32(r);
    item->bti = base_read32(r);
    item->offset = base_read32(r);
    item->size = base_read32(r);
    size_t length = base_read32(r);
    const uint8_t *bytes = base_read_bytes(r, length);
    char *name = bytes == NULL ? NULL : trace_arena_allocate(arena, length + 1);
    for (size_t i = 0; i < length && name != NULL; i++)
        name[i] = (char)(bytes[i] < ' ' || bytes[i] == 0x7f ? '?' : bytes[i]);
    if (name != NULL)
        name[length] = '\0';
    item->name = name;
    return name != NULL;
}

bool trace_decode_arguments(const struct trace_section *section, struct trace_arena *arena,
                            struct sonde_trace_arguments *arguments)
{
    struct base_reader r = base_reader_make(section->payload, section->size);
    arguments->kernel = base_read32(&r);
    arguments->slm_size = base_read32(&r);
    arguments->payload_register = base_read32(&r);
    arguments->count = base_read32(&r);
    if (r.failed || arguments->count > (r.size - r.position) / TRACE_ARGUMENT_BYTES)
        return false;
    struct sonde_trace_argument *items =
        trace_arena_allocate(arena, (arguments->count + 1) * sizeof *items);
    for (size_t i = 0; i < arguments->count; i++)
        if (items == NULL || !read_argument(&r, arena, &items[i]))
            return false;
    arguments->items = items;
    return items != NULL;
}

void trace_encode_buffers(struct trace_buffer *buffer, const struct sonde_trace_buffers *buffers)
{
    trace_put32(buffer, buffers->dispatch);
    trace_put32(buffer, (uint32_t)buffers->count);
    for (size_t i = 0; i < buffers->count; i++) {
        trace_put32(buffer, buffers->items[i].argument);
        trace_put64(buffer, buffers->items[i].address);
        trace_put64(buffer, buffers->items[i].size);
    }
}

bool trace_decode_buffers(const struct trace_section *section, struct trace_arena *arena,
                          struct sonde_trace_buffers *buffers)
{
    struct base_reader r = base_reader_make(section->payload, section->size);
    buffers->dispatch = base_read32(&r);
    buffers->count = base_read32(&r);
    if (r.failed || buffers->count > (r.size - r.position) / TRACE_BUFFER_BYTES)
        return false;
    struct sonde_trace_buffer *items =
        trace_arena_allocate(arena, (buffers->count + 1) * sizeof *items);
    for (size_t i = 0; i < buffers->count && items != NULL; i++) {
        items[i].argument = base_read32(&r);
        items[i].address = base_read64(&r);
        items[i].size = base_read64(&r);
    }
    buffers->items = items;
    return items != NULL;
}
