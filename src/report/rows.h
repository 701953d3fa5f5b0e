/* Rows and columns, whatever they are of: choosing, sorting, printing. */
#ifndef SONDE_REPORT_ROWS_H
#define SONDE_REPORT_ROWS_H

#include "report/report.h"

enum { REPORT_MAXIMUM_COLUMNS = 24 };

struct report_selection {
    const struct report_column *columns[REPORT_MAXIMUM_COLUMNS];
    bool reversed[REPORT_MAXIMUM_COLUMNS];
    size_t count;
};

struct report_layout {
    struct report_selection columns, sort;
};

/* The columns and the order that the options ask for. CSV has `flat_columns`
 * (NULL = none) before the default ones. SONDE_ERROR_ARGUMENT: no such column. */
enum sonde_status report_layout_select(const struct report_view *view,
                                       const struct report_options *options,
                                       const char *flat_columns, struct report_layout *layout,
                                       struct sonde_error *error);
/* All columns of the view, in its default order. */
void report_layout_all(const struct report_view *view, struct report_layout *layout);
void report_rows_sort(const struct report_layout *layout, struct report_row *rows, size_t count);
/* With a line of titles. */
void report_rows_print_text(const struct report_layout *layout, const struct report_row *rows,
                            size_t count, struct report_text *text);
void report_rows_print_csv_heading(const struct report_layout *layout, struct report_text *text);
void report_rows_print_csv(const struct report_layout *layout, const struct report_row *rows,
                           size_t count, struct report_text *text);
/* One row as an object of an open array. */
void report_row_print_json(const struct report_layout *layout, const struct report_row *row,
                           struct report_json *json);
/* The text of a cell: the same in every format. */
void report_cell_format(const struct report_column *column, const struct report_row *row, char *out,
                        size_t size);
/* The array "rows". */
void report_rows_print_json(const struct report_layout *layout, const struct report_row *rows,
                            size_t count, struct report_json *json);

#endif
