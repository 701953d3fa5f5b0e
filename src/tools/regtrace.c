/* The values that memory reads and atomics return. */
#include "sonde/gen_message.h"
#include "tools/builtin.h"

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    const struct sonde_kernel *kernel = sonde_instrument_kernel(sonde_tool_build_instrument(build));
    enum sonde_status status = SONDE_OK;
    uint32_t count = (uint32_t)sonde_kernel_instruction_count(kernel);
    for (uint32_t i = tools_first_instruction(kernel); i < count && status == SONDE_OK; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, i);
        struct sonde_gen_message message;
        if (sonde_gen_opcode_format(instruction->opcode) != SONDE_GEN_FORMAT_SEND ||
            sonde_gen_message_decode(instruction, &message, NULL) != SONDE_OK ||
            (message.operation != SONDE_GEN_MESSAGE_READ &&
             message.operation != SONDE_GEN_MESSAGE_ATOMIC) ||
            message.address_model == SONDE_GEN_ADDRESS_SCRATCH || message.response_registers == 0 ||
            instruction->dst.file != SONDE_GEN_FILE_GRF || instruction->dst.indirect)
            continue;
        const struct sonde_record_point values = {.kind = SONDE_RECORD_REGISTERS,
                                                  .after = true,
                                                  .instruction = i,
                                                  .first = instruction->dst.number,
                                                  .count = message.response_registers};
        const struct sonde_record_point mask = {.kind = SONDE_RECORD_MASK, .instruction = i};
        status = sonde_tool_build_record(build, &values, error);
        if (status == SONDE_OK && instruction->predicate != SONDE_GEN_PREDICATE_NONE)
            status = sonde_tool_build_record(build, &mask, error);
    }
    return status;
}

const struct sonde_tool tools_regtrace = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "regtrace",
    .summary = "values that memory reads return, by channel",
    .on_kernel_build = build,
};
