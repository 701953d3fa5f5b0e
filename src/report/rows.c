#include "report/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct report_column *find_column(const struct report_view *view, const char *name,
                                               size_t length)
{
    for (const struct report_column *column = view->columns; column->name != NULL; column++) {
        if (strlen(column->name) == length && strncmp(column->name, name, length) == 0)
            return column;
    }
    return NULL;
}

static enum sonde_status unknown_column(const struct report_view *view, const char *name,
                                        size_t length, struct sonde_error *error)
{
    char list[320] = "";
    for (const struct report_column *column = view->columns; column->name != NULL; column++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", column->name);
    }
    return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "%s has no column '%.*s'; it has %s",
                           view->name, (int)length, name, list);
}

static enum sonde_status select_columns(const struct report_view *view, const char *list,
                                        struct report_selection *selection,
                                        struct sonde_error *error)
{
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        const char *name = list;
        size_t name_length = length;
        bool reversed = length > 0 && *name == '-';
        if (length > 0 && (*name == '-' || *name == '+')) {
            name++;
            name_length--;
        }
        const struct report_column *column = find_column(view, name, name_length);
        if (column == NULL)
            return unknown_column(view, name, name_length, error);
        if (selection->count == REPORT_MAXIMUM_COLUMNS)
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "more than %d columns",
                                   REPORT_MAXIMUM_COLUMNS);
        selection->columns[selection->count] = column;
        selection->reversed[selection->count++] = reversed;
        list += length;
        list += *list == ',';
    }
    return SONDE_OK;
}

enum sonde_status report_layout_select(const struct report_view *view,
                                       const struct report_options *options,
                                       const char *flat_columns, struct report_layout *layout,
                                       struct sonde_error *error)
{
    const char *columns = options->columns;
    enum sonde_status status = SONDE_OK;
    *layout = (struct report_layout){.columns = {.count = 0}};
    if (columns == NULL || *columns == '+') {
        if (options->format == REPORT_FORMAT_CSV && flat_columns != NULL)
            status = select_columns(view, flat_columns, &layout->columns, error);
        if (status == SONDE_OK)
            status = select_columns(view, view->default_columns, &layout->columns, error);
    }
    if (status == SONDE_OK && columns != NULL)
        status = select_columns(view, columns, &layout->columns, error);
    if (status == SONDE_OK && options->sort != NULL)
        status = select_columns(view, options->sort, &layout->sort, error);
    if (status == SONDE_OK)
        status = select_columns(view, view->default_sort, &layout->sort, error);
    return status;
}

void report_layout_all(const struct report_view *view, struct report_layout *layout)
{
    *layout = (struct report_layout){.columns = {.count = 0}};
    for (const struct report_column *column = view->columns;
         column->name != NULL && layout->columns.count < REPORT_MAXIMUM_COLUMNS; column++)
        layout->columns.columns[layout->columns.count++] = column;
    select_columns(view, view->default_sort, &layout->sort, NULL);
}

static void fill(const struct report_column *column, const struct report_row *row,
                 struct report_cell *cell)
{
    *cell = (struct report_cell){.number = 0};
    column->fill(row, cell);
}

static const char *cell_string(const struct report_cell *cell)
{
    return cell->name != NULL ? cell->name : cell->text;
}

static double ratio_of(const struct report_cell *cell)
{
    return cell->whole == 0 ? 0.0 : (double)cell->number / (double)cell->whole;
}

static int compare_cells(const struct report_column *column, const struct report_row *a,
                         const struct report_row *b)
{
    struct report_cell x, y;
    fill(column, a, &x);
    fill(column, b, &y);
    if (column->kind == REPORT_CELL_TEXT)
        return strcmp(cell_string(&x), cell_string(&y));
    bool ratio = column->kind == REPORT_CELL_RATIO;
    bool counts = ratio || column->kind == REPORT_CELL_COUNT || column->kind == REPORT_CELL_SHARE;
    double left = ratio ? ratio_of(&x) : 0, right = ratio ? ratio_of(&y) : 0;
    if (ratio ? !(left < right) && !(right < left) : x.number == y.number)
        return 0;
    bool up = ratio ? left < right : x.number < y.number;
    return up != counts ? -1 : 1;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct report_selection *sort = context;
    for (size_t i = 0; i < sort->count; i++) {
        int order = compare_cells(sort->columns[i], a, b);
        if (order != 0)
            return sort->reversed[i] ? -order : order;
    }
    return 0;
}

void report_cell_format(const struct report_column *column, const struct report_row *row, char *out,
                        size_t size)
{
    struct report_cell cell;
    fill(column, row, &cell);
    switch (column->kind) {
    case REPORT_CELL_TEXT:
        snprintf(out, size, "%s", cell_string(&cell));
        break;
    case REPORT_CELL_NUMBER:
    case REPORT_CELL_COUNT:
        snprintf(out, size, "%llu", (unsigned long long)cell.number);
        break;
    case REPORT_CELL_SHARE:
        snprintf(out, size, "%.2f", 100.0 * ratio_of(&cell));
        break;
    case REPORT_CELL_RATIO:
        snprintf(out, size, "%.2f", ratio_of(&cell));
        break;
    case REPORT_CELL_HEX:
        snprintf(out, size, "0x%llx", (unsigned long long)cell.number);
        break;
    }
}

void report_rows_sort(const struct report_layout *layout, struct report_row *rows, size_t count)
{
    struct report_selection sort = layout->sort;
    if (count > 1 && sort.count > 0)
        qsort_r(rows, count, sizeof *rows, compare_rows, &sort);
}

static void print_line(const struct report_layout *layout, const size_t *widths,
                       const struct report_row *row, struct report_text *text)
{
    for (size_t i = 0; i < layout->columns.count; i++) {
        const struct report_column *column = layout->columns.columns[i];
        char cell[256];
        if (row == NULL)
            snprintf(cell, sizeof cell, "%s", column->title);
        else
            report_cell_format(column, row, cell, sizeof cell);
        bool last = i + 1 == layout->columns.count;
        if (column->kind != REPORT_CELL_TEXT)
            report_text_add(text, "  %*s", (int)widths[i], cell);
        else
            report_text_add(text, "  %-*s", last ? 0 : (int)widths[i], cell);
    }
    report_text_add(text, "\n");
}

void report_rows_print_text(const struct report_layout *layout, const struct report_row *rows,
                            size_t count, struct report_text *text)
{
    size_t widths[REPORT_MAXIMUM_COLUMNS];
    for (size_t i = 0; i < layout->columns.count; i++) {
        widths[i] = strlen(layout->columns.columns[i]->title);
        for (size_t j = 0; j < count; j++) {
            char cell[256];
            report_cell_format(layout->columns.columns[i], &rows[j], cell, sizeof cell);
            if (strlen(cell) > widths[i])
                widths[i] = strlen(cell);
        }
    }
    print_line(layout, widths, NULL, text);
    for (size_t j = 0; j < count; j++)
        print_line(layout, widths, &rows[j], text);
}

static void print_csv_cell(struct report_text *text, const char *cell)
{
    if (strpbrk(cell, ",\"\r\n") == NULL) {
        report_text_add(text, "%s", cell);
        return;
    }
    report_text_add(text, "\"");
    for (; *cell != '\0'; cell++)
        report_text_add(text, *cell == '"' ? "\"\"" : "%c", *cell);
    report_text_add(text, "\"");
}

void report_rows_print_csv_heading(const struct report_layout *layout, struct report_text *text)
{
    for (size_t i = 0; i < layout->columns.count; i++)
        report_text_add(text, "%s%s", i > 0 ? "," : "", layout->columns.columns[i]->name);
    report_text_add(text, "\n");
}

void report_rows_print_csv(const struct report_layout *layout, const struct report_row *rows,
                           size_t count, struct report_text *text)
{
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < layout->columns.count; i++) {
            char cell[1024];
            report_cell_format(layout->columns.columns[i], &rows[j], cell, sizeof cell);
            report_text_add(text, "%s", i > 0 ? "," : "");
            print_csv_cell(text, cell);
        }
        report_text_add(text, "\n");
    }
}

void report_row_print_json(const struct report_layout *layout, const struct report_row *row,
                           struct report_json *json)
{
    report_json_begin_object(json, NULL);
    for (size_t i = 0; i < layout->columns.count; i++) {
        const struct report_column *column = layout->columns.columns[i];
        char cell[1024];
        report_cell_format(column, row, cell, sizeof cell);
        if (column->kind != REPORT_CELL_TEXT && column->kind != REPORT_CELL_HEX)
            report_json_raw(json, column->name, cell);
        else
            report_json_string(json, column->name, cell);
    }
    report_json_end_object(json);
}

void report_rows_print_json(const struct report_layout *layout, const struct report_row *rows,
                            size_t count, struct report_json *json)
{
    report_json_begin_array(json, "rows");
    for (size_t j = 0; j < count; j++)
        report_row_print_json(layout, &rows[j], json);
    report_json_end_array(json);
}
