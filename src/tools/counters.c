#include "tools/counters.h"

#include <stdlib.h>

/* 64 bits, added to in halves where the buffer is a surface. */
#define COUNTER_BYTES 8u

struct tools_counters *tools_counters_create(struct sonde_tool_build *build, size_t capacity)
{
    struct tools_counters *counters =
        calloc(1, sizeof *counters + capacity * sizeof *counters->items);
    if (counters == NULL)
        return NULL;
    counters->items = (struct tools_counter *)(void *)(counters + 1);
    counters->capacity = capacity;
    sonde_tool_build_set_state(build, counters);
    return counters;
}

uint32_t tools_counters_record(struct tools_counters *counters)
{
    return counters->record_count++;
}

void tools_counters_add(struct tools_counters *counters, uint32_t instruction,
                        enum sonde_trace_counter_kind kind, uint32_t record)
{
    tools_counters_add_to(counters, 0, instruction, kind, record);
}

static void add(struct tools_counters *counters, const struct tools_counter *counter)
{
    counters->needed++;
    if (counters->count < counters->capacity)
        counters->items[counters->count++] = *counter;
}

void tools_counters_add_to(struct tools_counters *counters, uint16_t group, uint32_t instruction,
                           uint32_t kind, uint32_t record)
{
    const struct tools_counter counter = {
        .instruction = instruction, .kind = kind, .record = record, .group = group};
    add(counters, &counter);
}

void tools_counters_add_value(struct tools_counters *counters, uint16_t group, uint32_t instruction,
                              uint32_t kind, uint64_t value)
{
    const struct tools_counter counter = {.instruction = instruction,
                                          .kind = kind,
                                          .record = TOOLS_NO_RECORD,
                                          .group = group,
                                          .value = value};
    add(counters, &counter);
}

enum sonde_status tools_counters_allocate(struct tools_counters *counters,
                                          struct sonde_tool_build *build, struct sonde_error *error)
{
    uint32_t records = counters->record_count != 0 ? counters->record_count : 1;
    return sonde_tool_build_allocate(build, COUNTER_BYTES, records, &counters->array, error);
}

static enum sonde_status locate(const struct tools_counters *counters, struct sonde_coder *coder,
                                struct sonde_procedure *procedure, uint32_t record,
                                sonde_vreg *address, struct sonde_error *error)
{
    *address = sonde_vreg_make_scratch(coder, SONDE_VREG_PTR);
    if (*address == 0)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    return sonde_profile_array_compute_address(&counters->array, coder, procedure, *address,
                                               sonde_operand_immediate(record), 0, error);
}

/* Executions do not reach 2^32 in a bucket where lanes and cycles may. */
enum sonde_status tools_counters_increment(const struct tools_counters *counters,
                                           struct sonde_coder *coder,
                                           struct sonde_procedure *procedure, uint32_t record,
                                           const struct sonde_predicate *predicate,
                                           struct sonde_error *error)
{
    sonde_vreg address;
    enum sonde_status status = locate(counters, coder, procedure, record, &address, error);
    if (status != SONDE_OK)
        return status;
    return sonde_coder_atomic_inc(coder, procedure, SONDE_GEN_TYPE_UD, address, predicate, error);
}

/* A half at a time: what the low one loses by wrapping the high one gets. */
enum sonde_status tools_counters_accumulate(const struct tools_counters *counters,
                                            struct sonde_coder *coder,
                                            struct sonde_procedure *procedure, uint32_t record,
                                            sonde_vreg value, struct sonde_error *error)
{
    static const struct sonde_predicate wrapped = {.flag_number = 1, .flag_subreg = 1};
    sonde_vreg address, data = sonde_vreg_make_msg_data_scratch(coder, SONDE_VREG_GRF);
    struct sonde_operand old = sonde_operand_vreg(data), addend = sonde_operand_vreg(value);
    enum sonde_status status = locate(counters, coder, procedure, record, &address, error);
    if (status == SONDE_OK)
        status = sonde_coder_operation(coder, procedure, SONDE_MOV, SONDE_GEN_TYPE_UD, old, addend,
                                       addend, NULL, error);
    if (status == SONDE_OK)
        status = sonde_coder_atomic_fetch_add(coder, procedure, address, old, data, NULL, error);
    if (status == SONDE_OK)
        status = sonde_coder_operation(coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD, old, old,
                                       addend, NULL, error);
    if (status == SONDE_OK)
        status = sonde_coder_cmp(coder, procedure, &wrapped, SONDE_GEN_CONDITION_L,
                                 SONDE_GEN_TYPE_UD, old, addend, error);
    if (status == SONDE_OK)
        status = sonde_coder_compute_rel_address(coder, procedure, address, address,
                                                 sonde_operand_immediate(4), NULL, error);
    if (status == SONDE_OK)
        status =
            sonde_coder_atomic_inc(coder, procedure, SONDE_GEN_TYPE_UD, address, &wrapped, error);
    return status;
}

enum sonde_status tools_counters_accumulate_high(const struct tools_counters *counters,
                                                 struct sonde_coder *coder,
                                                 struct sonde_procedure *procedure, uint32_t record,
                                                 sonde_vreg value, struct sonde_error *error)
{
    sonde_vreg address, data = sonde_vreg_make_msg_data_scratch(coder, SONDE_VREG_GRF);
    struct sonde_operand old = sonde_operand_vreg(data), addend = sonde_operand_vreg(value);
    enum sonde_status status = locate(counters, coder, procedure, record, &address, error);
    if (status == SONDE_OK)
        status = sonde_coder_compute_rel_address(coder, procedure, address, address,
                                                 sonde_operand_immediate(4), NULL, error);
    if (status == SONDE_OK)
        status = sonde_coder_operation(coder, procedure, SONDE_MOV, SONDE_GEN_TYPE_UD, old, addend,
                                       addend, NULL, error);
    return status == SONDE_OK
               ? sonde_coder_atomic_fetch_add(coder, procedure, address, old, data, NULL, error)
               : status;
}

static uint64_t value_of(const struct tools_counters *counters, const struct tools_counter *counter,
                         const uint8_t *buffer, size_t size)
{
    const struct sonde_profile_array *array = &counters->array;
    if (counter->record == TOOLS_NO_RECORD)
        return counter->value;
    return sonde_profile_array_sum(array, buffer, size, counter->record, 0) +
           (sonde_profile_array_sum(array, buffer, size, counter->record, 4) << 32);
}

enum sonde_status tools_counters_write_group(struct sonde_tool_dispatch *dispatch,
                                             const struct tools_counters *counters, uint16_t group,
                                             const char *tool, struct sonde_error *error)
{
    size_t size, count = 0;
    const uint8_t *buffer = sonde_tool_dispatch_buffer(dispatch, &size);
    struct sonde_trace_counter *items = calloc(counters->count + 1, sizeof *items);
    if (items == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < counters->count; i++) {
        const struct tools_counter *counter = &counters->items[i];
        if (counter->group == group)
            items[count++] =
                (struct sonde_trace_counter){.instruction = counter->instruction,
                                             .kind = counter->kind,
                                             .value = value_of(counters, counter, buffer, size)};
    }
    struct sonde_trace_counters record = {
        .dispatch = sonde_tool_dispatch_id(dispatch),
        .kernel = sonde_tool_dispatch_kernel_id(dispatch),
        .tool = tool,
        .items = items,
        .count = count,
    };
    enum sonde_status status =
        sonde_trace_write_counters(sonde_tool_dispatch_trace(dispatch), &record, error);
    free(items);
    return status;
}

enum sonde_status tools_counters_write(struct sonde_tool_dispatch *dispatch, const char *tool,
                                       struct sonde_error *error)
{
    return tools_counters_write_group(dispatch, sonde_tool_dispatch_state(dispatch), 0, tool,
                                      error);
}
