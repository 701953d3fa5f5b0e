/* Values of registers that were chosen, and of single channels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/elements.h"
#include "analyze/hash.h"
#include "analyze/tables.h"
#include "analyze/value_set.h"
#include "base/array.h"

/* Places of rows that were asked for last. */
#define NEAR_ROWS 4096u
struct near_row {
    uint64_t key; /* plus 1 */
    uint32_t row;
};

struct values {
    struct analyze_rows *rows;
    struct analyze_value_points points;
    struct analyze_codes codes;
    const struct analyze_code *code; /* of the visit at hand */
    struct analyze_hash places;      /* of a row -> row + 1 */
    struct near_row near[NEAR_ROWS]; /* by key */
    struct analyze_value_set *sets;  /* values that came, by row */
    size_t set_capacity;
    struct analyze_hash wide; /* row and value: those of more than 32 bits */
    size_t different;         /* values, of all rows */
    uint32_t *matches;        /* lists of points of items, each ends with NO_POINT */
    size_t match_count, match_capacity;
    bool by_channel;
};

/* Values that are told from each other; what comes behind is not counted. */
#define DIFFERENT_LIMIT (1u << 20)
#define NO_POINT        UINT32_MAX

static bool make_row(struct values *values, const struct analyze_visit *visit, uint32_t instruction,
                     const struct analyze_element *element)
{
    struct analyze_row *row = analyze_rows_add(values->rows);
    if (row == NULL || base_array_reserve((void **)&values->sets, &values->set_capacity,
                                          values->rows->count, sizeof *values->sets) != SONDE_OK)
        return false;
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
    return true;
}

static struct analyze_row *row_of(struct values *values, const struct analyze_visit *visit,
                                  uint32_t instruction, const struct analyze_element *element)
{
    uint64_t key = (uint64_t)visit->kernel->id << 44 | (uint64_t)instruction << 20 |
                   (uint64_t)element->operand << 17 | (uint64_t)(element->number & 0xff) << 9 |
                   (values->by_channel ? element->channel & 0x1ff : 0);
    struct near_row *near =
        &values->near[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (NEAR_ROWS - 1)];
    if (near->key == key + 1)
        return &values->rows->items[near->row];
    bool found;
    uint64_t *place = analyze_hash_find(&values->places, key, &found);
    if (place == NULL || (!found && !make_row(values, visit, instruction, element)))
        return NULL;
    if (!found)
        *place = values->rows->count;
    *near = (struct near_row){.key = key + 1, .row = (uint32_t)*place - 1};
    return &values->rows->items[near->row];
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

/* The value came before; else remember it, as far as there is room. */
static bool came_before(struct values *values, size_t row, const struct analyze_element *element,
                        bool *came)
{
    struct analyze_value_set *set = &values->sets[row];
    bool is_wide = element->bits > UINT32_MAX;
    *came = !is_wide && analyze_value_set_has(set, (uint32_t)element->bits);
    if (*came || values->different >= DIFFERENT_LIMIT)
        return true;
    if (is_wide && analyze_hash_find(&values->wide,
                                     (uint64_t)row * UINT64_C(0x9e3779b97f4a7c15) ^ element->bits,
                                     came) == NULL)
        return false;
    values->different += !*came;
    values->rows->items[row].value[VALUE_DIFFERENT] += !*came;
    return is_wide || analyze_value_set_add(set, (uint32_t)element->bits);
}

static bool see_element(struct values *values, uint32_t number,
                        const struct analyze_element *element)
{
    bool came;
    struct analyze_row *row = &values->rows->items[number];
    if (!came_before(values, number, element, &came))
        return false;
    row->value[VALUE_LAST] = element->bits;
    row->value[VALUE_EXECUTIONS] += values->by_channel;
    if (came)
        return true;
    if (is_less(values, element->type, element->bits, row->value[VALUE_LOWEST]))
        row->value[VALUE_LOWEST] = element->bits;
    if (is_less(values, element->type, row->value[VALUE_HIGHEST], element->bits))
        row->value[VALUE_HIGHEST] = element->bits;
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
    uint32_t rows[ANALYZE_ELEMENTS];
    bool good = values->by_channel || count_registers(values, visit, point);
    /* The sets of all rows together are large: ask for the memory of many at a time. */
    for (size_t i = 0; i < count && good; i++) {
        const struct analyze_row *row = row_of(values, visit, point->instruction, &elements[i]);
        if (row == NULL)
            return false;
        rows[i] = (uint32_t)(row - values->rows->items);
        analyze_value_set_prefetch(&values->sets[rows[i]], (uint32_t)elements[i].bits);
    }
    for (size_t i = 0; i < count && good; i++)
        good = see_element(values, rows[i], &elements[i]);
    return good;
}

/* Points that are met in an item: a list that `step` names from now on. */
static bool match_points(struct values *values, const struct analyze_visit *visit,
                         const struct sonde_record_item *item, struct analyze_reading *step)
{
    if (base_array_reserve((void **)&values->matches, &values->match_capacity,
                           values->match_count + values->points.count + 1,
                           sizeof *values->matches) != SONDE_OK)
        return false;
    step->row = (uint32_t)values->match_count;
    for (size_t p = 0; p < values->points.count; p++)
        if (analyze_value_point_is(&values->points.items[p], visit->kernel->id, item))
            values->matches[values->match_count++] = (uint32_t)p;
    values->matches[values->match_count++] = NO_POINT;
    return true;
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
    bool good = true;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit) && good; i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        struct analyze_reading *step = analyze_visit_step(values->code, visit, i);
        good = step->row != UINT32_MAX || match_points(values, visit, item, step);
        for (size_t m = step->row; good && values->matches[m] != NO_POINT; m++)
            good = see_item(values, visit, &values->points.items[values->matches[m]], data,
                            item->size);
    }
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

static void clear(struct values *values)
{
    analyze_value_points_clear(&values->points);
    analyze_codes_clear(&values->codes);
    analyze_hash_clear(&values->places);
    analyze_hash_clear(&values->wide);
    for (size_t i = 0; i < values->set_capacity; i++)
        analyze_value_set_clear(&values->sets[i]);
    free(values->sets);
    free(values->matches);
    free(values);
}

/* Behind what the values are. */
static void note_limit(struct analyze_rows *rows)
{
    size_t length = strlen(rows->note);
    snprintf(rows->note + length, sizeof rows->note - length,
             "; different ones were counted up to %u in all, there are more", DIFFERENT_LIMIT);
}

static enum sonde_status analyze(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, bool by_channel,
                                 struct analyze_rows *rows, struct sonde_error *error)
{
    struct values *values = calloc(1, sizeof *values);
    if (values == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    values->rows = rows;
    values->by_channel = by_channel;
    enum sonde_status status =
        analyze_value_points_find(trace, by_channel ? NULL : "regtrace", &values->points, error);
    if (status == SONDE_OK)
        status = analyze_records_walk(trace, matcher, see_values, values, error);
    if (values->different >= DIFFERENT_LIMIT)
        note_limit(rows);
    clear(values);
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
