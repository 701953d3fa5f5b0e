/* What memory reads returned. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/elements.h"
#include "analyze/hash.h"
#include "analyze/records.h"
#include "analyze/tables.h"
#include "base/bytes.h"

#define REGISTER_BYTES 32u
#define LANES          8u

struct values {
    struct analyze_rows *rows;
    struct analyze_codes codes;
    const struct analyze_code *code; /* of the visit at hand */
    struct analyze_hash seen;        /* row, value */
};

/* Values that are told from each other; what comes behind is not counted. */
#define DIFFERENT_LIMIT (1u << 20)

/* The rows of all registers of an item, made at its first visit. */
static bool make_rows(struct values *values, const struct analyze_visit *visit,
                      const struct sonde_record_item *item, struct analyze_reading *step)
{
    if (step->row != UINT32_MAX)
        return true;
    step->row = (uint32_t)values->rows->count;
    for (uint32_t r = 0; (r + 1) * REGISTER_BYTES <= item->size; r++) {
        struct analyze_row *row = analyze_rows_add(values->rows);
        if (row == NULL)
            return false;
        row->kernel = visit->kernel;
        row->block = visit->block;
        row->instruction = item->point.instruction;
        snprintf(row->text, sizeof row->text, "r%u", item->point.first + r);
        row->value[VALUE_REGISTER] = item->point.first + r;
        row->value[VALUE_LOWEST] = UINT64_MAX;
    }
    return true;
}

/* Channels that the read acted in: by the visit, or by its own mask. */
static uint32_t active(const struct values *values, const struct analyze_visit *visit,
                       uint32_t instruction)
{
    const struct sonde_gen_instruction *send = &values->code->instructions[instruction];
    uint32_t mask = send->no_mask ? UINT32_MAX : visit->enabled;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        if (item->point.kind == SONDE_RECORD_MASK && item->point.instruction == instruction)
            mask = base_load32(data);
    }
    return mask >> send->channel_offset;
}

static bool see_value(struct values *values, struct analyze_row *row, uint64_t number,
                      uint32_t value)
{
    bool found = true;
    if (value < row->value[VALUE_LOWEST])
        row->value[VALUE_LOWEST] = value;
    if (value > row->value[VALUE_HIGHEST])
        row->value[VALUE_HIGHEST] = value;
    if (values->seen.count < DIFFERENT_LIMIT &&
        analyze_hash_find(&values->seen, number << 32 | value, &found) == NULL)
        return false;
    row->value[VALUE_DIFFERENT] += !found;
    return true;
}

/* Dword d of register r of a component of SIMD n is channel 8 * (r mod n / 8) + d. */
static bool see_register(struct values *values, struct analyze_row *row, uint64_t number,
                         const uint8_t *data, uint32_t mask)
{
    row->value[VALUE_EXECUTIONS]++;
    uint32_t last = base_load32(data);
    for (uint32_t d = 0; d < LANES; d++) {
        uint32_t value = base_load32(data + 4 * d);
        /* Side by side the same value is common, and was seen. */
        if ((mask >> d & 1) != 0 && (d == 0 || value != last || (mask >> (d - 1) & 1) == 0) &&
            !see_value(values, row, number, value))
            return false;
        last = value;
    }
    return true;
}

/* All that the message returned. Other tools record some of it too. */
static bool is_result(const struct analyze_code *code, const struct sonde_record_item *item)
{
    const struct analyze_message *message = &code->messages[item->point.instruction];
    return message->is_message &&
           item->point.first == code->instructions[item->point.instruction].dst.number &&
           item->size == message->message.response_registers * REGISTER_BYTES;
}

static enum sonde_status see_values(const struct analyze_visit *visit, void *context,
                                    struct sonde_error *error)
{
    struct values *values = context;
    if (visit->starts_thread)
        return SONDE_OK;
    values->code = analyze_codes_get(&values->codes, visit, error);
    if (values->code == NULL)
        return error != NULL ? error->status : SONDE_ERROR_MEMORY;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        if (item->point.kind != SONDE_RECORD_REGISTERS || !item->point.after ||
            item->point.instruction >= values->code->count || !is_result(values->code, item))
            continue;
        struct analyze_reading *step = analyze_visit_step(values->code, visit, i);
        bool good = make_rows(values, visit, item, step);
        uint32_t mask = active(values, visit, item->point.instruction);
        uint32_t exec_size = values->code->instructions[item->point.instruction].exec_size;
        uint32_t parts = exec_size > LANES ? exec_size / LANES : 1;
        for (uint32_t r = 0; (r + 1) * REGISTER_BYTES <= item->size && good; r++)
            good = see_register(values, &values->rows->items[step->row + r], step->row + r,
                                data + r * REGISTER_BYTES, mask >> LANES * (r % parts));
        if (!good)
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    return SONDE_OK;
}

enum sonde_status analyze_values(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                 struct sonde_error *error)
{
    struct values values = {.rows = rows};
    if (analyze_value_points_are_declared(trace, "regtrace"))
        return analyze_chosen_values(trace, matcher, rows, error);
    snprintf(rows->note, sizeof rows->note,
             "values are dwords of the channels that acted, unsigned");
    enum sonde_status status = analyze_records_walk(trace, matcher, see_values, &values, error);
    if (values.seen.count >= DIFFERENT_LIMIT)
        snprintf(rows->note, sizeof rows->note,
                 "values are dwords of the channels that acted, unsigned; different ones were "
                 "counted up to %u in all, there are more",
                 DIFFERENT_LIMIT);
    analyze_codes_clear(&values.codes);
    analyze_hash_clear(&values.seen);
    return status;
}
