#include "report/lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/rows.h"

static const struct analyze_line *line_of(const struct report_row *row)
{
    return &row->lines->lines[row->index];
}

static void fill_kernel(const struct report_row *row, struct report_cell *cell)
{
    cell->name = line_of(row)->kernel->kernel->name;
}

static void fill_place(const struct report_row *row, struct report_cell *cell)
{
    const struct analyze_line *line = line_of(row);
    if (line->line == 0)
        snprintf(cell->text, sizeof cell->text, "(no line)");
    else
        cell->name = line->file;
}

static void fill_line(const struct report_row *row, struct report_cell *cell)
{
    cell->number = line_of(row)->line;
}

static void fill_static(const struct report_row *row, struct report_cell *cell)
{
    cell->number = line_of(row)->static_count;
}

static void fill_dynamic(const struct report_row *row, struct report_cell *cell)
{
    cell->number = line_of(row)->dynamic_count;
    cell->whole = row->lines->dynamic_count;
}

static const struct report_column columns[] = {
    {"kernel", "kernel", REPORT_CELL_TEXT, "name of the kernel", fill_kernel},
    {"file", "file", REPORT_CELL_TEXT, "source file, as the compiler names it", fill_place},
    {"line", "line", REPORT_CELL_NUMBER, "line in it, 0 for code without one", fill_line},
    {"static", "static", REPORT_CELL_COUNT, "instructions of the line in the binary", fill_static},
    {"dynamic", "executed", REPORT_CELL_COUNT, "instructions executed by hardware threads",
     fill_dynamic},
    {"share", "share", REPORT_CELL_SHARE, "of the instructions executed", fill_dynamic},
    {.name = NULL},
};

const struct report_view report_lines_view = {
    .name = "lines",
    .summary = "executed instructions by source line (sonde annotate --lines)",
    .columns = columns,
    .default_columns = "kernel,dynamic,share,static,line,file",
    .default_sort = "dynamic",
};

static void print(const struct report_layout *layout, const struct report_row *rows, size_t count,
                  const struct report_options *options, struct report_text *text)
{
    struct report_json json = {.text = text};
    switch (options->format) {
    case REPORT_FORMAT_TEXT:
        report_rows_print_text(layout, rows, count, text);
        break;
    case REPORT_FORMAT_CSV:
        report_rows_print_csv_heading(layout, text);
        report_rows_print_csv(layout, rows, count, text);
        break;
    case REPORT_FORMAT_JSON:
        report_json_begin_object(&json, NULL);
        report_json_string(&json, "tool", report_lines_view.name);
        report_rows_print_json(layout, rows, count, &json);
        report_json_end_object(&json);
        report_text_add(text, "\n");
        break;
    }
}

enum sonde_status report_lines_print(const struct analyze_lines *lines,
                                     const struct report_options *options, struct report_text *text,
                                     struct sonde_error *error)
{
    struct report_layout layout;
    enum sonde_status status =
        report_layout_select(&report_lines_view, options, NULL, &layout, error);
    if (status != SONDE_OK)
        return status;
    struct report_row *rows = calloc(lines->count + 1, sizeof *rows);
    if (rows == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t n = 0; n < lines->count; n++)
        rows[n] = (struct report_row){.lines = lines, .index = n};
    size_t count = lines->count;
    report_rows_sort(&layout, rows, count);
    if (options->limit > 0 && count > options->limit)
        count = options->limit;
    print(&layout, rows, count, options, text);
    free(rows);
    return text->failed ? sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory") : SONDE_OK;
}
