/* Tables of what tools counted at instructions. */
#include <stdlib.h>
#include <string.h>

#include "analyze/records.h"
#include "analyze/tables.h"

/* The counters of a tool summed over the dispatches of one kernel. */
struct sums {
    const struct sonde_trace_kernel *kernel;
    uint64_t *value[SONDE_TRACE_COUNTER_KIND_COUNT]; /* by instruction */
    bool *has;                                       /* by kind and instruction */
};

static void clear(struct sums *sums)
{
    for (unsigned k = 0; k < SONDE_TRACE_COUNTER_KIND_COUNT; k++)
        free(sums->value[k]);
    free(sums->has);
}

static bool sum_up(const struct sonde_trace *trace, const char *tool, uint32_t kernel,
                   struct sums *sums)
{
    size_t count = sums->kernel->instruction_count + 1;
    bool good = (sums->has = calloc(count * SONDE_TRACE_COUNTER_KIND_COUNT, sizeof(bool))) != NULL;
    for (unsigned k = 0; k < SONDE_TRACE_COUNTER_KIND_COUNT && good; k++)
        good = (sums->value[k] = calloc(count, sizeof(uint64_t))) != NULL;
    for (size_t i = 0; i < sonde_trace_counters_count(trace) && good; i++) {
        const struct sonde_trace_counters *counters = sonde_trace_counters(trace, i);
        if (counters->kernel != kernel || strcmp(counters->tool, tool) != 0)
            continue;
        for (size_t j = 0; j < counters->count; j++) {
            const struct sonde_trace_counter *item = &counters->items[j];
            if (item->kind >= SONDE_TRACE_COUNTER_KIND_COUNT)
                continue;
            sums->value[item->kind][item->instruction] += item->value;
            sums->has[item->kind * count + item->instruction] = true;
        }
    }
    return good;
}

static bool has(const struct sums *sums, enum sonde_trace_counter_kind kind, size_t instruction)
{
    return sums->has[kind * (sums->kernel->instruction_count + 1) + instruction];
}

static bool was_counted(const struct sonde_trace *trace, const char *tool, uint32_t kernel)
{
    for (size_t i = 0; i < sonde_trace_counters_count(trace); i++) {
        const struct sonde_trace_counters *counters = sonde_trace_counters(trace, i);
        if (counters->kernel == kernel && strcmp(counters->tool, tool) == 0)
            return true;
    }
    return false;
}

static uint32_t block_of(const struct sonde_trace_kernel *kernel, uint32_t instruction)
{
    for (uint32_t b = 0; b < kernel->block_count; b++)
        if (instruction - kernel->blocks[b].first < kernel->blocks[b].count)
            return b;
    return 0;
}

typedef bool add_rows(const struct sums *sums, const struct analyze_code *code,
                      struct analyze_rows *rows);

static enum sonde_status make_rows(const struct sonde_trace *trace,
                                   const struct analyze_matcher *matcher, const char *tool,
                                   add_rows *add, struct analyze_rows *rows,
                                   struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    for (uint32_t k = 0; k < sonde_trace_kernel_count(trace) && status == SONDE_OK; k++) {
        struct sums sums = {.kernel = sonde_trace_kernel(trace, k)};
        struct analyze_code code = {.kernel = NULL};
        if (!was_counted(trace, tool, k) || !analyze_matcher_accepts_kernel(matcher, sums.kernel))
            continue;
        status = analyze_code_open(sums.kernel, NULL, &code, error);
        if (status == SONDE_OK && (!sum_up(trace, tool, k, &sums) || !add(&sums, &code, rows)))
            status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
        analyze_code_close(&code);
        clear(&sums);
    }
    return status;
}

static bool add_simd(const struct sums *sums, const struct analyze_code *code,
                     struct analyze_rows *rows)
{
    for (uint32_t i = 0; i < code->count && i < sums->kernel->instruction_count; i++) {
        if (!has(sums, SONDE_TRACE_LANES, i))
            continue;
        struct analyze_row *row = analyze_rows_add(rows);
        if (row == NULL)
            return false;
        uint32_t block = block_of(sums->kernel, i);
        uint64_t times = sums->value[SONDE_TRACE_EXECUTIONS][sums->kernel->blocks[block].first];
        row->kernel = sums->kernel;
        row->instruction = i;
        row->block = block;
        strncpy(row->text, sonde_gen_opcode_mnemonic(code->instructions[i].opcode),
                sizeof row->text - 1);
        row->value[SIMD_WIDTH] = code->instructions[i].exec_size;
        row->value[SIMD_EXECUTIONS] = times;
        row->value[SIMD_LANES] = sums->value[SONDE_TRACE_LANES][i];
        row->value[SIMD_CAPACITY] = times * code->instructions[i].exec_size;
    }
    return true;
}

static bool add_time(const struct sums *sums, const struct analyze_code *code,
                     struct analyze_rows *rows)
{
    for (uint32_t i = 0; i < code->count && i < sums->kernel->instruction_count; i++) {
        if (!has(sums, SONDE_TRACE_CYCLES, i))
            continue;
        struct analyze_row *row = analyze_rows_add(rows);
        if (row == NULL)
            return false;
        row->kernel = sums->kernel;
        row->instruction = i;
        row->block = block_of(sums->kernel, i);
        strncpy(row->text, sonde_gen_opcode_mnemonic(code->instructions[i].opcode),
                sizeof row->text - 1);
        row->value[TIME_EXECUTIONS] = sums->value[SONDE_TRACE_EXECUTIONS][i];
        row->value[TIME_CYCLES] = sums->value[SONDE_TRACE_CYCLES][i];
        row->value[TIME_SKIPPED] = sums->value[SONDE_TRACE_SKIPPED][i];
        row->value[TIME_TIMED] = row->value[TIME_EXECUTIONS] - row->value[TIME_SKIPPED];
    }
    return true;
}

enum sonde_status analyze_simd(const struct sonde_trace *trace,
                               const struct analyze_matcher *matcher, struct analyze_rows *rows,
                               struct sonde_error *error)
{
    return make_rows(trace, matcher, "simdprof", add_simd, rows, error);
}

enum sonde_status analyze_latency(const struct sonde_trace *trace,
                                  const struct analyze_matcher *matcher, struct analyze_rows *rows,
                                  struct sonde_error *error)
{
    return make_rows(trace, matcher, "latency", add_time, rows, error);
}

enum sonde_status analyze_memory_latency(const struct sonde_trace *trace,
                                         const struct analyze_matcher *matcher,
                                         struct analyze_rows *rows, struct sonde_error *error)
{
    return make_rows(trace, matcher, "memlatency", add_time, rows, error);
}

enum sonde_status analyze_kernel_time(const struct sonde_trace *trace,
                                      const struct analyze_matcher *matcher,
                                      struct analyze_rows *rows, struct sonde_error *error)
{
    return make_rows(trace, matcher, "funtime", add_time, rows, error);
}
