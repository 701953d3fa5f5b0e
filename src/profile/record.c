/* Records of a profile array in the buffer of one dispatch. */
#include "sonde/tool.h"

#include <string.h>

/* The records [first, first + count) of a bucket. */
static enum sonde_status locate(const struct sonde_profile_array *array, size_t size,
                                uint32_t bucket, uint32_t first, uint32_t count, size_t *at,
                                size_t *bytes, struct sonde_error *error)
{
    if (bucket >= array->buckets || first > array->records || count > array->records - first)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "no records %u to %u in bucket %u: the array has %u records in %u "
                               "buckets",
                               first, first + count, bucket, array->records, array->buckets);
    uint64_t start = (uint64_t)array->base + (uint64_t)bucket * array->chunk_size +
                     (uint64_t)first * array->record_size;
    uint64_t length = (uint64_t)count * array->record_size;
    if (start > size || length > size - start)
        return sonde_error_set(error, SONDE_ERROR_RANGE, start,
                               "the profile buffer of %zu bytes ends before byte %llu of the array",
                               size, (unsigned long long)(start + length));
    *at = (size_t)start;
    *bytes = (size_t)length;
    return SONDE_OK;
}

enum sonde_status sonde_profile_array_read(const struct sonde_profile_array *array,
                                           const uint8_t *buffer, size_t size, uint32_t bucket,
                                           uint32_t first, uint32_t count, void *records,
                                           struct sonde_error *error)
{
    size_t at = 0, bytes = 0;
    enum sonde_status status = locate(array, size, bucket, first, count, &at, &bytes, error);
    if (status == SONDE_OK && bytes != 0)
        memcpy(records, buffer + at, bytes);
    return status;
}

enum sonde_status sonde_profile_array_write(const struct sonde_profile_array *array,
                                            uint8_t *buffer, size_t size, uint32_t bucket,
                                            uint32_t first, uint32_t count, const void *records,
                                            struct sonde_error *error)
{
    size_t at = 0, bytes = 0;
    enum sonde_status status = locate(array, size, bucket, first, count, &at, &bytes, error);
    if (status == SONDE_OK && bytes != 0)
        memcpy(buffer + at, records, bytes);
    return status;
}

enum sonde_status sonde_profile_array_initialize(const struct sonde_profile_array *array,
                                                 uint8_t *buffer, size_t size,
                                                 struct sonde_error *error)
{
    size_t at = 0, bytes = 0;
    for (uint32_t bucket = 0; bucket < array->buckets; bucket++) {
        enum sonde_status status =
            locate(array, size, bucket, 0, array->records, &at, &bytes, error);
        if (status != SONDE_OK)
            return status;
        memset(buffer + at, 0, bytes);
    }
    return SONDE_OK;
}
