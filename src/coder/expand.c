/* Places a procedure: chooses registers, saves what is live, emits. */
#include "coder/internal.h"

#include "base/array.h"
#include "kernel/analysis.h"

#include <stdlib.h>
#include <string.h>

#define MAXIMUM_VREGS  64
#define MAXIMUM_SPILLS 8
#define MAXIMUM_FLAGS  4

/* A virtual register used by the procedure at hand. */
struct binding {
    sonde_vreg vreg;
    uint32_t size, align;
    uint32_t byte; /* CODER_NO_BYTE while not allocated */
};

struct plan {
    struct sonde_coder *coder;
    const struct sonde_procedure *procedure;
    const struct coder_point *point;
    struct binding bindings[MAXIMUM_VREGS];
    size_t binding_count;
    /* Architecture registers that the procedure writes and the kernel needs. */
    bool save_flag[MAXIMUM_FLAGS];
    bool save_address;
    uint32_t flag_byte[MAXIMUM_FLAGS];
    uint32_t address_byte;
    uint64_t fixed[SONDE_GEN_GRF_WORDS]; /* bytes named by physical operands */
    uint32_t header;                     /* of scratch messages, or KERNEL_NO_REGISTER */
    bool header_known;
    uint32_t victims[MAXIMUM_SPILLS]; /* registers saved to scratch */
    size_t victim_count;
};

void coder_code_clear(struct coder_code *code)
{
    free(code->instructions);
    *code = (struct coder_code){0};
}

enum sonde_status coder_code_append(struct coder_code *code,
                                    const struct sonde_gen_instruction *instruction,
                                    struct sonde_error *error)
{
    if (base_array_reserve((void **)&code->instructions, &code->capacity, code->count + 1,
                           sizeof *code->instructions) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    code->instructions[code->count++] = *instruction;
    return SONDE_OK;
}

static const struct coder_kept *find_kept(const struct sonde_coder *coder,
                                          const struct coder_chunk *chunk)
{
    for (size_t i = 0; i < coder->kept_count; i++)
        if (coder->kept[i].chunk.bucket_count == chunk->bucket_count &&
            coder->kept[i].chunk.chunk_shift == chunk->chunk_shift)
            return &coder->kept[i];
    return NULL;
}

static enum sonde_status bind(struct plan *plan, sonde_vreg vreg, uint32_t align,
                              struct sonde_error *error)
{
    if (vreg == 0)
        return SONDE_OK;
    struct binding *binding = NULL;
    for (size_t i = 0; i < plan->binding_count && binding == NULL; i++)
        if (plan->bindings[i].vreg == vreg)
            binding = &plan->bindings[i];
    if (binding == NULL) {
        if (plan->binding_count == MAXIMUM_VREGS)
            return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0,
                                   "procedure %s uses more than %d virtual registers",
                                   plan->procedure->name, MAXIMUM_VREGS);
        binding = &plan->bindings[plan->binding_count++];
        *binding = (struct binding){.vreg = vreg,
                                    .size = plan->coder->vregs[vreg].size,
                                    .align = plan->coder->vregs[vreg].align};
    }
    if (align > binding->align)
        binding->align = align;
    return SONDE_OK;
}

static enum sonde_status bind_item(struct plan *plan, const struct coder_item *item,
                                   struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    if (item->kind == CODER_ITEM_THREAD_CHUNK) {
        enum sonde_status status = bind(plan, item->dst, 4, error);
        bool temporary = find_kept(coder, &item->chunk) == NULL &&
                         coder->isa->chunk_needs_temporary(item->chunk.bucket_count);
        return status == SONDE_OK && temporary ? bind(plan, item->temporary, 4, error) : status;
    }
    /* Message payloads and responses start at a register. */
    bool send = sonde_gen_opcode_format(item->instruction.opcode) == SONDE_GEN_FORMAT_SEND;
    uint32_t align = send ? coder->grf_size : 1;
    enum sonde_status status = bind(plan, item->dst, align, error);
    for (unsigned i = 0; i < 3 && status == SONDE_OK; i++)
        status = bind(plan, item->src[i], align, error);
    return status;
}

/* Accumulators carry more bits than a move can save. */
static enum sonde_status note_effects(struct plan *plan, const struct coder_item *item,
                                      struct sonde_error *error)
{
    if (item->kind != CODER_ITEM_INSTRUCTION)
        return SONDE_OK;
    const struct sonde_gen_effect *live = plan->point->live;
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(&item->instruction, &effects);
    bool is_physical =
        item->dst == 0 && item->src[0] == 0 && item->src[1] == 0 && item->src[2] == 0;
    for (uint32_t w = 0; is_physical && w < plan->coder->grf_words; w++)
        plan->fixed[w] |= effects.reads.grf[w] | effects.writes.grf[w];
    if ((effects.writes.accumulators & live->accumulators) != 0 ||
        (effects.writes.mme && live->mme))
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "procedure %s writes an accumulator that the kernel needs there",
                               plan->procedure->name);
    uint32_t flags = effects.writes.flags & live->flags;
    for (unsigned f = 0; f < MAXIMUM_FLAGS; f++)
        plan->save_flag[f] |= (flags >> (2 * f) & 3) != 0;
    plan->save_address |= (effects.writes.address & live->address) != 0;
    return SONDE_OK;
}

/* One stock after the other: what the compiler left unused, then what is
 * dead at the point. */
static uint32_t take(struct coder_pool *first, struct coder_pool *second, uint32_t size,
                     uint32_t align)
{
    uint32_t byte = coder_pool_reserve(first, size, align);
    if (byte == CODER_NO_BYTE)
        return coder_pool_reserve(second, size, align);
    coder_pool_remove(second, byte, size);
    return byte;
}

static void fill_pools(const struct plan *plan, struct coder_pool *compiler,
                       struct coder_pool *others)
{
    const struct sonde_coder *coder = plan->coder;
    *compiler = coder->compiler_free;
    coder_pool_clear(others, coder->grf_words);
    if (coder->options.use_own_liveness && !plan->point->live->grf_unknown) {
        coder_pool_add(others, 0, coder->grf_words * 64);
        coder_pool_remove_set(others, plan->point->live->grf);
    }
    for (size_t i = 0; i < plan->victim_count; i++)
        coder_pool_add(others, plan->victims[i] * coder->grf_size, coder->grf_size);
    for (size_t i = 0; i < coder->kept_count; i++) {
        coder_pool_remove(others, coder->kept[i].byte, 4);
        coder_pool_remove(compiler, coder->kept[i].byte, 4);
    }
    coder_pool_remove_set(compiler, plan->fixed);
    coder_pool_remove_set(others, plan->fixed);
    if (plan->victim_count != 0) {
        coder_pool_remove(compiler, plan->header * coder->grf_size, coder->grf_size);
        coder_pool_remove(others, plan->header * coder->grf_size, coder->grf_size);
    }
}

/* Registers with the strictest alignment first. */
static bool allocate(struct plan *plan)
{
    const struct sonde_coder *coder = plan->coder;
    struct coder_pool compiler, others;
    fill_pools(plan, &compiler, &others);
    for (uint32_t align = coder->grf_size; align != 0; align /= 2) {
        for (size_t i = 0; i < plan->binding_count; i++) {
            struct binding *binding = &plan->bindings[i];
            if (binding->align != align)
                continue;
            binding->byte = take(&compiler, &others, binding->size, align);
            if (binding->byte == CODER_NO_BYTE)
                return false;
        }
        if (align == coder->grf_size && plan->save_address) {
            plan->address_byte = take(&compiler, &others, coder->grf_size, align);
            if (plan->address_byte == CODER_NO_BYTE)
                return false;
        }
    }
    for (unsigned f = 0; f < MAXIMUM_FLAGS; f++) {
        if (!plan->save_flag[f])
            continue;
        plan->flag_byte[f] = take(&compiler, &others, 4, 4);
        if (plan->flag_byte[f] == CODER_NO_BYTE)
            return false;
    }
    return true;
}

static enum sonde_status find_header(struct plan *plan, struct sonde_error *error)
{
    plan->header_known = true;
    return kernel_header_before(plan->coder->kernel, plan->point->index, &plan->header, error);
}

static bool is_victim(const struct plan *plan, uint32_t number)
{
    const struct sonde_coder *coder = plan->coder;
    if (number == plan->header)
        return false;
    for (size_t i = 0; i < plan->victim_count; i++)
        if (plan->victims[i] == number)
            return false;
    for (size_t i = 0; i < coder->kept_count; i++)
        if (coder->kept[i].byte / coder->grf_size == number)
            return false;
    for (uint32_t b = number * coder->grf_size; b < (number + 1) * coder->grf_size; b++)
        if ((plan->fixed[b / 64] >> (b % 64) & 1) != 0)
            return false;
    return true;
}

/* Save one more register to scratch, with a copy of the thread header that
 * the kernel itself keeps as the message header: no register is needed to get
 * the first one. */
static enum sonde_status spill_one(struct plan *plan, struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    const struct sonde_kernel_info *info = sonde_kernel_info(coder->kernel);
    if (!plan->header_known) {
        enum sonde_status status = find_header(plan, error);
        if (status != SONDE_OK)
            return status;
    }
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(coder->kernel, plan->point->index);
    uint32_t offset = instruction == NULL ? 0 : instruction->offset;
    uint32_t free_bytes = coder_pool_count(&coder->compiler_free);
    uint64_t end = (uint64_t)info->scratch_offset + (plan->victim_count + 1) * coder->grf_size;
    const char *why = NULL;
    if (info->scratch_size < (plan->victim_count + 1) * coder->grf_size)
        why = "no scratch memory is reserved to save one";
    else if (end > coder->isa->scratch_limit || info->scratch_offset % coder->grf_size != 0)
        why = "the reserved scratch memory cannot be addressed";
    else if (plan->header == KERNEL_NO_REGISTER)
        why = "no register holds the thread header that saving one needs";
    else if (plan->victim_count == MAXIMUM_SPILLS)
        why = "too many would have to be saved";
    for (uint32_t number = 1; why == NULL && number < coder->grf_count; number++) {
        if (!is_victim(plan, number))
            continue;
        plan->victims[plan->victim_count++] = number;
        return SONDE_OK;
    }
    return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, offset,
                           "no register for procedure %s at 0x%x: the compiler left %u bytes "
                           "unused%s, and %s",
                           plan->procedure->name, offset, free_bytes,
                           coder->options.use_own_liveness ? ", none of the rest is dead there"
                                                           : "",
                           why == NULL ? "every register is in use" : why);
}

static enum sonde_status make_plan(struct plan *plan, struct sonde_error *error)
{
    const struct sonde_procedure *procedure = plan->procedure;
    for (size_t i = 0; i < procedure->item_count; i++) {
        enum sonde_status status = bind_item(plan, &procedure->items[i], error);
        if (status == SONDE_OK)
            status = note_effects(plan, &procedure->items[i], error);
        if (status != SONDE_OK)
            return status;
    }
    while (!allocate(plan)) {
        enum sonde_status status = spill_one(plan, error);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

static uint32_t byte_of(const struct plan *plan, sonde_vreg vreg)
{
    for (size_t i = 0; i < plan->binding_count; i++)
        if (plan->bindings[i].vreg == vreg)
            return plan->bindings[i].byte;
    return CODER_NO_BYTE;
}

/* An operand bound to a virtual register holds an offset into it. */
static void place_operand(const struct plan *plan, sonde_vreg vreg,
                          struct sonde_gen_operand *operand)
{
    if (vreg == 0)
        return;
    uint32_t grf_size = plan->coder->grf_size;
    uint32_t byte = byte_of(plan, vreg) + operand->number * grf_size + operand->subreg;
    operand->number = (uint8_t)(byte / grf_size);
    operand->subreg = (uint8_t)(byte % grf_size);
}

static enum sonde_status emit_item(const struct plan *plan, const struct coder_item *item,
                                   struct coder_code *code, struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    if (item->kind == CODER_ITEM_THREAD_CHUNK) {
        const struct coder_kept *kept = find_kept(coder, &item->chunk);
        uint32_t dst = byte_of(plan, item->dst);
        if (kept != NULL)
            return coder->isa->add_immediate(coder, code, dst, kept->byte, item->addend, error);
        return coder->isa->thread_chunk(coder, code, &item->chunk, item->addend, dst,
                                        byte_of(plan, item->temporary), error);
    }
    struct sonde_gen_instruction instruction = item->instruction;
    place_operand(plan, item->dst, &instruction.dst);
    for (unsigned i = 0; i < 3; i++)
        place_operand(plan, item->src[i], &instruction.src[i]);
    return coder_code_append(code, &instruction, error);
}

static enum sonde_status move_victims(const struct plan *plan, struct coder_code *code, bool save,
                                      struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    uint32_t base = sonde_kernel_info(coder->kernel)->scratch_offset;
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < plan->victim_count && status == SONDE_OK; i++)
        status = coder->isa->scratch(coder, code, plan->header, plan->victims[i],
                                     base + (uint32_t)i * coder->grf_size, save, error);
    return status;
}

static enum sonde_status move_state(const struct plan *plan, struct coder_code *code, bool save,
                                    struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    enum sonde_status status = SONDE_OK;
    for (unsigned f = 0; f < MAXIMUM_FLAGS && status == SONDE_OK; f++)
        if (plan->save_flag[f])
            status = coder->isa->move_flag(coder, code, f, plan->flag_byte[f], save, error);
    if (status == SONDE_OK && plan->save_address)
        status = coder->isa->move_address(coder, code, plan->address_byte, save, error);
    return status;
}

static enum sonde_status emit(const struct plan *plan, struct coder_code *code,
                              struct sonde_error *error)
{
    enum sonde_status status = move_victims(plan, code, true, error);
    if (status == SONDE_OK)
        status = move_state(plan, code, true, error);
    for (size_t i = 0; i < plan->procedure->item_count && status == SONDE_OK; i++)
        status = emit_item(plan, &plan->procedure->items[i], code, error);
    if (status == SONDE_OK)
        status = move_state(plan, code, false, error);
    if (status == SONDE_OK)
        status = move_victims(plan, code, false, error);
    return status;
}

enum sonde_status coder_expand(struct sonde_coder *coder, const struct sonde_procedure *procedure,
                               const struct coder_point *point, struct coder_code *code,
                               uint32_t *spills, struct sonde_error *error)
{
    if (procedure->item_count == 0)
        return SONDE_OK;
    struct plan plan = {
        .coder = coder, .procedure = procedure, .point = point, .header = KERNEL_NO_REGISTER};
    enum sonde_status status = make_plan(&plan, error);
    if (status == SONDE_OK)
        status = emit(&plan, code, error);
    if (status == SONDE_OK)
        *spills += (uint32_t)plan.victim_count;
    return status;
}
