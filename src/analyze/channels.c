/* Values of registers that were chosen, and of single channels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/elements.h"
#include "analyze/hash.h"
#include "analyze/tables.h"

struct values {
    struct analyze_rows *rows;
    struct analyze_value_points points;
    struct analyze_codes codes;
    const struct analyze_code *code; /* of the visit at hand */
    struct analyze_hash places;      /* of a row -> row + 1 */
    struct analyze_hash seen;        /* row and value */
    bool by_channel;
};

static struct analyze_row *row_of(struct values *values, const struct analyze_visit *visit,
                                  uint32_t instruction, const struct analyze_element *element)
{
    bool found;
    uint64_t key = (uint64_t)visit->kernel->id << 44 | (uint64_t)instruction << 20 |
                   (uint64_t)element->operand << 17 | (uint64_t)(element->number & 0xff) << 9 |
                   (values->by_channel ? element->channel & 0x1ff : 0);
    uint64_t *place = analyze_hash_find(&values->places, key, &found);
    if (place == NULL || (!found && analyze_rows_add(values->rows) == NULL))
        return NULL;
    if (!found)
        *place = values->rows->count;
    struct analyze_row *row = &values->rows->items[*place - 1];
    if (found)
        return row;
    row->kernel = visit->kernel;
    row->block = visit->block;
    row->instruction = instruction;
    if (element->operand >= 1 && element->operand <= 3)
        snprintf(row->text, sizeof row->text, "src%u r%u", element->operand - 1u, element->number);
    else
        snprintf(row->text, sizeof row->text, "r%u", element->number);
    row->value[VALUE_OPERAND] = element->operand;
    row->value[VALUE_REGISTER] = element->number;
    row->value[VALUE_CHANNEL] = element->channel;
    row->value[VALUE_TYPE] = element->type;
    row->value[VALUE_LOWEST] = values->by_channel ? element->bits : UINT64_MAX;
    row->value[VALUE_HIGHEST] = values->by_channel ? element->bits : 0;
    return row;
}

static float bits_to_float(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double bits_to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t analyze_value_signed(uint8_t type, uint64_t bits)
{
    unsigned unused = 64 - 8u * sonde_gen_type_size((enum sonde_gen_type)type);
    return unused < 64 ? (int64_t)(bits << unused) >> unused : 0;
}

/* As numbers of their type by channel; else as bits. */
static bool is_less(const struct values *values, uint8_t type, uint64_t a, uint64_t b)
{
    if (!values->by_channel)
        return a < b;
    if (type == SONDE_GEN_TYPE_F)
        return bits_to_float(a) < bits_to_float(b);
    if (type == SONDE_GEN_TYPE_DF)
        return bits_to_double(a) < bits_to_double(b);
    if (sonde_gen_type_is_signed((enum sonde_gen_type)type) &&
        !sonde_gen_type_is_float((enum sonde_gen_type)type))
        return analyze_value_signed(type, a) < analyze_value_signed(type, b);
    return a < b;
}

static bool see_element(struct values *values, const struct analyze_visit *visit,
                        uint32_t instruction, const struct analyze_element *element)
{
    bool found;
    struct analyze_row *row = row_of(values, visit, instruction, element);
    if (row == NULL)
        return false;
    if (is_less(values, element->type, element->bits, row->value[VALUE_LOWEST]))
        row->value[VALUE_LOWEST] = element->bits;
    if (is_less(values, element->type, row->value[VALUE_HIGHEST], element->bits))
        row->value[VALUE_HIGHEST] = element->bits;
    row->value[VALUE_LAST] = element->bits;
    row->value[VALUE_EXECUTIONS] += values->by_channel;
    uint64_t place = (uint64_t)(row - values->rows->items) * UINT64_C(0x9e3779b97f4a7c15);
    if (analyze_hash_find(&values->seen, place ^ element->bits, &found) == NULL)
        return false;
    row->value[VALUE_DIFFERENT] += !found;
    return true;
}

/* A register is executed once a record, however many of its elements are values. */
static bool count_registers(struct values *values, const struct analyze_visit *visit,
                            const struct analyze_value_point *point)
{
    for (uint32_t r = 0; r < point->count; r++) {
        const struct analyze_element element = {
            .number = point->first + r, .type = SONDE_GEN_TYPE_UD, .operand = point->operand};
        struct analyze_row *row = row_of(values, visit, point->instruction, &element);
        if (row == NULL)
            return false;
        row->value[VALUE_EXECUTIONS]++;
    }
    return true;
}

static bool see_item(struct values *values, const struct analyze_visit *visit,
                     const struct analyze_value_point *point, const uint8_t *data, uint32_t size)
{
    struct analyze_element elements[ANALYZE_ELEMENTS];
    size_t count = analyze_elements_read(values->code, visit, point, data, size, elements);
    bool good = values->by_channel || count_registers(values, visit, point);
    for (size_t i = 0; i < count && good; i++)
        good = see_element(values, visit, point->instruction, &elements[i]);
    return good;
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
        for (size_t p = 0; p < values->points.count; p++)
            if (analyze_value_point_is(&values->points.items[p], visit->kernel->id, item) &&
                !see_item(values, visit, &values->points.items[p], data, item->size))
                return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    return SONDE_OK;
}

static enum sonde_status analyze(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, bool by_channel,
                                 struct analyze_rows *rows, struct sonde_error *error)
{
    struct values values = {.rows = rows, .by_channel = by_channel};
    enum sonde_status status =
        analyze_value_points_find(trace, by_channel ? NULL : "regtrace", &values.points, error);
    if (status == SONDE_OK)
        status = analyze_records_walk(trace, matcher, see_values, &values, error);
    analyze_value_points_clear(&values.points);
    analyze_codes_clear(&values.codes);
    analyze_hash_clear(&values.places);
    analyze_hash_clear(&values.seen);
    return status;
}

enum sonde_status analyze_chosen_values(const struct sonde_trace *trace,
                                        const struct analyze_matcher *matcher,
                                        struct analyze_rows *rows, struct sonde_error *error)
{
    snprintf(rows->note, sizeof rows->note,
             "values of the channels that acted, as unsigned numbers of their size");
    return analyze(trace, matcher, false, rows, error);
}

enum sonde_status analyze_channel_values(const struct sonde_trace *trace,
                                         const struct analyze_matcher *matcher,
                                         struct analyze_rows *rows, struct sonde_error *error)
{
    snprintf(
        rows->note, sizeof rows->note,
        "values by the channel they belong to; of registers by number, the place of each dword");
    return analyze(trace, matcher, true, rows, error);
}

bool analyze_values_exist(const struct sonde_trace *trace)
{
    struct analyze_value_points points;
    bool any =
        analyze_value_points_find(trace, NULL, &points, NULL) == SONDE_OK && points.count > 0;
    analyze_value_points_clear(&points);
    return any;
}
