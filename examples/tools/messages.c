/* Counts the messages (loads, stores, atomics) that each kernel sends. */
#include <sonde/sonde.h>

#include <stdio.h>
#include <stdlib.h>

static enum sonde_status count(struct sonde_instrument *instrument, size_t index,
                               const struct sonde_profile_array *array, uint32_t record,
                               struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "count a message");
    sonde_vreg address = sonde_vreg_make_msg_addr_scratch(coder);
    enum sonde_status status = sonde_profile_array_compute_address(
        array, coder, procedure, address, sonde_operand_immediate(record), 0, error);
    if (status == SONDE_OK)
        status = sonde_coder_atomic_inc(coder, procedure, SONDE_GEN_TYPE_UD, address, NULL, error);
    return status != SONDE_OK
               ? status
               : sonde_instrument_instruction(instrument, index, SONDE_BEFORE, procedure, error);
}

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    struct sonde_kernel *kernel = sonde_instrument_kernel(instrument);
    size_t instructions = sonde_kernel_instruction_count(kernel);
    struct sonde_profile_array *array = malloc(sizeof *array);
    sonde_tool_build_set_state(build, array); /* freed with the kernel */
    enum sonde_status status =
        sonde_tool_build_allocate(build, 4, (uint32_t)instructions, array, error);
    for (size_t i = 0; i < instructions && status == SONDE_OK; i++)
        if (sonde_gen_opcode_format(sonde_kernel_instruction(kernel, i)->opcode) ==
                SONDE_GEN_FORMAT_SEND &&
            sonde_instrument_insertion_refusal(instrument, i, SONDE_BEFORE) == NULL)
            status = count(instrument, i, array, (uint32_t)i, error);
    return status;
}

static enum sonde_status complete(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    const struct sonde_profile_array *array = sonde_tool_dispatch_state(dispatch);
    const char *name = sonde_kernel_info(sonde_tool_dispatch_kernel(dispatch))->name;
    size_t size;
    const uint8_t *buffer = sonde_tool_dispatch_buffer(dispatch, &size);
    uint64_t total = 0;
    for (uint32_t i = 0; i < array->records; i++)
        total += sonde_profile_array_sum(array, buffer, size, i, 0);
    char text[200];
    snprintf(text, sizeof text, "%s sent %llu messages", name, (unsigned long long)total);
    return sonde_trace_write_message(sonde_tool_dispatch_trace(dispatch), text, error);
}

const struct sonde_tool *sonde_tool_entry(void)
{
    static const struct sonde_tool tool = {
        sizeof tool, SONDE_TOOL_API_VERSION, "messages", "counts messages", build, NULL, complete,
        NULL};
    return &tool;
}
