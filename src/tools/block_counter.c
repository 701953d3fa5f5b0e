#include <stdlib.h>

#include "tools/builtin.h"

/* Kept for a kernel: its counters, and which one each block has. */
struct block_counter {
    struct sonde_profile_array array;
    uint32_t blocks;
    uint32_t record[]; /* NO_RECORD: told by the others' */
};
#define NO_RECORD UINT32_MAX

static enum sonde_status count_block(struct sonde_instrument *instrument, uint32_t block,
                                     const struct sonde_profile_array *array, uint32_t record,
                                     struct sonde_error *error)
{
    struct sonde_coder *coder = sonde_instrument_coder(instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "count block");
    sonde_vreg address = sonde_vreg_make_scratch(coder, SONDE_VREG_PTR);
    if (procedure == NULL || address == 0)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = sonde_coder_compute_thread_chunk_address(
        coder, procedure, address, array->buckets, array->chunk_size, array->base,
        record * array->record_size, NULL, error);
    if (status == SONDE_OK)
        status = sonde_coder_atomic_inc(coder, procedure, SONDE_GEN_TYPE_UD, address, NULL, error);
    if (status == SONDE_OK)
        status = sonde_instrument_block(instrument, block, SONDE_BEFORE, procedure, error);
    return status;
}

static enum sonde_status choose_records(const struct sonde_kernel *kernel,
                                        struct block_counter *counter, uint32_t *records,
                                        struct sonde_error *error)
{
    bool *counted = malloc(counter->blocks * sizeof *counted);
    if (counted == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = sonde_kernel_counted_blocks(kernel, counted, error);
    *records = 0;
    for (uint32_t block = 0; block < counter->blocks && status == SONDE_OK; block++)
        counter->record[block] = counted[block] ? (*records)++ : NO_RECORD;
    free(counted);
    return status;
}

enum sonde_status tools_count_blocks(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    const struct sonde_kernel *kernel = sonde_instrument_kernel(instrument);
    size_t blocks = sonde_kernel_block_count(kernel);
    struct block_counter *counter = malloc(sizeof *counter + blocks * sizeof *counter->record);
    uint32_t records = 0;
    if (counter == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    sonde_tool_build_set_state(build, counter);
    counter->blocks = (uint32_t)blocks;
    enum sonde_status status = choose_records(kernel, counter, &records, error);
    if (status == SONDE_OK)
        status = sonde_tool_build_allocate(build, sizeof(uint32_t), records != 0 ? records : 1,
                                           &counter->array, error);
    for (uint32_t block = 0; block < blocks && status == SONDE_OK; block++)
        if (counter->record[block] != NO_RECORD)
            status = count_block(instrument, block, &counter->array, counter->record[block], error);
    return status;
}

enum sonde_status tools_record_blocks(struct sonde_tool_dispatch *dispatch, const char *tool,
                                      struct sonde_error *error)
{
    const struct block_counter *counter = sonde_tool_dispatch_state(dispatch);
    size_t size;
    const uint8_t *buffer = sonde_tool_dispatch_buffer(dispatch, &size);
    uint64_t *counts = malloc(counter->blocks * sizeof *counts);
    if (counts == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (uint32_t block = 0; block < counter->blocks; block++)
        counts[block] =
            counter->record[block] == NO_RECORD
                ? 0
                : sonde_profile_array_sum(&counter->array, buffer, size, counter->record[block], 0);
    enum sonde_status status =
        sonde_kernel_complete_counts(sonde_tool_dispatch_kernel(dispatch), counts, error);
    struct sonde_trace_block_counts record = {
        .dispatch = sonde_tool_dispatch_id(dispatch),
        .kernel = sonde_tool_dispatch_kernel_id(dispatch),
        .tool = tool,
        .counts = counts,
        .count = counter->blocks,
    };
    if (status == SONDE_OK)
        status =
            sonde_trace_write_block_counts(sonde_tool_dispatch_trace(dispatch), &record, error);
    free(counts);
    return status;
}
