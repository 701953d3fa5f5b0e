/* Thread-chunk offsets kept in registers for the whole kernel, so that a
 * counter costs an add and a message a block. */
#include "coder/internal.h"

#include "kernel/analysis.h"

static void fill_compiler_free(struct sonde_coder *coder)
{
    const struct sonde_kernel_info *info = sonde_kernel_info(coder->kernel);
    coder_pool_clear(&coder->compiler_free, coder->grf_words);
    for (size_t i = 0; info->has_free_ranges && i < info->free_range_count; i++)
        coder_pool_add(&coder->compiler_free, info->free_ranges[i].start,
                       info->free_ranges[i].size);
}

void coder_forget_chunks(struct sonde_coder *coder)
{
    coder->kept_count = 0;
    fill_compiler_free(coder);
}

size_t coder_kept_count(const struct sonde_coder *coder)
{
    return coder->kept_count;
}

static bool is_kept(const struct sonde_coder *coder, const struct coder_chunk *chunk)
{
    for (size_t i = 0; i < coder->kept_count; i++)
        if (coder->kept[i].chunk.bucket_count == chunk->bucket_count &&
            coder->kept[i].chunk.chunk_shift == chunk->chunk_shift)
            return true;
    return false;
}

/* Registers that the kernel uses nowhere. */
static bool fill_whole_kernel_pool(struct sonde_coder *coder, struct coder_pool *pool)
{
    *pool = coder->compiler_free;
    if (coder->options.use_own_liveness) {
        uint64_t untouched[SONDE_GEN_GRF_WORDS];
        if (kernel_untouched_bytes(coder->kernel, untouched, NULL) != SONDE_OK)
            return false;
        coder_pool_add_set(pool, untouched);
    }
    coder_pool_remove_set(pool, coder->named);
    for (size_t i = 0; i < coder->kept_count; i++)
        coder_pool_remove(pool, coder->kept[i].byte, 4);
    return true;
}

static void keep_chunk(struct sonde_coder *coder, const struct coder_chunk *chunk)
{
    struct coder_pool pool;
    /* A single bucket needs no thread id: the offset is a constant. */
    if (chunk->bucket_count == 1 || coder->kept_count == CODER_MAXIMUM_KEPT ||
        is_kept(coder, chunk) || !fill_whole_kernel_pool(coder, &pool))
        return;
    /* Message payloads start at a register, so leave such bytes to them. */
    uint32_t byte = coder_pool_reserve_avoiding(&pool, 4, 4, coder->grf_size);
    if (byte == CODER_NO_BYTE) {
        byte = coder_pool_reserve(&pool, 4, coder->grf_size);
        struct coder_pool rest = pool;
        if (byte == CODER_NO_BYTE || coder_pool_reserve(&rest, 4, coder->grf_size) == CODER_NO_BYTE)
            return;
    }
    coder_pool_remove(&coder->compiler_free, byte, 4);
    coder->kept[coder->kept_count++] = (struct coder_kept){.chunk = *chunk, .byte = byte};
}

void coder_keep_chunks(struct sonde_coder *coder, const struct sonde_procedure *procedure)
{
    for (size_t i = 0; i < procedure->item_count; i++)
        if (procedure->items[i].kind == CODER_ITEM_THREAD_CHUNK)
            keep_chunk(coder, &procedure->items[i].chunk);
}

/* A byte for the temporary of the entry code: unused by the kernel, or dead
 * at its first instruction. */
static uint32_t entry_temporary(struct sonde_coder *coder, const struct sonde_gen_effect *live)
{
    struct coder_pool pool;
    if (!fill_whole_kernel_pool(coder, &pool))
        return CODER_NO_BYTE;
    uint32_t byte = coder_pool_reserve(&pool, 4, 4);
    if (byte != CODER_NO_BYTE || !coder->options.use_own_liveness || live->grf_unknown)
        return byte;
    coder_pool_clear(&pool, coder->grf_words);
    coder_pool_add(&pool, 0, coder->grf_words * 64);
    coder_pool_remove_set(&pool, live->grf);
    for (size_t i = 0; i < coder->kept_count; i++)
        coder_pool_remove(&pool, coder->kept[i].byte, 4);
    return coder_pool_reserve(&pool, 4, 4);
}

enum sonde_status coder_expand_entry(struct sonde_coder *coder, struct coder_code *code,
                                     struct sonde_error *error)
{
    if (coder->kept_count == 0)
        return SONDE_OK;
    struct sonde_gen_effect live;
    enum sonde_status status = sonde_kernel_live_before(coder->kernel, 0, &live, error);
    if (status != SONDE_OK)
        return status;
    uint32_t temporary = entry_temporary(coder, &live);
    for (size_t i = 0; i < coder->kept_count;) {
        struct coder_kept *kept = &coder->kept[i];
        if (temporary == CODER_NO_BYTE &&
            coder->isa->chunk_needs_temporary(kept->chunk.bucket_count)) {
            *kept = coder->kept[--coder->kept_count];
            continue;
        }
        status =
            coder->isa->thread_chunk(coder, code, &kept->chunk, 0, kept->byte, temporary, error);
        if (status != SONDE_OK)
            return status;
        i++;
    }
    return SONDE_OK;
}
