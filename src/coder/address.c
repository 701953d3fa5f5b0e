/* Addresses in the profile buffer. */
#include "coder/wide.h"

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool is_stateless(const struct sonde_coder *coder)
{
    return coder->options.buffer_model == SONDE_BUFFER_STATELESS;
}

/* address = base + offset of type ud or an immediate, 64 bits. */
static void add_offset(struct coder_builder *builder, sonde_vreg address, sonde_vreg base,
                       struct sonde_operand offset)
{
    bool is_immediate = offset.kind == SONDE_OPERAND_IMMEDIATE;
    struct sonde_operand to = sonde_operand_vreg(address), from = sonde_operand_vreg(base);
    if (is_immediate)
        coder_builder_operation(builder, SONDE_ADD, SONDE_GEN_TYPE_UQ, to, from, offset);
    else if (builder->coder->isa->has_int64)
        coder_builder_binary(builder, SONDE_GEN_ADD, coder_typed(to, SONDE_GEN_TYPE_UQ),
                             coder_typed(from, SONDE_GEN_TYPE_UQ),
                             coder_typed(offset, SONDE_GEN_TYPE_UD));
    else
        coder_wide_add(builder, to, from, offset, true);
}

/* address = base + offset:ud, 64 bits. */
static void add_base(struct coder_builder *builder, sonde_vreg address, struct sonde_operand offset)
{
    sonde_vreg base = sonde_vreg_profile_buffer_address(builder->coder);
    if (base == 0)
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
    add_offset(builder, address, base, offset);
}

bool coder_has_pointers(const struct sonde_coder *coder)
{
    return is_stateless(coder) || coder->options.buffer_holds_address;
}

bool coder_fetches_address(const struct sonde_coder_options *options)
{
    return options->buffer_model == SONDE_BUFFER_STATELESS && options->buffer_address == 0 &&
           options->buffer_address_byte == 0 && options->buffer_holds_address;
}

void coder_pointer(struct coder_builder *builder, sonde_vreg pointer, struct sonde_operand offset)
{
    const struct sonde_coder_options *options = &builder->coder->options;
    if (!coder_has_pointers(builder->coder)) {
        coder_builder_fail(builder, SONDE_ERROR_UNSUPPORTED,
                           "the profile buffer is a surface whose address is not known: there are "
                           "no pointers into it");
        return;
    }
    if (is_stateless(builder->coder)) {
        add_base(builder, pointer, offset);
        return;
    }
    sonde_vreg own = coder_builder_temporary(builder, CODER_TEMPORARY_RESPONSE);
    sonde_vreg at = coder_builder_temporary(builder, CODER_TEMPORARY_ADDRESS);
    if (builder->status != SONDE_OK)
        return;
    uint32_t byte = options->buffer_address_offset, block = byte / 16 * 16;
    coder_builder_move(builder, coder_vreg_typed(at, 0, SONDE_GEN_TYPE_UD),
                       coder_typed(sonde_operand_immediate(block), SONDE_GEN_TYPE_UD));
    coder_message_block(builder, at, sonde_operand_vreg(own), 16, false);
    coder_builder_operation(builder, SONDE_MOV, SONDE_GEN_TYPE_UQ, sonde_operand_vreg(pointer),
                            sonde_operand_vreg_at(own, byte - block), sonde_operand_immediate(0));
    add_offset(builder, pointer, pointer, offset);
}

enum sonde_status sonde_coder_compute_address(struct sonde_coder *coder,
                                              struct sonde_procedure *procedure, sonde_vreg address,
                                              struct sonde_operand offset,
                                              const struct sonde_predicate *predicate,
                                              struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need_address(&builder, address);
    if (builder.status == SONDE_OK)
        coder_builder_need_operand(&builder, &offset, SONDE_GEN_TYPE_UD, false);
    if (offset.kind == SONDE_OPERAND_IMMEDIATE && offset.immediate > UINT32_MAX)
        coder_builder_fail(&builder, SONDE_ERROR_RANGE,
                           "an offset of more than 32 bits is beyond a profile buffer");
    if (builder.status == SONDE_OK && is_stateless(coder))
        add_base(&builder, address, offset);
    else
        coder_builder_move(&builder, coder_vreg_typed(address, 0, SONDE_GEN_TYPE_UD),
                           coder_typed(offset, SONDE_GEN_TYPE_UD));
    return coder_builder_close(&builder);
}

enum sonde_status
sonde_coder_compute_rel_address(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                sonde_vreg address, sonde_vreg base, struct sonde_operand offset,
                                const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    struct coder_operand addend = coder_typed(offset, SONDE_GEN_TYPE_UD);
    coder_builder_need_address(&builder, address);
    coder_builder_need_address(&builder, base);
    if (offset.kind == SONDE_OPERAND_IMMEDIATE) {
        addend.type = SONDE_GEN_TYPE_D;
        if ((uint64_t)(int64_t)(int32_t)offset.immediate != offset.immediate)
            coder_builder_fail(&builder, SONDE_ERROR_RANGE,
                               "a relative offset has 32 bits with its sign");
    } else if (builder.status == SONDE_OK) {
        coder_builder_need_operand(&builder, &offset, SONDE_GEN_TYPE_UD, false);
    }
    if (is_stateless(coder))
        add_offset(&builder, address, base, offset);
    else
        coder_builder_binary(&builder, SONDE_GEN_ADD,
                             coder_vreg_typed(address, 0, SONDE_GEN_TYPE_UD),
                             coder_vreg_typed(base, 0, SONDE_GEN_TYPE_UD), addend);
    return coder_builder_close(&builder);
}

static void check_chunk(struct coder_builder *builder, sonde_vreg offset, uint32_t bucket_count,
                        uint32_t chunk_size, uint64_t addend)
{
    coder_builder_need(builder, offset, 4, "an offset");
    if (!is_power_of_two(bucket_count) || !is_power_of_two(chunk_size))
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "%u buckets of %u bytes: both must be powers of two", bucket_count,
                           chunk_size);
    else if ((uint64_t)bucket_count * chunk_size + addend > UINT32_MAX)
        coder_builder_fail(builder, SONDE_ERROR_RANGE,
                           "%u buckets of %u bytes do not fit a 4 GiB profile buffer", bucket_count,
                           chunk_size);
}

static void append_chunk(struct coder_builder *builder, sonde_vreg offset, uint32_t bucket_count,
                         uint32_t chunk_size, uint64_t addend)
{
    sonde_vreg temporary = coder_builder_temporary(builder, CODER_TEMPORARY_CHUNK);
    check_chunk(builder, offset, bucket_count, chunk_size, addend);
    if (builder->status != SONDE_OK)
        return;
    struct coder_item *item = coder_procedure_append(builder->procedure);
    if (item == NULL) {
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
        return;
    }
    item->kind = CODER_ITEM_THREAD_CHUNK;
    item->dst = offset;
    item->temporary = temporary;
    item->addend = (uint32_t)addend;
    item->chunk.bucket_count = bucket_count;
    item->chunk.chunk_shift = (uint32_t)__builtin_ctz(chunk_size);
    coder_builder_predicate(builder, item);
}

enum sonde_status sonde_coder_compute_thread_chunk_offset(
    struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg offset,
    uint32_t bucket_count, uint32_t chunk_size, uint32_t base_offset, uint32_t offset_in_chunk,
    const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    if (builder.status == SONDE_OK)
        append_chunk(&builder, offset, bucket_count, chunk_size,
                     (uint64_t)base_offset + offset_in_chunk);
    return coder_builder_close(&builder);
}

enum sonde_status sonde_coder_compute_thread_chunk_address(
    struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg address,
    uint32_t bucket_count, uint32_t chunk_size, uint32_t base_offset, uint32_t offset_in_chunk,
    const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    uint64_t addend = (uint64_t)base_offset + offset_in_chunk;
    coder_builder_need_address(&builder, address);
    if (builder.status == SONDE_OK)
        append_chunk(&builder, address, bucket_count, chunk_size, addend);
    /* The address payload of a surface message is the offset itself. */
    if (builder.status == SONDE_OK && is_stateless(coder))
        add_base(&builder, address, sonde_operand_vreg(address));
    return coder_builder_close(&builder);
}
