/* Addresses of a thread's chunk of a profile array. */
#include "coder/internal.h"

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static enum sonde_status check_chunk(const struct sonde_coder *coder,
                                     const struct sonde_procedure *procedure, sonde_vreg offset,
                                     uint32_t bucket_count, uint32_t chunk_size, uint64_t addend,
                                     struct sonde_error *error)
{
    if (!coder_owns(coder, procedure))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "procedure of another coder");
    if (offset == 0 || offset >= coder->vreg_count || coder->vregs[offset].size < 4)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "virtual register %u cannot hold an offset", offset);
    if (!is_power_of_two(bucket_count) || !is_power_of_two(chunk_size))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "%u buckets of %u bytes: both must be powers of two", bucket_count,
                               chunk_size);
    if ((uint64_t)bucket_count * chunk_size + addend > UINT32_MAX)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                               "%u buckets of %u bytes do not fit a 4 GiB profile buffer",
                               bucket_count, chunk_size);
    return SONDE_OK;
}

enum sonde_status sonde_coder_compute_thread_chunk_offset(struct sonde_coder *coder,
                                                          struct sonde_procedure *procedure,
                                                          sonde_vreg offset, uint32_t bucket_count,
                                                          uint32_t chunk_size, uint32_t base_offset,
                                                          uint32_t offset_in_chunk,
                                                          struct sonde_error *error)
{
    uint64_t addend = (uint64_t)base_offset + offset_in_chunk;
    enum sonde_status status =
        check_chunk(coder, procedure, offset, bucket_count, chunk_size, addend, error);
    if (status != SONDE_OK)
        return status;
    if (coder->chunk_temporary == 0)
        coder->chunk_temporary = sonde_vreg_make_scratch(coder, SONDE_VREG_DWORD);
    struct coder_item *item = coder_procedure_append(procedure);
    if (item == NULL || coder->chunk_temporary == 0)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    item->kind = CODER_ITEM_THREAD_CHUNK;
    item->dst = offset;
    item->temporary = coder->chunk_temporary;
    item->addend = (uint32_t)addend;
    item->chunk.bucket_count = bucket_count;
    item->chunk.chunk_shift = (uint32_t)__builtin_ctz(chunk_size);
    return SONDE_OK;
}

enum sonde_status sonde_coder_compute_thread_chunk_address(
    struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg address,
    uint32_t bucket_count, uint32_t chunk_size, uint32_t base_offset, uint32_t offset_in_chunk,
    struct sonde_error *error)
{
    if (coder->options.buffer_model != SONDE_BUFFER_SURFACE)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "this version addresses the profile buffer as a surface only");
    /* The address payload of a surface message is the offset itself. */
    return sonde_coder_compute_thread_chunk_offset(coder, procedure, address, bucket_count,
                                                   chunk_size, base_offset, offset_in_chunk, error);
}
