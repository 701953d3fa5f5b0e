/* Who runs: thread ids, channel masks; and consumers that wait for registers. */
#include "coder/build.h"

#define DISPATCH_MASK 8u /* byte of sr0 */

static const struct sonde_operand channel_enable = {.kind = SONDE_OPERAND_ARF,
                                                    .arf = SONDE_GEN_ARF_CHANNEL_ENABLE};

bool sonde_coder_is_tile_id_supported(const struct sonde_coder *coder)
{
    (void)coder; /* the parts that this version generates code for have one tile */
    return false;
}

enum sonde_status sonde_coder_load_tile_id(struct sonde_coder *coder,
                                           struct sonde_procedure *procedure, sonde_vreg tile,
                                           const struct sonde_predicate *predicate,
                                           struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need(&builder, tile, 4, "a tile id");
    coder_builder_move(&builder, coder_vreg_typed(tile, 0, SONDE_GEN_TYPE_UD),
                       coder_typed(sonde_operand_immediate(0), SONDE_GEN_TYPE_UD));
    return coder_builder_close(&builder);
}

static struct coder_operand immediate(uint32_t value)
{
    return coder_typed(sonde_operand_immediate(value), SONDE_GEN_TYPE_UD);
}

/* result = the field of sr0.0, from bit `position` on. */
static void read_field(struct coder_builder *builder, struct coder_operand result,
                       const struct coder_field *field, uint32_t position)
{
    struct coder_operand state =
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_STATE, 0), SONDE_GEN_TYPE_UD);
    uint32_t mask = ((1u << field->width) - 1) << field->first;
    coder_builder_binary(builder, SONDE_GEN_AND, result, state, immediate(mask));
    if (position != field->first)
        coder_builder_binary(
            builder, position > field->first ? SONDE_GEN_SHL : SONDE_GEN_SHR, result, result,
            immediate(position > field->first ? position - field->first : field->first - position));
}

static void read_thread_id(struct coder_builder *builder, struct coder_operand result)
{
    const struct coder_field *fields = builder->coder->isa->thread_fields;
    struct coder_operand work = coder_vreg_typed(
        coder_builder_temporary(builder, CODER_TEMPORARY_WORK), 0, SONDE_GEN_TYPE_UD);
    uint32_t position = 0;
    for (unsigned i = 0; i < CODER_THREAD_FIELDS && fields[i].width != 0; i++) {
        read_field(builder, i == 0 ? result : work, &fields[i], position);
        if (i != 0)
            coder_builder_binary(builder, SONDE_GEN_OR, result, result, work);
        position += fields[i].width;
    }
}

enum sonde_status sonde_coder_get_tid(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                      sonde_vreg tid, const struct sonde_predicate *predicate,
                                      struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need(&builder, tid, 4, "a thread id");
    if (builder.status == SONDE_OK)
        read_thread_id(&builder, coder_vreg_typed(tid, 0, SONDE_GEN_TYPE_UD));
    return coder_builder_close(&builder);
}

enum sonde_status sonde_coder_get_dss_id(struct sonde_coder *coder,
                                         struct sonde_procedure *procedure, sonde_vreg dss,
                                         const struct sonde_predicate *predicate,
                                         struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need(&builder, dss, 4, "a sub-slice id");
    if (builder.status == SONDE_OK)
        read_field(&builder, coder_vreg_typed(dss, 0, SONDE_GEN_TYPE_UD), &coder->isa->dss, 0);
    return coder_builder_close(&builder);
}

enum sonde_status sonde_coder_get_ff_tid(struct sonde_coder *coder,
                                         struct sonde_procedure *procedure, sonde_vreg ff_tid,
                                         const struct sonde_predicate *predicate,
                                         struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need(&builder, ff_tid, 4, "a thread id");
    if (coder->ff_tid == 0)
        coder->ff_tid = coder_vreg_make_lasting(coder, SONDE_VREG_DWORD, CODER_FILL_FF_TID);
    if (coder->ff_tid == 0)
        coder_builder_fail(&builder, SONDE_ERROR_MEMORY, "out of memory");
    coder_builder_move(&builder, coder_vreg_typed(ff_tid, 0, SONDE_GEN_TYPE_UD),
                       coder_vreg_typed(coder->ff_tid, 0, SONDE_GEN_TYPE_UD));
    return coder_builder_close(&builder);
}

uint32_t sonde_coder_execution_mask(const struct sonde_gen_instruction *instruction)
{
    uint32_t channels =
        instruction->exec_size >= 32 ? UINT32_MAX : (1u << instruction->exec_size) - 1;
    return instruction->channel_offset >= 32 ? 0 : channels << instruction->channel_offset;
}

/* mask &= the flag bits of the channels. */
static void and_flag(struct coder_builder *builder, struct coder_operand mask,
                     const struct sonde_gen_instruction *predicated)
{
    struct coder_operand work = coder_vreg_typed(
        coder_builder_temporary(builder, CODER_TEMPORARY_METHOD), 0, SONDE_GEN_TYPE_UD);
    uint8_t flag = (uint8_t)(SONDE_GEN_ARF_FLAG | predicated->flag_number);
    coder_builder_move(
        builder, work,
        coder_typed(sonde_operand_arf(flag, 2u * predicated->flag_subreg),
                    predicated->flag_subreg != 0 ? SONDE_GEN_TYPE_UW : SONDE_GEN_TYPE_UD));
    if (predicated->predicate_inverse)
        coder_builder_append(builder, SONDE_GEN_NOT, 1, &work, &work, 1);
    coder_builder_binary(builder, SONDE_GEN_AND, mask, mask, work);
}

/* A predicate over groups: let it choose in a vector of words, a half of the
 * channels after the other, and turn that into flag bits. */
static void and_group(struct coder_builder *builder, struct coder_operand mask,
                      uint32_t execution_mask, const struct sonde_gen_instruction *predicated)
{
    sonde_vreg vector = coder_builder_temporary(builder, CODER_TEMPORARY_DATA);
    unsigned halves = execution_mask >> 16 != 0 ? 2 : 1;
    for (unsigned half = 0; half < halves; half++) {
        struct coder_operand words = coder_vreg_typed(vector, 32 * half, SONDE_GEN_TYPE_UW);
        struct coder_operand value = coder_typed(sonde_operand_immediate(0), SONDE_GEN_TYPE_UW);
        coder_builder_append(builder, SONDE_GEN_MOV, 16, &words, &value, 1);
        value.at.immediate = 1;
        struct coder_item *item =
            coder_builder_append(builder, SONDE_GEN_MOV, 16, &words, &value, 1);
        if (item == NULL)
            return;
        item->instruction.channel_offset = (uint8_t)(16 * half);
        item->instruction.predicate = predicated->predicate;
        item->instruction.predicate_inverse = predicated->predicate_inverse;
        item->instruction.flag_number = predicated->flag_number;
        item->instruction.flag_subreg = predicated->flag_subreg;
    }
    for (unsigned half = 0; half < halves; half++) {
        struct coder_operand nothing =
            coder_typed(sonde_operand_arf(SONDE_GEN_ARF_NULL, 0), SONDE_GEN_TYPE_UW);
        struct coder_operand sources[2] = {
            coder_vreg_typed(vector, 32 * half, SONDE_GEN_TYPE_UW),
            coder_typed(sonde_operand_immediate(0), SONDE_GEN_TYPE_UW)};
        sources[0].elements = 16;
        struct coder_item *item =
            coder_builder_append(builder, SONDE_GEN_CMP, 16, &nothing, sources, 2);
        if (item == NULL)
            return;
        item->instruction.channel_offset = (uint8_t)(16 * half);
        item->instruction.condition = SONDE_GEN_CONDITION_NZ;
    }
    struct coder_operand flag = coder_typed(sonde_operand_arf(SONDE_GEN_ARF_FLAG, 0),
                                            halves == 2 ? SONDE_GEN_TYPE_UD : SONDE_GEN_TYPE_UW);
    coder_builder_binary(builder, SONDE_GEN_AND, mask, flag, mask);
}

static void compute_mask(struct coder_builder *builder, struct coder_operand mask,
                         bool ignore_channel_enable, uint32_t execution_mask,
                         const struct sonde_gen_instruction *predicated)
{
    struct coder_operand dispatch =
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_STATE, DISPATCH_MASK), SONDE_GEN_TYPE_UD);
    if (ignore_channel_enable) {
        coder_builder_move(builder, mask, dispatch);
    } else {
        coder_builder_move(builder, mask, coder_typed(channel_enable, SONDE_GEN_TYPE_UD));
        struct coder_operand sources[2] = {dispatch, mask};
        coder_builder_append(builder, SONDE_GEN_AND, 1, &mask, sources, 2);
    }
    if (execution_mask != UINT32_MAX)
        coder_builder_binary(
            builder, SONDE_GEN_AND, mask, mask,
            coder_typed(sonde_operand_immediate(execution_mask), SONDE_GEN_TYPE_UD));
    if (predicated == NULL || predicated->predicate == SONDE_GEN_PREDICATE_NONE)
        return;
    if (predicated->flag_subreg != 0 && execution_mask >> 16 != 0)
        coder_builder_fail(builder, SONDE_ERROR_UNSUPPORTED,
                           "channels beyond 15 of a predicate on f%u.1 have no flag bits",
                           predicated->flag_number);
    else if (predicated->predicate == SONDE_GEN_PREDICATE_CHANNEL)
        and_flag(builder, mask, predicated);
    else if (builder->predicate != NULL)
        coder_builder_fail(builder, SONDE_ERROR_UNSUPPORTED,
                           "a mask with a predicate over groups of channels cannot be "
                           "predicated itself");
    else
        and_group(builder, mask, execution_mask, predicated);
}

enum sonde_status sonde_coder_compute_simd_mask(struct sonde_coder *coder,
                                                struct sonde_procedure *procedure, sonde_vreg mask,
                                                bool ignore_channel_enable, uint32_t execution_mask,
                                                const struct sonde_gen_instruction *predicated,
                                                const struct sonde_predicate *predicate,
                                                struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    coder_builder_need(&builder, mask, 4, "a channel mask");
    if (builder.status == SONDE_OK)
        compute_mask(&builder, coder_vreg_typed(mask, 0, SONDE_GEN_TYPE_UD), ignore_channel_enable,
                     execution_mask, predicated);
    return coder_builder_close(&builder);
}

/* One read of 32 bytes for each register of the set. */
static enum sonde_status consume(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                 const struct sonde_gen_effect *effect,
                                 const struct sonde_predicate *predicate, struct sonde_error *error)
{
    struct coder_builder builder = coder_builder_open(coder, procedure, predicate, error);
    struct coder_operand nothing =
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_NULL, 0), SONDE_GEN_TYPE_UD);
    if (effect->grf_unknown)
        coder_builder_fail(&builder, SONDE_ERROR_UNSUPPORTED,
                           "the instruction names registers through address registers: which "
                           "is not known");
    for (uint32_t number = 0; number < coder->grf_count; number++) {
        uint32_t first = number * coder->grf_size;
        uint64_t bits = coder->grf_size == 64 ? UINT64_MAX : UINT32_MAX;
        if ((effect->grf[first / 64] >> (first % 64) & bits) == 0)
            continue;
        struct coder_operand whole =
            coder_typed(sonde_operand_grf(number, 0, coder->grf_size), SONDE_GEN_TYPE_UD);
        whole.elements = (uint8_t)(coder->grf_size / 4);
        coder_builder_append(&builder, SONDE_GEN_MOV, whole.elements, &nothing, &whole, 1);
    }
    return coder_builder_close(&builder);
}

enum sonde_status sonde_coder_generate_fake_src_consumers(
    struct sonde_coder *coder, struct sonde_procedure *procedure,
    const struct sonde_gen_instruction *instruction, const struct sonde_predicate *predicate,
    struct sonde_error *error)
{
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    return consume(coder, procedure, &effects.reads, predicate, error);
}

enum sonde_status sonde_coder_generate_fake_dst_consumers(
    struct sonde_coder *coder, struct sonde_procedure *procedure,
    const struct sonde_gen_instruction *instruction, const struct sonde_predicate *predicate,
    struct sonde_error *error)
{
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    return consume(coder, procedure, &effects.writes, predicate, error);
}
