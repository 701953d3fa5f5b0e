/* Thread-chunk offsets kept in registers for the whole kernel, so that a
 * counter costs an add and a message a block. */
#include "coder/direct.h"

#include "kernel/analysis.h"

#include <stdlib.h>
#include <string.h>

/* Whole registers only: a message with the rest of one that the kernel uses in
 * part would wait for the kernel. */
static void add_untouched(struct sonde_coder *coder)
{
    uint64_t untouched[SONDE_GEN_GRF_WORDS];
    uint64_t whole = coder->grf_size == 64 ? UINT64_MAX : UINT32_MAX;
    if (!coder->options.use_own_liveness ||
        kernel_untouched_bytes(coder->kernel, untouched, NULL) != SONDE_OK)
        return;
    for (uint32_t n = 0; n < coder->grf_count; n++) {
        uint32_t byte = n * coder->grf_size;
        if ((untouched[byte / 64] >> byte % 64 & whole) == whole)
            coder_pool_add(&coder->compiler_free, byte, coder->grf_size);
    }
}

static void fill_compiler_free(struct sonde_coder *coder)
{
    const struct sonde_kernel_info *info = sonde_kernel_info(coder->kernel);
    coder_pool_clear(&coder->compiler_free, coder->grf_words);
    for (size_t i = 0; info->has_free_ranges && i < info->free_range_count; i++)
        coder_pool_add(&coder->compiler_free, info->free_ranges[i].start,
                       info->free_ranges[i].size);
    add_untouched(coder);
    /* The prologs are made after the registers were given out. */
    uint32_t prologs = info->per_thread_prolog_size + info->cross_thread_prolog_size;
    for (size_t i = 0; i < sonde_kernel_instruction_count(coder->kernel); i++) {
        const struct sonde_gen_instruction *instruction =
            sonde_kernel_instruction(coder->kernel, i);
        struct sonde_gen_effects effects;
        if (instruction->offset >= prologs)
            break;
        sonde_gen_instruction_effects(instruction, &effects);
        coder_pool_remove_set(&coder->compiler_free, effects.reads.grf);
        coder_pool_remove_set(&coder->compiler_free, effects.writes.grf);
    }
}

static void hold(struct sonde_coder *coder, uint32_t byte, uint32_t size)
{
    for (uint32_t b = byte; b < byte + size; b++)
        coder->held[b / 64] |= 1ull << (b % 64);
}

void coder_forget_chunks(struct sonde_coder *coder)
{
    coder->kept_count = 0;
    memset(coder->held, 0, sizeof coder->held);
    for (size_t v = 1; v < coder->vreg_count; v++)
        if (coder->vregs[v].fill != CODER_FILL_SCRATCH && coder->vregs[v].byte != CODER_NO_BYTE)
            hold(coder, coder->vregs[v].byte, coder->vregs[v].size);
    fill_compiler_free(coder);
    coder_pool_remove_set(&coder->compiler_free, coder->held);
    for (struct sonde_procedure *p = coder->procedures; p != NULL; p = p->next)
        *p->cost = (struct sonde_procedure_cost){0};
}

size_t coder_kept_count(const struct sonde_coder *coder)
{
    size_t dwords = coder->kept_count;
    for (size_t v = 1; v < coder->vreg_count; v++)
        if (coder->vregs[v].fill != CODER_FILL_SCRATCH && coder->vregs[v].byte != CODER_NO_BYTE)
            dwords += (coder->vregs[v].size + 3u) / 4;
    return dwords;
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
    coder_pool_remove_set(pool, coder->held);
    coder_pool_remove_set(pool, coder->observed);
    return true;
}

/* What the entry code still reads must not be given away. */
static bool fill_lasting_pool(struct sonde_coder *coder, struct coder_pool *pool)
{
    if (!fill_whole_kernel_pool(coder, pool))
        return false;
    coder_pool_remove(pool, 0, coder->grf_size);
    if (coder->options.buffer_model == SONDE_BUFFER_STATELESS &&
        coder->options.buffer_address_byte != 0)
        coder_pool_remove(pool, coder->options.buffer_address_byte, 8);
    return true;
}

/* Prefers to leave starts of registers to message payloads. */
static uint32_t reserve_lasting(struct sonde_coder *coder, struct coder_pool *pool, uint32_t size,
                                uint32_t align)
{
    uint32_t byte = CODER_NO_BYTE;
    if (align < coder->grf_size)
        byte = coder_pool_reserve_avoiding(pool, size, align, coder->grf_size);
    return byte != CODER_NO_BYTE ? byte : coder_pool_reserve(pool, size, align);
}

static const char *const fill_names[] = {
    [CODER_FILL_SCRATCH] = "",
    [CODER_FILL_ZERO] = "a counter",
    [CODER_FILL_BUFFER_ADDRESS] = "the address of the profile buffer",
    [CODER_FILL_FF_TID] = "the fixed-function thread id",
};

static enum sonde_status place(struct sonde_coder *coder, struct coder_pool *pool, sonde_vreg v,
                               bool has_pool, const struct sonde_procedure *procedure,
                               struct sonde_error *error)
{
    struct coder_vreg *vreg = &coder->vregs[v];
    bool is_address = vreg->fill == CODER_FILL_BUFFER_ADDRESS;
    if (has_pool && !(is_address && coder->address_never_lasts))
        vreg->byte = reserve_lasting(coder, pool, vreg->size, vreg->align);
    if (vreg->byte != CODER_NO_BYTE) {
        hold(coder, vreg->byte, vreg->size);
        coder_pool_remove(&coder->compiler_free, vreg->byte, vreg->size);
        return SONDE_OK;
    }
    /* A known address is written down in each procedure, one that the buffer
     * holds is fetched there. */
    if (is_address &&
        (coder->options.buffer_address != 0 || coder_fetches_address(&coder->options)))
        return SONDE_OK;
    return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0,
                           "procedure %s needs %u bytes of registers for the whole kernel (%s), "
                           "which leaves no such %u bytes unused: keep the value in the profile "
                           "buffer instead",
                           procedure->name, vreg->size, fill_names[vreg->fill], vreg->size);
}

enum sonde_status coder_place_lasting(struct sonde_coder *coder,
                                      const struct sonde_procedure *procedure,
                                      struct sonde_error *error)
{
    struct coder_pool pool;
    bool has_pool = false, has_asked = false;
    for (size_t i = 0; i < procedure->item_count; i++) {
        const struct coder_item *item = &procedure->items[i];
        const sonde_vreg used[4] = {item->dst, item->src[0], item->src[1], item->src[2]};
        for (unsigned n = 0; n < 4; n++) {
            if (!coder_vreg_lasts(coder, used[n]) || coder->vregs[used[n]].byte != CODER_NO_BYTE)
                continue;
            if (!has_asked)
                has_pool = fill_lasting_pool(coder, &pool);
            has_asked = true;
            enum sonde_status status = place(coder, &pool, used[n], has_pool, procedure, error);
            if (status != SONDE_OK)
                return status;
        }
    }
    return SONDE_OK;
}

/* Whether so many registers can start a payload anywhere in the kernel, and
 * there is a place for a chunk offset. */
static bool has_spare(struct sonde_coder *coder, uint32_t spare)
{
    struct coder_pool pool;
    if (spare == 0)
        return true;
    if (!fill_lasting_pool(coder, &pool))
        return false;
    while (spare != 0 && coder_pool_reserve(&pool, 4, coder->grf_size) != CODER_NO_BYTE)
        spare--;
    return spare == 0 && coder_pool_reserve(&pool, 4, 4) != CODER_NO_BYTE;
}

enum sonde_status sonde_coder_reserve_sparing(struct sonde_coder *coder,
                                              const struct sonde_procedure *procedure,
                                              uint32_t spare, struct sonde_error *error)
{
    if (!coder_owns(coder, procedure))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "procedure of another coder");
    size_t count = coder->vreg_count;
    bool *had = calloc(count, sizeof *had);
    if (had == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t v = 0; v < count; v++)
        had[v] = coder->vregs[v].byte != CODER_NO_BYTE;
    coder_forget_chunks(coder);
    enum sonde_status status = coder_place_lasting(coder, procedure, error);
    if (status == SONDE_OK && !has_spare(coder, spare))
        status = sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0,
                                 "with procedure %s the kernel leaves the start of fewer than %u "
                                 "registers unused",
                                 procedure->name, spare);
    for (size_t v = 0; v < count && status != SONDE_OK; v++)
        if (!had[v])
            coder->vregs[v].byte = CODER_NO_BYTE;
    coder_forget_chunks(coder);
    free(had);
    return status;
}

enum sonde_status sonde_coder_reserve(struct sonde_coder *coder,
                                      const struct sonde_procedure *procedure,
                                      struct sonde_error *error)
{
    return sonde_coder_reserve_sparing(coder, procedure, 0, error);
}

static bool overlaps(const struct coder_vreg *vreg, uint32_t byte, uint32_t size)
{
    return vreg->fill != CODER_FILL_SCRATCH && vreg->byte != CODER_NO_BYTE &&
           vreg->byte < byte + size && byte < vreg->byte + vreg->size;
}

/* Other places for what lasts and stands in the bytes, which are observed now.
 * False: there are none, and the places that are left mean nothing. */
static bool move_lasting(struct sonde_coder *coder, uint32_t byte, uint32_t size)
{
    bool *moves = calloc(coder->vreg_count, sizeof *moves);
    struct coder_pool pool;
    bool good = moves != NULL;
    for (size_t v = 1; v < coder->vreg_count && good; v++)
        if ((moves[v] = overlaps(&coder->vregs[v], byte, size)))
            coder->vregs[v].byte = CODER_NO_BYTE;
    coder_forget_chunks(coder);
    good = good && fill_lasting_pool(coder, &pool);
    for (size_t v = 1; v < coder->vreg_count && good; v++) {
        struct coder_vreg *vreg = &coder->vregs[v];
        if (!moves[v])
            continue;
        vreg->byte = reserve_lasting(coder, &pool, vreg->size, vreg->align);
        good = vreg->byte != CODER_NO_BYTE;
    }
    coder_forget_chunks(coder);
    free(moves);
    return good;
}

/* Nothing is emitted yet, so what lasts can stand elsewhere. */
static bool make_room(struct sonde_coder *coder, uint32_t byte, uint32_t size)
{
    bool meets = false;
    for (size_t v = 1; v < coder->vreg_count; v++)
        meets = meets || overlaps(&coder->vregs[v], byte, size);
    if (!meets)
        return true;
    uint32_t *places = malloc(coder->vreg_count * sizeof *places);
    if (places == NULL)
        return false;
    for (size_t v = 0; v < coder->vreg_count; v++)
        places[v] = coder->vregs[v].byte;
    bool good = move_lasting(coder, byte, size);
    for (size_t v = 0; v < coder->vreg_count && !good; v++)
        coder->vregs[v].byte = places[v];
    if (!good)
        coder_forget_chunks(coder);
    free(places);
    return good;
}

enum sonde_status sonde_coder_observe(struct sonde_coder *coder, uint32_t first, uint32_t count,
                                      struct sonde_error *error)
{
    uint64_t before[SONDE_GEN_GRF_WORDS];
    uint32_t end = coder->grf_words * 64 / coder->grf_size;
    if (first >= end || count > end - first)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                               "kernel has %u registers: none are shown from r%u to r%u", end,
                               first, first + count);
    memcpy(before, coder->observed, sizeof before);
    for (uint32_t byte = first * coder->grf_size; byte < (first + count) * coder->grf_size; byte++)
        coder->observed[byte / 64] |= 1ull << byte % 64;
    if (make_room(coder, first * coder->grf_size, count * coder->grf_size))
        return SONDE_OK;
    memcpy(coder->observed, before, sizeof before);
    return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0,
                           "r%u to r%u hold values of inserted code for the whole kernel, for "
                           "which there is no other place",
                           first, first + count - 1);
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
    hold(coder, byte, 4);
    coder->kept[coder->kept_count++] = (struct coder_kept){.chunk = *chunk, .byte = byte};
}

void coder_keep_lasting(struct sonde_coder *coder, const struct sonde_procedure *procedure)
{
    coder_place_lasting(coder, procedure, NULL);
}

void coder_keep_chunks(struct sonde_coder *coder, const struct sonde_procedure *procedure)
{
    for (size_t i = 0; i < procedure->item_count; i++)
        if (procedure->items[i].kind == CODER_ITEM_THREAD_CHUNK)
            keep_chunk(coder, &procedure->items[i].chunk);
}

/* A place for the temporary of the entry code, of `size` bytes: unused by the
 * kernel, or dead at its first instruction. */
static uint32_t entry_temporary(struct sonde_coder *coder, const struct sonde_gen_effect *live,
                                uint32_t size)
{
    struct coder_pool pool;
    if (!fill_whole_kernel_pool(coder, &pool))
        return CODER_NO_BYTE;
    uint32_t byte = coder_pool_reserve(&pool, size, size);
    if (byte != CODER_NO_BYTE || !coder->options.use_own_liveness || live->grf_unknown)
        return byte;
    coder_pool_clear(&pool, coder->grf_words);
    coder_pool_add(&pool, 0, coder->grf_words * 64);
    coder_pool_remove_set(&pool, live->grf);
    coder_pool_remove_set(&pool, coder->held);
    coder_pool_remove_set(&pool, coder->observed);
    return coder_pool_reserve(&pool, size, size);
}

static enum sonde_status fill_address(struct sonde_coder *coder, struct coder_code *code,
                                      struct coder_vreg *vreg, struct sonde_error *error)
{
    if (!coder_fetches_address(&coder->options))
        return direct_read_buffer_address(coder, code, vreg->byte, error);
    struct sonde_gen_effect live;
    enum sonde_status status = sonde_kernel_live_before(coder->kernel, coder->entry, &live, error);
    if (status != SONDE_OK)
        return status;
    uint32_t work = entry_temporary(coder, &live, coder->grf_size);
    if (work != CODER_NO_BYTE)
        return direct_fetch_buffer_address(coder, code, vreg->byte, work, error);
    coder->address_never_lasts = true;
    vreg->byte = CODER_NO_BYTE;
    return SONDE_OK;
}

/* Copies of what stands in registers at the entry first, then zeros. */
static enum sonde_status fill_lasting(struct sonde_coder *coder, struct coder_code *code,
                                      struct sonde_error *error)
{
    static const uint8_t order[] = {CODER_FILL_FF_TID, CODER_FILL_BUFFER_ADDRESS, CODER_FILL_ZERO};
    enum sonde_status status = SONDE_OK;
    for (size_t o = 0; o < sizeof order; o++) {
        for (size_t v = 1; v < coder->vreg_count && status == SONDE_OK; v++) {
            struct coder_vreg *vreg = &coder->vregs[v];
            if (vreg->fill != order[o] || vreg->byte == CODER_NO_BYTE)
                continue;
            if (vreg->fill == CODER_FILL_FF_TID)
                status = direct_read_ff_tid(coder, code, vreg->byte, error);
            else if (vreg->fill == CODER_FILL_BUFFER_ADDRESS)
                status = fill_address(coder, code, vreg, error);
            else
                status = direct_clear(coder, code, vreg->byte, vreg->size, error);
        }
    }
    return status;
}

/* The temporary may hold what fill_lasting reads: that comes first. */
static enum sonde_status expand_entry(struct sonde_coder *coder, struct coder_code *code,
                                      struct sonde_error *error)
{
    enum sonde_status status = fill_lasting(coder, code, error);
    if (status != SONDE_OK || coder->kept_count == 0)
        return status;
    struct sonde_gen_effect live;
    status = sonde_kernel_live_before(coder->kernel, coder->entry, &live, error);
    if (status != SONDE_OK)
        return status;
    uint32_t temporary = entry_temporary(coder, &live, 4);
    for (size_t i = 0; i < coder->kept_count;) {
        struct coder_kept *kept = &coder->kept[i];
        if (temporary == CODER_NO_BYTE &&
            direct_chunk_needs_temporary(coder->isa, kept->chunk.bucket_count)) {
            *kept = coder->kept[--coder->kept_count];
            continue;
        }
        status = direct_thread_chunk(coder, code, &kept->chunk, 0, kept->byte, temporary, error);
        if (status != SONDE_OK)
            return status;
        i++;
    }
    return SONDE_OK;
}

enum sonde_status coder_expand_entry(struct sonde_coder *coder, struct coder_code *code,
                                     struct sonde_error *error)
{
    size_t before = code->count;
    enum sonde_status status = expand_entry(coder, code, error);
    if (status == SONDE_OK)
        status = coder_scoreboard_fill(coder, code, before, false, error);
    return status;
}
