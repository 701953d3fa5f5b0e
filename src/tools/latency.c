/* Time of basic blocks, and of single memory reads. The time of a read runs
 * from when its operands are there to when its data is. */
#include "sonde/gen_message.h"
#include "tools/builtin.h"
#include "tools/counters.h"

struct work {
    struct sonde_instrument *instrument;
    const struct sonde_kernel *kernel;
    struct sonde_coder *coder;
    struct tools_counters *counters;
    struct tools_timer_place place;
    struct sonde_error *error;
};

static enum sonde_status no_memory(struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

static bool has_work(const struct sonde_kernel *kernel, const struct sonde_block *block)
{
    for (uint32_t i = block->first; i < block->first + block->count; i++)
        if (!sonde_gen_opcode_is_branch(sonde_kernel_instruction(kernel, i)->opcode) &&
            !block->is_eot)
            return true;
    return false;
}

static bool is_read(const struct sonde_gen_instruction *instruction)
{
    struct sonde_gen_message message;
    return sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_SEND &&
           sonde_gen_message_decode(instruction, &message, NULL) == SONDE_OK &&
           (message.operation == SONDE_GEN_MESSAGE_READ ||
            message.operation == SONDE_GEN_MESSAGE_ATOMIC) &&
           message.address_model != SONDE_GEN_ADDRESS_SCRATCH && message.returns_data;
}

/* Whether place `index` (a block, or an instruction) is timed. */
static bool is_timed(const struct work *work, bool blocks, uint32_t index)
{
    return blocks ? has_work(work->kernel, sonde_kernel_block(work->kernel, index))
                  : index >= tools_first_instruction(work->kernel) &&
                        is_read(sonde_kernel_instruction(work->kernel, index));
}

static enum sonde_status insert(struct work *work, bool blocks, uint32_t index,
                                const struct tools_timer *timer)
{
    struct sonde_procedure *start = sonde_procedure_create(work->coder, "start timer");
    struct sonde_procedure *stop = sonde_procedure_create(work->coder, "stop timer");
    enum sonde_status status = start == NULL || stop == NULL ? no_memory(work->error) : SONDE_OK;
    const struct sonde_gen_instruction *instruction =
        blocks ? NULL : sonde_kernel_instruction(work->kernel, index);
    if (status == SONDE_OK && !blocks)
        status = sonde_coder_generate_fake_src_consumers(work->coder, start, instruction, NULL,
                                                         work->error);
    if (status == SONDE_OK)
        status = tools_timer_start(timer->place, work->coder, start, work->error);
    if (status == SONDE_OK && !blocks)
        status = sonde_coder_generate_fake_dst_consumers(work->coder, stop, instruction, NULL,
                                                         work->error);
    if (status == SONDE_OK)
        status = tools_timer_stop(timer, work->counters, work->coder, stop, work->error);
    if (status != SONDE_OK)
        return status;
    if (!blocks) {
        status =
            sonde_instrument_instruction(work->instrument, index, SONDE_BEFORE, start, work->error);
        return status != SONDE_OK ? status
                                  : sonde_instrument_instruction(work->instrument, index,
                                                                 SONDE_AFTER, stop, work->error);
    }
    status = sonde_instrument_block(work->instrument, index, SONDE_BEFORE, start, work->error);
    return status != SONDE_OK
               ? status
               : sonde_instrument_block(work->instrument, index, SONDE_AFTER, stop, work->error);
}

static enum sonde_status time_places(struct sonde_tool_build *build, bool blocks,
                                     struct sonde_error *error)
{
    struct work work = {.instrument = sonde_tool_build_instrument(build), .error = error};
    work.kernel = sonde_instrument_kernel(work.instrument);
    work.coder = sonde_instrument_coder(work.instrument);
    uint32_t count = (uint32_t)(blocks ? sonde_kernel_block_count(work.kernel)
                                       : sonde_kernel_instruction_count(work.kernel));
    work.counters = tools_counters_create(build, 3 * (size_t)count);
    if (work.counters == NULL)
        return no_memory(error);
    enum sonde_status status = tools_timer_place_choose(&work.place, build, work.coder, error);
    if (status != SONDE_OK)
        return status;
    /* Each place has three records, in order: the array first, then code. */
    for (uint32_t i = 0; i < count; i++)
        if (is_timed(&work, blocks, i))
            tools_timer_make(work.counters, blocks ? sonde_kernel_block(work.kernel, i)->first : i,
                             &work.place);
    status = tools_counters_allocate(work.counters, build, error);
    struct tools_timer timer = {&work.place, 0, 1, 2};
    for (uint32_t i = 0; i < count && status == SONDE_OK; i++) {
        if (!is_timed(&work, blocks, i))
            continue;
        status = insert(&work, blocks, i, &timer);
        timer.cycles += 3;
        timer.executions += 3;
        timer.skipped += 3;
    }
    return status;
}

static enum sonde_status build_blocks(struct sonde_tool_build *build, struct sonde_error *error)
{
    return time_places(build, true, error);
}

static enum sonde_status build_reads(struct sonde_tool_build *build, struct sonde_error *error)
{
    return time_places(build, false, error);
}

static enum sonde_status complete_blocks(struct sonde_tool_dispatch *dispatch,
                                         struct sonde_error *error)
{
    return tools_counters_write(dispatch, "latency", error);
}

static enum sonde_status complete_reads(struct sonde_tool_dispatch *dispatch,
                                        struct sonde_error *error)
{
    return tools_counters_write(dispatch, "memlatency", error);
}

const struct sonde_tool tools_latency = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "latency",
    .summary = "time of basic blocks",
    .on_kernel_build = build_blocks,
    .on_dispatch_complete = complete_blocks,
};

const struct sonde_tool tools_memlatency = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "memlatency",
    .summary = "time of memory reads, until their data is there",
    .on_kernel_build = build_reads,
    .on_dispatch_complete = complete_reads,
};
