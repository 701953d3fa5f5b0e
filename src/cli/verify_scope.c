#include "cli/verify_scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool verify_scope_of(const struct sonde_trace *trace, uint32_t dispatch,
                     struct profile_scope *scope)
{
    uint32_t process = sonde_trace_dispatch(trace, dispatch)->process;
    const char *text = sonde_trace_process(trace, process)->scope;
    struct sonde_error error;
    *scope = (struct profile_scope){.fields = {{.is_given = false}}};
    while (text != NULL && *text != '\0') {
        char word[256];
        size_t length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (strncmp(word, "threads=", 8) == 0)
            profile_scope_parse_threads(word + 8, "threads", scope, &error);
        else if (strncmp(word, "groups=", 7) == 0)
            profile_scope_parse_groups(word + 7, "groups", scope, &error);
        text += length;
        text += *text == ' ';
    }
    return !profile_scope_is_all(scope);
}

static int compare_count(const void *key, const void *item)
{
    uint32_t offset = *(const uint32_t *)key;
    const struct truth_count *count = item;
    return offset == count->offset ? 0 : offset < count->offset ? -1 : 1;
}

struct truth_count verify_count_at(const struct truth_dispatch *dispatch, uint32_t offset)
{
    const struct truth_count *found = NULL;
    if (dispatch->count_count > 0)
        found =
            bsearch(&offset, dispatch->counts, dispatch->count_count, sizeof *found, compare_count);
    return found != NULL ? *found : (struct truth_count){.offset = offset};
}

bool verify_scope_subtract(const struct sonde_trace_kernel *kernel,
                           const struct truth_dispatch *original,
                           const struct truth_dispatch *instrumented, struct truth_dispatch *inside)
{
    *inside = *original;
    inside->counts = malloc((original->count_count + 1) * sizeof *inside->counts);
    for (size_t i = 0; inside->counts != NULL && i < original->count_count; i++) {
        struct truth_count *count = &inside->counts[i];
        *count = original->counts[i];
        struct truth_count outside =
            verify_count_at(instrumented, count->offset - kernel->instrumented_entry);
        count->executions -= outside.executions;
        count->lanes -= outside.lanes;
    }
    return inside->counts != NULL;
}

bool verify_scope_choose(const struct sonde_trace *trace, uint32_t dispatch,
                         const struct truth_dispatch *device, struct truth_dispatch *chosen)
{
    struct profile_scope scope;
    uint32_t kernel = sonde_trace_dispatch(trace, dispatch)->kernel;
    enum sonde_gen_platform platform = sonde_trace_kernel(trace, kernel)->platform;
    bool all = !verify_scope_of(trace, dispatch, &scope);
    *chosen = *device;
    chosen->thread_count = 0;
    chosen->threads = malloc((device->thread_count + 1) * sizeof *chosen->threads);
    for (size_t i = 0; chosen->threads != NULL && i < device->thread_count; i++) {
        const struct truth_thread *thread = &device->threads[i];
        if (all || profile_scope_selects(&scope, platform, thread->state, thread->group))
            chosen->threads[chosen->thread_count++] = *thread;
    }
    return chosen->threads != NULL;
}

void verify_scope_check(struct verify_result *result, const char *where,
                        const struct sonde_trace_kernel *kernel, const struct profile_scope *scope,
                        const struct truth_dispatch *instrumented)
{
    uint64_t selected = 0, entered = 0;
    uint32_t first = 0;
    for (size_t i = 0; i < instrumented->thread_count; i++)
        selected += profile_scope_selects(scope, kernel->platform, instrumented->threads[i].state,
                                          instrumented->threads[i].group);
    /* The last entry is the one that every thread passes. */
    for (size_t b = 0; b < kernel->block_count; b++)
        if (kernel->blocks[b].is_entry)
            first = kernel->blocks[b].first;
    if (kernel->instruction_offsets != NULL && first < kernel->instruction_count &&
        kernel->instruction_offsets[first] != UINT32_MAX)
        entered = verify_count_at(instrumented,
                                  kernel->instruction_offsets[first] - kernel->instrumented_entry)
                      .executions;
    result->counts++;
    if (instrumented->thread_count > 0 && entered != selected)
        verify_differ(result,
                      "%s: %llu threads were instrumented, --threads and --groups choose %llu",
                      where, (unsigned long long)entered, (unsigned long long)selected);
}
