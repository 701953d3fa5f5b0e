/* Memory of every hardware thread in the profile buffer. How much is known only
 * when all procedures are there, and so is where it stands. */
#include "coder/build.h"

#define PLACE_ALIGNMENT 4096u
#define LEAST_BYTES     64u

uint32_t coder_slot_size(const struct sonde_coder *coder)
{
    uint32_t size = LEAST_BYTES;
    while (size < coder->slot_bytes)
        size *= 2;
    return coder->slot_bytes == 0 ? 0 : size;
}

uint64_t sonde_coder_thread_memory(const struct sonde_coder *coder)
{
    return (uint64_t)coder_slot_size(coder) << coder_isa_thread_id_bits(coder->isa);
}

enum sonde_status sonde_coder_place_thread_memory(struct sonde_coder *coder, uint32_t offset,
                                                  struct sonde_error *error)
{
    if (offset % PLACE_ALIGNMENT != 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, offset,
                               "thread memory stands at a multiple of %u bytes, not at %u",
                               PLACE_ALIGNMENT, offset);
    if (offset + sonde_coder_thread_memory(coder) > UINT32_MAX)
        return sonde_error_set(error, SONDE_ERROR_RANGE, offset,
                               "%u bytes of memory for each hardware thread do not fit a 4 GiB "
                               "profile buffer",
                               coder_slot_size(coder));
    coder->slot_base = offset;
    coder->has_slot_base = true;
    return SONDE_OK;
}

void coder_slot_need(struct coder_builder *builder, uint64_t bytes)
{
    uint32_t limit = UINT32_C(1) << (31 - coder_isa_thread_id_bits(builder->coder->isa));
    if (bytes > limit)
        coder_builder_fail(builder, SONDE_ERROR_RANGE,
                           "%llu bytes of memory for each hardware thread are more than %u",
                           (unsigned long long)bytes, limit);
    else if (bytes > builder->coder->slot_bytes)
        builder->coder->slot_bytes = (uint32_t)bytes;
}

void coder_slot_offset(struct coder_builder *builder, sonde_vreg to, uint32_t offset)
{
    sonde_vreg temporary = coder_builder_temporary(builder, CODER_TEMPORARY_CHUNK);
    struct coder_item *item =
        builder->status == SONDE_OK ? coder_procedure_append(builder->procedure) : NULL;
    if (item == NULL) {
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
        return;
    }
    item->kind = CODER_ITEM_THREAD_CHUNK;
    item->dst = to;
    item->temporary = temporary;
    item->in_slot = true;
    item->slot_offset = offset;
}

enum sonde_status coder_slot_resolve(struct sonde_coder *coder, struct sonde_error *error)
{
    uint32_t size = coder_slot_size(coder);
    if (size != 0 && !coder->has_slot_base)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "the procedures need memory for each hardware thread, which has no "
                               "place (sonde_coder_place_thread_memory)");
    for (struct sonde_procedure *p = coder->procedures; p != NULL; p = p->next) {
        for (size_t i = 0; i < p->item_count; i++) {
            struct coder_item *item = &p->items[i];
            if (!item->in_slot)
                continue;
            item->chunk.bucket_count = 1u << coder_isa_thread_id_bits(coder->isa);
            item->chunk.chunk_shift = (uint32_t)__builtin_ctz(size);
            item->addend = coder->slot_base + item->slot_offset;
        }
    }
    return SONDE_OK;
}

enum sonde_status coder_place(struct sonde_coder *coder, struct sonde_error *error)
{
    for (size_t i = 0; i < coder->body_count; i++)
        coder->bodies[i].used = false;
    return coder_slot_resolve(coder, error);
}
