/* Code that finds a record of a profile array. */
#include "sonde/tool.h"

static enum sonde_status check(const struct sonde_profile_array *array,
                               const struct sonde_operand *record, uint32_t offset,
                               struct sonde_error *error)
{
    if (record->kind == SONDE_OPERAND_IMMEDIATE && record->immediate >= array->records)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "the array has %u records, not %llu",
                               array->records, (unsigned long long)record->immediate + 1);
    if (offset >= array->record_size)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "records have %u bytes: there is no byte %u", array->record_size,
                               offset);
    return SONDE_OK;
}

/* *distance = record * record_size + offset, as an immediate or a register. */
static enum sonde_status scale(const struct sonde_profile_array *array, struct sonde_coder *coder,
                               struct sonde_procedure *procedure, struct sonde_operand record,
                               uint32_t offset, struct sonde_operand *distance,
                               struct sonde_error *error)
{
    enum sonde_status status = check(array, &record, offset, error);
    if (status != SONDE_OK)
        return status;
    if (record.kind == SONDE_OPERAND_IMMEDIATE) {
        *distance = sonde_operand_immediate(record.immediate * array->record_size + offset);
        return SONDE_OK;
    }
    sonde_vreg scaled = sonde_vreg_make_scratch(coder, SONDE_VREG_DWORD);
    if (scaled == 0)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    *distance = sonde_operand_vreg(scaled);
    uint32_t shift = (uint32_t)__builtin_ctz(array->record_size);
    status = sonde_coder_operation(coder, procedure, SONDE_SHL, SONDE_GEN_TYPE_UD, *distance,
                                   record, sonde_operand_immediate(shift), NULL, error);
    if (status == SONDE_OK && offset != 0)
        status = sonde_coder_operation(coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD, *distance,
                                       *distance, sonde_operand_immediate(offset), NULL, error);
    return status;
}

static uint32_t immediate_of(const struct sonde_operand *distance)
{
    return distance->kind == SONDE_OPERAND_IMMEDIATE ? (uint32_t)distance->immediate : 0;
}

enum sonde_status sonde_profile_array_compute_offset(const struct sonde_profile_array *array,
                                                     struct sonde_coder *coder,
                                                     struct sonde_procedure *procedure,
                                                     sonde_vreg offset, struct sonde_operand record,
                                                     uint32_t offset_in_record,
                                                     struct sonde_error *error)
{
    struct sonde_operand distance;
    enum sonde_status status =
        scale(array, coder, procedure, record, offset_in_record, &distance, error);
    if (status == SONDE_OK)
        status = sonde_coder_compute_thread_chunk_offset(coder, procedure, offset, array->buckets,
                                                         array->chunk_size, array->base,
                                                         immediate_of(&distance), NULL, error);
    if (status == SONDE_OK && distance.kind == SONDE_OPERAND_VREG)
        status = sonde_coder_operation(coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD,
                                       sonde_operand_vreg(offset), sonde_operand_vreg(offset),
                                       distance, NULL, error);
    return status;
}

enum sonde_status
sonde_profile_array_compute_address(const struct sonde_profile_array *array,
                                    struct sonde_coder *coder, struct sonde_procedure *procedure,
                                    sonde_vreg address, struct sonde_operand record,
                                    uint32_t offset_in_record, struct sonde_error *error)
{
    struct sonde_operand distance;
    enum sonde_status status =
        scale(array, coder, procedure, record, offset_in_record, &distance, error);
    if (status == SONDE_OK)
        status = sonde_coder_compute_thread_chunk_address(coder, procedure, address, array->buckets,
                                                          array->chunk_size, array->base,
                                                          immediate_of(&distance), NULL, error);
    if (status == SONDE_OK && distance.kind == SONDE_OPERAND_VREG)
        status = sonde_coder_compute_rel_address(coder, procedure, address, address, distance, NULL,
                                                 error);
    return status;
}

enum sonde_status sonde_profile_array_compute_rel_address(
    const struct sonde_profile_array *array, struct sonde_coder *coder,
    struct sonde_procedure *procedure, sonde_vreg address, sonde_vreg base,
    struct sonde_operand record, uint32_t offset_in_record, struct sonde_error *error)
{
    struct sonde_operand distance;
    enum sonde_status status =
        scale(array, coder, procedure, record, offset_in_record, &distance, error);
    if (status != SONDE_OK)
        return status;
    return sonde_coder_compute_rel_address(coder, procedure, address, base, distance, NULL, error);
}
