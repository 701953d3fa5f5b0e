/* Counts of a thread added to those of others, as many as a message takes. */
#include "coder/build.h"

#define DWORDS 16u /* that a message adds */

static uint32_t field_bits(const struct coder_isa *isa)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < CODER_THREAD_FIELDS; i++)
        bits |= ((1u << isa->thread_fields[i].width) - 1) << isa->thread_fields[i].first;
    return bits;
}

static struct coder_operand immediate(uint32_t value, enum sonde_gen_type type)
{
    return coder_typed(sonde_operand_immediate(value), type);
}

/* at:ud = the start of some bucket. Bits of the thread's number that stand where
 * buckets differ need no shift; with too few of them the thread slot, which
 * stands lowest, tells. */
static void choose_bucket(struct coder_builder *builder, struct coder_operand at,
                          uint32_t bucket_count, uint32_t chunk_size, uint32_t offset)
{
    const struct coder_isa *isa = builder->coder->isa;
    uint32_t shift = (uint32_t)__builtin_ctz(chunk_size);
    uint32_t slots = ((1u << isa->thread_fields[0].width) - 1) & (bucket_count - 1);
    uint32_t mask = field_bits(isa) & (uint32_t)((uint64_t)(bucket_count - 1) << shift);
    struct coder_operand state =
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_STATE, 0), SONDE_GEN_TYPE_UD);
    if (bucket_count == 1) {
        coder_builder_move(builder, at, immediate(offset, SONDE_GEN_TYPE_UD));
        return;
    }
    bool in_place = __builtin_popcount(mask) >= __builtin_popcount(slots);
    coder_builder_binary(builder, SONDE_GEN_AND, at, state,
                         immediate(in_place ? mask : slots, SONDE_GEN_TYPE_UD));
    if (!in_place)
        coder_builder_binary(builder, SONDE_GEN_SHL, at, at, immediate(shift, SONDE_GEN_TYPE_UD));
    if (offset != 0)
        coder_builder_binary(builder, SONDE_GEN_ADD, at, at, immediate(offset, SONDE_GEN_TYPE_UD));
}

static uint8_t channels_for(uint32_t count)
{
    return count > 8 ? 16 : count > 4 ? 8 : count > 2 ? 4 : (uint8_t)count;
}

/* Dwords of `lanes` from `to` on = as many from its start, plus `distance`. */
static void add_lanes(struct coder_builder *builder, sonde_vreg lanes, uint8_t channels,
                      uint32_t to, uint32_t distance)
{
    struct coder_operand target = coder_vreg_typed(lanes, 4 * to, SONDE_GEN_TYPE_UD);
    struct coder_operand sources[2] = {coder_vreg_typed(lanes, 0, SONDE_GEN_TYPE_UD),
                                       immediate(distance, SONDE_GEN_TYPE_UD)};
    sources[0].elements = channels;
    coder_builder_append(builder, SONDE_GEN_ADD, channels, &target, sources, 2);
}

/* A message has a power of two of channels; counters are zero behind what is in
 * use, scratch registers are not. */
static void clear_rest(struct coder_builder *builder, sonde_vreg values, uint32_t count)
{
    for (uint32_t i = count; i < channels_for(count) && builder->status == SONDE_OK; i++)
        if (!coder_vreg_lasts(builder->coder, values))
            coder_builder_move(builder, coder_vreg_typed(values, 4 * i, SONDE_GEN_TYPE_UD),
                               immediate(0, SONDE_GEN_TYPE_UD));
}

static void add_at_once(struct coder_builder *builder, const sonde_vreg *values, uint32_t count,
                        sonde_vreg lanes)
{
    for (uint8_t have = 1; have < DWORDS && have < count; have = (uint8_t)(2 * have))
        add_lanes(builder, lanes, have, have, 4u * have);
    for (uint32_t done = 0; done < count && builder->status == SONDE_OK; done += DWORDS) {
        uint8_t channels = channels_for(count - done);
        clear_rest(builder, values[done / DWORDS], count - done);
        if (done != 0)
            add_lanes(builder, lanes, channels, 0, 4 * DWORDS);
        coder_message_add_dwords(builder, channels, lanes, values[done / DWORDS]);
    }
}

static void check_values(struct coder_builder *builder, const sonde_vreg *values, uint32_t count)
{
    for (uint32_t done = 0; done < count && values != NULL; done += DWORDS) {
        coder_builder_need(builder, values[done / DWORDS], 4u * channels_for(count - done),
                           "counts");
        if (builder->status == SONDE_OK &&
            builder->coder->vregs[values[done / DWORDS]].align < builder->coder->grf_size)
            coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                               "counts stand at the start of a register: 32 or 64 bytes of "
                               "counters, or MSG_DATA");
    }
}

static void check(struct coder_builder *builder, const sonde_vreg *values, uint32_t count,
                  uint32_t bucket_count, uint32_t chunk_size, uint32_t offset)
{
    bool powers = (bucket_count & (bucket_count - 1)) == 0 && (chunk_size & (chunk_size - 1)) == 0;
    if (bucket_count == 0 || chunk_size == 0 || !powers)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "%u buckets of %u bytes: both must be powers of two", bucket_count,
                           chunk_size);
    else if ((uint64_t)bucket_count * chunk_size + offset > UINT32_MAX)
        coder_builder_fail(builder, SONDE_ERROR_RANGE,
                           "%u buckets of %u bytes do not fit a 4 GiB profile buffer", bucket_count,
                           chunk_size);
    if (count == 0 || (values == NULL && count != 1) || count > chunk_size / 4)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "%u counts for buckets of %u bytes: at least one, and no more than a "
                           "bucket has room for",
                           count, chunk_size);
    if (coder_address_size(builder->coder) != 4)
        coder_builder_fail(builder, SONDE_ERROR_UNSUPPORTED,
                           "buckets are added to at once where the profile buffer is a surface");
    check_values(builder, values, count);
}

enum sonde_status
sonde_coder_add_to_buckets(struct sonde_coder *coder, struct sonde_procedure *procedure,
                           const sonde_vreg *values, uint32_t count, uint32_t bucket_count,
                           uint32_t chunk_size, uint32_t offset,
                           const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    sonde_vreg at = 0;
    if (builder.status == SONDE_OK) {
        check(&builder, values, count, bucket_count, chunk_size, offset);
        at = coder_builder_temporary(&builder,
                                     count > 1 ? CODER_TEMPORARY_LANES : CODER_TEMPORARY_ADDRESS);
    }
    if (builder.status == SONDE_OK)
        choose_bucket(&builder, coder_vreg_typed(at, 0, SONDE_GEN_TYPE_UD), bucket_count,
                      chunk_size, offset);
    if (builder.status == SONDE_OK && count > 1)
        add_at_once(&builder, values, count, at);
    else if (builder.status == SONDE_OK && values == NULL)
        coder_message_atomic(&builder, CODER_ATOMIC_INC, 4, at, 0, 0);
    else if (builder.status == SONDE_OK)
        coder_message_atomic(&builder, CODER_ATOMIC_ADD, 4, at, values[0], 0);
    return coder_builder_close(&builder);
}
