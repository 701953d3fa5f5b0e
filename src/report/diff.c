#include "report/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/tables.h"

typedef unsigned long long ull;

struct comparison {
    const char *tool;
    struct report_text *text;
    struct report_json *json; /* NULL: text */
    struct report_diff *diff;
};

static void print(const struct comparison *c, const char *kernel, const char *place,
                  const char *figure, uint64_t a, uint64_t b)
{
    c->diff->different++;
    if (c->json == NULL) {
        report_text_add(c->text, "%s, %s%s%s: %s %llu -> %llu (%+lld)\n", c->tool, kernel,
                        *place != '\0' ? ", " : "", place, figure, (ull)a, (ull)b,
                        (long long)(b - a));
        return;
    }
    report_json_begin_object(c->json, NULL);
    report_json_string(c->json, "tool", c->tool);
    report_json_string(c->json, "kernel", kernel);
    report_json_string(c->json, "place", place);
    report_json_string(c->json, "figure", figure);
    report_json_number(c->json, "left", a);
    report_json_number(c->json, "right", b);
    report_json_end_object(c->json);
}

/* --- tools with tables ---------------------------------------------------------- */

/* Columns that number something, such as the first value of a bin, say which row
 * of its instruction it is. */
static bool same_numbers(const struct report_table *table, const struct analyze_row *a,
                         const struct analyze_row *b)
{
    const struct report_row left = {.record = a}, right = {.record = b};
    for (const struct report_column *column = table->view.columns; column->name != NULL; column++) {
        struct report_cell x = {.number = 0}, y = {.number = 0};
        if (column->kind != REPORT_CELL_NUMBER)
            continue;
        column->fill(&left, &x);
        column->fill(&right, &y);
        if (x.number != y.number)
            return false;
    }
    return true;
}

static bool same_place(const struct report_table *table, const struct analyze_row *a,
                       const struct analyze_row *b)
{
    return a->instruction == b->instruction && a->block == b->block &&
           strcmp(a->text, b->text) == 0 && strcmp(a->buffer, b->buffer) == 0 &&
           strcmp(a->kernel->name, b->kernel->name) == 0 && same_numbers(table, a, b);
}

/* The n-th row of a place in the other run. */
static const struct analyze_row *find(const struct report_table *table,
                                      const struct analyze_rows *rows,
                                      const struct analyze_row *row, size_t number)
{
    for (size_t i = 0; i < rows->count; i++)
        if (same_place(table, &rows->items[i], row) && number-- == 0)
            return &rows->items[i];
    return NULL;
}

static size_t number_of(const struct report_table *table, const struct analyze_rows *rows,
                        const struct analyze_row *row)
{
    size_t number = 0;
    for (const struct analyze_row *before = rows->items; before < row; before++)
        number += same_place(table, before, row);
    return number;
}

static void name_place(const struct analyze_row *row, char *place, size_t size)
{
    if (row->instruction != UINT32_MAX)
        snprintf(place, size, "instruction %u (%s)", row->instruction, row->text);
    else if (row->block != UINT32_MAX)
        snprintf(place, size, "from %s to block %u", row->text, row->block);
    else
        snprintf(place, size, "%s", row->text);
}

static void compare_row(const struct comparison *c, const struct report_table *table,
                        const struct analyze_row *a, const struct analyze_row *b)
{
    char place[128];
    name_place(a, place, sizeof place);
    for (const struct report_column *column = table->view.columns; column->name != NULL; column++) {
        if (column->kind != REPORT_CELL_COUNT && column->kind != REPORT_CELL_HEX)
            continue;
        const struct report_row left = {.record = a}, right = {.record = b};
        struct report_cell x = {.number = 0}, y = {.number = 0};
        column->fill(&left, &x);
        column->fill(&right, &y);
        c->diff->compared++;
        if (x.number != y.number)
            print(c, a->kernel->name, place, column->name, x.number, y.number);
    }
}

static enum sonde_status compare_table(struct comparison *c, const struct report_table *table,
                                       const struct sonde_trace *left,
                                       const struct sonde_trace *right,
                                       const struct analyze_matcher *matcher,
                                       struct sonde_error *error)
{
    struct analyze_rows a = {.items = NULL}, b = {.items = NULL};
    enum sonde_status status = table->analyze(left, matcher, &a, error);
    if (status == SONDE_OK)
        status = table->analyze(right, matcher, &b, error);
    size_t common = 0;
    for (size_t i = 0; i < a.count && status == SONDE_OK; i++) {
        size_t number = number_of(table, &a, &a.items[i]);
        const struct analyze_row *other = find(table, &b, &a.items[i], number);
        common += other != NULL;
        if (other != NULL)
            compare_row(c, table, &a.items[i], other);
    }
    c->diff->only_left += a.count - common;
    c->diff->only_right += b.count - common;
    analyze_rows_clear(&a);
    analyze_rows_clear(&b);
    return status;
}

/* --- tools with block counts ------------------------------------------------------ */

static void compare_blocks(const struct comparison *c, const struct analyze_kernel *a,
                           const struct analyze_kernel *b)
{
    size_t blocks = a->kernel->block_count < b->kernel->block_count ? a->kernel->block_count
                                                                    : b->kernel->block_count;
    for (size_t i = 0; i < blocks; i++) {
        char place[32];
        snprintf(place, sizeof place, "block %zu", i);
        c->diff->compared++;
        if (a->block_executions[i] != b->block_executions[i])
            print(c, a->kernel->name, place, "executions", a->block_executions[i],
                  b->block_executions[i]);
    }
    c->diff->only_left += a->kernel->block_count - blocks;
    c->diff->only_right += b->kernel->block_count - blocks;
}

static enum sonde_status compare_profiles(struct comparison *c, const struct sonde_trace *left,
                                          const struct sonde_trace *right,
                                          const struct analyze_matcher *matcher,
                                          struct sonde_error *error)
{
    struct analyze_profile *a = NULL, *b = NULL;
    enum sonde_status status = analyze_profile_create(left, c->tool, matcher, &a, error);
    if (status == SONDE_OK)
        status = analyze_profile_create(right, c->tool, matcher, &b, error);
    size_t common = 0;
    for (size_t i = 0; status == SONDE_OK && i < a->kernel_count; i++) {
        size_t j = 0;
        while (j < b->kernel_count &&
               strcmp(a->kernels[i].kernel->name, b->kernels[j].kernel->name) != 0)
            j++;
        if (j == b->kernel_count)
            continue;
        common++;
        compare_blocks(c, &a->kernels[i], &b->kernels[j]);
    }
    if (status == SONDE_OK) {
        c->diff->only_left += a->kernel_count - common;
        c->diff->only_right += b->kernel_count - common;
    }
    if (a != NULL)
        analyze_profile_destroy(a);
    if (b != NULL)
        analyze_profile_destroy(b);
    return status;
}

static bool has_tool(const struct sonde_trace *trace, const char *tool)
{
    const char *tools[32];
    size_t count = analyze_tools_list(trace, tools, 32);
    for (size_t i = 0; i < count; i++)
        if (strcmp(tools[i], tool) == 0)
            return true;
    return false;
}

enum sonde_status report_diff_print(const struct sonde_trace *left, const struct sonde_trace *right,
                                    const struct analyze_matcher *matcher, struct report_text *text,
                                    struct report_json *json, struct report_diff *diff,
                                    struct sonde_error *error)
{
    struct comparison c = {.text = text, .json = json, .diff = diff};
    const char *tools[32];
    size_t count = analyze_tools_list(left, tools, 32);
    enum sonde_status status = SONDE_OK;
    *diff = (struct report_diff){.compared = 0};
    if (json != NULL)
        report_json_begin_array(json, "differences");
    for (size_t i = 0; i < count && status == SONDE_OK; i++) {
        c.tool = tools[i];
        if (has_tool(right, c.tool))
            status = compare_profiles(&c, left, right, matcher, error);
    }
    const struct report_table *table;
    for (size_t i = 0; (table = report_table_at(i)) != NULL && status == SONDE_OK; i++) {
        c.tool = table->view.name;
        if (report_table_is_on_request(table))
            continue; /* another one has its figures added up */
        if (report_table_was_run(table, left) && report_table_was_run(table, right))
            status = compare_table(&c, table, left, right, matcher, error);
    }
    if (json != NULL)
        report_json_end_array(json);
    return status;
}
