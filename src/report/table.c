/* Rows and columns of one profile to text, CSV or JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { MAXIMUM_COLUMNS = 24, CELL_WIDTH = 40 };

struct selection {
    const struct report_column *columns[MAXIMUM_COLUMNS];
    bool reversed[MAXIMUM_COLUMNS];
    size_t count;
};

/* One kernel, or the total: a heading and its rows. */
struct section {
    const struct analyze_kernel *kernel;
    const struct analyze_mix *whole;
    struct report_row *rows;
    size_t count;
};

struct printer {
    const struct report_view *view;
    const struct report_options *options;
    const struct analyze_profile *profile;
    struct selection columns, sort;
    struct report_text *text;
    struct report_json *json;
};

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
                                        struct selection *selection, struct sonde_error *error)
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
        if (selection->count == MAXIMUM_COLUMNS)
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "more than %d columns",
                                   MAXIMUM_COLUMNS);
        selection->columns[selection->count] = column;
        selection->reversed[selection->count++] = reversed;
        list += length;
        list += *list == ',';
    }
    return SONDE_OK;
}

static enum sonde_status select_all(struct printer *printer, struct sonde_error *error)
{
    const struct report_view *view = printer->view;
    const char *columns = printer->options->columns;
    enum sonde_status status = SONDE_OK;
    /* Text has the kernel's name in the heading; flat rows need it. */
    bool flat = printer->options->format == REPORT_FORMAT_CSV;
    if (columns == NULL || *columns == '+') {
        if (flat)
            status = select_columns(view, "kernel,hash", &printer->columns, error);
        if (status == SONDE_OK)
            status = select_columns(view, view->default_columns, &printer->columns, error);
    }
    if (status == SONDE_OK && columns != NULL)
        status = select_columns(view, columns, &printer->columns, error);
    if (status == SONDE_OK && printer->options->sort != NULL)
        status = select_columns(view, printer->options->sort, &printer->sort, error);
    if (status == SONDE_OK)
        status = select_columns(view, view->default_sort, &printer->sort, error);
    return status;
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

static int compare_cells(const struct report_column *column, const struct report_row *a,
                         const struct report_row *b)
{
    struct report_cell x, y;
    fill(column, a, &x);
    fill(column, b, &y);
    if (column->kind == REPORT_CELL_TEXT)
        return strcmp(cell_string(&x), cell_string(&y));
    if (x.number == y.number)
        return 0;
    bool counts = column->kind == REPORT_CELL_COUNT || column->kind == REPORT_CELL_SHARE;
    bool up = x.number < y.number;
    return up != counts ? -1 : 1;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct selection *sort = context;
    for (size_t i = 0; i < sort->count; i++) {
        int order = compare_cells(sort->columns[i], a, b);
        if (order != 0)
            return sort->reversed[i] ? -order : order;
    }
    return 0;
}

/* The text of a cell: the same in every format. */
static void format_cell(const struct report_column *column, const struct report_row *row, char *out,
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
        snprintf(out, size, "%.2f",
                 cell.whole == 0 ? 0.0 : 100.0 * (double)cell.number / (double)cell.whole);
        break;
    case REPORT_CELL_HEX:
        snprintf(out, size, "0x%llx", (unsigned long long)cell.number);
        break;
    }
}

static bool section_fill(struct printer *printer, const struct analyze_kernel *kernel,
                         struct section *section)
{
    section->kernel = kernel;
    section->whole = kernel != NULL ? &kernel->mix : &printer->profile->total;
    section->count = printer->view->by_block ? kernel->kernel->block_count : section->whole->count;
    section->rows = calloc(section->count + 1, sizeof *section->rows);
    if (section->rows == NULL)
        return false;
    for (size_t i = 0; i < section->count; i++) {
        section->rows[i].kernel = kernel;
        section->rows[i].whole = section->whole;
        if (printer->view->by_block)
            section->rows[i].block = i;
        else
            section->rows[i].kind = &section->whole->rows[i];
    }
    if (section->count > 1)
        qsort_r(section->rows, section->count, sizeof *section->rows, compare_rows, &printer->sort);
    if (printer->options->limit > 0 && section->count > printer->options->limit)
        section->count = printer->options->limit;
    return true;
}

static void print_heading(struct printer *printer, const struct section *section)
{
    const char *bold = printer->options->color ? "\033[1m" : "";
    const char *plain = printer->options->color ? "\033[0m" : "";
    if (section->kernel == NULL) {
        report_text_add(printer->text, "\n%sall kernels%s: %zu kernel%s, ", bold, plain,
                        printer->profile->kernel_count,
                        printer->profile->kernel_count == 1 ? "" : "s");
    } else {
        const struct sonde_trace_kernel *kernel = section->kernel->kernel;
        report_text_add(printer->text, "\n%s%s%s: SIMD%u, hash %016llx, %llu dispatch%s, ", bold,
                        kernel->name, plain, kernel->simd_width, (unsigned long long)kernel->hash,
                        (unsigned long long)section->kernel->dispatches,
                        section->kernel->dispatches == 1 ? "" : "es");
    }
    report_text_add(printer->text, "%llu instructions, %llu executed\n",
                    (unsigned long long)section->whole->static_count,
                    (unsigned long long)section->whole->dynamic_count);
}

static void print_text_line(struct printer *printer, const size_t *widths,
                            const struct report_row *row)
{
    for (size_t i = 0; i < printer->columns.count; i++) {
        const struct report_column *column = printer->columns.columns[i];
        char cell[256];
        if (row == NULL)
            snprintf(cell, sizeof cell, "%s", column->title);
        else
            format_cell(column, row, cell, sizeof cell);
        bool last = i + 1 == printer->columns.count;
        if (column->kind != REPORT_CELL_TEXT)
            report_text_add(printer->text, "  %*s", (int)widths[i], cell);
        else
            report_text_add(printer->text, "  %-*s", last ? 0 : (int)widths[i], cell);
    }
    report_text_add(printer->text, "\n");
}

static void print_text(struct printer *printer, const struct section *section)
{
    size_t widths[MAXIMUM_COLUMNS];
    print_heading(printer, section);
    for (size_t i = 0; i < printer->columns.count; i++) {
        widths[i] = strlen(printer->columns.columns[i]->title);
        for (size_t j = 0; j < section->count; j++) {
            char cell[256];
            format_cell(printer->columns.columns[i], &section->rows[j], cell, sizeof cell);
            if (strlen(cell) > widths[i])
                widths[i] = strlen(cell);
        }
    }
    print_text_line(printer, widths, NULL);
    for (size_t j = 0; j < section->count; j++)
        print_text_line(printer, widths, &section->rows[j]);
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

static void print_csv(struct printer *printer, const struct section *section)
{
    for (size_t j = 0; j < section->count; j++) {
        for (size_t i = 0; i < printer->columns.count; i++) {
            char cell[1024];
            format_cell(printer->columns.columns[i], &section->rows[j], cell, sizeof cell);
            report_text_add(printer->text, "%s", i > 0 ? "," : "");
            print_csv_cell(printer->text, cell);
        }
        report_text_add(printer->text, "\n");
    }
}

static void print_json_row(struct printer *printer, const struct report_row *row)
{
    report_json_begin_object(printer->json, NULL);
    for (size_t i = 0; i < printer->columns.count; i++) {
        const struct report_column *column = printer->columns.columns[i];
        char cell[1024];
        format_cell(column, row, cell, sizeof cell);
        if (column->kind != REPORT_CELL_TEXT && column->kind != REPORT_CELL_HEX)
            report_json_raw(printer->json, column->name, cell);
        else
            report_json_string(printer->json, column->name, cell);
    }
    report_json_end_object(printer->json);
}

static void print_json(struct printer *printer, const struct section *section)
{
    struct report_json *json = printer->json;
    report_json_begin_object(json, section->kernel == NULL ? "total" : NULL);
    if (section->kernel != NULL) {
        char hash[24];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)section->kernel->kernel->hash);
        report_json_string(json, "kernel", section->kernel->kernel->name);
        report_json_string(json, "hash", hash);
        report_json_number(json, "simd", section->kernel->kernel->simd_width);
        report_json_number(json, "dispatches", section->kernel->dispatches);
    }
    report_json_number(json, "static", section->whole->static_count);
    report_json_number(json, "dynamic", section->whole->dynamic_count);
    report_json_begin_array(json, "rows");
    for (size_t j = 0; j < section->count; j++)
        print_json_row(printer, &section->rows[j]);
    report_json_end_array(json);
    report_json_end_object(json);
}

static bool print_section(struct printer *printer, const struct analyze_kernel *kernel)
{
    struct section section;
    if (!section_fill(printer, kernel, &section))
        return false;
    if (printer->options->format == REPORT_FORMAT_CSV)
        print_csv(printer, &section);
    else if (printer->options->format == REPORT_FORMAT_JSON)
        print_json(printer, &section);
    else
        print_text(printer, &section);
    free(section.rows);
    return true;
}

static void print_begin(struct printer *printer)
{
    const struct analyze_profile *profile = printer->profile;
    switch (printer->options->format) {
    case REPORT_FORMAT_JSON:
        report_json_begin_object(printer->json, NULL);
        report_json_string(printer->json, "tool", profile->tool);
        break;
    case REPORT_FORMAT_CSV:
        for (size_t i = 0; i < printer->columns.count; i++)
            report_text_add(printer->text, "%s%s", i > 0 ? "," : "",
                            printer->columns.columns[i]->name);
        report_text_add(printer->text, "\n");
        break;
    case REPORT_FORMAT_TEXT:
        report_text_add(printer->text, "%s: %s\n", profile->tool, printer->view->summary);
        if (profile->lost_records > 0)
            report_text_add(printer->text, "INCOMPLETE: %llu records were lost\n",
                            (unsigned long long)profile->lost_records);
        break;
    }
}

static bool print_sections(struct printer *printer)
{
    bool json = printer->options->format == REPORT_FORMAT_JSON;
    bool done = true;
    if (!printer->options->total_only || !printer->view->has_total) {
        if (json)
            report_json_begin_array(printer->json, "kernels");
        for (size_t i = 0; i < printer->profile->kernel_count && done; i++)
            done = print_section(printer, &printer->profile->kernels[i]);
        if (json)
            report_json_end_array(printer->json);
    }
    /* One kernel is its own total; rows for other programs have it all the same. */
    bool repeats = printer->options->format == REPORT_FORMAT_TEXT &&
                   printer->profile->kernel_count == 1 && !printer->options->total_only;
    if (done && printer->view->has_total && !repeats)
        done = print_section(printer, NULL);
    if (json)
        report_json_end_object(printer->json);
    return done;
}

enum sonde_status report_profile_print(const struct analyze_profile *profile,
                                       const struct report_options *options,
                                       struct report_text *text, struct report_json *json,
                                       struct sonde_error *error)
{
    struct printer printer = {
        .view = report_view_of_tool(profile->tool),
        .options = options,
        .profile = profile,
        .text = text,
        .json = json,
    };
    enum sonde_status status = select_all(&printer, error);
    if (status != SONDE_OK)
        return status;
    print_begin(&printer);
    if (!print_sections(&printer) || text->failed)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    return SONDE_OK;
}
