#include "kernel/internal.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static enum sonde_status copy_info(struct sonde_kernel *kernel,
                                   const struct sonde_kernel_info *info, struct sonde_error *error)
{
    kernel->info = *info;
    kernel->name = strdup(info->name == NULL ? "" : info->name);
    kernel->isa = malloc(info->isa_size);
    size_t ranges = info->has_free_ranges ? info->free_range_count : 0;
    kernel->free_ranges = calloc(ranges + 1, sizeof *kernel->free_ranges);
    if (kernel->name == NULL || kernel->isa == NULL || kernel->free_ranges == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    memcpy(kernel->isa, info->isa, info->isa_size);
    if (ranges != 0)
        memcpy(kernel->free_ranges, info->free_ranges, ranges * sizeof *kernel->free_ranges);
    kernel->info.name = kernel->name;
    kernel->info.isa = kernel->isa;
    kernel->info.free_ranges = kernel->free_ranges;
    kernel->info.free_range_count = ranges;
    if (kernel->info.grf_count == 0)
        kernel->info.grf_count = 128;
    kernel->grf_size = sonde_gen_platform_grf_size(info->platform);
    kernel->grf_words = kernel->info.grf_count * kernel->grf_size / 64;
    for (size_t i = 0; i < ranges; i++) {
        const struct sonde_register_range *range = &kernel->free_ranges[i];
        if ((uint32_t)range->start + range->size > kernel->grf_words * 64)
            return sonde_error_set(error, SONDE_ERROR_FORMAT, 0,
                                   "free register range %u+%u lies outside the register file",
                                   range->start, range->size);
    }
    return SONDE_OK;
}

static enum sonde_status check_info(const struct sonde_kernel_info *info, struct sonde_error *error)
{
    if (info == NULL || info->isa == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no instructions given");
    if (info->isa_size == 0 || info->isa_size > INT32_MAX)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "kernel of %zu bytes cannot be modelled", info->isa_size);
    if ((unsigned)info->platform >= SONDE_GEN_PLATFORM_COUNT)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "unknown platform %d",
                               (int)info->platform);
    if (info->grf_count != 0 && info->grf_count != 128 && info->grf_count != 256)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "a thread has 128 or 256 registers, not %u", info->grf_count);
    if (info->grf_count == 256 && sonde_gen_platform_grf_size(info->platform) == 64)
        return info->grf_count * 64 <= SONDE_GEN_GRF_WORDS * 64
                   ? SONDE_OK
                   : sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "register file too large");
    return SONDE_OK;
}

static enum sonde_status build(struct sonde_kernel *kernel, const struct sonde_kernel_info *info,
                               struct sonde_error *error)
{
    enum sonde_status status = copy_info(kernel, info, error);
    if (status != SONDE_OK)
        return status;
    kernel->hash = XXH3_64bits(kernel->isa, info->isa_size);
    status = sonde_gen_decode_all(info->platform, kernel->isa, info->isa_size,
                                  &kernel->instructions, &kernel->instruction_count, error);
    if (status != SONDE_OK)
        return status;
    if (kernel->instruction_count == 0)
        return sonde_error_set(error, SONDE_ERROR_FORMAT, 0, "kernel has no instructions");
    if (kernel->info.per_thread_prolog_size == 0)
        kernel->info.per_thread_prolog_size = kernel_find_second_entry(kernel);
    status = kernel_build_blocks(kernel, error);
    if (status == SONDE_OK)
        kernel_find_refusal(kernel);
    return status;
}

enum sonde_status sonde_kernel_create(const struct sonde_kernel_info *info,
                                      struct sonde_kernel **kernel, struct sonde_error *error)
{
    *kernel = NULL;
    enum sonde_status status = check_info(info, error);
    if (status != SONDE_OK)
        return status;
    struct sonde_kernel *made = calloc(1, sizeof *made);
    if (made == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    status = build(made, info, error);
    if (status != SONDE_OK) {
        sonde_kernel_destroy(made);
        if (error != NULL)
            sonde_error_prefix(error, "kernel %s", info->name == NULL ? "?" : info->name);
        return status;
    }
    *kernel = made;
    return SONDE_OK;
}

void sonde_kernel_destroy(struct sonde_kernel *kernel)
{
    if (kernel == NULL)
        return;
    kernel_liveness_free(kernel->liveness);
    kernel_headers_free(kernel->headers);
    free(kernel->first_predecessor);
    free(kernel->predecessors);
    free(kernel->edges);
    free(kernel->blocks);
    free(kernel->block_of);
    free(kernel->uip_target);
    free(kernel->jip_target);
    free(kernel->instructions);
    free(kernel->free_ranges);
    free(kernel->isa);
    free(kernel->name);
    free(kernel);
}

const struct sonde_kernel_info *sonde_kernel_info(const struct sonde_kernel *kernel)
{
    return &kernel->info;
}

uint64_t sonde_kernel_hash(const struct sonde_kernel *kernel)
{
    return kernel->hash;
}

size_t sonde_kernel_instruction_count(const struct sonde_kernel *kernel)
{
    return kernel->instruction_count;
}

const struct sonde_gen_instruction *sonde_kernel_instruction(const struct sonde_kernel *kernel,
                                                             size_t index)
{
    return index < kernel->instruction_count ? &kernel->instructions[index] : NULL;
}

size_t sonde_kernel_block_count(const struct sonde_kernel *kernel)
{
    return kernel->block_count;
}

const struct sonde_block *sonde_kernel_block(const struct sonde_kernel *kernel, size_t id)
{
    return id < kernel->block_count ? &kernel->blocks[id] : NULL;
}

size_t sonde_kernel_edge_count(const struct sonde_kernel *kernel)
{
    return kernel->edge_count;
}

const struct sonde_edge *sonde_kernel_edge(const struct sonde_kernel *kernel, size_t index)
{
    return index < kernel->edge_count ? &kernel->edges[index] : NULL;
}

uint32_t sonde_kernel_block_of(const struct sonde_kernel *kernel, size_t index)
{
    return index < kernel->instruction_count ? kernel->block_of[index] : UINT32_MAX;
}

uint32_t sonde_kernel_jip_target(const struct sonde_kernel *kernel, size_t index)
{
    return index < kernel->instruction_count ? kernel->jip_target[index] : SONDE_NO_INSTRUCTION;
}

uint32_t sonde_kernel_uip_target(const struct sonde_kernel *kernel, size_t index)
{
    return index < kernel->instruction_count ? kernel->uip_target[index] : SONDE_NO_INSTRUCTION;
}

const char *sonde_kernel_refusal(const struct sonde_kernel *kernel)
{
    return kernel->refused ? kernel->refusal : NULL;
}
