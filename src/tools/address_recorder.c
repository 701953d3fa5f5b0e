#include "sonde/gen_message.h"
#include "tools/builtin.h"

/* What the compiler puts away in scratch memory is no access of the program. */
static bool is_access(const struct sonde_gen_instruction *instruction)
{
    struct sonde_gen_message message;
    return sonde_coder_payload_address_registers(instruction) != 0 &&
           sonde_gen_message_decode(instruction, &message, NULL) == SONDE_OK &&
           message.address_model != SONDE_GEN_ADDRESS_SCRATCH;
}

uint32_t tools_first_instruction(const struct sonde_kernel *kernel)
{
    uint32_t first = 0;
    for (size_t b = 0; b < sonde_kernel_block_count(kernel); b++)
        if (sonde_kernel_block(kernel, b)->is_entry)
            first = sonde_kernel_block(kernel, b)->first;
    return first;
}

enum sonde_status tools_record_addresses(struct sonde_tool_build *build, struct sonde_error *error)
{
    const struct sonde_kernel *kernel = sonde_instrument_kernel(sonde_tool_build_instrument(build));
    uint32_t count = (uint32_t)sonde_kernel_instruction_count(kernel);
    enum sonde_status status = SONDE_OK;
    for (uint32_t i = tools_first_instruction(kernel); i < count && status == SONDE_OK; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, i);
        struct sonde_record_point point = {.kind = SONDE_RECORD_ADDRESSES, .instruction = i};
        if (!is_access(instruction))
            continue;
        status = sonde_tool_build_record(build, &point, error);
        point.kind = SONDE_RECORD_MASK;
        /* Else the block's header tells which channels. */
        if (status == SONDE_OK && instruction->predicate != SONDE_GEN_PREDICATE_NONE)
            status = sonde_tool_build_record(build, &point, error);
    }
    return status;
}
