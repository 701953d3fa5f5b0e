/* How much of the SIMD width a kernel uses: for every SIMD instruction, the
 * channels that were enabled by control flow and predicate, summed over all
 * its executions, against all the channels it names. */
#include <sonde/sonde.h>

#include <stdio.h>
#include <stdlib.h>

struct record { /* of one instruction, in the profile buffer */
    uint32_t executions;
    uint32_t lanes;
};

struct state {
    struct sonde_profile_array array;
    uint32_t width[]; /* channels of each instruction, 0: not counted */
};

static enum sonde_status add(struct sonde_coder *coder, struct sonde_procedure *procedure,
                             const struct sonde_profile_array *array, uint32_t record,
                             uint32_t offset, struct sonde_operand value, struct sonde_error *error)
{
    sonde_vreg address = sonde_vreg_make_msg_addr_scratch(coder);
    enum sonde_status status = sonde_profile_array_compute_address(
        array, coder, procedure, address, sonde_operand_immediate(record), offset, error);
    if (status == SONDE_OK)
        status = sonde_coder_atomic_add(coder, procedure, SONDE_GEN_TYPE_UD, address, value, NULL,
                                        error);
    return status;
}

static enum sonde_status count(struct sonde_instrument *instrument, uint32_t index,
                               const struct sonde_profile_array *array, struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "count lanes");
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(sonde_instrument_kernel(instrument), index);
    sonde_vreg mask = sonde_vreg_make_scratch(coder, SONDE_VREG_DWORD);
    sonde_vreg lanes = sonde_vreg_make_msg_data_scratch(coder, SONDE_VREG_DWORD);
    enum sonde_status status = sonde_coder_compute_simd_mask(
        coder, procedure, mask, false, sonde_coder_execution_mask(instruction), instruction, NULL,
        error);
    if (status == SONDE_OK)
        status = sonde_coder_operation(coder, procedure, SONDE_CBIT, SONDE_GEN_TYPE_UD,
                                       sonde_operand_vreg(lanes), sonde_operand_vreg(mask),
                                       sonde_operand_immediate(0), NULL, error);
    if (status == SONDE_OK)
        status = add(coder, procedure, array, index, offsetof(struct record, executions),
                     sonde_operand_immediate(1), error);
    if (status == SONDE_OK)
        status = add(coder, procedure, array, index, offsetof(struct record, lanes),
                     sonde_operand_vreg(lanes), error);
    if (status == SONDE_OK)
        status = sonde_instrument_instruction(instrument, index, SONDE_BEFORE, procedure, error);
    return status;
}

/* Scalar instructions and those that ignore the mask say nothing of its use. */
static bool is_counted(const struct sonde_instrument *instrument, size_t index,
                       const struct sonde_gen_instruction *instruction)
{
    return instruction->exec_size >= 8 && !instruction->no_mask &&
           !sonde_gen_opcode_is_branch(instruction->opcode) &&
           sonde_instrument_insertion_refusal(instrument, index, SONDE_BEFORE) == NULL;
}

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    struct sonde_kernel *kernel = sonde_instrument_kernel(instrument);
    size_t instructions = sonde_kernel_instruction_count(kernel);
    struct state *state = calloc(1, sizeof *state + instructions * sizeof *state->width);
    if (state == NULL)
        return SONDE_ERROR_MEMORY;
    sonde_tool_build_set_state(build, state); /* freed with the kernel */
    enum sonde_status status = sonde_tool_build_allocate(
        build, sizeof(struct record), (uint32_t)instructions, &state->array, error);
    for (uint32_t i = 0; i < instructions && status == SONDE_OK; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, i);
        if (!is_counted(instrument, i, instruction))
            continue;
        state->width[i] = instruction->exec_size;
        status = count(instrument, i, &state->array, error);
    }
    return status;
}

static enum sonde_status complete(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    const struct state *state = sonde_tool_dispatch_state(dispatch);
    const char *name = sonde_kernel_info(sonde_tool_dispatch_kernel(dispatch))->name;
    size_t size;
    const uint8_t *buffer = sonde_tool_dispatch_buffer(dispatch, &size);
    uint64_t used = 0, all = 0;
    for (uint32_t i = 0; i < state->array.records; i++) {
        used +=
            sonde_profile_array_sum(&state->array, buffer, size, i, offsetof(struct record, lanes));
        all += state->width[i] * sonde_profile_array_sum(&state->array, buffer, size, i,
                                                         offsetof(struct record, executions));
    }
    char text[200];
    snprintf(text, sizeof text, "%s used %llu of %llu lanes (%.1f%%)", name,
             (unsigned long long)used, (unsigned long long)all,
             all == 0 ? 0 : 100.0 * (double)used / (double)all);
    return sonde_trace_write_message(sonde_tool_dispatch_trace(dispatch), text, error);
}

SONDE_API const struct sonde_tool *sonde_tool_entry(void);
const struct sonde_tool *sonde_tool_entry(void)
{
    static const struct sonde_tool tool = {.struct_size = sizeof tool,
                                           .api_version = SONDE_TOOL_API_VERSION,
                                           .name = "lanes",
                                           .summary = "SIMD lanes used",
                                           .on_kernel_build = build,
                                           .on_dispatch_complete = complete};
    return &tool;
}
