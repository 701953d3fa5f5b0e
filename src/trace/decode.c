#include "trace/decode.h"

#include "base/bytes.h"
#include "trace/format.h"

struct decoder {
    struct base_reader reader;
    struct trace_arena *arena;
};

static struct decoder begin(const struct trace_section *section, struct trace_arena *arena)
{
    return (struct decoder){base_reader_make(section->payload, section->size), arena};
}

static uint32_t get32(struct decoder *decoder)
{
    return base_read32(&decoder->reader);
}

static uint64_t get64(struct decoder *decoder)
{
    return base_read64(&decoder->reader);
}

static const uint8_t *get_bytes(struct decoder *decoder, size_t *size)
{
    *size = get32(decoder);
    const uint8_t *bytes = base_read_bytes(&decoder->reader, *size);
    uint8_t *copy = bytes == NULL ? NULL : trace_arena_allocate(decoder->arena, *size);
    if (copy == NULL) {
        decoder->reader.failed = true;
        *size = 0;
        return NULL;
    }
    memcpy(copy, bytes, *size);
    return copy;
}

const char *trace_read_string(struct base_reader *reader, struct trace_arena *arena)
{
    size_t size = base_read32(reader);
    const uint8_t *bytes = base_read_bytes(reader, size);
    char *copy = bytes == NULL ? NULL : trace_arena_allocate(arena, size + 1);
    if (copy == NULL) {
        reader->failed = true;
        return "";
    }
    for (size_t i = 0; i < size; i++) {
        unsigned char c = bytes[i];
        copy[i] = (char)((c < ' ' && c != '\0' && c != '\n' && c != '\t') || c == 0x7f ? '?' : c);
    }
    copy[size] = '\0';
    return copy;
}

static const char *get_string(struct decoder *decoder)
{
    return trace_read_string(&decoder->reader, decoder->arena);
}

bool trace_decode_process(const struct trace_section *section, struct trace_arena *arena,
                          struct sonde_trace_header *header)
{
    struct decoder decoder = begin(section, arena);
    header->process = get32(&decoder);
    header->clock_frequency = get64(&decoder);
    header->start_time = get64(&decoder);
    header->command_line = get_string(&decoder);
    header->device = get_string(&decoder);
    header->driver = get_string(&decoder);
    header->tools = get_string(&decoder);
    header->mode = get_string(&decoder);
    header->registers = get_string(&decoder);
    header->program = get_string(&decoder);
    header->writer = get_string(&decoder);
    if (decoder.reader.failed)
        return false;
    /* Appended; earlier writers have none. */
    header->records = get_string(&decoder);
    header->record_space = get64(&decoder);
    if (decoder.reader.failed) {
        header->records = "";
        header->record_space = 0;
    }
    header->scope = get_string(&decoder);
    if (decoder.reader.failed)
        header->scope = "";
    return true;
}

static bool decode_blocks(struct decoder *decoder, struct sonde_trace_kernel *kernel)
{
    size_t count = get32(decoder);
    const struct base_reader *reader = &decoder->reader;
    if (reader->failed || count > (reader->size - reader->position) / TRACE_BLOCK_RECORD_BYTES)
        return false;
    struct sonde_trace_block *blocks = trace_arena_allocate(decoder->arena, count * sizeof *blocks);
    if (blocks == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        blocks[i].id = get32(decoder);
        blocks[i].first = get32(decoder);
        blocks[i].count = get32(decoder);
        uint32_t flags = get32(decoder);
        blocks[i].is_entry = (flags & TRACE_BLOCK_ENTRY) != 0;
        blocks[i].is_eot = (flags & TRACE_BLOCK_EOT) != 0;
    }
    kernel->blocks = blocks;
    kernel->block_count = count;
    return true;
}

static bool decode_offsets(struct decoder *decoder, struct sonde_trace_kernel *kernel)
{
    kernel->instruction_count = get32(decoder);
    size_t count = get32(decoder);
    const struct base_reader *reader = &decoder->reader;
    if (reader->failed || count > (reader->size - reader->position) / 4 ||
        (count != 0 && count != kernel->instruction_count))
        return false;
    kernel->instruction_offsets = NULL;
    if (count == 0)
        return true;
    uint32_t *offsets = trace_arena_allocate(decoder->arena, count * sizeof *offsets);
    if (offsets == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = get32(decoder);
        if (offsets[i] != UINT32_MAX && offsets[i] >= kernel->heap_size)
            return false;
    }
    kernel->instruction_offsets = offsets;
    return true;
}

static bool kernel_is_consistent(const struct sonde_trace_kernel *kernel)
{
    /* No encoding is shorter than 8 bytes. */
    if ((unsigned)kernel->platform >= SONDE_GEN_PLATFORM_COUNT ||
        kernel->instruction_count > kernel->original_size / 8 ||
        (kernel->heap != NULL && kernel->instrumented_entry > kernel->heap_size))
        return false;
    for (size_t i = 0; i < kernel->block_count; i++) {
        const struct sonde_trace_block *block = &kernel->blocks[i];
        if (block->id != i || block->first > kernel->instruction_count ||
            block->count > kernel->instruction_count - block->first)
            return false;
    }
    return true;
}

bool trace_decode_kernel(const struct trace_section *section, struct trace_arena *arena,
                         struct sonde_trace_kernel *kernel)
{
    struct decoder decoder = begin(section, arena);
    kernel->id = get32(&decoder);
    uint32_t flags = get32(&decoder);
    kernel->hash = get64(&decoder);
    kernel->igc_hash = get64(&decoder);
    kernel->platform = (enum sonde_gen_platform)get32(&decoder);
    kernel->simd_width = get32(&decoder);
    kernel->instrumented_entry = get32(&decoder);
    kernel->profile_bti = get32(&decoder);
    kernel->inserted_instructions = get32(&decoder);
    kernel->inserted_bytes = get32(&decoder);
    kernel->spills = get32(&decoder);
    kernel->name = get_string(&decoder);
    kernel->refusal = get_string(&decoder);
    kernel->original = get_bytes(&decoder, &kernel->original_size);
    kernel->heap = get_bytes(&decoder, &kernel->heap_size);
    if (decoder.reader.failed)
        return false;
    if ((flags & TRACE_KERNEL_HAS_REFUSAL) == 0)
        kernel->refusal = NULL;
    if ((flags & TRACE_KERNEL_HAS_HEAP) == 0) {
        kernel->heap = NULL;
        kernel->heap_size = 0;
    }
    if (!decode_blocks(&decoder, kernel) || !decode_offsets(&decoder, kernel))
        return false;
    if ((flags & TRACE_KERNEL_HAS_DEBUG) != 0)
        kernel->debug_elf = get_bytes(&decoder, &kernel->debug_elf_size);
    return !decoder.reader.failed && kernel_is_consistent(kernel);
}

bool trace_decode_dispatch(const struct trace_section *section,
                           struct sonde_trace_dispatch *dispatch)
{
    struct decoder decoder = begin(section, NULL);
    dispatch->id = get32(&decoder);
    dispatch->kernel = get32(&decoder);
    uint32_t flags = get32(&decoder);
    dispatch->instrumented = (flags & TRACE_DISPATCH_INSTRUMENTED) != 0;
    dispatch->complete = (flags & TRACE_DISPATCH_COMPLETE) != 0;
    dispatch->submit_time = get64(&decoder);
    dispatch->complete_time = get64(&decoder);
    if (decoder.reader.failed)
        return false;
    /* Appended; earlier writers have none. */
    dispatch->parts = get32(&decoder);
    if (decoder.reader.failed)
        dispatch->parts = 0;
    return true;
}

bool trace_decode_block_counts(const struct trace_section *section, struct trace_arena *arena,
                               struct sonde_trace_block_counts *counts)
{
    struct decoder decoder = begin(section, arena);
    counts->dispatch = get32(&decoder);
    counts->kernel = get32(&decoder);
    counts->tool = get_string(&decoder);
    counts->count = get32(&decoder);
    const uint8_t *bytes = base_read_bytes(&decoder.reader, 8 * counts->count);
    uint64_t *values = bytes == NULL ? NULL : trace_arena_allocate(arena, 8 * counts->count);
    if (values == NULL)
        return false;
    for (size_t i = 0; i < counts->count; i++)
        values[i] = base_load64(bytes + 8 * i);
    counts->counts = values;
    return true;
}

bool trace_decode_loss(const struct trace_section *section, struct trace_arena *arena,
                       struct sonde_trace_loss *loss)
{
    struct decoder decoder = begin(section, arena);
    loss->dispatch = get32(&decoder);
    loss->records = get64(&decoder);
    loss->reason = get_string(&decoder);
    return !decoder.reader.failed;
}

bool trace_decode_message(const struct trace_section *section, struct trace_arena *arena,
                          struct sonde_trace_message *message)
{
    struct decoder decoder = begin(section, arena);
    message->time = get64(&decoder);
    message->text = get_string(&decoder);
    return !decoder.reader.failed;
}

bool trace_decode_end(const struct trace_section *section, uint64_t *sections, uint64_t *dropped)
{
    struct decoder decoder = begin(section, NULL);
    *sections = get64(&decoder);
    *dropped = get64(&decoder);
    return !decoder.reader.failed;
}
