/* Records of any content are analysed or refused, by every table, the timeline
 * and the exports. Checksums are made good first. The seeds are runs whose
 * sections are all stored as they are, so that mutations reach the records. */
#include <stdlib.h>
#include <string.h>

#include "report/export.h"
#include "report/tables.h"
#include "trace/reader.h"
#include "trace_repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool forget(void *context, const char *data, size_t size)
{
    size_t *sum = context;
    *sum += size + (size > 0 ? (size_t)data[0] : 0);
    return true;
}

static void analyze(const struct sonde_trace *trace, size_t *sum)
{
    const struct report_table *table;
    for (size_t i = 0; (table = report_table_at(i)) != NULL; i++) {
        struct analyze_rows rows = {.items = NULL};
        struct sonde_error error;
        if (table->analyze(trace, NULL, &rows, &error) == SONDE_OK) {
            analyze_rows_locate(&rows);
            *sum += rows.count;
        }
        analyze_rows_clear(&rows);
    }
}

static void export(const struct sonde_trace *trace, size_t *sum)
{
    const struct report_run_export run = {.trace = trace};
    const struct report_exporter *exporter;
    for (size_t i = 0; (exporter = report_exporter_at(i)) != NULL; i++) {
        struct report_text text = {.flush = forget, .context = sum};
        struct sonde_error error;
        if (exporter->write_run != NULL)
            exporter->write_run(&run, &text, &error);
        free(text.data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static volatile size_t sink;
    size_t sum = 0;
    uint8_t *copy = malloc(size + 1);
    struct sonde_trace *trace;
    if (copy == NULL)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    trace_repair(copy, size);
    if (trace_open_bytes(copy, size, &trace, NULL) == SONDE_OK) {
        analyze(trace, &sum);
        export(trace, &sum);
        sonde_trace_close(trace);
    }
    sink += sum;
    free(copy);
    return 0;
}
