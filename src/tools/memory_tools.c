/* Tools that look at addresses: what they record is the same, what is made of
 * it differs (src/analyze). */
#include "sonde/gen_message.h"
#include "tools/builtin.h"

/* Besides addresses: visits of the blocks with barriers, which order threads
 * of a group. Nothing can stand at some barriers themselves. */
static enum sonde_status build_race(struct sonde_tool_build *build, struct sonde_error *error)
{
    const struct sonde_kernel *kernel = sonde_instrument_kernel(sonde_tool_build_instrument(build));
    enum sonde_status status = tools_record_addresses(build, error);
    for (uint32_t i = 0; i < sonde_kernel_instruction_count(kernel) && status == SONDE_OK; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, i);
        const struct sonde_block *block =
            sonde_kernel_block(kernel, sonde_kernel_block_of(kernel, i));
        const struct sonde_record_point point = {.kind = SONDE_RECORD_CLOCK,
                                                 .instruction = block->first};
        struct sonde_gen_message message;
        if (sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_SEND &&
            sonde_gen_message_decode(instruction, &message, NULL) == SONDE_OK &&
            message.operation == SONDE_GEN_MESSAGE_BARRIER)
            status = sonde_tool_build_record(build, &point, error);
    }
    return status;
}

/* The start of a thread is always recorded: its end is missing. */
static enum sonde_status build_occupancy(struct sonde_tool_build *build, struct sonde_error *error)
{
    const struct sonde_kernel *kernel = sonde_instrument_kernel(sonde_tool_build_instrument(build));
    enum sonde_status status = SONDE_OK;
    for (size_t b = 0; b < sonde_kernel_block_count(kernel) && status == SONDE_OK; b++) {
        const struct sonde_block *block = sonde_kernel_block(kernel, b);
        const struct sonde_record_point point = {.kind = SONDE_RECORD_CLOCK,
                                                 .instruction = block->first};
        if (block->is_eot)
            status = sonde_tool_build_record(build, &point, error);
    }
    return status;
}

#define TOOL(identifier, what, does, how)                                                          \
    const struct sonde_tool identifier = {                                                         \
        .struct_size = sizeof(struct sonde_tool),                                                  \
        .api_version = SONDE_TOOL_API_VERSION,                                                     \
        .name = what,                                                                              \
        .summary = does,                                                                           \
        .on_kernel_build = how,                                                                    \
    }

TOOL(tools_memtrace, "memtrace", "addresses of memory messages, by channel",
     tools_record_addresses);
TOOL(tools_stride, "stride", "how far apart the channels of memory messages reach",
     tools_record_addresses);
TOOL(tools_cacheline, "cacheline", "cache lines of memory messages, hits and conflicts",
     tools_record_addresses);
TOOL(tools_bounds, "bounds", "accesses outside of the buffers that the arguments name",
     tools_record_addresses);
TOOL(tools_race, "race", "accesses of threads to one place that nothing orders", build_race);
TOOL(tools_occupancy, "occupancy", "when hardware threads run, and how evenly", build_occupancy);
