/* The tables of a run as a database: a table for each, with the report's
 * columns (a - in a name becomes _), and `run` with what the run is. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/export.h"
#include "report/run_tables.h"

struct database {
    sqlite3 *handle;
    sqlite3_stmt *insert;
    const struct report_layout *layout;
};

static bool execute(struct database *database, const char *statement)
{
    return sqlite3_exec(database->handle, statement, NULL, NULL, NULL) == SQLITE_OK;
}

/* Names of tables and columns: only letters, digits and _ stay. */
static void add_name(struct report_text *text, const char *name)
{
    report_text_add(text, "\"");
    for (; *name != '\0'; name++) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9');
        report_text_add(text, "%c", plain ? *name : '_');
    }
    report_text_add(text, "\"");
}

static const char *type_of(const struct report_column *column)
{
    switch (column->kind) {
    case REPORT_CELL_TEXT:
        return "TEXT";
    case REPORT_CELL_SHARE:
    case REPORT_CELL_RATIO:
        return "REAL";
    default:
        return "INTEGER";
    }
}

static bool begin_table(void *context, const char *table, const struct report_layout *layout)
{
    struct database *database = context;
    struct report_text create = {.data = NULL}, insert = {.data = NULL};
    database->layout = layout;
    report_text_add(&create, "CREATE TABLE ");
    add_name(&create, table);
    report_text_add(&insert, "INSERT INTO ");
    add_name(&insert, table);
    for (size_t i = 0; i < layout->columns.count; i++) {
        const struct report_column *column = layout->columns.columns[i];
        report_text_add(&create, i == 0 ? "(" : ",");
        add_name(&create, column->name);
        report_text_add(&create, " %s NOT NULL", type_of(column));
        report_text_add(&insert, i == 0 ? " VALUES(?" : ",?");
    }
    report_text_add(&create, ")");
    report_text_add(&insert, ")");
    bool good =
        !create.failed && !insert.failed && execute(database, create.data) &&
        sqlite3_prepare_v2(database->handle, insert.data, -1, &database->insert, NULL) == SQLITE_OK;
    free(create.data);
    free(insert.data);
    return good;
}

/* Shares in per cent and ratios have the two digits that reports show. */
static void bind_cell(struct database *database, int place, const struct report_column *column,
                      const struct report_row *row)
{
    char text[1024];
    if (column->kind == REPORT_CELL_NUMBER || column->kind == REPORT_CELL_COUNT ||
        column->kind == REPORT_CELL_HEX) {
        struct report_cell cell = {.number = 0};
        column->fill(row, &cell);
        sqlite3_bind_int64(database->insert, place, (sqlite3_int64)cell.number);
        return;
    }
    report_cell_format(column, row, text, sizeof text);
    if (column->kind == REPORT_CELL_TEXT)
        sqlite3_bind_text(database->insert, place, text, -1, SQLITE_TRANSIENT);
    else
        sqlite3_bind_double(database->insert, place, strtod(text, NULL));
}

static bool put_rows(void *context, const struct report_row *rows, size_t count)
{
    struct database *database = context;
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < database->layout->columns.count; c++)
            bind_cell(database, (int)c + 1, database->layout->columns.columns[c], &rows[i]);
        if (sqlite3_step(database->insert) != SQLITE_DONE)
            return false;
        sqlite3_reset(database->insert);
    }
    return true;
}

static bool end_table(void *context)
{
    struct database *database = context;
    bool good = sqlite3_finalize(database->insert) == SQLITE_OK;
    database->insert = NULL;
    return good;
}

static bool put_run(struct database *database, const struct sonde_trace *trace)
{
    const struct sonde_trace_header *header = sonde_trace_header(trace);
    uint64_t lost = 0;
    char number[32];
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        lost += sonde_trace_loss(trace, i)->records;
    snprintf(number, sizeof number, "%llu", (unsigned long long)lost);
    const char *const pairs[][2] = {
        {"command_line", header->command_line},
        {"device", header->device},
        {"driver", header->driver},
        {"tools", header->tools},
        {"writer", header->writer},
        {"lost_records", number},
        {"warning", sonde_trace_warning(trace)},
    };
    bool good = execute(database, "CREATE TABLE run(key TEXT NOT NULL, value TEXT)") &&
                sqlite3_prepare_v2(database->handle, "INSERT INTO run VALUES(?,?)", -1,
                                   &database->insert, NULL) == SQLITE_OK;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && good; i++) {
        sqlite3_bind_text(database->insert, 1, pairs[i][0], -1, SQLITE_STATIC);
        sqlite3_bind_text(database->insert, 2, pairs[i][1], -1, SQLITE_STATIC);
        good = sqlite3_step(database->insert) == SQLITE_DONE;
        sqlite3_reset(database->insert);
    }
    return end_table(database) && good;
}

static enum sonde_status failure(const struct database *database, struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_IO, 0, "SQLite: %s",
                           sqlite3_errmsg(database->handle));
}

static enum sonde_status write_database(const struct report_run_export *run, const char *path,
                                        struct sonde_error *error)
{
    struct database database = {.handle = NULL};
    struct report_table_sink sink = {begin_table, put_rows, end_table, &database};
    enum sonde_status status = SONDE_OK;
    if (sqlite3_open(path, &database.handle) != SQLITE_OK ||
        !execute(&database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN") ||
        !put_run(&database, run->trace))
        status = failure(&database, error);
    if (status == SONDE_OK)
        status = report_run_tables_walk(run->trace, run->matcher, run->table, &sink, error);
    if (status == SONDE_ERROR_IO)
        status = failure(&database, error);
    sqlite3_finalize(database.insert);
    if (status == SONDE_OK && !execute(&database, "COMMIT"))
        status = failure(&database, error);
    sqlite3_close(database.handle);
    return status;
}

const struct report_exporter report_export_sqlite = {
    .name = "sqlite",
    .summary = "all tables of a GPU run as a database",
    .run_file = "tables.sqlite",
    .has_tables = true,
    .write_place = write_database,
};
