#include "cli/verify_scope.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_DETAILS = 20 };

typedef unsigned long long ull;

void verify_differ(struct verify_result *result, const char *format, ...)
{
    result->differences++;
    if (result->differences > MAXIMUM_DETAILS)
        return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    report_text_add(&result->details, "  %s\n", line);
}

#define differ verify_differ

/* --- what was executed ------------------------------------------------------ */

/* The device's counts of original instruction `index` in a dispatch that
 * entered the original or the instrumented body. */
static struct truth_count count_of(const struct sonde_trace_kernel *kernel, uint32_t original,
                                   size_t index, bool instrumented,
                                   const struct truth_dispatch *dispatch)
{
    uint32_t offset = original;
    if (instrumented) {
        offset = kernel->instruction_offsets[index];
        if (offset == UINT32_MAX)
            return (struct truth_count){.offset = offset};
        offset -= kernel->instrumented_entry;
    }
    return verify_count_at(dispatch, offset);
}

/* Executions and active lanes of each instruction in both runs. */
static void compare_executions(struct verify_result *result, const char *where,
                               const struct sonde_trace_kernel *kernel,
                               const struct sonde_gen_instruction *instructions, size_t count,
                               const struct truth_dispatch *a, const struct truth_dispatch *b)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t offset = instructions[i].offset;
        struct truth_count left = count_of(kernel, offset, i, false, a);
        struct truth_count right = count_of(kernel, offset, i, true, b);
        result->instructions++;
        if (left.executions != right.executions || left.lanes != right.lanes)
            differ(result,
                   "%s, instruction at 0x%x: executed %llu times with %llu lanes in the original "
                   "run, %llu times with %llu lanes in the instrumented run",
                   where, offset, (ull)left.executions, (ull)left.lanes, (ull)right.executions,
                   (ull)right.lanes);
    }
}

/* A tool's block counts against the device's counts of every instruction of
 * the block. */
static void compare_tool(struct verify_result *result, const char *where,
                         const struct sonde_trace_kernel *kernel,
                         const struct sonde_gen_instruction *instructions, size_t count,
                         const struct sonde_trace_block_counts *counts,
                         const struct truth_dispatch *a, const struct truth_dispatch *b)
{
    for (size_t block = 0; block < counts->count; block++) {
        const struct sonde_trace_block *range = &kernel->blocks[block];
        result->counts++;
        for (size_t i = range->first; i < (size_t)range->first + range->count && i < count; i++) {
            uint32_t offset = instructions[i].offset;
            struct truth_count left = count_of(kernel, offset, i, false, a);
            struct truth_count right = count_of(kernel, offset, i, true, b);
            if (counts->counts[block] == left.executions &&
                counts->counts[block] == right.executions)
                continue;
            differ(result,
                   "%s, block %zu: %s counted %llu executions; at 0x%x the device counted %llu "
                   "(original run) and %llu (instrumented run)",
                   where, block, counts->tool, (ull)counts->counts[block], offset,
                   (ull)left.executions, (ull)right.executions);
            break;
        }
    }
}

/* The visits of blocks that a trace counted against the device's counts, and
 * the bytes it was predicted to need. Returns how many traces there are. */
static size_t compare_records(struct verify_result *result, const char *where,
                              const struct sonde_trace *trace,
                              const struct sonde_trace_kernel *kernel, uint32_t dispatch,
                              const struct sonde_gen_instruction *instructions, size_t count,
                              const struct truth_dispatch *device)
{
    const struct sonde_record_layout *layout = sonde_trace_record_layout(trace, kernel->id);
    size_t found = 0;
    for (size_t i = 0; i < sonde_trace_record_totals_count(trace) && layout != NULL; i++) {
        const struct sonde_trace_record_totals *totals = sonde_trace_record_totals(trace, i);
        if (totals->dispatch != dispatch)
            continue;
        found++;
        if (totals->predicted != UINT64_MAX &&
            totals->predicted != totals->used + totals->lost_bytes)
            differ(result, "%s: %llu bytes of records were predicted, %llu made", where,
                   (ull)totals->predicted, (ull)(totals->used + totals->lost_bytes));
        for (size_t b = 0; b < kernel->block_count; b++) {
            size_t first = kernel->blocks[b].first;
            if (layout->blocks[b].size == 0 || first >= count)
                continue;
            struct truth_count seen =
                count_of(kernel, instructions[first].offset, first, true, device);
            result->counts++;
            if (totals->visits[b] != seen.executions)
                differ(result,
                       "%s, block %zu: %llu visits recorded or lost, the device counted %llu",
                       where, b, (ull)totals->visits[b], (ull)seen.executions);
        }
    }
    return found;
}

/* Every execution that was not skipped is in one bin of its histogram. */
static void check_histogram(struct verify_result *result, const char *where,
                            const struct sonde_trace_counters *counters, size_t executions)
{
    uint64_t sum = 0;
    bool any = false;
    const struct sonde_trace_counter *all = &counters->items[executions];
    for (size_t i = 0; i < counters->count; i++) {
        const struct sonde_trace_counter *item = &counters->items[i];
        bool is_bin = item->kind - SONDE_TRACE_BIN < SONDE_TRACE_BIN_COUNT;
        if (item->instruction == all->instruction && (is_bin || item->kind == SONDE_TRACE_SKIPPED))
            sum += item->value;
        any = any || (is_bin && item->instruction == all->instruction);
    }
    if (any && sum != all->value)
        differ(result,
               "%s, instruction %u: %s has %llu values in its histogram for %llu executions", where,
               all->instruction, counters->tool, (ull)sum, (ull)all->value);
}

/* Executions and lanes that tools counted at instructions, against the device's
 * own in both runs. Returns how many tools there are. */
static size_t compare_counters(struct verify_result *result, const char *where,
                               const struct sonde_trace *trace,
                               const struct sonde_trace_kernel *kernel, uint32_t dispatch,
                               const struct sonde_gen_instruction *instructions, size_t count,
                               const struct truth_dispatch *a, const struct truth_dispatch *b)
{
    size_t found = 0;
    for (size_t i = 0; i < sonde_trace_counters_count(trace); i++) {
        const struct sonde_trace_counters *counters = sonde_trace_counters(trace, i);
        if (counters->dispatch != dispatch)
            continue;
        found++;
        for (size_t j = 0; j < counters->count; j++) {
            const struct sonde_trace_counter *item = &counters->items[j];
            bool lanes = item->kind == SONDE_TRACE_LANES;
            if (item->instruction >= count || (!lanes && item->kind != SONDE_TRACE_EXECUTIONS))
                continue;
            if (!lanes)
                check_histogram(result, where, counters, j);
            uint32_t offset = instructions[item->instruction].offset;
            struct truth_count x = count_of(kernel, offset, item->instruction, false, a);
            struct truth_count y = count_of(kernel, offset, item->instruction, true, b);
            result->counts++;
            if (item->value != (lanes ? x.lanes : x.executions) ||
                item->value != (lanes ? y.lanes : y.executions))
                differ(result, "%s, instruction at 0x%x: %s counted %llu %s, the device %llu",
                       where, offset, counters->tool, (ull)item->value,
                       lanes ? "lanes" : "executions", (ull)(lanes ? y.lanes : y.executions));
        }
    }
    return found;
}

static enum sonde_status compare_counts(struct verify_result *result, const char *where,
                                        const struct verify_run *instrumented, size_t index,
                                        const struct truth_dispatch *a,
                                        const struct truth_dispatch *b, struct sonde_error *error)
{
    const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(instrumented->trace, index);
    const struct sonde_trace_kernel *kernel =
        sonde_trace_kernel(instrumented->trace, dispatch->kernel);
    struct sonde_gen_instruction *instructions = NULL;
    size_t count = 0;
    enum sonde_status status = sonde_gen_decode_all(
        kernel->platform, kernel->original, kernel->original_size, &instructions, &count, error);
    if (status != SONDE_OK)
        return status;
    if (kernel->instruction_offsets == NULL)
        count = 0;
    else if (count > kernel->instruction_count)
        count = kernel->instruction_count;
    struct profile_scope scope;
    struct truth_dispatch inside = {.counts = NULL};
    if (verify_scope_of(instrumented->trace, dispatch->id, &scope)) {
        verify_scope_check(result, where, kernel, &scope, b);
        if (!verify_scope_subtract(kernel, a, b, &inside)) {
            free(instructions);
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
        }
        a = &inside;
    }
    compare_executions(result, where, kernel, instructions, count, a, b);
    size_t found = 0;
    for (size_t i = 0; i < sonde_trace_block_counts_count(instrumented->trace); i++) {
        const struct sonde_trace_block_counts *counts =
            sonde_trace_block_counts(instrumented->trace, i);
        if (counts->dispatch != dispatch->id)
            continue;
        found++;
        compare_tool(result, where, kernel, instructions, count, counts, a, b);
    }
    found += compare_counters(result, where, instrumented->trace, kernel, dispatch->id,
                              instructions, count, a, b);
    found += compare_records(result, where, instrumented->trace, kernel, dispatch->id, instructions,
                             count, b);
    if (found == 0)
        differ(result, "%s: ran instrumented, but left no counts", where);
    free(inside.counts);
    free(instructions);
    return SONDE_OK;
}

/* --- dispatch by dispatch ------------------------------------------------------ */

static void check_shape(struct verify_result *result, const char *where,
                        const struct truth_dispatch *a, const struct truth_dispatch *b)
{
    if (a->fault || b->fault)
        differ(result, "%s: the device stopped on a fault in the %s run", where,
               a->fault && b->fault ? "original and the instrumented"
               : a->fault           ? "original"
                                    : "instrumented");
    if (memcmp(a->groups, b->groups, sizeof a->groups) != 0 ||
        a->threads_per_group != b->threads_per_group || a->simd != b->simd)
        differ(result, "%s: dispatched with another grid", where);
}

/* What each of the device's dispatches of an enqueue wrote, and over which grid. */
static enum sonde_status compare_parts(struct verify_result *result, const char *where,
                                       const struct verify_run *original, size_t first,
                                       const struct verify_run *instrumented, size_t second,
                                       struct sonde_error *error)
{
    size_t count = original->parts[first].count;
    uint32_t left = sonde_trace_dispatch(original->trace, first)->kernel;
    uint32_t right = sonde_trace_dispatch(instrumented->trace, second)->kernel;
    enum sonde_status status = SONDE_OK;
    if (count != instrumented->parts[second].count) {
        differ(result,
               "%s: the device made %zu dispatches of it in the original run, %zu in the "
               "instrumented run",
               where, count, instrumented->parts[second].count);
        return SONDE_OK;
    }
    for (size_t i = 0; i < count && status == SONDE_OK; i++) {
        const struct truth_dispatch *a = verify_part(original, first, i);
        const struct truth_dispatch *b = verify_part(instrumented, second, i);
        check_shape(result, where, a, b);
        status = verify_compare_writes(
            result, where, a, sonde_trace_kernel(original->trace, left)->profile_bti, b,
            sonde_trace_kernel(instrumented->trace, right)->profile_bti, error);
    }
    return status;
}

/* What was executed in all parts of an instrumented dispatch, and recorded of it. */
static enum sonde_status compare_whole(struct verify_result *result, const char *where,
                                       const struct verify_run *original, size_t first,
                                       const struct verify_run *instrumented, size_t second,
                                       struct sonde_error *error)
{
    struct truth_dispatch a = {.counts = NULL}, b = {.counts = NULL};
    enum sonde_status status = SONDE_ERROR_MEMORY;
    if (verify_join_parts(original, first, &a) && verify_join_parts(instrumented, second, &b)) {
        result->instrumented++;
        result->original_executed += a.instructions;
        result->instrumented_executed += b.instructions;
        status =
            verify_compare_events(result, where, instrumented->trace,
                                  sonde_trace_dispatch(instrumented->trace, second)->id, &b, error);
        if (status == SONDE_OK)
            status = compare_counts(result, where, instrumented, second, &a, &b, error);
    } else {
        sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    verify_join_clear(&a);
    verify_join_clear(&b);
    return status;
}

/* Dispatch `first` of the original run and `second` of the instrumented one. */
static enum sonde_status compare_dispatch(const struct verify_run *original, size_t first,
                                          const struct verify_run *instrumented, size_t second,
                                          struct verify_result *result, struct sonde_error *error)
{
    const struct sonde_trace_dispatch *left = sonde_trace_dispatch(original->trace, first);
    const struct sonde_trace_dispatch *right = sonde_trace_dispatch(instrumented->trace, second);
    const struct sonde_trace_kernel *x = sonde_trace_kernel(original->trace, left->kernel);
    const struct sonde_trace_kernel *y = sonde_trace_kernel(instrumented->trace, right->kernel);
    char where[200];
    snprintf(where, sizeof where, "dispatch %zu, kernel %.120s", second, y->name);
    result->dispatches++;
    if (x->hash != y->hash || strcmp(x->name, y->name) != 0) {
        differ(result, "%s: the original run executed kernel %s there, or another binary of it",
               where, x->name);
        return SONDE_OK;
    }
    const struct verify_run *never = verify_part(original, first, 0) == NULL        ? original
                                     : verify_part(instrumented, second, 0) == NULL ? instrumented
                                                                                    : NULL;
    if (never != NULL) {
        differ(result, "%s: the device never executed it in the %s run", where, never->name);
        return SONDE_OK;
    }
    enum sonde_status status =
        compare_parts(result, where, original, first, instrumented, second, error);
    if (status != SONDE_OK || !right->instrumented)
        return status;
    return compare_whole(result, where, original, first, instrumented, second, error);
}

/* The next of a run's other dispatches that belongs to `process`, from *next
 * on; NULL when there is none. */
static const struct truth_dispatch *next_other(const struct verify_run *run, uint32_t process,
                                               size_t *next)
{
    while (*next < run->other_count) {
        size_t i = (*next)++;
        if (run->other_processes[i] == process)
            return &run->truth.dispatches[run->others[i]];
    }
    return NULL;
}

/* The driver's own kernels, which the trace does not have. */
static enum sonde_status compare_others(const struct verify_run *original, uint32_t first,
                                        const struct verify_run *instrumented, uint32_t second,
                                        struct verify_result *result, struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    size_t i = 0, j = 0;
    for (size_t number = 0; status == SONDE_OK; number++) {
        const struct truth_dispatch *a = next_other(original, first, &i);
        const struct truth_dispatch *b = next_other(instrumented, second, &j);
        char where[64];
        snprintf(where, sizeof where, "dispatch %zu of the driver's own kernels", number);
        if (a == NULL && b == NULL)
            break;
        if (a == NULL || b == NULL) {
            differ(result, "%s: only in the %s run", where,
                   a != NULL ? "original" : "instrumented");
            continue;
        }
        result->other_dispatches++;
        check_shape(result, where, a, b);
        status = verify_compare_writes(result, where, a, UINT32_MAX, b, UINT32_MAX, error);
    }
    return status;
}

/* --- what the program printed --------------------------------------------------- */

static enum sonde_status read_output(const char *path, struct report_text *text,
                                     struct sonde_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return sonde_error_set(error, SONDE_ERROR_IO, 0, "cannot read %s", path);
    char chunk[16384];
    size_t size;
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
        report_text_add_bytes(text, chunk, size);
    fclose(file);
    return text->failed ? sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory") : SONDE_OK;
}

static void compare_texts(struct verify_result *result, const struct report_text *a,
                          const struct report_text *b)
{
    size_t i = 0, line = 1;
    while (i < a->size && i < b->size && a->data[i] == b->data[i])
        line += a->data[i++] == '\n';
    result->output_bytes = a->size;
    if (i < a->size || i < b->size)
        differ(result,
               "standard output, line %zu (byte %zu): %zu bytes in the original run, %zu in "
               "the instrumented run",
               line, i, a->size, b->size);
}

static enum sonde_status compare_output(const struct verify_run *original,
                                        const struct verify_run *instrumented,
                                        struct verify_result *result, struct sonde_error *error)
{
    struct report_text a = {.data = NULL}, b = {.data = NULL};
    enum sonde_status status = read_output(original->output, &a, error);
    if (status == SONDE_OK)
        status = read_output(instrumented->output, &b, error);
    if (status == SONDE_OK)
        compare_texts(result, &a, &b);
    if (original->exit_status != instrumented->exit_status)
        differ(result, "exit status: %d in the original run, %d in the instrumented run",
               original->exit_status, instrumented->exit_status);
    free(a.data);
    free(b.data);
    return status;
}

static enum sonde_status compare_processes(const struct verify_run *original,
                                           const struct verify_run *instrumented,
                                           const struct verify_pair *pair,
                                           struct verify_result *result, struct sonde_error *error)
{
    const struct verify_process *left = &pair->original, *right = &pair->instrumented;
    if (left->count != right->count)
        differ(result, "%zu dispatches in the original run, %zu in the instrumented run",
               left->count, right->count);
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < left->count && i < right->count && status == SONDE_OK; i++)
        status = compare_dispatch(original, left->first + i, instrumented, right->first + i, result,
                                  error);
    if (status == SONDE_OK && (left->id != 0 || right->id != 0))
        status = compare_others(original, left->id, instrumented, right->id, result, error);
    return status;
}

enum sonde_status verify_compare(const struct verify_run *original,
                                 const struct verify_run *instrumented,
                                 struct verify_result *result, struct sonde_error *error)
{
    memset(result, 0, sizeof *result);
    struct verify_pair *pairs = NULL;
    size_t count = 0;
    enum sonde_status status = verify_pair_processes(original, instrumented, &pairs, &count, error);
    for (size_t i = 0; i < count && status == SONDE_OK; i++)
        status = compare_processes(original, instrumented, &pairs[i], result, error);
    free(pairs);
    if (status == SONDE_OK)
        status = compare_others(original, 0, instrumented, 0, result, error);
    if (status == SONDE_OK)
        status = compare_output(original, instrumented, result, error);
    if (result->differences > MAXIMUM_DETAILS)
        report_text_add(&result->details, "  ... and %llu more\n",
                        (ull)(result->differences - MAXIMUM_DETAILS));
    return status;
}
