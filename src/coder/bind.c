/* What a procedure needs at a point: registers for its values, and state to
 * save around it. */
#include "coder/hli.h"
#include "coder/plan.h"

#include <string.h>

const struct coder_kept *plan_find_kept(const struct sonde_coder *coder,
                                        const struct coder_chunk *chunk)
{
    for (size_t i = 0; i < coder->kept_count; i++)
        if (coder->kept[i].chunk.bucket_count == chunk->bucket_count &&
            coder->kept[i].chunk.chunk_shift == chunk->chunk_shift)
            return &coder->kept[i];
    return NULL;
}

static struct plan_binding *find_binding(struct plan *plan, sonde_vreg vreg)
{
    for (size_t i = 0; i < plan->binding_count; i++)
        if (plan->bindings[i].vreg == vreg)
            return &plan->bindings[i];
    if (plan->binding_count == PLAN_MAXIMUM_VREGS)
        return NULL;
    const struct coder_vreg *from = &plan->coder->vregs[vreg];
    struct plan_binding *binding = &plan->bindings[plan->binding_count++];
    *binding = (struct plan_binding){.vreg = vreg,
                                     .size = from->size,
                                     .align = from->align,
                                     .byte = from->byte,
                                     .lasts = from->byte != CODER_NO_BYTE};
    /* To be fetched there: the message takes a register. */
    if (vreg == plan->coder->buffer_address && !binding->lasts &&
        coder_fetches_address(&plan->coder->options))
        binding->size = binding->align = plan->coder->grf_size;
    return binding;
}

/* `own`: bytes that are written; `extent`: that are named. */
static enum sonde_status bind(struct plan *plan, sonde_vreg vreg, uint32_t align, uint32_t own,
                              uint32_t extent, struct sonde_error *error)
{
    if (vreg == 0)
        return SONDE_OK;
    struct plan_binding *binding = find_binding(plan, vreg);
    if (binding == NULL)
        return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0,
                               "procedure %s uses more than %d virtual registers",
                               plan->procedure->name, PLAN_MAXIMUM_VREGS);
    if (binding->lasts)
        return SONDE_OK; /* has its place */
    if (align > binding->align)
        binding->align = align;
    if (own > binding->size)
        binding->size = own;
    if (extent > binding->extent)
        binding->extent = extent;
    return SONDE_OK;
}

static enum sonde_status bind_send(struct plan *plan, const struct coder_item *item,
                                   struct sonde_error *error)
{
    const struct sonde_gen_send *send = &item->instruction.send;
    uint32_t grf = plan->coder->grf_size;
    uint32_t response = (send->descriptor >> 20 & 0x1f) * grf;
    uint32_t payload = (send->descriptor >> 25 & 0xf) * grf;
    enum sonde_status status = bind(plan, item->dst, grf, response, response, error);
    if (status == SONDE_OK)
        status = bind(plan, item->src[0], grf, 0, payload, error);
    if (status == SONDE_OK)
        status = bind(plan, item->src[1], grf, 0, send->src1_length * grf, error);
    return status;
}

static enum sonde_status bind_item(struct plan *plan, const struct coder_item *item,
                                   struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    if (item->kind == CODER_ITEM_CALL)
        return SONDE_OK;
    if (item->kind == CODER_ITEM_THREAD_CHUNK) {
        enum sonde_status status = bind(plan, item->dst, 4, 0, 0, error);
        bool temporary = plan_find_kept(coder, &item->chunk) == NULL &&
                         direct_chunk_needs_temporary(coder->isa, item->chunk.bucket_count);
        return status == SONDE_OK && temporary ? bind(plan, item->temporary, 4, 0, 0, error)
                                               : status;
    }
    /* Message payloads and responses start at a register. */
    if (sonde_gen_opcode_format((enum sonde_gen_opcode)item->instruction.opcode) ==
        SONDE_GEN_FORMAT_SEND)
        return bind_send(plan, item, error);
    enum sonde_status status = bind(plan, item->dst, 1, 0, 0, error);
    for (unsigned i = 0; i < 3 && status == SONDE_OK; i++)
        status = bind(plan, item->src[i], 1, 0, 0, error);
    return status;
}

void coder_item_physical_effects(const struct coder_item *item, struct sonde_gen_effects *effects)
{
    static const struct sonde_gen_operand null = {
        .file = SONDE_GEN_FILE_ARF, .type = SONDE_GEN_TYPE_UD, .width = 1, .mme = 0xff};
    struct sonde_gen_instruction instruction = item->instruction;
    if (item->dst != 0)
        instruction.dst = null;
    for (unsigned i = 0; i < 3; i++)
        if (item->src[i] != 0)
            instruction.src[i] = null;
    sonde_gen_instruction_effects(&instruction, effects);
}

/* An index leads to registers that the convention gives to a function. */
static void note_indexed(struct plan *plan)
{
    uint32_t size = plan->coder->grf_size;
    for (uint32_t byte = size; byte < HLI_FIRST_KEPT * size; byte++) {
        plan->fixed[byte / 64] |= 1ull << byte % 64;
        plan->clobbered[byte / 64] |= 1ull << byte % 64;
    }
}

/* Accumulators of products carry more bits than a move can save. */
static enum sonde_status note_effects(struct plan *plan, const struct coder_item *item,
                                      struct sonde_error *error)
{
    const struct sonde_gen_effect *live = plan->point->live;
    struct sonde_gen_effects effects;
    if (item->kind == CODER_ITEM_CALL) {
        memset(&effects, 0, sizeof effects);
        effects.writes = plan->coder->bodies[item->body].writes;
        /* Where to return to stands there. */
        for (uint32_t byte = 0; byte < plan->coder->grf_size; byte++) {
            uint32_t at = HLI_FRAME * plan->coder->grf_size + byte;
            effects.writes.grf[at / 64] |= 1ull << at % 64;
        }
    } else if (item->kind == CODER_ITEM_INSTRUCTION) {
        coder_item_physical_effects(item, &effects);
    } else {
        return SONDE_OK;
    }
    if (item->keeps && effects.writes.grf_unknown)
        note_indexed(plan);
    for (uint32_t w = 0; w < plan->coder->grf_words; w++) {
        uint64_t named = effects.reads.grf[w] | effects.writes.grf[w];
        plan->fixed[w] |= named;
        plan->clobbered[w] |= item->keeps ? effects.writes.grf[w] : 0;
        plan->outside[w] |= item->keeps ? 0 : named;
    }
    plan->has_call |= item->keeps;
    plan->names_any |= !item->keeps && (effects.reads.grf_unknown || effects.writes.grf_unknown);
    plan->writes_address |= effects.writes.address != 0;
    plan->writes_accumulator |= effects.writes.accumulators != 0 || effects.writes.mme;
    uint16_t accumulators = effects.writes.accumulators & live->accumulators;
    if ((accumulators != 0 && plan->coder->has_wide_accumulators &&
         coder_product_is_live(plan->coder->kernel, plan->point->index)) ||
        accumulators >> PLAN_MAXIMUM_ACCUMULATORS != 0 || (effects.writes.mme && live->mme))
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "procedure %s writes an accumulator that the kernel needs there",
                               plan->procedure->name);
    plan->save_accumulators |= accumulators;
    uint32_t flags = effects.writes.flags & live->flags;
    for (unsigned f = 0; f < PLAN_MAXIMUM_FLAGS; f++)
        plan->save_flag[f] |= (flags >> (2 * f) & 3) != 0;
    plan->save_address |= (effects.writes.address & live->address) != 0;
    return SONDE_OK;
}

/* Registers that a call overwrites and that the kernel, or our own values that
 * last, need there. */
static enum sonde_status find_saves(struct plan *plan, struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    const struct sonde_gen_effect *live = plan->point->live;
    uint64_t bits = coder->grf_size == 64 ? UINT64_MAX : UINT32_MAX;
    for (uint32_t number = 0; plan->has_call && number < coder->grf_count; number++) {
        uint32_t byte = number * coder->grf_size;
        uint64_t needed = live->grf_unknown ? UINT64_MAX
                                            : live->grf[byte / 64] | coder->held[byte / 64] |
                                                  coder->observed[byte / 64];
        if ((plan->clobbered[byte / 64] & needed) >> byte % 64 == 0 ||
            ((plan->clobbered[byte / 64] >> byte % 64 & bits) == 0) ||
            ((needed >> byte % 64 & bits) == 0))
            continue;
        if (plan->save_count == PLAN_MAXIMUM_SAVES)
            return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0,
                                   "procedure %s overwrites more than %d registers",
                                   plan->procedure->name, PLAN_MAXIMUM_SAVES);
        plan->saves[plan->save_count++] = number;
    }
    return SONDE_OK;
}

enum sonde_status plan_bind(struct plan *plan, struct sonde_error *error)
{
    const struct sonde_procedure *procedure = plan->procedure;
    enum sonde_status status = coder_place_lasting(plan->coder, procedure, error);
    for (size_t i = 0; i < procedure->item_count && status == SONDE_OK; i++) {
        status = bind_item(plan, &procedure->items[i], error);
        if (status == SONDE_OK)
            status = note_effects(plan, &procedure->items[i], error);
    }
    return status == SONDE_OK ? find_saves(plan, error) : status;
}
