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

/* As large as those that the attach library writes. */
#define STRETCH ((size_t)1 << 20)

struct copy {
    const struct sonde_trace *from;
    struct sonde_trace_writer *to;
    uint64_t bytes, records;
    double busy; /* seconds in the writer */
};

/* Records of one dispatch of the source, some times behind each other. */
struct joined {
    struct sonde_trace_records records;
    uint8_t *data;
    uint32_t times;
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

static bool join(const struct sonde_trace *from, uint32_t dispatch, bool once,
                 struct joined *joined)
{
    uint64_t size = 0;
    *joined = (struct joined){.times = 1};
    for (size_t i = 0; i < sonde_trace_records_count(from); i++)
        if (sonde_trace_records(from, i)->dispatch == dispatch)
            size += sonde_trace_records(from, i)->size;
    if (!once && size > 0 && size < STRETCH)
        joined->times = (uint32_t)(STRETCH / size);
    joined->data = malloc((size_t)size * joined->times + 1);
    joined->records.dispatch = UINT32_MAX;
    for (size_t i = 0; i < sonde_trace_records_count(from) && joined->data != NULL; i++) {
        const struct sonde_trace_records *part = sonde_trace_records(from, i);
        struct sonde_trace_records *whole = &joined->records;
        if (part->dispatch != dispatch)
            continue;
        if (sonde_trace_read_records(from, i, joined->data + whole->size, &error) != SONDE_OK)
            return false;
        if (whole->size == 0 || part->time_first < whole->time_first)
            whole->time_first = part->time_first;
        if (part->time_last > whole->time_last)
            whole->time_last = part->time_last;
        whole->kernel = part->kernel;
        whole->threads |= part->threads;
        whole->count += part->count;
        whole->size += part->size;
    }
    for (uint32_t t = 1; t < joined->times && joined->data != NULL; t++)
        memcpy(joined->data + t * size, joined->data, (size_t)size);
    joined->records.size *= joined->times;
    joined->records.count *= joined->times;
    return joined->data != NULL;
}

static bool write_stretch(struct copy *copy, struct sonde_trace_records records,
                          const uint8_t *data, uint32_t id, uint64_t first)
{
    records.dispatch = id;
    records.first = first;
    records.data = data;
    copy->bytes += records.size;
    copy->records += records.count;
    double start = seconds();
    enum sonde_status status = sonde_trace_write_records(copy->to, &records, &error);
    copy->busy += seconds() - start;
    return status == SONDE_OK;
}

/* The joined records, or, where one copy is large, the stretches that it had. */
static bool write_records(struct copy *copy, const struct joined *joined, uint32_t source,
                          uint32_t id, uint64_t *first)
{
    uint64_t at = 0;
    bool good = true;
    if (joined->times > 1)
        good = write_stretch(copy, joined->records, joined->data, id, *first);
    for (size_t i = 0; i < sonde_trace_records_count(copy->from) && joined->times == 1 && good;
         i++) {
        const struct sonde_trace_records *part = sonde_trace_records(copy->from, i);
        if (part->dispatch != source)
            continue;
        good = write_stretch(copy, *part, joined->data + at, id, *first + at);
        at += part->size;
    }
    *first += joined->records.size;
    return good;
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

static bool write_copies(struct copy *copy, uint32_t source, uint32_t times, bool many,
                         uint32_t *id)
{
    struct joined joined;
    uint64_t first = 0;
    bool good = join(copy->from, source, many, &joined);
    uint32_t parts = (times + joined.times - 1) / joined.times;
    for (uint32_t t = 0; t < parts && good; t++) {
        if (t == 0 || many) {
            first = 0;
            good = write_dispatch(copy, source, (*id)++);
        }
        good = good && write_records(copy, &joined, source, *id - 1, &first);
        if (many || t + 1 == parts)
            good = good && write_totals(copy, source, *id - 1, many ? 1 : parts * joined.times);
    }
    free(joined.data);
    return good;
}

static int write_longer(const char *source, const char *target, uint32_t times, bool many)
{
    struct copy copy = {.records = 0};
    struct sonde_trace *from;
    uint32_t id = 0;
    if (sonde_trace_open(source, &from, &error) != SONDE_OK)
        return fail(source);
    copy.from = from;
    if (sonde_trace_directory_create(target, &error) != SONDE_OK ||
        sonde_trace_writer_create(target, sonde_trace_header(from), &copy.to, &error) != SONDE_OK)
        return fail(target);
    bool good = write_start(&copy);
    for (uint32_t d = 0; d < sonde_trace_dispatch_count(from) && good; d++)
        good = write_copies(&copy, d, times, many, &id);
    if (!good || sonde_trace_writer_close(copy.to, &error) != SONDE_OK)
        return fail(target);
    printf("written %llu records, %llu bytes, %.3f s, %.1f MB/s, %.2f Mrecords/s\n",
           (unsigned long long)copy.records, (unsigned long long)copy.bytes, copy.busy,
           (double)copy.bytes / copy.busy / 1e6, (double)copy.records / copy.busy / 1e6);
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
