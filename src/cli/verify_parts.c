/* The device's dispatches of one enqueue, taken together: where work-groups do
 * not divide the range, the driver makes several. */
#include <stdlib.h>
#include <string.h>

#include "cli/verify.h"

const struct truth_dispatch *verify_part(const struct verify_run *run, size_t index, size_t part)
{
    const struct verify_parts *parts = &run->parts[index];
    return part < parts->count ? &run->truth.dispatches[run->part_list[parts->first + part]] : NULL;
}

static int compare_offsets(const void *a, const void *b)
{
    const struct truth_count *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sort, and sum what stands at one offset. */
static size_t sum_counts(struct truth_count *counts, size_t count)
{
    size_t used = 0;
    if (count > 1)
        qsort(counts, count, sizeof *counts, compare_offsets);
    for (size_t i = 0; i < count; i++) {
        if (used > 0 && counts[used - 1].offset == counts[i].offset) {
            counts[used - 1].executions += counts[i].executions;
            counts[used - 1].lanes += counts[i].lanes;
        } else {
            counts[used++] = counts[i];
        }
    }
    return used;
}

bool verify_join_parts(const struct verify_run *run, size_t index, struct truth_dispatch *whole)
{
    const struct truth_dispatch *part;
    size_t counts = 0, threads = 0;
    for (size_t i = 0; (part = verify_part(run, index, i)) != NULL; i++) {
        counts += part->count_count;
        threads += part->thread_count;
    }
    *whole = *verify_part(run, index, 0);
    whole->counts = calloc(counts + 1, sizeof *whole->counts);
    whole->threads = calloc(threads + 1, sizeof *whole->threads);
    whole->instructions = whole->lanes = 0;
    whole->count_count = whole->thread_count = 0;
    if (whole->counts == NULL || whole->threads == NULL) {
        verify_join_clear(whole);
        return false;
    }
    for (size_t i = 0; (part = verify_part(run, index, i)) != NULL; i++) {
        if (part->count_count > 0)
            memcpy(whole->counts + whole->count_count, part->counts,
                   part->count_count * sizeof *part->counts);
        if (part->thread_count > 0)
            memcpy(whole->threads + whole->thread_count, part->threads,
                   part->thread_count * sizeof *part->threads);
        whole->count_count += part->count_count;
        whole->thread_count += part->thread_count;
        whole->instructions += part->instructions;
        whole->lanes += part->lanes;
    }
    whole->count_count = sum_counts(whole->counts, whole->count_count);
    return true;
}

void verify_join_clear(struct truth_dispatch *whole)
{
    free(whole->counts);
    free(whole->threads);
    whole->counts = NULL;
    whole->threads = NULL;
}
