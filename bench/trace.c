/* A recorded run made longer: its records, written again and again, as one
 * dispatch or as many. For figures of the writer and the analysis, and for the
 * test that memory does not grow with the length of a run.
 * Usage: trace-bench RUN NEW-RUN TIMES [dispatches]
 *        trace-bench --analyze RUN */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analyze/tables.h"
#include "report/tables.h"
#include "sonde/trace.h"

static struct sonde_error error;

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, error.message);
    return 1;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* --- writing -------------------------------------------------------------------- */

struct copy {
    const struct sonde_trace *from;
    struct sonde_trace_writer *to;
    uint8_t **data; /* of each stretch */
    uint64_t bytes, records;
    double busy; /* seconds in the writer */
};

static bool write_start(struct copy *copy)
{
    for (uint32_t k = 0; k < sonde_trace_kernel_count(copy->from); k++) {
        const struct sonde_record_layout *layout = sonde_trace_record_layout(copy->from, k);
        const struct sonde_trace_arguments *arguments = sonde_trace_arguments(copy->from, k);
        if (sonde_trace_write_kernel(copy->to, sonde_trace_kernel(copy->from, k), &error) !=
                SONDE_OK ||
            (layout != NULL &&
             sonde_trace_write_record_layout(copy->to, k, layout, &error) != SONDE_OK) ||
            (arguments != NULL &&
             sonde_trace_write_arguments(copy->to, arguments, &error) != SONDE_OK))
            return false;
    }
    return true;
}

static bool write_dispatch(struct copy *copy, uint32_t source, uint32_t id)
{
    struct sonde_trace_dispatch dispatch = *sonde_trace_dispatch(copy->from, source);
    dispatch.id = id;
    const struct sonde_trace_buffers *bound = sonde_trace_buffers(copy->from, source);
    if (sonde_trace_write_dispatch(copy->to, &dispatch, &error) != SONDE_OK)
        return false;
    if (bound == NULL)
        return true;
    struct sonde_trace_buffers buffers = *bound;
    buffers.dispatch = id;
    return sonde_trace_write_buffers(copy->to, &buffers, &error) == SONDE_OK;
}

/* All stretches of one dispatch of the source, from byte *first on. */
static bool write_records(struct copy *copy, uint32_t source, uint32_t id, uint64_t *first)
{
    uint64_t end = *first;
    for (size_t i = 0; i < sonde_trace_records_count(copy->from); i++) {
        struct sonde_trace_records records = *sonde_trace_records(copy->from, i);
        if (records.dispatch != source)
            continue;
        records.dispatch = id;
        records.first = end;
        records.data = copy->data[i];
        end += records.size;
        copy->bytes += records.size;
        copy->records += records.count;
        double start = seconds();
        enum sonde_status status = sonde_trace_write_records(copy->to, &records, &error);
        copy->busy += seconds() - start;
        if (status != SONDE_OK)
            return false;
    }
    *first = end;
    return true;
}

/* What became of the records of the dispatch, `times` times. */
static bool write_totals(struct copy *copy, uint32_t source, uint32_t id, uint64_t times)
{
    for (size_t i = 0; i < sonde_trace_record_totals_count(copy->from); i++) {
        struct sonde_trace_record_totals totals = *sonde_trace_record_totals(copy->from, i);
        if (totals.dispatch != source)
            continue;
        totals.dispatch = id;
        totals.used *= times;
        totals.predicted = totals.used;
        totals.stored *= times;
        return sonde_trace_write_record_totals(copy->to, &totals, &error) == SONDE_OK;
    }
    return true;
}

static bool write_all(struct copy *copy, uint32_t times, bool many)
{
    uint32_t dispatches = (uint32_t)sonde_trace_dispatch_count(copy->from), id = 0;
    bool good = write_start(copy);
    for (uint32_t d = 0; d < dispatches && good; d++) {
        uint64_t first = 0;
        for (uint32_t t = 0; t < times && good; t++) {
            if (t == 0 || many) {
                first = 0;
                good = write_dispatch(copy, d, id++);
            }
            good = good && write_records(copy, d, id - 1, &first);
            if (many || t + 1 == times)
                good = good && write_totals(copy, d, id - 1, many ? 1 : times);
        }
    }
    return good;
}

static int write_longer(const char *source, const char *target, uint32_t times, bool many)
{
    struct copy copy = {.records = 0};
    struct sonde_trace *from;
    if (sonde_trace_open(source, &from, &error) != SONDE_OK)
        return fail(source);
    size_t count = sonde_trace_records_count(from);
    copy.from = from;
    copy.data = calloc(count + 1, sizeof *copy.data);
    for (size_t i = 0; i < count; i++) {
        copy.data[i] = malloc((size_t)sonde_trace_records(from, i)->size + 1);
        if (sonde_trace_read_records(from, i, copy.data[i], &error) != SONDE_OK)
            return fail(source);
    }
    if (sonde_trace_directory_create(target, &error) != SONDE_OK ||
        sonde_trace_writer_create(target, sonde_trace_header(from), &copy.to, &error) != SONDE_OK ||
        !write_all(&copy, times, many) || sonde_trace_writer_close(copy.to, &error) != SONDE_OK)
        return fail(target);
    printf("written %llu records, %llu bytes, %.3f s, %.1f MB/s, %.2f Mrecords/s\n",
           (unsigned long long)copy.records, (unsigned long long)copy.bytes, copy.busy,
           (double)copy.bytes / copy.busy / 1e6, (double)copy.records / copy.busy / 1e6);
    for (size_t i = 0; i < count; i++)
        free(copy.data[i]);
    free(copy.data);
    sonde_trace_close(from);
    return 0;
}

/* --- analysing --------------------------------------------------------------------- */

static int analyze_all(const char *directory)
{
    struct sonde_trace *trace;
    double start = seconds();
    if (sonde_trace_open(directory, &trace, &error) != SONDE_OK)
        return fail(directory);
    uint64_t records = 0, bytes = 0;
    for (size_t i = 0; i < sonde_trace_records_count(trace); i++) {
        records += sonde_trace_records(trace, i)->count;
        bytes += sonde_trace_records(trace, i)->size;
    }
    printf("opened  %llu records, %llu bytes, %.3f s, %ld KiB\n", (unsigned long long)records,
           (unsigned long long)bytes, seconds() - start, peak_kib());
    const struct report_table *table;
    for (size_t i = 0; (table = report_table_at(i)) != NULL; i++) {
        if (!report_table_was_run(table, trace))
            continue;
        struct analyze_rows rows = {.items = NULL};
        start = seconds();
        if (table->analyze(trace, NULL, &rows, &error) != SONDE_OK)
            return fail(table->view.name);
        double busy = seconds() - start;
        printf("%-10s %zu rows, %.3f s, %.2f Mrecords/s, %.0f MB/s, %ld KiB\n", table->view.name,
               rows.count, busy, (double)records / busy / 1e6, (double)bytes / busy / 1e6,
               peak_kib());
        analyze_rows_clear(&rows);
    }
    sonde_trace_close(trace);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--analyze") == 0)
        return analyze_all(argv[2]);
    if (argc == 4 || argc == 5)
        return write_longer(argv[1], argv[2], (uint32_t)strtoul(argv[3], NULL, 10), argc == 5);
    fprintf(stderr, "usage: trace-bench RUN NEW-RUN TIMES [dispatches] | --analyze RUN\n");
    return 2;
}
