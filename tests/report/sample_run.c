#include "sample_run.h"

/* What iga64 makes of
 *     (W) mov (8|M0) r10:ud r0:ud          block 0
 *         add (16|M0) r12:d r4:d r6:d
 *         mul (16|M0) r14:f r8:f r12:f
 *         cmp (16|M0) (lt)f0.0 null:d r12:d 64:w
 *     (W&f0.0) jmpi L112
 *         add (16|M0) r12:d r12:d 1:w      block 1
 *     (W) mov (8|M0) r127:ud r10:ud
 *   L112: mov (16|M0) r20:f r14:f          block 2
 *     (W) mov (8|M0) r127:ud r10:ud
 *         send (8|M0) null r127 ... {EOT}  block 3 */
static const uint8_t code[] = {
    0x01, 0x00, 0x60, 0x00, 0x0c, 0x02, 0x40, 0x21, 0x00, 0x00, 0x8d, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x40, 0x00, 0x80, 0x00, 0x28, 0x0a, 0x80, 0x21, 0x80, 0x00, 0x8d, 0x0a, 0xc0, 0x00, 0x8d, 0x00,
    0x41, 0x00, 0x80, 0x00, 0xe8, 0x3a, 0xc0, 0x21, 0x00, 0x01, 0x8d, 0x3a, 0x80, 0x01, 0x8d, 0x00,
    0x10, 0x00, 0x80, 0x05, 0x20, 0x0a, 0x00, 0x20, 0x80, 0x01, 0x8d, 0x1e, 0x40, 0x00, 0x40, 0x00,
    0x20, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00, 0x34, 0x00, 0x14, 0x00, 0x0e, 0x20, 0x00, 0x00, 0x00,
    0x40, 0x00, 0x80, 0x00, 0x28, 0x0a, 0x80, 0x21, 0x80, 0x01, 0x8d, 0x1e, 0x01, 0x00, 0x01, 0x00,
    0x01, 0x00, 0x60, 0x00, 0x0c, 0x02, 0xe0, 0x2f, 0x40, 0x01, 0x8d, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x80, 0x00, 0xe8, 0x3a, 0x80, 0x22, 0xc0, 0x01, 0x8d, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x60, 0x00, 0x0c, 0x02, 0xe0, 0x2f, 0x40, 0x01, 0x8d, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x31, 0x00, 0x60, 0x07, 0x00, 0x02, 0x00, 0x20, 0xe0, 0x0f, 0x00, 0x06, 0x10, 0x00, 0x00, 0x82,
};

static const struct sonde_trace_block blocks[] = {
    {.id = 0, .first = 0, .count = 5, .is_entry = true},
    {.id = 1, .first = 5, .count = 2},
    {.id = 2, .first = 7, .count = 2},
    {.id = 3, .first = 9, .count = 1, .is_eot = true},
};
/* Only the last two instructions. */
static const struct sonde_trace_block short_blocks[] = {
    {.id = 0, .first = 0, .count = 1, .is_entry = true},
    {.id = 1, .first = 1, .count = 1, .is_eot = true},
};

static const uint32_t offsets[10] = {0};

/* "alpha" is created twice and counts as one kernel; the second kernel's name
 * needs quoting; "gamma" ran as it was. */
static const struct sonde_trace_kernel kernels[] = {
    {.id = 0,
     .name = "alpha",
     .hash = 0x1111,
     .simd_width = 16,
     .original = code,
     .original_size = sizeof code,
     .heap = code,
     .heap_size = sizeof code,
     .instruction_offsets = offsets,
     .instruction_count = 10,
     .blocks = blocks,
     .block_count = 4,
     .profile_bti = 3,
     .inserted_instructions = 12},
    {.id = 1,
     .name = "beta,\"2\"",
     .hash = 0x2222,
     .simd_width = 8,
     .original = code + 128,
     .original_size = 32,
     .heap = code,
     .heap_size = sizeof code,
     .instruction_offsets = offsets,
     .instruction_count = 2,
     .blocks = short_blocks,
     .block_count = 2,
     .profile_bti = 3},
    {.id = 2,
     .name = "alpha",
     .hash = 0x1111,
     .simd_width = 16,
     .original = code,
     .original_size = sizeof code,
     .heap = code,
     .heap_size = sizeof code,
     .instruction_offsets = offsets,
     .instruction_count = 10,
     .blocks = blocks,
     .block_count = 4,
     .profile_bti = 3},
    {.id = 3,
     .name = "gamma",
     .hash = 0x3333,
     .simd_width = 16,
     .original = code,
     .original_size = sizeof code,
     .blocks = blocks,
     .block_count = 4,
     .instruction_count = 10,
     .profile_bti = UINT32_MAX,
     .refusal = "reads its own instruction pointer"},
};

static const struct {
    uint32_t kernel;
    uint64_t counts[4];
} dispatches[] = {
    {0, {4, 3, 4, 4}}, {0, {8, 2, 8, 8}}, {1, {6, 6}}, {2, {1, 0, 1, 1}}, {3, {0}},
};

static enum sonde_status write_dispatch(struct sonde_trace_writer *writer, uint32_t id,
                                        struct sonde_error *error)
{
    const struct sonde_trace_kernel *kernel = &kernels[dispatches[id].kernel];
    bool instrumented = kernel->refusal == NULL;
    struct sonde_trace_dispatch dispatch = {
        .id = id, .kernel = kernel->id, .instrumented = instrumented, .complete = true};
    enum sonde_status status = sonde_trace_write_dispatch(writer, &dispatch, error);
    static const char *const tools[] = {"opcodeprof", "bblprof"};
    for (size_t i = 0; i < 2 && status == SONDE_OK && instrumented; i++) {
        struct sonde_trace_block_counts counts = {.dispatch = id,
                                                  .kernel = kernel->id,
                                                  .tool = tools[i],
                                                  .counts = dispatches[id].counts,
                                                  .count = kernel->block_count};
        status = sonde_trace_write_block_counts(writer, &counts, error);
    }
    return status;
}

enum sonde_status sample_run_write(const char *directory, bool loss, struct sonde_error *error)
{
    struct sonde_trace_header header = {.command_line = "./app 'a b'",
                                        .device = "emu:skl",
                                        .driver = "test driver",
                                        .tools = "opcodeprof,bblprof",
                                        .start_time = 1000000000,
                                        .process = 42,
                                        .mode = "instrument",
                                        .registers = "recompile",
                                        .program = "/bin/app"};
    struct sonde_trace_writer *writer;
    enum sonde_status status = sonde_trace_writer_create(directory, &header, &writer, error);
    if (status != SONDE_OK)
        return status;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && status == SONDE_OK; i++)
        status = sonde_trace_write_kernel(writer, &kernels[i], error);
    for (uint32_t i = 0; i < sizeof dispatches / sizeof *dispatches && status == SONDE_OK; i++)
        status = write_dispatch(writer, i, error);
    struct sonde_trace_loss lost = {.dispatch = 1, .records = 7, .reason = "the buffer was full"};
    if (status == SONDE_OK && loss)
        status = sonde_trace_write_loss(writer, &lost, error);
    enum sonde_status closed = sonde_trace_writer_close(writer, error);
    return status == SONDE_OK ? closed : status;
}
