/* The tables of a run as JSON, and as CSV: a file for each table. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/export.h"
#include "report/run_tables.h"

/* --- JSON ----------------------------------------------------------------------- */

struct json_file {
    struct report_json json;
    const struct report_layout *layout;
};

static bool begin_json(void *context, const char *table, const struct report_layout *layout)
{
    struct json_file *file = context;
    file->layout = layout;
    report_json_begin_array(&file->json, table);
    return true;
}

static bool put_json(void *context, const struct report_row *rows, size_t count)
{
    struct json_file *file = context;
    for (size_t i = 0; i < count; i++)
        report_row_print_json(file->layout, &rows[i], &file->json);
    return !file->json.text->failed;
}

static bool end_json(void *context)
{
    struct json_file *file = context;
    report_json_end_array(&file->json);
    return !file->json.text->failed;
}

static enum sonde_status write_json(const struct report_run_export *run, struct report_text *text,
                                    struct sonde_error *error)
{
    struct json_file file = {.json = {.text = text}};
    struct report_table_sink sink = {begin_json, put_json, end_json, &file};
    report_json_begin_object(&file.json, NULL);
    report_json_number(&file.json, "sonde_export", 1);
    report_run_print_json(run->trace, &file.json);
    report_json_begin_object(&file.json, "tables");
    enum sonde_status status =
        report_run_tables_walk(run->trace, run->matcher, run->table, &sink, error);
    report_json_end_object(&file.json);
    report_json_end_object(&file.json);
    return status;
}

const struct report_exporter report_export_json = {
    .name = "json",
    .summary = "all tables of a GPU run as JSON",
    .write_run = write_json,
    .run_file = "tables.json",
    .has_tables = true,
};

/* --- CSV ------------------------------------------------------------------------ */

/* One table into a text, or each into a file of a directory. */
struct csv_file {
    const char *directory; /* NULL: into the text */
    struct report_text *text;
    struct report_text own;
    FILE *file;
    const struct report_layout *layout;
};

static bool flush_csv(void *context, const char *data, size_t size)
{
    struct csv_file *csv = context;
    return fwrite(data, 1, size, csv->file) == size;
}

static bool begin_csv(void *context, const char *table, const struct report_layout *layout)
{
    struct csv_file *csv = context;
    csv->layout = layout;
    if (csv->directory != NULL) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.csv", csv->directory, table);
        csv->file = fopen(path, "wb");
        if (csv->file == NULL)
            return false;
        csv->own = (struct report_text){.flush = flush_csv, .context = csv};
        csv->text = &csv->own;
    }
    report_rows_print_csv_heading(layout, csv->text);
    return true;
}

static bool put_csv(void *context, const struct report_row *rows, size_t count)
{
    struct csv_file *csv = context;
    report_rows_print_csv(csv->layout, rows, count, csv->text);
    return !csv->text->failed;
}

static bool end_csv(void *context)
{
    struct csv_file *csv = context;
    if (csv->directory == NULL)
        return !csv->text->failed;
    bool good = !csv->own.failed && flush_csv(csv, csv->own.data, csv->own.size);
    free(csv->own.data);
    csv->own = (struct report_text){.data = NULL};
    good = fclose(csv->file) == 0 && good;
    csv->file = NULL;
    return good;
}

static enum sonde_status write_csv(const struct report_run_export *run, struct report_text *text,
                                   struct sonde_error *error)
{
    struct csv_file csv = {.text = text};
    struct report_table_sink sink = {begin_csv, put_csv, end_csv, &csv};
    if (run->table == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "tables have different columns: choose one with -t, or name a "
                               "directory with -o");
    return report_run_tables_walk(run->trace, run->matcher, run->table, &sink, error);
}

static enum sonde_status write_csv_directory(const struct report_run_export *run, const char *path,
                                             struct sonde_error *error)
{
    struct csv_file csv = {.directory = path};
    struct report_table_sink sink = {begin_csv, put_csv, end_csv, &csv};
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot make the directory %s: %s", path,
                               strerror(errno));
    enum sonde_status status =
        report_run_tables_walk(run->trace, run->matcher, run->table, &sink, error);
    if (csv.file != NULL)
        fclose(csv.file);
    free(csv.own.data);
    return status;
}

const struct report_exporter report_export_csv = {
    .name = "csv",
    .summary = "the tables of a GPU run, a file for each in a directory, or one with -t",
    .write_run = write_csv,
    .run_file = "tables",
    .has_tables = true,
    .write_place = write_csv_directory,
};
