#include "sample.h"

#include <string.h>

static const uint8_t original[96] = {1, 2, 3, 4, 5};
static uint8_t heap[512];
static const uint32_t offsets[SAMPLE_INSTRUCTIONS] = {128, 144, UINT32_MAX, 176, 192, 511};
static const struct sonde_trace_block blocks[SAMPLE_BLOCKS] = {
    {.id = 0, .first = 0, .count = 2, .is_entry = true},
    {.id = 1, .first = 2, .count = 3},
    {.id = 2, .first = 5, .count = 1, .is_eot = true},
};

struct sonde_trace_header sample_header(void)
{
    return (struct sonde_trace_header){
        .command_line = "./app 'a b'",
        .device = "emu:skl",
        .driver = "NEO 22.43",
        .tools = "opcodeprof",
        .clock_frequency = 12000000,
        .start_time = 1700000000000000000u,
        .process = 4711,
        .mode = "instrument",
        .registers = "recompile",
    };
}

struct sonde_trace_kernel sample_kernel(uint32_t id)
{
    for (unsigned i = 0; i < sizeof heap; i++)
        heap[i] = (uint8_t)(i * 7);
    struct sonde_trace_kernel kernel = {
        .id = id,
        .name = "vadd",
        .hash = 0x0123456789abcdefu,
        .igc_hash = 0xfedcba9876543210u,
        .platform = SONDE_GEN_PLATFORM_GEN9,
        .simd_width = 32,
        .original = original,
        .original_size = sizeof original,
        .heap = heap,
        .heap_size = sizeof heap,
        .debug_elf = heap + 100,
        .debug_elf_size = 77,
        .instrumented_entry = 128,
        .instruction_offsets = offsets,
        .instruction_count = SAMPLE_INSTRUCTIONS,
        .blocks = blocks,
        .block_count = SAMPLE_BLOCKS,
        .profile_bti = 3,
        .inserted_instructions = 12,
        .inserted_bytes = 192,
        .spills = 1,
    };
    if (id == 1) {
        kernel.name = "other";
        kernel.heap = NULL;
        kernel.heap_size = 0;
        kernel.debug_elf = NULL;
        kernel.debug_elf_size = 0;
        kernel.instruction_offsets = NULL;
        kernel.refusal = "uses ip";
    }
    return kernel;
}

uint64_t sample_count(uint32_t dispatch, uint32_t block)
{
    return (uint64_t)dispatch * 1000000007u + block;
}

static struct sonde_record_block layout_blocks[SAMPLE_BLOCKS + 1] = {
    {.size = 32},
    {.size = 64, .item_count = 1},
    {.size = 0},
    {.size = 64, .first_item = 1, .item_count = 1}};
static struct sonde_record_item layout_items[2] = {
    {.point = {.kind = SONDE_RECORD_MASK, .instruction = 2}, .offset = 32, .size = 4},
    {.point = {.kind = SONDE_RECORD_REGISTERS, .count = 1}, .offset = 32, .size = 32}};

struct sonde_record_layout sample_layout(void)
{
    return (struct sonde_record_layout){.blocks = layout_blocks,
                                        .block_count = SAMPLE_BLOCKS + 1,
                                        .items = layout_items,
                                        .item_count = 2};
}

void sample_records(uint32_t dispatch, uint8_t data[SAMPLE_RECORD_BYTES])
{
    static const uint32_t order[] = {SAMPLE_BLOCKS, 0, 1};
    memset(data, 0, SAMPLE_RECORD_BYTES);
    for (unsigned i = 0, at = 0; i < 3; at += layout_blocks[order[i]].size, i++) {
        const uint32_t header[8] = {order[i], dispatch << 8, 0xffff, 0xffff, 1, 2, 10 + i, 0};
        memcpy(data + at, header, sizeof header);
    }
}

static enum sonde_status write_records(struct sonde_trace_writer *writer, uint32_t dispatch,
                                       struct sonde_error *error)
{
    uint8_t data[SAMPLE_RECORD_BYTES];
    static const uint64_t visits[SAMPLE_BLOCKS + 1] = {1, 3, 0, 1};
    sample_records(dispatch, data);
    struct sonde_trace_records records = {.dispatch = dispatch,
                                          .size = SAMPLE_RECORD_BYTES,
                                          .count = 3,
                                          .time_first = 10,
                                          .time_last = 12,
                                          .threads = 1,
                                          .data = data};
    struct sonde_trace_record_totals totals = {.dispatch = dispatch,
                                               .mode = "sized",
                                               .predicted = SAMPLE_RECORD_BYTES + 128,
                                               .used = SAMPLE_RECORD_BYTES,
                                               .stored = 3,
                                               .lost = 2,
                                               .lost_bytes = 128,
                                               .visits = visits,
                                               .visit_count = SAMPLE_BLOCKS + 1};
    enum sonde_status status = sonde_trace_write_records(writer, &records, error);
    return status == SONDE_OK ? sonde_trace_write_record_totals(writer, &totals, error) : status;
}

enum sonde_status sample_write(struct sonde_trace_writer *writer, uint32_t dispatches,
                               struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    for (uint32_t id = 0; id < 2 && status == SONDE_OK; id++) {
        struct sonde_trace_kernel kernel = sample_kernel(id);
        status = sonde_trace_write_kernel(writer, &kernel, error);
    }
    struct sonde_record_layout layout = sample_layout();
    if (status == SONDE_OK)
        status = sonde_trace_write_record_layout(writer, 0, &layout, error);
    for (uint32_t id = 0; id < dispatches && status == SONDE_OK; id++) {
        bool last = id + 1 == dispatches;
        struct sonde_trace_dispatch dispatch = {
            .id = id, .instrumented = true, .submit_time = 100 + id};
        status = sonde_trace_write_dispatch(writer, &dispatch, error);
        if (status != SONDE_OK || last)
            break;
        uint64_t counts[SAMPLE_BLOCKS];
        for (uint32_t b = 0; b < SAMPLE_BLOCKS; b++)
            counts[b] = sample_count(id, b);
        struct sonde_trace_block_counts record = {
            .dispatch = id, .tool = "opcodeprof", .counts = counts, .count = SAMPLE_BLOCKS};
        status = sonde_trace_write_block_counts(writer, &record, error);
        if (status == SONDE_OK)
            status = write_records(writer, id, error);
        dispatch.complete = true;
        dispatch.complete_time = 200 + id;
        if (status == SONDE_OK)
            status = sonde_trace_write_dispatch(writer, &dispatch, error);
    }
    struct sonde_trace_loss loss = {
        .dispatch = dispatches - 1, .records = 1, .reason = "never finished"};
    if (status == SONDE_OK && dispatches > 0)
        status = sonde_trace_write_loss(writer, &loss, error);
    return status == SONDE_OK ? sonde_trace_write_message(writer, "hello", error) : status;
}
