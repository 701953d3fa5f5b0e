/* A tool in a shared object of its own: counts basic blocks. Built
 * four times: as it should be, with a fault that `sonde verify` has to find, and
 * refusing every kernel. */
#include <stdlib.h>

#include "sonde/sonde.h"

static enum sonde_status count_block(struct sonde_instrument *instrument, uint32_t block,
                                     const struct sonde_profile_array *array,
                                     struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "count");
    sonde_vreg address = sonde_vreg_make_scratch(coder, SONDE_VREG_PTR);
    enum sonde_status status = sonde_coder_compute_thread_chunk_address(
        coder, procedure, address, array->buckets, array->chunk_size, array->base,
        block * array->record_size, NULL, error);
    if (status == SONDE_OK)
        status = sonde_coder_atomic_inc(coder, procedure, SONDE_GEN_TYPE_UD, address, NULL, error);
    if (status == SONDE_OK)
        status = sonde_instrument_block(instrument, block, SONDE_BEFORE, procedure, error);
    return status;
}

#ifdef WRONG_RESULTS
/* After each SIMD `add X, 1` comes `add X, 2`. */
static enum sonde_status spoil(struct sonde_instrument *instrument, struct sonde_error *error)
{
    struct sonde_kernel *kernel = sonde_instrument_kernel(instrument);
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < sonde_kernel_instruction_count(kernel) && status == SONDE_OK; i++) {
        struct sonde_gen_instruction instruction = *sonde_kernel_instruction(kernel, i);
        if (instruction.opcode != SONDE_GEN_ADD || instruction.exec_size < 8 ||
            instruction.src[1].file != SONDE_GEN_FILE_IMMEDIATE ||
            instruction.src[1].immediate != 1)
            continue;
        instruction.src[1].immediate = 2;
        struct sonde_procedure *procedure =
            sonde_procedure_create(sonde_instrument_coder(instrument), "spoil");
        status = sonde_coder_append_instruction(sonde_instrument_coder(instrument), procedure,
                                                &instruction, error);
        if (status == SONDE_OK)
            status = sonde_instrument_instruction(instrument, i, SONDE_AFTER, procedure, error);
    }
    return status;
}
#endif

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
#ifdef REFUSES
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "not a kernel for this tool");
#endif
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    size_t blocks = sonde_kernel_block_count(sonde_instrument_kernel(instrument));
    struct sonde_profile_array *array = malloc(sizeof *array);
    if (array == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    sonde_tool_build_set_state(build, array);
    enum sonde_status status =
        sonde_tool_build_allocate(build, sizeof(uint32_t), (uint32_t)blocks, array, error);
    for (uint32_t block = 0; block < blocks && status == SONDE_OK; block++)
        status = count_block(instrument, block, array, error);
#ifdef WRONG_RESULTS
    if (status == SONDE_OK)
        status = spoil(instrument, error);
#endif
    return status;
}

static enum sonde_status record(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    const struct sonde_profile_array *array = sonde_tool_dispatch_state(dispatch);
    size_t size;
    const uint8_t *buffer = sonde_tool_dispatch_buffer(dispatch, &size);
    uint64_t *counts = calloc(array->records + 1, sizeof *counts);
    if (counts == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (uint32_t block = 0; block < array->records; block++)
        counts[block] = sonde_profile_array_sum(array, buffer, size, block, 0);
#ifdef WRONG_COUNTS
    counts[0]++;
#endif
    struct sonde_trace_block_counts written = {
        .dispatch = sonde_tool_dispatch_id(dispatch),
        .kernel = sonde_tool_dispatch_kernel_id(dispatch),
        .tool = "custom",
        .counts = counts,
        .count = array->records,
    };
    enum sonde_status status =
        sonde_trace_write_block_counts(sonde_tool_dispatch_trace(dispatch), &written, error);
    free(counts);
    return status;
}

SONDE_API const struct sonde_tool *sonde_tool_entry(void);

const struct sonde_tool *sonde_tool_entry(void)
{
    static const struct sonde_tool tool = {
        .struct_size = sizeof tool,
        .api_version = SONDE_TOOL_API_VERSION,
        .name = "custom",
        .summary = "counts basic blocks",
        .on_kernel_build = build,
        .on_dispatch_complete = record,
    };
    return &tool;
}
