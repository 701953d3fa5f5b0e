/* Which records of the two runs belong together. */
#include <stdlib.h>
#include <string.h>

#include "cli/verify.h"

/* --- which device record belongs to which dispatch ---------------------- */

static const struct truth_program *program_of(const struct truth_file *truth, uint32_t id)
{
    for (size_t i = 0; i < truth->program_count; i++) {
        if (truth->programs[i].id == id)
            return &truth->programs[i];
    }
    return NULL;
}

/* The code that a dispatch enters, as the driver was handed it. */
static const uint8_t *entered_code(const struct sonde_trace_kernel *kernel, bool instrumented,
                                   size_t *size)
{
    if (kernel->heap == NULL) {
        *size = kernel->original_size;
        return kernel->original;
    }
    size_t entry = instrumented ? kernel->instrumented_entry : 0;
    *size = entry <= kernel->heap_size ? kernel->heap_size - entry : 0;
    return kernel->heap + (kernel->heap_size - *size);
}

static bool runs_code(const struct truth_program *program, const uint8_t *code, size_t size)
{
    return program != NULL && program->size > 0 && program->size <= size &&
           memcmp(program->code, code, program->size) == 0;
}

/* Bytes from the kernel's start to its last entry: the driver may enter behind
 * the prolog that loads the local ids, which both bodies begin with. */
static uint32_t last_entry(const struct sonde_trace_kernel *kernel)
{
    uint32_t first = 0, offset = 0;
    for (size_t b = 0; b < kernel->block_count; b++)
        if (kernel->blocks[b].is_entry)
            first = kernel->blocks[b].first;
    for (uint32_t i = 0; i < first; i++) {
        struct sonde_gen_instruction instruction;
        if (sonde_gen_decode(kernel->platform, kernel->original, kernel->original_size, offset,
                             &instruction, NULL) != SONDE_OK)
            return 0;
        offset += instruction.size;
    }
    return offset;
}

/* Counts of a dispatch that entered late, by distance from the kernel's start. */
static void count_from_start(struct truth_dispatch *dispatch, uint32_t entry)
{
    dispatch->entry += entry;
    for (size_t i = 0; i < dispatch->count_count; i++)
        dispatch->counts[i].offset += entry;
}

/* The next device dispatch of the code that a trace dispatch entered, from
 * `from` on; SIZE_MAX none. */
static size_t find_part(struct verify_run *run, const struct sonde_trace_dispatch *dispatch,
                        const bool *taken, size_t from)
{
    const struct sonde_trace_kernel *kernel = sonde_trace_kernel(run->trace, dispatch->kernel);
    size_t size;
    const uint8_t *code = entered_code(kernel, dispatch->instrumented, &size);
    uint32_t late = last_entry(kernel);
    uint32_t process = sonde_trace_process(run->trace, dispatch->process)->process;
    for (size_t i = from; i < run->truth.dispatch_count; i++) {
        struct truth_dispatch *seen = &run->truth.dispatches[i];
        if (taken[i] || (seen->process != 0 && seen->process != process))
            continue;
        const struct truth_program *program = program_of(&run->truth, seen->program);
        bool from_start = runs_code(program, code, size);
        if (!from_start && (late > size || !runs_code(program, code + late, size - late)))
            continue;
        if (!from_start)
            count_from_start(seen, late);
        return i;
    }
    return SIZE_MAX;
}

static void match_dispatch(struct verify_run *run, size_t index, bool *taken, size_t *first_free,
                           size_t *listed)
{
    const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(run->trace, index);
    uint32_t wanted = dispatch->parts == 0 ? 1 : dispatch->parts;
    while (*first_free < run->truth.dispatch_count && taken[*first_free])
        (*first_free)++;
    run->parts[index] = (struct verify_parts){.first = *listed};
    size_t from = *first_free;
    for (uint32_t part = 0; part < wanted; part++) {
        size_t found = find_part(run, dispatch, taken, from);
        if (found == SIZE_MAX)
            break;
        taken[found] = true;
        run->part_list[(*listed)++] = found;
        run->parts[index].count++;
        from = found + 1;
    }
}

static uint32_t known_process(const struct verify_run *run, size_t truth)
{
    uint32_t id = run->truth.dispatches[truth].process;
    for (size_t i = 0; i < sonde_trace_process_count(run->trace); i++) {
        if (sonde_trace_process(run->trace, i)->process == id)
            return id;
    }
    return 0;
}

enum sonde_status verify_run_match(struct verify_run *run, struct sonde_error *error)
{
    size_t count = sonde_trace_dispatch_count(run->trace);
    bool *taken = calloc(run->truth.dispatch_count + 1, sizeof *taken);
    run->parts = calloc(count + 1, sizeof *run->parts);
    run->part_list = calloc(run->truth.dispatch_count + 1, sizeof *run->part_list);
    run->others = calloc(run->truth.dispatch_count + 1, sizeof *run->others);
    run->other_processes = calloc(run->truth.dispatch_count + 1, sizeof *run->other_processes);
    if (taken == NULL || run->parts == NULL || run->part_list == NULL || run->others == NULL ||
        run->other_processes == NULL) {
        free(taken);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    size_t first_free = 0, listed = 0;
    for (size_t i = 0; i < count; i++)
        match_dispatch(run, i, taken, &first_free, &listed);
    for (size_t i = 0; i < run->truth.dispatch_count; i++) {
        if (taken[i])
            continue;
        run->other_processes[run->other_count] = known_process(run, i);
        run->others[run->other_count++] = i;
    }
    free(taken);
    return SONDE_OK;
}

void verify_run_clear(struct verify_run *run)
{
    sonde_trace_close(run->trace);
    truth_file_clear(&run->truth);
    free(run->parts);
    free(run->part_list);
    free(run->others);
    free(run->other_processes);
    memset(run, 0, sizeof *run);
}

/* --- the writes of a dispatch ------------------------------------------------ */

static int compare_places(const void *a, const void *b)
{
    const struct truth_write *x = *(const struct truth_write *const *)a;
    const struct truth_write *y = *(const struct truth_write *const *)b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return x->offset == y->offset ? 0 : x->offset < y->offset ? -1 : 1;
}

static void list_writes(const struct truth_write *writes, size_t count, uint32_t profile_bti,
                        struct verify_writes *list)
{
    for (size_t i = 0; i < count; i++) {
        const struct truth_write *write = &writes[i];
        if (write->kind == TRUTH_WRITE_SCRATCH ||
            (write->kind == TRUTH_WRITE_SURFACE && write->index == profile_bti))
            continue;
        list->items[list->count++] = write;
    }
}

bool verify_list_writes(const struct truth_dispatch *dispatch, uint32_t profile_bti,
                        struct verify_writes *list)
{
    list->count = 0;
    list->items = calloc(dispatch->write_count + dispatch->kept_count + 1, sizeof *list->items);
    if (list->items == NULL)
        return false;
    list_writes(dispatch->writes, dispatch->write_count, profile_bti, list);
    list_writes(dispatch->kept, dispatch->kept_count, profile_bti, list);
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_places);
    return true;
}

/* --- which process of one run is which of the other ---------------------------- */

/* A process with what it did, to be recognised by. */
struct candidate {
    struct verify_process process;
    uint64_t kernels; /* hash of the kernels dispatched, in order */
    bool paired;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value;
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

static uint32_t profile_of(const struct verify_run *run, size_t index)
{
    return sonde_trace_kernel(run->trace, sonde_trace_dispatch(run->trace, index)->kernel)
        ->profile_bti;
}

/* Did dispatch `first` of one run and `second` of the other? */
static bool dispatches_agree(const struct verify_run *original, size_t first,
                             const struct verify_run *instrumented, size_t second)
{
    struct verify_result result = {.differences = 0};
    const struct truth_dispatch *a, *b;
    bool compared = true;
    for (size_t p = 0; compared && (a = verify_part(original, first, p)) != NULL &&
                       (b = verify_part(instrumented, second, p)) != NULL;
         p++)
        compared = verify_compare_writes(&result, "", a, profile_of(original, first), b,
                                         profile_of(instrumented, second), NULL) == SONDE_OK;
    free(result.details.data);
    return compared && result.differences == 0;
}

static bool wrote_the_same(const struct verify_run *original, const struct verify_process *a,
                           const struct verify_run *instrumented, const struct verify_process *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (!dispatches_agree(original, a->first + i, instrumented, b->first + i))
            return false;
    return true;
}

/* The dispatches of a process follow each other in the trace. */
static struct candidate *list_processes(const struct verify_run *run, size_t *count)
{
    *count = sonde_trace_process_count(run->trace);
    struct candidate *list = calloc(*count + 1, sizeof *list);
    for (size_t i = 0; i < *count && list != NULL; i++)
        list[i].process.id = sonde_trace_process(run->trace, i)->process;
    for (size_t i = 0; i < sonde_trace_dispatch_count(run->trace) && list != NULL; i++) {
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(run->trace, i);
        const struct sonde_trace_kernel *kernel = sonde_trace_kernel(run->trace, dispatch->kernel);
        struct candidate *candidate = &list[dispatch->process];
        if (candidate->process.count++ == 0)
            candidate->process.first = i;
        candidate->kernels = mix(candidate->kernels, kernel->hash);
    }
    return list;
}

/* What there is to tell of the two processes of which it is asked. */
struct match {
    const struct verify_run *original, *instrumented;
    int pass;
};

static bool belong_together(const struct match *match, const struct candidate *a,
                            const struct candidate *b)
{
    if (a->paired || b->paired)
        return false;
    return match->pass == 2 ||
           (a->kernels == b->kernels &&
            (match->pass == 1 ||
             wrote_the_same(match->original, &a->process, match->instrumented, &b->process)));
}

/* Processes that dispatched the same and wrote the same; then those that
 * dispatched the same; then what is left, in order of start. */
static size_t pair_lists(struct match *match, struct candidate *left, size_t left_count,
                         struct candidate *right, size_t right_count, struct verify_pair *pairs)
{
    size_t count = 0;
    for (match->pass = left_count == 1 && right_count == 1 ? 2 : 0; match->pass < 3;
         match->pass++) {
        for (size_t i = 0; i < left_count; i++) {
            for (size_t j = 0; j < right_count; j++) {
                if (!belong_together(match, &left[i], &right[j]))
                    continue;
                left[i].paired = right[j].paired = true;
                pairs[count++] = (struct verify_pair){left[i].process, right[j].process};
            }
        }
    }
    for (size_t i = 0; i < left_count; i++) {
        if (!left[i].paired)
            pairs[count++] = (struct verify_pair){.original = left[i].process};
    }
    for (size_t j = 0; j < right_count; j++) {
        if (!right[j].paired)
            pairs[count++] = (struct verify_pair){.instrumented = right[j].process};
    }
    return count;
}

enum sonde_status verify_pair_processes(const struct verify_run *original,
                                        const struct verify_run *instrumented,
                                        struct verify_pair **pairs, size_t *count,
                                        struct sonde_error *error)
{
    size_t left_count, right_count;
    struct candidate *left = list_processes(original, &left_count);
    struct candidate *right = list_processes(instrumented, &right_count);
    *pairs = calloc(left_count + right_count + 1, sizeof **pairs);
    bool done = left != NULL && right != NULL && *pairs != NULL;
    struct match match = {.original = original, .instrumented = instrumented};
    if (done)
        *count = pair_lists(&match, left, left_count, right, right_count, *pairs);
    free(left);
    free(right);
    return done ? SONDE_OK : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}
