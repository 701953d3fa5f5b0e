#include "profile/array.h"

#include "base/bytes.h"

/* Buckets start at cache lines, so that two of them never share one. */
#define PROFILE_ALIGNMENT 64u

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

enum sonde_status profile_array_place(uint32_t record_size, uint32_t records, uint32_t buckets,
                                      uint32_t *end, struct sonde_profile_array *array,
                                      struct sonde_error *error)
{
    if (!is_power_of_two(record_size) || !is_power_of_two(buckets) || records == 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "profile array of %u records of %u bytes in %u buckets: the last "
                               "two must be powers of two",
                               records, record_size, buckets);
    uint64_t wanted = (uint64_t)record_size * records, chunk = PROFILE_ALIGNMENT;
    while (chunk < wanted)
        chunk *= 2;
    uint64_t base = ((uint64_t)*end + PROFILE_ALIGNMENT - 1) & ~(uint64_t)(PROFILE_ALIGNMENT - 1);
    while (buckets > 1 && base + chunk * buckets > PROFILE_BUFFER_LIMIT)
        buckets /= 2;
    if (base + chunk * buckets > PROFILE_BUFFER_LIMIT)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                               "%u records of %u bytes exceed the %u MiB of a profile buffer",
                               records, record_size, PROFILE_BUFFER_LIMIT >> 20);
    *array = (struct sonde_profile_array){
        .record_size = record_size,
        .records = records,
        .buckets = buckets,
        .chunk_size = (uint32_t)chunk,
        .base = (uint32_t)base,
    };
    *end = (uint32_t)(base + chunk * buckets);
    return SONDE_OK;
}

uint64_t sonde_profile_array_sum(const struct sonde_profile_array *array, const uint8_t *buffer,
                                 size_t size, uint32_t record, uint32_t offset)
{
    uint64_t sum = 0;
    if (record >= array->records || offset > array->record_size || array->record_size - offset < 4)
        return 0;
    for (uint32_t bucket = 0; bucket < array->buckets; bucket++) {
        uint64_t at = (uint64_t)array->base + (uint64_t)bucket * array->chunk_size +
                      (uint64_t)record * array->record_size + offset;
        if (at + 4 <= size)
            sum += base_load32(buffer + at);
    }
    return sum;
}
