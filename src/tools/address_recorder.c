#include "sonde/gen_message.h"
#include "tools/builtin.h"
#include "tools/host.h"

#define PROLOG_LIMIT 24u /* instructions */
#define REGISTER     32u /* bytes, on every platform that is instrumented */

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

/* From Xe on the kernel loads its arguments itself: its first messages do. The
 * point moves behind the last one that fills any of its registers. */
void tools_find_load(const struct sonde_kernel *kernel, struct sonde_record_point *point)
{
    uint32_t first = point->instruction;
    const struct sonde_block *block =
        sonde_kernel_block(kernel, sonde_kernel_block_of(kernel, first));
    for (uint32_t i = first; i < block->first + block->count && i < first + PROLOG_LIMIT; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, i);
        struct sonde_gen_message message;
        if (sonde_gen_opcode_format(instruction->opcode) != SONDE_GEN_FORMAT_SEND)
            continue;
        if (sonde_gen_message_decode(instruction, &message, NULL) != SONDE_OK ||
            message.address_model != SONDE_GEN_ADDRESS_STATELESS ||
            message.operation != SONDE_GEN_MESSAGE_READ)
            return;
        if (instruction->dst.number < point->first + point->count &&
            point->first < instruction->dst.number + message.response_registers) {
            point->instruction = i;
            point->after = true;
        }
    }
}

enum sonde_status tools_record_pointers(struct sonde_tool_build *build, struct sonde_error *error)
{
    const struct sonde_kernel *kernel = sonde_instrument_kernel(sonde_tool_build_instrument(build));
    const struct sonde_trace_arguments *arguments = sonde_tool_build_arguments(build);
    uint32_t first = UINT32_MAX, last = 0;
    for (size_t i = 0; arguments != NULL && i < arguments->count; i++) {
        const struct sonde_trace_argument *argument = &arguments->items[i];
        if (argument->bti == UINT32_MAX || argument->size != 8 || argument->offset >= 2048)
            continue;
        first = argument->offset < first ? argument->offset : first;
        last = argument->offset + 7 > last ? argument->offset + 7 : last;
    }
    if (first > last || arguments->payload_register == 0)
        return SONDE_OK;
    struct sonde_record_point point = {
        .kind = SONDE_RECORD_REGISTERS,
        .instruction = tools_first_instruction(kernel),
        .first = arguments->payload_register + first / REGISTER,
        .count = last / REGISTER - first / REGISTER + 1,
    };
    tools_find_load(kernel, &point);
    /* The kernel itself may go by surfaces, and need no pointers. */
    if (sonde_coder_observe(sonde_instrument_coder(sonde_tool_build_instrument(build)), point.first,
                            point.count, error) != SONDE_OK) {
        tools_build_note(build, "buffers of kernel %.100s have no names: %.200s",
                         sonde_kernel_info(kernel)->name, error != NULL ? error->message : "");
        return SONDE_OK;
    }
    return sonde_tool_build_record(build, &point, error);
}

bool tools_goes_to_address(const struct sonde_gen_instruction *instruction)
{
    struct sonde_gen_message message;
    return sonde_gen_message_decode(instruction, &message, NULL) == SONDE_OK &&
           (message.address_model == SONDE_GEN_ADDRESS_A64 ||
            message.address_model == SONDE_GEN_ADDRESS_STATELESS);
}

enum sonde_status tools_record_addresses(struct sonde_tool_build *build, struct sonde_error *error)
{
    const struct sonde_kernel *kernel = sonde_instrument_kernel(sonde_tool_build_instrument(build));
    uint32_t count = (uint32_t)sonde_kernel_instruction_count(kernel);
    enum sonde_status status = SONDE_OK;
    bool wants_pointers = false;
    for (uint32_t i = tools_first_instruction(kernel); i < count && status == SONDE_OK; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, i);
        struct sonde_record_point point = {.kind = SONDE_RECORD_ADDRESSES, .instruction = i};
        if (!is_access(instruction))
            continue;
        wants_pointers = wants_pointers || tools_goes_to_address(instruction);
        status = sonde_tool_build_record(build, &point, error);
        point.kind = SONDE_RECORD_MASK;
        /* Else the block's header tells which channels. */
        if (status == SONDE_OK && instruction->predicate != SONDE_GEN_PREDICATE_NONE)
            status = sonde_tool_build_record(build, &point, error);
    }
    if (status == SONDE_OK && wants_pointers)
        status = tools_record_pointers(build, error);
    return status;
}
