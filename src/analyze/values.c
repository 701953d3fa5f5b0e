/* What memory reads returned. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/hash.h"
#include "analyze/records.h"
#include "analyze/tables.h"
#include "base/bytes.h"

#define REGISTER_BYTES 32u
#define LANES          8u

struct values {
    struct analyze_rows *rows;
    struct analyze_code code;
    struct analyze_hash seen; /* kernel, instruction, register, value */
};

static struct analyze_row *row_of(struct values *values, const struct analyze_visit *visit,
                                  uint32_t instruction, uint32_t number)
{
    for (size_t i = values->rows->count; i-- > 0;) {
        struct analyze_row *row = &values->rows->items[i];
        if (row->kernel == visit->kernel && row->instruction == instruction &&
            row->value[VALUE_REGISTER] == number)
            return row;
    }
    struct analyze_row *row = analyze_rows_add(values->rows);
    if (row == NULL)
        return NULL;
    row->kernel = visit->kernel;
    row->block = visit->block;
    row->instruction = instruction;
    snprintf(row->text, sizeof row->text, "r%u", number);
    row->value[VALUE_REGISTER] = number;
    row->value[VALUE_LOWEST] = UINT64_MAX;
    return row;
}

/* Channels that the read acted in: by the visit, or by its own mask. */
static uint32_t active(const struct values *values, const struct analyze_visit *visit,
                       uint32_t instruction)
{
    const struct sonde_gen_instruction *send = &values->code.instructions[instruction];
    uint32_t mask = send->no_mask ? UINT32_MAX : visit->enabled;
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        if (item->point.kind == SONDE_RECORD_MASK && item->point.instruction == instruction)
            mask = base_load32(data);
    }
    return mask >> send->channel_offset;
}

/* Dword d of register r of a component of SIMD n is channel 8 * (r mod n / 8) + d. */
static bool see_register(struct values *values, const struct analyze_visit *visit,
                         const struct sonde_record_item *item, const uint8_t *data, uint32_t r,
                         uint32_t mask)
{
    uint32_t exec_size = values->code.instructions[item->point.instruction].exec_size;
    uint32_t parts = exec_size > LANES ? exec_size / LANES : 1;
    struct analyze_row *row = row_of(values, visit, item->point.instruction, item->point.first + r);
    if (row == NULL)
        return false;
    row->value[VALUE_EXECUTIONS]++;
    for (uint32_t d = 0; d < LANES; d++) {
        uint32_t value = base_load32(data + r * REGISTER_BYTES + 4 * d);
        bool found;
        if ((mask >> (LANES * (r % parts) + d) & 1) == 0)
            continue;
        row->value[VALUE_LOWEST] =
            value < row->value[VALUE_LOWEST] ? value : row->value[VALUE_LOWEST];
        row->value[VALUE_HIGHEST] =
            value > row->value[VALUE_HIGHEST] ? value : row->value[VALUE_HIGHEST];
        uint64_t place = (uint64_t)(row - values->rows->items) * UINT64_C(0x9e3779b97f4a7c15);
        if (analyze_hash_find(&values->seen, place ^ value, &found) == NULL)
            return false;
        row->value[VALUE_DIFFERENT] += !found;
    }
    return true;
}

static enum sonde_status see_values(const struct analyze_visit *visit, void *context,
                                    struct sonde_error *error)
{
    struct values *values = context;
    if (visit->starts_thread)
        return SONDE_OK;
    if (values->code.kernel != visit->kernel) {
        analyze_code_close(&values->code);
        enum sonde_status status = analyze_code_open(visit->kernel, &values->code, error);
        if (status != SONDE_OK)
            return status;
    }
    for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
        const uint8_t *data;
        const struct sonde_record_item *item = analyze_visit_item(visit, i, &data);
        if (item->point.kind != SONDE_RECORD_REGISTERS || !item->point.after ||
            item->point.instruction >= values->code.count)
            continue;
        uint32_t mask = active(values, visit, item->point.instruction);
        for (uint32_t r = 0; (r + 1) * REGISTER_BYTES <= item->size; r++)
            if (!see_register(values, visit, item, data, r, mask))
                return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    return SONDE_OK;
}

enum sonde_status analyze_values(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                 struct sonde_error *error)
{
    struct values values = {.rows = rows};
    snprintf(rows->note, sizeof rows->note,
             "values are dwords of the channels that acted, unsigned");
    enum sonde_status status = analyze_records_walk(trace, matcher, see_values, &values, error);
    analyze_code_close(&values.code);
    analyze_hash_clear(&values.seen);
    return status;
}
