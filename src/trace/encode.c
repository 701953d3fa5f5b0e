#include "trace/encode.h"

#include "base/array.h"
#include "base/bytes.h"
#include "trace/format.h"

#include <stdlib.h>

uint8_t *trace_buffer_grow(struct trace_buffer *buffer, size_t count)
{
    if (buffer->failed || count > SIZE_MAX - buffer->size ||
        base_array_reserve((void **)&buffer->data, &buffer->capacity, buffer->size + count, 1) !=
            SONDE_OK) {
        buffer->failed = true;
        return NULL;
    }
    uint8_t *place = buffer->data + buffer->size;
    buffer->size += count;
    return place;
}

void trace_buffer_clear(struct trace_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct trace_buffer){0};
}

void trace_put16(struct trace_buffer *buffer, uint16_t value)
{
    uint8_t *place = trace_buffer_grow(buffer, 2);
    if (place != NULL)
        base_store16(place, value);
}

void trace_put32(struct trace_buffer *buffer, uint32_t value)
{
    uint8_t *place = trace_buffer_grow(buffer, 4);
    if (place != NULL)
        base_store32(place, value);
}

void trace_put64(struct trace_buffer *buffer, uint64_t value)
{
    uint8_t *place = trace_buffer_grow(buffer, 8);
    if (place != NULL)
        base_store64(place, value);
}

/* Lengths are 32 bits in the file; anything that long exceeds the section
 * limit anyway and is refused by the writer. */
static void put_bytes(struct trace_buffer *buffer, const void *data, size_t size)
{
    if (size > TRACE_SECTION_LIMIT) {
        buffer->failed = true;
        return;
    }
    trace_put32(buffer, (uint32_t)size);
    uint8_t *place = trace_buffer_grow(buffer, size);
    if (place != NULL && size > 0)
        memcpy(place, data, size);
}

static void put_string(struct trace_buffer *buffer, const char *text)
{
    put_bytes(buffer, text, text == NULL ? 0 : strlen(text));
}

void trace_encode_process(struct trace_buffer *buffer, const struct sonde_trace_header *header)
{
    trace_put32(buffer, header->process);
    trace_put64(buffer, header->clock_frequency);
    trace_put64(buffer, header->start_time);
    put_string(buffer, header->command_line);
    put_string(buffer, header->device);
    put_string(buffer, header->driver);
    put_string(buffer, header->tools);
    put_string(buffer, header->mode);
    put_string(buffer, header->registers);
    put_string(buffer, header->program);
    put_string(buffer, header->writer);
    put_string(buffer, header->records);
    trace_put64(buffer, header->record_space);
    put_string(buffer, header->scope);
}

static void put_blocks(struct trace_buffer *buffer, const struct sonde_trace_kernel *kernel)
{
    if (kernel->block_count > TRACE_SECTION_LIMIT / TRACE_BLOCK_RECORD_BYTES) {
        buffer->failed = true;
        return;
    }
    trace_put32(buffer, (uint32_t)kernel->block_count);
    for (size_t i = 0; i < kernel->block_count; i++) {
        const struct sonde_trace_block *block = &kernel->blocks[i];
        trace_put32(buffer, block->id);
        trace_put32(buffer, block->first);
        trace_put32(buffer, block->count);
        trace_put32(buffer, (block->is_entry ? TRACE_BLOCK_ENTRY : 0u) |
                                (block->is_eot ? TRACE_BLOCK_EOT : 0u));
    }
}

static void put_offsets(struct trace_buffer *buffer, const struct sonde_trace_kernel *kernel)
{
    size_t count = kernel->instruction_offsets == NULL ? 0 : kernel->instruction_count;
    if (count > TRACE_SECTION_LIMIT / 4 || kernel->instruction_count > UINT32_MAX) {
        buffer->failed = true;
        return;
    }
    trace_put32(buffer, (uint32_t)kernel->instruction_count);
    trace_put32(buffer, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        trace_put32(buffer, kernel->instruction_offsets[i]);
}

void trace_encode_kernel(struct trace_buffer *buffer, const struct sonde_trace_kernel *kernel)
{
    trace_put32(buffer, kernel->id);
    trace_put32(buffer, (kernel->heap != NULL ? TRACE_KERNEL_HAS_HEAP : 0u) |
                            (kernel->refusal != NULL ? TRACE_KERNEL_HAS_REFUSAL : 0u) |
                            (kernel->debug_elf != NULL ? TRACE_KERNEL_HAS_DEBUG : 0u));
    trace_put64(buffer, kernel->hash);
    trace_put64(buffer, kernel->igc_hash);
    trace_put32(buffer, (uint32_t)kernel->platform);
    trace_put32(buffer, kernel->simd_width);
    trace_put32(buffer, kernel->instrumented_entry);
    trace_put32(buffer, kernel->profile_bti);
    trace_put32(buffer, kernel->inserted_instructions);
    trace_put32(buffer, kernel->inserted_bytes);
    trace_put32(buffer, kernel->spills);
    put_string(buffer, kernel->name);
    put_string(buffer, kernel->refusal);
    put_bytes(buffer, kernel->original, kernel->original_size);
    put_bytes(buffer, kernel->heap, kernel->heap == NULL ? 0 : kernel->heap_size);
    put_blocks(buffer, kernel);
    put_offsets(buffer, kernel);
    if (kernel->debug_elf != NULL)
        put_bytes(buffer, kernel->debug_elf, kernel->debug_elf_size);
}

void trace_encode_dispatch(struct trace_buffer *buffer, const struct sonde_trace_dispatch *dispatch)
{
    trace_put32(buffer, dispatch->id);
    trace_put32(buffer, dispatch->kernel);
    trace_put32(buffer, (dispatch->instrumented ? TRACE_DISPATCH_INSTRUMENTED : 0u) |
                            (dispatch->complete ? TRACE_DISPATCH_COMPLETE : 0u));
    trace_put64(buffer, dispatch->submit_time);
    trace_put64(buffer, dispatch->complete_time);
    trace_put32(buffer, dispatch->parts);
}

void trace_encode_block_counts(struct trace_buffer *buffer,
                               const struct sonde_trace_block_counts *counts)
{
    trace_put32(buffer, counts->dispatch);
    trace_put32(buffer, counts->kernel);
    put_string(buffer, counts->tool);
    if (counts->count > TRACE_SECTION_LIMIT / 8) {
        buffer->failed = true;
        return;
    }
    trace_put32(buffer, (uint32_t)counts->count);
    uint8_t *place = trace_buffer_grow(buffer, counts->count * 8);
    if (place != NULL)
        for (size_t i = 0; i < counts->count; i++)
            base_store64(place + 8 * i, counts->counts[i]);
}

void trace_encode_loss(struct trace_buffer *buffer, const struct sonde_trace_loss *loss)
{
    trace_put32(buffer, loss->dispatch);
    trace_put64(buffer, loss->records);
    put_string(buffer, loss->reason);
}

void trace_encode_message(struct trace_buffer *buffer, const struct sonde_trace_message *message)
{
    trace_put64(buffer, message->time);
    put_string(buffer, message->text);
}

void trace_encode_end(struct trace_buffer *buffer, uint64_t sections, uint64_t dropped)
{
    trace_put64(buffer, sections);
    trace_put64(buffer, dropped);
}
