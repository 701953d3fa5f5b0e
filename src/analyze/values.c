/* What memory reads returned. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/elements.h"
#include "analyze/records.h"
#include "analyze/tables.h"
#include "analyze/value_set.h"
#include "base/array.h"
#include "base/bytes.h"

#define REGISTER_BYTES 32u
#define LANES          8u

/* What is known of a row besides the row. */
struct known {
    struct analyze_value_set values; /* that came */
    uint32_t last[LANES];            /* all of which came, when has_last */
    bool has_last;
};

struct values {
    struct analyze_rows *rows;
    struct known *known; /* by row */
    size_t known_capacity;
    size_t different; /* values, of all rows */
    struct analyze_codes codes;
};

/* Values that are told from each other; what comes behind is not counted. */
#define DIFFERENT_LIMIT (1u << 20)
#define NO_RESULT       (UINT32_MAX - 1) /* analyze_reading.row: something else was recorded */

/* All that the message returned. Other tools record some of it too. */
static bool is_result(const struct analyze_code *code, const struct sonde_record_item *item)
{
    if (item->point.kind != SONDE_RECORD_REGISTERS || !item->point.after ||
        item->point.instruction >= code->count)
        return false;
    const struct analyze_message *message = &code->messages[item->point.instruction];
    return message->is_message &&
           item->point.first == code->instructions[item->point.instruction].dst.number &&
           item->size == message->message.response_registers * REGISTER_BYTES;
}

/* The rows of all registers of an item, at its first visit. */
static bool make_rows(struct values *values, const struct analyze_code *code,
                      const struct analyze_visit *visit, const struct sonde_record_item *item,
                      struct analyze_reading *step)
{
    step->row = NO_RESULT;
    if (!is_result(code, item))
        return true;
    step->row = (uint32_t)values->rows->count;
    for (uint32_t r = 0; (r + 1) * REGISTER_BYTES <= item->size; r++) {
        struct analyze_row *row = analyze_rows_add(values->rows);
        if (row == NULL ||
            base_array_reserve((void **)&values->known, &values->known_capacity,
                               values->rows->count, sizeof *values->known) != SONDE_OK)
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

/* A value that did not come before, or of which that is no longer known. */
static bool see_value(struct values *values, size_t number, uint32_t value)
{
    struct analyze_row *row = &values->rows->items[number];
    if (value < row->value[VALUE_LOWEST])
        row->value[VALUE_LOWEST] = value;
    if (value > row->value[VALUE_HIGHEST])
        row->value[VALUE_HIGHEST] = value;
    if (values->different >= DIFFERENT_LIMIT)
        return true;
    values->different++;
    row->value[VALUE_DIFFERENT]++;
    return analyze_value_set_add(&values->known[number].values, value);
}

/* Dword d of register r of a component of SIMD n is channel 8 * (r mod n / 8) + d. */
static bool see_register(struct values *values, size_t number, const uint8_t *data, uint32_t mask)
{
    struct known *known = &values->known[number];
    values->rows->items[number].value[VALUE_EXECUTIONS]++;
    if (known->has_last && memcmp(known->last, data, sizeof known->last) == 0)
        return true;
    uint32_t last = 0;
    bool any = false;
    for (uint32_t d = 0; d < LANES; d++) {
        uint32_t value = base_load32(data + 4 * d);
        if ((mask >> d & 1) == 0)
            continue;
        /* Side by side the same value is common. */
        if ((value != last || !any) && !analyze_value_set_has(&known->values, value) &&
            !see_value(values, number, value))
            return false;
        last = value;
        any = true;
    }
    known->has_last = (mask & ((1u << LANES) - 1)) == (1u << LANES) - 1;
    memcpy(known->last, data, sizeof known->last);
    return true;
}

static enum sonde_status see_values(const struct analyze_visit *visit, void *context,
                                    struct sonde_error *error)
{
    struct values *values = context;
    if (visit->starts_thread)
        return SONDE_OK;
    const struct analyze_code *code = analyze_codes_get(&values->codes, visit, error);
    if (code == NULL)
        return error != NULL ? error->status : SONDE_ERROR_MEMORY;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        struct analyze_reading *step = analyze_visit_step(code, visit, i);
        bool good = step->row != UINT32_MAX || make_rows(values, code, visit, item, step);
        if (good && step->row == NO_RESULT)
            continue;
        uint32_t mask = analyze_visit_channels(code, visit, i);
        uint32_t exec_size = code->instructions[item->point.instruction].exec_size;
        uint32_t parts = exec_size > LANES ? exec_size / LANES : 1;
        for (uint32_t r = 0; (r + 1) * REGISTER_BYTES <= item->size && good; r++)
            good = see_register(values, step->row + r, data + r * REGISTER_BYTES,
                                mask >> LANES * (r % parts));
        if (!good)
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    return SONDE_OK;
}

static void clear(struct values *values)
{
    analyze_codes_clear(&values->codes);
    for (size_t i = 0; i < values->known_capacity; i++)
        analyze_value_set_clear(&values->known[i].values);
    free(values->known);
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
    if (values.different >= DIFFERENT_LIMIT)
        snprintf(rows->note, sizeof rows->note,
                 "values are dwords of the channels that acted, unsigned; different ones were "
                 "counted up to %u in all, there are more",
                 DIFFERENT_LIMIT);
    clear(&values);
    return status;
}
