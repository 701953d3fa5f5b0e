/* What the probes of schemas found: counters, histograms, and records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/elements.h"
#include "analyze/hash.h"
#include "analyze/tables.h"
#include "base/array.h"
#include "base/bytes.h"

#define PREFIX           "schema:"
#define OPERAND_ARGUMENT 5u

/* A place in the records of one block that belongs to a row. */
struct point {
    uint32_t kernel, block;
    uint32_t instruction;
    size_t row;
    uint8_t kind;
    uint8_t operand; /* as in the counter's value */
    bool after;
    uint32_t first, count; /* registers: a row each */
    uint32_t byte, bytes;  /* of an argument in them, bytes 0 none */
};

struct schemas {
    const struct sonde_trace *trace;
    struct analyze_rows *rows;
    bool bins; /* the rows of histograms are wanted, else the others */
    const char *names[256];
    size_t name_count;
    struct analyze_hash places; /* of a row -> row + 1 */
    struct point *points;
    size_t point_count, point_capacity;
    struct analyze_code code;
};

bool analyze_schema_is_probe(const char *tool)
{
    return strncmp(tool, PREFIX, strlen(PREFIX)) == 0;
}

static size_t number_of(struct schemas *s, const char *name)
{
    for (size_t i = 0; i < s->name_count; i++)
        if (strcmp(s->names[i], name) == 0)
            return i;
    if (s->name_count == sizeof s->names / sizeof *s->names)
        return 0;
    s->names[s->name_count] = name;
    return s->name_count++;
}

static uint32_t block_of(const struct sonde_trace_kernel *kernel, uint32_t instruction)
{
    for (uint32_t b = 0; b < kernel->block_count; b++)
        if (instruction - kernel->blocks[b].first < kernel->blocks[b].count)
            return b;
    return 0;
}

static struct analyze_row *add_row(struct schemas *s, uint32_t kernel, uint32_t instruction,
                                   const char *tool)
{
    struct analyze_row *row = analyze_rows_add(s->rows);
    if (row == NULL)
        return NULL;
    row->kernel = sonde_trace_kernel(s->trace, kernel);
    row->instruction = instruction;
    row->block = block_of(row->kernel, instruction);
    snprintf(row->text, sizeof row->text, "%s", tool + strlen(PREFIX));
    if (s->code.kernel != row->kernel) {
        analyze_code_close(&s->code);
        analyze_code_open(row->kernel, sonde_trace_record_layout(s->trace, kernel), &s->code, NULL);
    }
    if (s->code.kernel != NULL && instruction < s->code.count)
        row->value[SCHEMA_ROW_OPCODE] = s->code.instructions[instruction].opcode;
    row->value[SCHEMA_ROW_LOWEST] = UINT64_MAX;
    return row;
}

/* The row of a place; `part` tells rows of one instruction apart. NULL: out of memory. */
static struct analyze_row *row_of(struct schemas *s, const struct sonde_trace_counters *from,
                                  uint32_t instruction, uint32_t part)
{
    bool found;
    uint64_t key = (uint64_t)number_of(s, from->tool) << 56 | (uint64_t)from->kernel << 40 |
                   (uint64_t)instruction << 12 | part;
    uint64_t *place = analyze_hash_find(&s->places, key, &found);
    if (place == NULL)
        return NULL;
    if (!found) {
        if (add_row(s, from->kernel, instruction, from->tool) == NULL)
            return NULL;
        *place = s->rows->count;
    }
    return &s->rows->items[*place - 1];
}

/* --- counters --- */

static bool take_bin(struct schemas *s, const struct sonde_trace_counters *from,
                     const struct sonde_trace_counter *item)
{
    uint32_t bin = item->kind - SONDE_TRACE_BIN;
    if (item->value == 0)
        return true;
    struct analyze_row *row = row_of(s, from, item->instruction, bin);
    if (row == NULL)
        return false;
    row->value[SCHEMA_ROW_LOWEST] = bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
    row->value[SCHEMA_ROW_HIGHEST] = bin == 64 ? UINT64_MAX : (UINT64_C(1) << bin) - 1;
    row->value[SCHEMA_ROW_SUM] += item->value;
    return true;
}

/* Executions and the rest of one point stand in one row. */
static bool take_count(struct schemas *s, const struct sonde_trace_counters *from,
                       const struct sonde_trace_counter *item)
{
    static const struct {
        uint32_t kind;
        uint8_t what, value;
    } kinds[] = {
        {SONDE_TRACE_EXECUTIONS, ANALYZE_WHAT_COUNT, SCHEMA_ROW_EXECUTIONS},
        {SONDE_TRACE_LANES, ANALYZE_WHAT_LANES, SCHEMA_ROW_SUM},
        {SONDE_TRACE_CHANNELS, ANALYZE_WHAT_LANES, SCHEMA_ROW_SUM},
        {SONDE_TRACE_CYCLES, ANALYZE_WHAT_TIME, SCHEMA_ROW_SUM},
        {SONDE_TRACE_SKIPPED, ANALYZE_WHAT_COUNT, SCHEMA_ROW_SKIPPED},
        {SONDE_TRACE_SUM, ANALYZE_WHAT_VALUE, SCHEMA_ROW_SUM},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (kinds[k].kind != item->kind)
            continue;
        struct analyze_row *row = row_of(s, from, item->instruction, 0);
        if (row == NULL)
            return false;
        row->value[kinds[k].value] += item->value;
        if (kinds[k].what != ANALYZE_WHAT_COUNT)
            row->value[SCHEMA_ROW_WHAT] = kinds[k].what;
    }
    return true;
}

/* --- points --- */

static bool knows_point(const struct schemas *s, const struct point *point, size_t row)
{
    for (size_t i = s->point_count; i-- > 0;) {
        const struct point *other = &s->points[i];
        if (other->row == row && other->kernel == point->kernel &&
            other->instruction == point->instruction && other->kind == point->kind)
            return true;
    }
    return false;
}

static uint32_t what_of(uint8_t kind)
{
    return kind == SONDE_RECORD_ADDRESSES   ? ANALYZE_WHAT_ADDRESSES
           : kind == SONDE_RECORD_MASK      ? ANALYZE_WHAT_LANES
           : kind == SONDE_RECORD_REGISTERS ? ANALYZE_WHAT_VALUE
                                            : ANALYZE_WHAT_CLOCK;
}

/* A mask beside addresses or registers only says which channels those are of. */
static bool is_beside(const struct sonde_trace_counters *from,
                      const struct sonde_trace_counter *item)
{
    for (size_t i = 0; i < from->count && (item->value & 0xff) == SONDE_RECORD_MASK; i++)
        if (from->items[i].kind == SONDE_TRACE_POINT &&
            from->items[i].instruction == item->instruction &&
            (from->items[i].value & 0xff) != SONDE_RECORD_MASK)
            return true;
    return false;
}

static bool add_point(struct schemas *s, const struct point *point)
{
    if (knows_point(s, point, point->row))
        return true;
    if (base_array_reserve((void **)&s->points, &s->point_capacity, s->point_count + 1,
                           sizeof *s->points) != SONDE_OK)
        return false;
    s->points[s->point_count++] = *point;
    return true;
}

/* Registers of which some bytes hold an argument of the kernel. */
static bool take_argument(struct schemas *s, const struct sonde_trace_counters *from,
                          const struct sonde_trace_counter *item, const struct point *registers)
{
    struct point point = *registers;
    point.count = point.first; /* of the item */
    point.first = 0;
    point.byte = (uint32_t)(item->value >> 48 & 0xff);
    point.bytes = (uint32_t)(item->value >> 56);
    struct analyze_row *row =
        point.bytes == 0 || point.bytes > 8 ? NULL : row_of(s, from, item->instruction, 0);
    if (row == NULL)
        return point.bytes == 0 || point.bytes > 8;
    row->value[SCHEMA_ROW_WHAT] = ANALYZE_WHAT_VALUE;
    point.row = (size_t)(row - s->rows->items);
    return add_point(s, &point);
}

static bool take_point(struct schemas *s, const struct sonde_trace_counters *from,
                       const struct sonde_trace_counter *item)
{
    struct point point = {.kernel = from->kernel,
                          .instruction = item->instruction,
                          .kind = (uint8_t)item->value,
                          .operand = (uint8_t)(item->value >> 9 & 7),
                          .after = (item->value >> 8 & 1) != 0,
                          .first = (uint32_t)(item->value >> 16 & 0xffff),
                          .count = (uint32_t)(item->value >> 32)};
    point.block = block_of(sonde_trace_kernel(s->trace, from->kernel), item->instruction);
    if (point.operand == OPERAND_ARGUMENT)
        return take_argument(s, from, item, &point);
    if (is_beside(from, item) || point.count > 256 || point.first > 256)
        return true;
    uint32_t rows = point.kind == SONDE_RECORD_REGISTERS ? point.count : 1;
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t part =
            point.kind == SONDE_RECORD_REGISTERS ? 1 + 2 * (point.first + r) + point.after : 0;
        struct analyze_row *row = row_of(s, from, item->instruction, part);
        if (row == NULL)
            return false;
        row->value[SCHEMA_ROW_WHAT] = what_of(point.kind);
        row->value[SCHEMA_ROW_REGISTER] = point.first + r + 1;
        struct point one = point;
        one.row = (size_t)(row - s->rows->items);
        one.first = r;
        if (point.kind != SONDE_RECORD_REGISTERS) {
            row->value[SCHEMA_ROW_REGISTER] = 0;
            one.first = 0;
        }
        one.count = point.first; /* of the item */
        if (!add_point(s, &one))
            return false;
    }
    return true;
}

static void note_value(struct analyze_row *row, uint64_t value)
{
    if (value < row->value[SCHEMA_ROW_LOWEST])
        row->value[SCHEMA_ROW_LOWEST] = value;
    if (value > row->value[SCHEMA_ROW_HIGHEST])
        row->value[SCHEMA_ROW_HIGHEST] = value;
}

static bool is_item(const struct point *point, const struct sonde_record_item *item)
{
    return item->point.kind == point->kind && item->point.instruction == point->instruction &&
           (point->kind != SONDE_RECORD_REGISTERS ||
            (item->point.after == point->after && item->point.first == point->count));
}

static void see_addresses(struct schemas *s, const struct analyze_visit *visit, uint32_t item,
                          struct analyze_row *row)
{
    struct analyze_access access;
    if (!analyze_access_read(&s->code, visit, item, &access))
        return;
    row->value[SCHEMA_ROW_EXECUTIONS]++;
    row->value[SCHEMA_ROW_SUM] += (uint64_t)__builtin_popcount(access.mask);
    for (uint32_t left = access.mask; left != 0; left &= left - 1)
        note_value(row, analyze_access_address(&access, (uint32_t)__builtin_ctz(left)));
}

/* Of the channels that acted, or of all of a register by number. */
static void see_register(struct schemas *s, const struct analyze_visit *visit,
                         const struct point *point, const struct sonde_record_item *item,
                         const uint8_t *data, struct analyze_row *row)
{
    struct analyze_element elements[ANALYZE_ELEMENTS];
    const struct analyze_value_point whole = {.instruction = point->instruction,
                                              .operand = point->operand,
                                              .after = point->after,
                                              .first = item->point.first,
                                              .count = item->point.count};
    size_t count = analyze_elements_read(&s->code, visit, &whole, data, item->size, elements);
    row->value[SCHEMA_ROW_EXECUTIONS]++;
    for (size_t i = 0; i < count; i++)
        if (elements[i].number == item->point.first + point->first)
            note_value(row, elements[i].bits);
}

static void see_argument(const struct point *point, const struct sonde_record_item *item,
                         const uint8_t *data, struct analyze_row *row)
{
    uint64_t value = 0;
    if (point->byte > item->size || point->bytes > item->size - point->byte)
        return;
    for (uint32_t i = point->bytes; i-- > 0;)
        value = value << 8 | data[point->byte + i];
    row->value[SCHEMA_ROW_EXECUTIONS]++;
    row->value[SCHEMA_ROW_SUM] += value;
    note_value(row, value);
}

static void see_item(struct schemas *s, const struct analyze_visit *visit, uint32_t index,
                     const struct point *point)
{
    const uint8_t *data;
    const struct sonde_record_item *item = analyze_visit_item(visit, index, &data);
    struct analyze_row *row = &s->rows->items[point->row];
    if (point->bytes != 0) {
        see_argument(point, item, data, row);
    } else if (point->kind == SONDE_RECORD_ADDRESSES) {
        see_addresses(s, visit, index, row);
    } else if (point->kind == SONDE_RECORD_MASK) {
        uint64_t lanes = (uint64_t)__builtin_popcount(base_load32(data));
        row->value[SCHEMA_ROW_EXECUTIONS]++;
        row->value[SCHEMA_ROW_SUM] += lanes;
        note_value(row, lanes);
    } else if (point->kind == SONDE_RECORD_REGISTERS) {
        see_register(s, visit, point, item, data, row);
    }
}

static void see_clock(struct schemas *s, const struct analyze_visit *visit,
                      const struct point *point)
{
    struct analyze_row *row = &s->rows->items[point->row];
    row->value[SCHEMA_ROW_EXECUTIONS]++;
    row->value[SCHEMA_ROW_SUM] += (uint64_t)__builtin_popcount(visit->enabled);
    note_value(row, visit->time);
}

static int compare_points(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* The first of the points, which are sorted, in the block of the visit. */
static size_t first_point(const struct schemas *s, const struct analyze_visit *visit)
{
    const struct point wanted = {.kernel = visit->kernel->id, .block = visit->block};
    size_t low = 0, high = s->point_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_points(&s->points[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum sonde_status see(const struct analyze_visit *visit, void *context,
                             struct sonde_error *error)
{
    struct schemas *s = context;
    if (visit->starts_thread)
        return SONDE_OK;
    if (s->code.kernel != visit->kernel) {
        analyze_code_close(&s->code);
        enum sonde_status status = analyze_code_open(visit->kernel, visit->layout, &s->code, error);
        if (status != SONDE_OK)
            return status;
    }
    for (size_t p = first_point(s, visit); p < s->point_count; p++) {
        const struct point *point = &s->points[p];
        if (point->kernel != visit->kernel->id || point->block != visit->block)
            break;
        if (point->kind == SONDE_RECORD_CLOCK)
            see_clock(s, visit, point);
        for (uint32_t i = 0; i < analyze_visit_item_count(visit); i++) {
            const uint8_t *data;
            if (is_item(point, analyze_visit_item(visit, i, &data)))
                see_item(s, visit, i, point);
        }
    }
    return SONDE_OK;
}

/* --- rows --- */

static bool has_bins(const struct sonde_trace_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->items[i].kind >= SONDE_TRACE_BIN)
            return true;
    return false;
}

static enum sonde_status take_counters(struct schemas *s, const struct analyze_matcher *matcher,
                                       struct sonde_error *error)
{
    bool good = true;
    for (size_t i = 0; i < sonde_trace_counters_count(s->trace) && good; i++) {
        const struct sonde_trace_counters *from = sonde_trace_counters(s->trace, i);
        if (!analyze_schema_is_probe(from->tool) || has_bins(from) != s->bins ||
            !analyze_matcher_accepts_kernel(matcher, sonde_trace_kernel(s->trace, from->kernel)))
            continue;
        for (size_t j = 0; j < from->count && good; j++) {
            const struct sonde_trace_counter *item = &from->items[j];
            if (s->bins && item->kind >= SONDE_TRACE_BIN &&
                item->kind < SONDE_TRACE_BIN + SONDE_TRACE_BIN_COUNT)
                good = take_bin(s, from, item);
            else if (!s->bins && item->kind == SONDE_TRACE_POINT)
                good = take_point(s, from, item);
            else if (!s->bins)
                good = take_count(s, from, item);
        }
    }
    return good ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

static void finish(struct schemas *s)
{
    bool ends = false, skips = false;
    for (size_t i = 0; i < s->rows->count; i++) {
        struct analyze_row *row = &s->rows->items[i];
        if (row->value[SCHEMA_ROW_LOWEST] == UINT64_MAX)
            row->value[SCHEMA_ROW_LOWEST] = 0;
        row->value[SCHEMA_ROW_TIMED] =
            row->value[SCHEMA_ROW_EXECUTIONS] - row->value[SCHEMA_ROW_SKIPPED];
        ends = ends || row->value[SCHEMA_ROW_HIGHEST] != 0;
        skips = skips || row->value[SCHEMA_ROW_SKIPPED] != 0;
    }
    if (!s->bins)
        snprintf(s->rows->columns, sizeof s->rows->columns,
                 "probe,block,instruction,opcode,collects,executions,sum,mean%s%s",
                 ends ? ",lowest,highest" : "", skips ? ",skipped" : "");
}

static enum sonde_status analyze(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, bool bins,
                                 struct analyze_rows *rows, struct sonde_error *error)
{
    struct schemas s = {.trace = trace, .rows = rows, .bins = bins};
    enum sonde_status status = take_counters(&s, matcher, error);
    if (s.point_count > 1)
        qsort(s.points, s.point_count, sizeof *s.points, compare_points);
    if (status == SONDE_OK && s.point_count > 0)
        status = analyze_records_walk(trace, matcher, see, &s, error);
    if (status == SONDE_OK)
        finish(&s);
    analyze_code_close(&s.code);
    analyze_hash_clear(&s.places);
    free(s.points);
    return status;
}

enum sonde_status analyze_schema(const struct sonde_trace *trace,
                                 const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                 struct sonde_error *error)
{
    return analyze(trace, matcher, false, rows, error);
}

enum sonde_status analyze_histograms(const struct sonde_trace *trace,
                                     const struct analyze_matcher *matcher,
                                     struct analyze_rows *rows, struct sonde_error *error)
{
    return analyze(trace, matcher, true, rows, error);
}

bool analyze_schema_has(const struct sonde_trace *trace, bool bins)
{
    for (size_t i = 0; i < sonde_trace_counters_count(trace); i++) {
        const struct sonde_trace_counters *counters = sonde_trace_counters(trace, i);
        if (analyze_schema_is_probe(counters->tool) && has_bins(counters) == bins)
            return true;
    }
    return false;
}
