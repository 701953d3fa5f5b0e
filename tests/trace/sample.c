#include "sample.h"

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
        kernel.instruction_offsets = NULL;
        kernel.refusal = "uses ip";
    }
    return kernel;
}

uint64_t sample_count(uint32_t dispatch, uint32_t block)
{
    return (uint64_t)dispatch * 1000000007u + block;
}

enum sonde_status sample_write(struct sonde_trace_writer *writer, uint32_t dispatches,
                               struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    for (uint32_t id = 0; id < 2 && status == SONDE_OK; id++) {
        struct sonde_trace_kernel kernel = sample_kernel(id);
        status = sonde_trace_write_kernel(writer, &kernel, error);
    }
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
