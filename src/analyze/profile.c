#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "base/array.h"

int analyze_mix_row_compare(const void *a, const void *b)
{
    const struct analyze_mix_row *x = a, *y = b;
    if (x->opcode != y->opcode) {
        int names =
            strcmp(sonde_gen_opcode_mnemonic(x->opcode), sonde_gen_opcode_mnemonic(y->opcode));
        return names != 0 ? names : (x->opcode < y->opcode ? -1 : 1);
    }
    if (x->simd != y->simd)
        return x->simd < y->simd ? -1 : 1;
    return x->type == y->type ? 0 : x->type < y->type ? -1 : 1;
}

static enum sonde_gen_type data_type(const struct sonde_gen_instruction *instruction)
{
    if (instruction->source_count == 0 || instruction->src[0].file == SONDE_GEN_FILE_NONE ||
        instruction->src[0].type >= SONDE_GEN_TYPE_NONE)
        return SONDE_GEN_TYPE_UD;
    return (enum sonde_gen_type)instruction->src[0].type;
}

struct analyze_mix_row analyze_mix_row_of(const struct sonde_gen_instruction *instruction)
{
    return (struct analyze_mix_row){
        .opcode = (enum sonde_gen_opcode)instruction->opcode,
        .simd = instruction->exec_size,
        .type = data_type(instruction),
    };
}

static enum sonde_status mix_add(struct analyze_mix *mix, const struct analyze_mix_row *row)
{
    mix->static_count += row->static_count;
    mix->dynamic_count += row->dynamic_count;
    for (size_t i = 0; i < mix->count; i++) {
        if (analyze_mix_row_compare(&mix->rows[i], row) == 0) {
            mix->rows[i].static_count += row->static_count;
            mix->rows[i].dynamic_count += row->dynamic_count;
            return SONDE_OK;
        }
    }
    enum sonde_status status =
        base_array_reserve((void **)&mix->rows, &mix->capacity, mix->count + 1, sizeof *mix->rows);
    if (status == SONDE_OK)
        mix->rows[mix->count++] = *row;
    return status;
}

static void mix_sort(struct analyze_mix *mix)
{
    if (mix->count > 1)
        qsort(mix->rows, mix->count, sizeof *mix->rows, analyze_mix_row_compare);
}

static bool same_binary(const struct sonde_trace_kernel *a, const struct sonde_trace_kernel *b)
{
    return a == b || (a->hash == b->hash && a->platform == b->platform &&
                      a->block_count == b->block_count && strcmp(a->name, b->name) == 0);
}

static enum sonde_status check_blocks(const struct sonde_trace_kernel *kernel, size_t instructions,
                                      struct sonde_error *error)
{
    for (size_t i = 0; i < kernel->block_count; i++) {
        const struct sonde_trace_block *block = &kernel->blocks[i];
        if (block->first > instructions || block->count > instructions - block->first)
            return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                                   "kernel %s: block %zu covers instructions %u to %llu of %zu",
                                   kernel->name, i, block->first,
                                   (unsigned long long)block->first + block->count, instructions);
    }
    return SONDE_OK;
}

static enum sonde_status kernel_begin(struct analyze_kernel *result,
                                      const struct sonde_trace_kernel *kernel,
                                      struct sonde_error *error)
{
    result->kernel = kernel;
    enum sonde_status status =
        sonde_gen_decode_all(kernel->platform, kernel->original, kernel->original_size,
                             &result->instructions, &result->instruction_count, error);
    if (status != SONDE_OK) {
        sonde_error_prefix(error, "kernel %s", kernel->name);
        return status;
    }
    status = check_blocks(kernel, result->instruction_count, error);
    if (status != SONDE_OK)
        return status;
    result->block_executions = calloc(kernel->block_count + 1, sizeof(uint64_t));
    result->instruction_executions = calloc(result->instruction_count + 1, sizeof(uint64_t));
    if (result->block_executions == NULL || result->instruction_executions == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    return SONDE_OK;
}

static enum sonde_status find_kernel(struct analyze_profile *profile,
                                     const struct sonde_trace_kernel *kernel,
                                     struct analyze_kernel **found, struct sonde_error *error)
{
    for (size_t i = 0; i < profile->kernel_count; i++) {
        if (same_binary(profile->kernels[i].kernel, kernel)) {
            *found = &profile->kernels[i];
            return SONDE_OK;
        }
    }
    if (base_array_reserve((void **)&profile->kernels, &profile->kernel_capacity,
                           profile->kernel_count + 1, sizeof *profile->kernels) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    *found = &profile->kernels[profile->kernel_count++];
    memset(*found, 0, sizeof **found);
    return kernel_begin(*found, kernel, error);
}

static enum sonde_status add_counts(struct analyze_profile *profile,
                                    const struct sonde_trace_kernel *kernel,
                                    const struct sonde_trace_block_counts *counts,
                                    struct sonde_error *error)
{
    if (counts->count != kernel->block_count)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                               "dispatch %u: %zu block counts for kernel %s of %zu blocks",
                               counts->dispatch, counts->count, kernel->name, kernel->block_count);
    struct analyze_kernel *result = NULL;
    enum sonde_status status = find_kernel(profile, kernel, &result, error);
    if (status != SONDE_OK)
        return status;
    result->dispatches++;
    for (size_t i = 0; i < counts->count; i++)
        result->block_executions[i] += counts->counts[i];
    return SONDE_OK;
}

/* Spread the block counts over the instructions and sum them up by kind. */
static enum sonde_status kernel_end(struct analyze_kernel *result, struct analyze_mix *total)
{
    const struct sonde_trace_kernel *kernel = result->kernel;
    for (size_t i = 0; i < kernel->block_count; i++) {
        for (uint32_t j = 0; j < kernel->blocks[i].count; j++)
            result->instruction_executions[kernel->blocks[i].first + j] +=
                result->block_executions[i];
    }
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < result->instruction_count && status == SONDE_OK; i++) {
        struct analyze_mix_row row = analyze_mix_row_of(&result->instructions[i]);
        row.static_count = 1;
        row.dynamic_count = result->instruction_executions[i];
        status = mix_add(&result->mix, &row);
        if (status == SONDE_OK)
            status = mix_add(total, &row);
    }
    mix_sort(&result->mix);
    return status;
}

/* The reader numbers kernels by their place. */
static const struct sonde_trace_kernel *kernel_by_id(const struct sonde_trace *trace, uint32_t id)
{
    return id < sonde_trace_kernel_count(trace) ? sonde_trace_kernel(trace, id) : NULL;
}

static enum sonde_status fill_profile(struct analyze_profile *profile,
                                      const struct sonde_trace *trace,
                                      const struct analyze_matcher *matcher,
                                      struct sonde_error *error)
{
    size_t count = sonde_trace_block_counts_count(trace);
    for (size_t i = 0; i < count; i++) {
        const struct sonde_trace_block_counts *counts = sonde_trace_block_counts(trace, i);
        if (strcmp(counts->tool, profile->tool) != 0)
            continue;
        const struct sonde_trace_kernel *kernel = kernel_by_id(trace, counts->kernel);
        if (kernel == NULL)
            return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                                   "dispatch %u: counts of kernel %u, which the run does not have",
                                   counts->dispatch, counts->kernel);
        if (!analyze_matcher_accepts_kernel(matcher, kernel))
            continue;
        enum sonde_status status = add_counts(profile, kernel, counts, error);
        if (status != SONDE_OK)
            return status;
    }
    for (size_t i = 0; i < profile->kernel_count; i++) {
        if (kernel_end(&profile->kernels[i], &profile->total) != SONDE_OK)
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    mix_sort(&profile->total);
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        profile->lost_records += sonde_trace_loss(trace, i)->records;
    return SONDE_OK;
}

enum sonde_status analyze_profile_create(const struct sonde_trace *trace, const char *tool,
                                         const struct analyze_matcher *matcher,
                                         struct analyze_profile **profile,
                                         struct sonde_error *error)
{
    struct analyze_profile *made = calloc(1, sizeof *made);
    if (made == NULL || (made->tool = strdup(tool)) == NULL) {
        free(made);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    enum sonde_status status = fill_profile(made, trace, matcher, error);
    if (status != SONDE_OK) {
        analyze_profile_destroy(made);
        return status;
    }
    *profile = made;
    return SONDE_OK;
}

void analyze_profile_destroy(struct analyze_profile *profile)
{
    if (profile == NULL)
        return;
    for (size_t i = 0; i < profile->kernel_count; i++) {
        free(profile->kernels[i].instructions);
        free(profile->kernels[i].block_executions);
        free(profile->kernels[i].instruction_executions);
        free(profile->kernels[i].mix.rows);
    }
    free(profile->kernels);
    free(profile->total.rows);
    free(profile->tool);
    free(profile);
}

size_t analyze_tools_list(const struct sonde_trace *trace, const char **names, size_t capacity)
{
    size_t found = 0;
    size_t count = sonde_trace_block_counts_count(trace);
    for (size_t i = 0; i < count; i++) {
        const char *tool = sonde_trace_block_counts(trace, i)->tool;
        size_t known = 0;
        while (known < found && strcmp(names[known], tool) != 0)
            known++;
        if (known == found && found < capacity)
            names[found++] = tool;
    }
    return found;
}
