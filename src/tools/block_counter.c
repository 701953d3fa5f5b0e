#include <stdlib.h>

#include "tools/builtin.h"

static enum sonde_status count_block(struct sonde_instrument *instrument, uint32_t block,
                                     const struct sonde_profile_array *array,
                                     struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "count block");
    sonde_vreg address = sonde_vreg_make_scratch(coder, SONDE_VREG_PTR);
    if (procedure == NULL || address == 0)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = sonde_coder_compute_thread_chunk_address(
        coder, procedure, address, array->buckets, array->chunk_size, array->base,
        block * array->record_size, error);
    if (status == SONDE_OK)
        status = sonde_coder_atomic_increment(coder, procedure, address, error);
    if (status == SONDE_OK)
        status = sonde_instrument_block(instrument, block, SONDE_BEFORE, procedure, error);
    return status;
}

enum sonde_status tools_count_blocks(struct sonde_tool_build *build, struct sonde_error *error)
{
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
    return status;
}

enum sonde_status tools_record_blocks(struct sonde_tool_dispatch *dispatch, const char *tool,
                                      struct sonde_error *error)
{
    const struct sonde_profile_array *array = sonde_tool_dispatch_state(dispatch);
    size_t size;
    const uint8_t *buffer = sonde_tool_dispatch_buffer(dispatch, &size);
    uint64_t *counts = malloc(array->records * sizeof *counts);
    if (counts == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (uint32_t block = 0; block < array->records; block++)
        counts[block] = sonde_profile_array_sum(array, buffer, size, block, 0);
    struct sonde_trace_block_counts record = {
        .dispatch = sonde_tool_dispatch_id(dispatch),
        .kernel = sonde_tool_dispatch_kernel_id(dispatch),
        .tool = tool,
        .counts = counts,
        .count = array->records,
    };
    enum sonde_status status =
        sonde_trace_write_block_counts(sonde_tool_dispatch_trace(dispatch), &record, error);
    free(counts);
    return status;
}
