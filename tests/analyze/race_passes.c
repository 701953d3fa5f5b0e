/* The races of runs do not depend on how much memory is remembered at a time.
 * Usage: race-passes ROWS RUN...; each run has at least ROWS races. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/race.h"

static struct sonde_error error;

static bool same_row(const struct analyze_row *a, const struct analyze_row *b)
{
    return a->kernel == b->kernel && a->instruction == b->instruction && a->block == b->block &&
           strcmp(a->text, b->text) == 0 && strcmp(a->buffer, b->buffer) == 0 &&
           memcmp(a->value, b->value, sizeof a->value) == 0;
}

static bool is_same(const struct sonde_trace *trace, const struct analyze_rows *all, uint64_t limit)
{
    struct analyze_rows rows = {.items = NULL};
    bool same = analyze_races_within(trace, NULL, limit, &rows, &error) == SONDE_OK &&
                rows.count == all->count;
    for (size_t i = 0; i < all->count && same; i++)
        same = same_row(&rows.items[i], &all->items[i]);
    if (!same)
        fprintf(stderr, "%llu bytes: %zu races, not %zu or not the same ones\n",
                (unsigned long long)limit, rows.count, all->count);
    analyze_rows_clear(&rows);
    return same;
}

static bool check(const char *directory, size_t least)
{
    static const uint64_t limits[] = {1, 300, 3000};
    struct sonde_trace *trace;
    struct analyze_rows all = {.items = NULL};
    if (sonde_trace_open(directory, &trace, &error) != SONDE_OK ||
        analyze_races_within(trace, NULL, UINT64_MAX, &all, &error) != SONDE_OK) {
        fprintf(stderr, "%s: %s\n", directory, error.message);
        return false;
    }
    bool good = all.count >= least;
    printf("%s: %zu races\n", directory, all.count);
    for (size_t i = 0; i < sizeof limits / sizeof *limits && good; i++)
        good = is_same(trace, &all, limits[i]);
    analyze_rows_clear(&all);
    sonde_trace_close(trace);
    return good;
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (!check(argv[i], (size_t)strtoul(argv[1], NULL, 10)))
            return 1;
    return argc > 2 ? 0 : 2;
}
