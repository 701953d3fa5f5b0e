#include "device/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/trace.h"

#define DEPTH 64u /* halvings */

/* A range that was taken back. */
struct attempt {
    uint64_t first, end;      /* groups */
    uint64_t instructions;    /* that it executed */
    uint64_t executed_before; /* by what was kept before it */
};

struct window {
    struct device_share *share;
    const struct emu_memory *memory;
    const struct emu_dispatch *dispatch;
    struct emu_result *result;
    struct device_window_pages *pages;
    struct attempt attempts[DEPTH];
    size_t depth;
};

static uint64_t group_total(const struct emu_dispatch *dispatch)
{
    uint64_t total = 1;
    for (unsigned axis = 0; axis < 3; axis++)
        total *= dispatch->group_end[axis] > dispatch->group_start[axis]
                     ? dispatch->group_end[axis] - dispatch->group_start[axis]
                     : 0;
    return total;
}

static int compare_pages(const void *a, const void *b)
{
    const struct device_saved_page *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* What pages held before the first range that changed them. */
static bool add_pages(struct device_window_pages *pages, const struct device_saved_page *saved,
                      size_t count)
{
    size_t known = pages->count;
    for (size_t i = 0; i < count; i++) {
        if (known > 0 &&
            bsearch(&saved[i], pages->items, known, sizeof *pages->items, compare_pages) != NULL)
            continue;
        void *items = pages->items;
        if (base_array_reserve(&items, &pages->capacity, pages->count + 1, sizeof *pages->items))
            return false;
        pages->items = items;
        struct device_saved_page *page = &pages->items[pages->count];
        *page = saved[i];
        page->before = malloc(DEVICE_PAGE_SIZE);
        if (page->before == NULL)
            return false;
        memcpy(page->before, saved[i].before, DEVICE_PAGE_SIZE);
        pages->count++;
    }
    if (pages->count > 1)
        qsort(pages->items, pages->count, sizeof *pages->items, compare_pages);
    return true;
}

void device_window_pages_clear(struct device_window_pages *pages)
{
    for (size_t i = 0; i < pages->count; i++)
        free(pages->items[i].before);
    free(pages->items);
    *pages = (struct device_window_pages){.items = NULL};
}

/* The attempts that end here: did their halves do the same? */
static void close_attempts(struct window *w, uint64_t at)
{
    while (w->depth > 0 && w->attempts[w->depth - 1].end == at) {
        const struct attempt *attempt = &w->attempts[--w->depth];
        if (w->result->instructions - attempt->executed_before != attempt->instructions)
            device_share_store(w->share, PROFILE_CONTROL_UNEQUAL,
                               device_share_load(w->share, PROFILE_CONTROL_UNEQUAL) + 1);
    }
}

/* Run groups [first, first + count); *again: they were taken back. */
static enum sonde_status run_range(struct window *w, uint64_t first, uint64_t count, bool *again,
                                   struct sonde_error *error)
{
    static const struct device_dry everything = {0, 0};
    struct device_space *space = w->share->process->space;
    struct emu_dispatch range = *w->dispatch;
    struct emu_result result = {0};
    const struct device_saved_page *pages;
    range.first_group = first;
    range.group_count = count;
    device_space_snapshot_begin(space);
    enum sonde_status status = emu_run(w->share->process->emu, w->memory, &range, &result, error);
    size_t page_count = device_space_snapshot_end(space, &pages);
    *again = status == SONDE_OK && !result.fault.occurred && count > 1 && w->depth < DEPTH &&
             !w->share->is_alone && device_share_load(w->share, PROFILE_CONTROL_OVERFLOW) != 0;
    if (*again) {
        device_dry_restore(space, pages, page_count, &everything);
        w->attempts[w->depth++] =
            (struct attempt){first, first + count, result.instructions, w->result->instructions};
        emu_result_clear(&result);
        return status;
    }
    if (w->pages != NULL && status == SONDE_OK && !add_pages(w->pages, pages, page_count))
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (!emu_result_add(w->result, &result) && status == SONDE_OK)
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    return status;
}

enum sonde_status device_window_run(struct device_share *share, const struct emu_memory *memory,
                                    const struct emu_dispatch *dispatch, struct emu_result *result,
                                    struct device_window_pages *pages, struct sonde_error *error)
{
    struct window w = {
        .share = share, .memory = memory, .dispatch = dispatch, .result = result, .pages = pages};
    uint64_t total = group_total(dispatch), size = total;
    enum sonde_status status = SONDE_OK;
    for (uint64_t at = 0; at < total && status == SONDE_OK && !result->fault.occurred;) {
        uint64_t end = w.depth > 0 ? w.attempts[w.depth - 1].end : total, count = end - at;
        bool again;
        if (count > size)
            count = size;
        status = run_range(&w, at, count, &again, error);
        if (again) {
            size = (count + 1) / 2;
            continue;
        }
        at += count;
        close_attempts(&w, at);
        if (at < total)
            device_share_empty(share);
    }
    return status;
}
