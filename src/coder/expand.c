/* Places a procedure: chooses registers, saves what is live, emits. */
#include "coder/direct.h"

#include "base/array.h"
#include "kernel/analysis.h"

#include <stdlib.h>
#include <string.h>

#define MAXIMUM_VREGS        64
#define MAXIMUM_SPILLS       16
#define MAXIMUM_SAVES        64
#define MAXIMUM_FLAGS        4
#define MAXIMUM_ACCUMULATORS 8

/* A virtual register used by the procedure at hand. */
struct binding {
    sonde_vreg vreg;
    uint32_t size, align;
    uint32_t extent; /* bytes from its start that a message names */
    uint32_t byte;   /* CODER_NO_BYTE while not allocated */
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
    uint16_t save_accumulators; /* bit n: accn */
    uint32_t accumulator_byte[MAXIMUM_ACCUMULATORS];
    uint32_t flag_byte[MAXIMUM_FLAGS];
    uint32_t address_byte;
    uint64_t fixed[SONDE_GEN_GRF_WORDS]; /* bytes named by physical operands */
    /* Of these, what a call writes; and the registers to save around it. */
    uint64_t clobbered[SONDE_GEN_GRF_WORDS];
    bool has_call;
    uint32_t saves[MAXIMUM_SAVES], save_bytes[MAXIMUM_SAVES];
    size_t save_count;
    uint32_t header; /* of scratch messages, or KERNEL_NO_REGISTER */
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

static struct binding *find_binding(struct plan *plan, sonde_vreg vreg)
{
    for (size_t i = 0; i < plan->binding_count; i++)
        if (plan->bindings[i].vreg == vreg)
            return &plan->bindings[i];
    if (plan->binding_count == MAXIMUM_VREGS)
        return NULL;
    const struct coder_vreg *from = &plan->coder->vregs[vreg];
    struct binding *binding = &plan->bindings[plan->binding_count++];
    *binding = (struct binding){
        .vreg = vreg, .size = from->size, .align = from->align, .byte = from->byte};
    return binding;
}

/* `own`: bytes that are written; `extent`: that are named. */
static enum sonde_status bind(struct plan *plan, sonde_vreg vreg, uint32_t align, uint32_t own,
                              uint32_t extent, struct sonde_error *error)
{
    if (vreg == 0)
        return SONDE_OK;
    struct binding *binding = find_binding(plan, vreg);
    if (binding == NULL)
        return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0,
                               "procedure %s uses more than %d virtual registers",
                               plan->procedure->name, MAXIMUM_VREGS);
    if (coder_vreg_lasts(plan->coder, vreg))
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
    if (item->kind == CODER_ITEM_THREAD_CHUNK) {
        enum sonde_status status = bind(plan, item->dst, 4, 0, 0, error);
        bool temporary = find_kept(coder, &item->chunk) == NULL &&
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

/* Accumulators of products carry more bits than a move can save. */
static enum sonde_status note_effects(struct plan *plan, const struct coder_item *item,
                                      struct sonde_error *error)
{
    if (item->kind != CODER_ITEM_INSTRUCTION)
        return SONDE_OK;
    const struct sonde_gen_effect *live = plan->point->live;
    struct sonde_gen_effects effects;
    coder_item_physical_effects(item, &effects);
    for (uint32_t w = 0; w < plan->coder->grf_words; w++) {
        plan->fixed[w] |= effects.reads.grf[w] | effects.writes.grf[w];
        plan->clobbered[w] |= item->keeps ? effects.writes.grf[w] : 0;
    }
    plan->has_call |= item->keeps;
    uint16_t accumulators = effects.writes.accumulators & live->accumulators;
    if ((accumulators != 0 && plan->coder->has_wide_accumulators &&
         coder_product_is_live(plan->coder->kernel, plan->point->index)) ||
        accumulators >> MAXIMUM_ACCUMULATORS != 0 || (effects.writes.mme && live->mme))
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "procedure %s writes an accumulator that the kernel needs there",
                               plan->procedure->name);
    plan->save_accumulators |= accumulators;
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
        byte = coder_pool_reserve(second, size, align);
    if (byte != CODER_NO_BYTE) {
        coder_pool_remove(first, byte, size);
        coder_pool_remove(second, byte, size);
    }
    return byte;
}

/* Not so near the end of the file that a payload would run out of it. */
static uint32_t take_binding(struct coder_pool *first, struct coder_pool *second,
                             const struct binding *binding)
{
    if (binding->extent <= binding->size)
        return take(first, second, binding->size, binding->align);
    struct coder_pool a = *first, b = *second;
    uint32_t rest = binding->extent - binding->size;
    coder_pool_remove(&a, first->words * 64 - rest, rest);
    coder_pool_remove(&b, first->words * 64 - rest, rest);
    uint32_t byte = take(&a, &b, binding->size, binding->align);
    if (byte != CODER_NO_BYTE) {
        coder_pool_remove(first, byte, binding->size);
        coder_pool_remove(second, byte, binding->size);
    }
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
    coder_pool_remove_set(others, coder->held);
    coder_pool_remove_set(compiler, coder->held);
    coder_pool_remove_set(compiler, plan->fixed);
    coder_pool_remove_set(others, plan->fixed);
    if (plan->victim_count != 0) {
        coder_pool_remove(compiler, plan->header * coder->grf_size, coder->grf_size);
        coder_pool_remove(others, plan->header * coder->grf_size, coder->grf_size);
    }
}

/* Whole registers for address registers and accumulators. */
static bool allocate_state(struct plan *plan, struct coder_pool *compiler,
                           struct coder_pool *others)
{
    uint32_t size = plan->coder->grf_size;
    if (plan->save_address) {
        plan->address_byte = take(compiler, others, size, size);
        if (plan->address_byte == CODER_NO_BYTE)
            return false;
    }
    for (size_t i = 0; i < plan->save_count; i++) {
        plan->save_bytes[i] = take(compiler, others, size, size);
        if (plan->save_bytes[i] == CODER_NO_BYTE)
            return false;
    }
    for (unsigned n = 0; n < MAXIMUM_ACCUMULATORS; n++) {
        if ((plan->save_accumulators >> n & 1) == 0)
            continue;
        plan->accumulator_byte[n] = take(compiler, others, size, size);
        if (plan->accumulator_byte[n] == CODER_NO_BYTE)
            return false;
    }
    return true;
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
            if (binding->align != align || coder_vreg_lasts(coder, binding->vreg))
                continue;
            binding->byte = take_binding(&compiler, &others, binding);
            if (binding->byte == CODER_NO_BYTE)
                return false;
        }
        if (align == coder->grf_size && !allocate_state(plan, &compiler, &others))
            return false;
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
    for (uint32_t b = number * coder->grf_size; b < (number + 1) * coder->grf_size; b++)
        if (((plan->fixed[b / 64] | coder->held[b / 64]) >> (b % 64) & 1) != 0)
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
    if (plan->has_call)
        why = "a call saves to registers only";
    else if (info->scratch_size < (plan->victim_count + 1) * coder->grf_size)
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

/* Registers that a call overwrites and that the kernel, or our own values that
 * last, need there. */
static enum sonde_status find_saves(struct plan *plan, struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    const struct sonde_gen_effect *live = plan->point->live;
    uint64_t bits = coder->grf_size == 64 ? UINT64_MAX : UINT32_MAX;
    for (uint32_t number = 0; plan->has_call && number < coder->grf_count; number++) {
        uint32_t byte = number * coder->grf_size;
        uint64_t needed =
            live->grf_unknown ? UINT64_MAX : live->grf[byte / 64] | coder->held[byte / 64];
        if ((plan->clobbered[byte / 64] & needed) >> byte % 64 == 0 ||
            ((plan->clobbered[byte / 64] >> byte % 64 & bits) == 0) ||
            ((needed >> byte % 64 & bits) == 0))
            continue;
        if (plan->save_count == MAXIMUM_SAVES)
            return sonde_error_set(error, SONDE_ERROR_NO_REGISTER, 0,
                                   "procedure %s overwrites more than %d registers",
                                   plan->procedure->name, MAXIMUM_SAVES);
        plan->saves[plan->save_count++] = number;
    }
    return SONDE_OK;
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
    enum sonde_status placed = coder_place_lasting(plan->coder, procedure, error);
    if (placed == SONDE_OK)
        placed = find_saves(plan, error);
    if (placed != SONDE_OK)
        return placed;
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

static enum sonde_status emit_chunk(const struct plan *plan, const struct coder_item *item,
                                    struct coder_code *code, struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    const struct coder_kept *kept = find_kept(coder, &item->chunk);
    uint32_t dst = byte_of(plan, item->dst);
    size_t first = code->count;
    enum sonde_status status =
        kept != NULL ? direct_add_immediate(coder, code, dst, kept->byte, item->addend, error)
                     : direct_thread_chunk(coder, code, &item->chunk, item->addend, dst,
                                           byte_of(plan, item->temporary), error);
    const struct sonde_gen_instruction *from = &item->instruction;
    for (size_t i = first; i < code->count && from->predicate != 0; i++) {
        code->instructions[i].predicate = from->predicate;
        code->instructions[i].predicate_inverse = from->predicate_inverse;
        code->instructions[i].flag_number = from->flag_number;
        code->instructions[i].flag_subreg = from->flag_subreg;
    }
    return status;
}

static enum sonde_status emit_saves(const struct plan *plan, bool save, struct coder_code *code,
                                    struct sonde_error *error)
{
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < plan->save_count && status == SONDE_OK; i++) {
        uint32_t spare = plan->save_bytes[i] / plan->coder->grf_size;
        status = direct_move_register(plan->coder, code, save ? spare : plan->saves[i],
                                      save ? plan->saves[i] : spare, error);
    }
    return status;
}

static enum sonde_status emit_item(const struct plan *plan, const struct coder_item *item,
                                   struct coder_code *code, struct sonde_error *error)
{
    if (item->kind == CODER_ITEM_THREAD_CHUNK)
        return emit_chunk(plan, item, code, error);
    if (item->kind != CODER_ITEM_INSTRUCTION)
        return emit_saves(plan, item->kind == CODER_ITEM_SAVE, code, error);
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
        status = direct_scratch(coder, code, plan->header, plan->victims[i],
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
            status = direct_move_flag(coder, code, f, plan->flag_byte[f], save, error);
    if (status == SONDE_OK && plan->save_address)
        status = direct_move_address(coder, code, plan->address_byte, save, error);
    for (unsigned n = 0; n < MAXIMUM_ACCUMULATORS && status == SONDE_OK; n++)
        if ((plan->save_accumulators >> n & 1) != 0)
            status =
                direct_move_accumulator(coder, code, n, plan->accumulator_byte[n], save, error);
    return status;
}

/* Jumps count instructions from here on, no longer items. */
static enum sonde_status emit_items(const struct plan *plan, struct coder_code *code,
                                    struct sonde_error *error)
{
    const struct sonde_procedure *procedure = plan->procedure;
    size_t *start = malloc((procedure->item_count + 1) * sizeof *start);
    if (start == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = SONDE_OK;
    for (size_t i = 0; i < procedure->item_count && status == SONDE_OK; i++) {
        start[i] = code->count;
        status = emit_item(plan, &procedure->items[i], code, error);
    }
    start[procedure->item_count] = code->count;
    for (size_t i = 0; i < procedure->item_count && status == SONDE_OK; i++) {
        if (!procedure->items[i].is_jump)
            continue;
        size_t to = (size_t)((int64_t)i + procedure->items[i].instruction.jip);
        code->instructions[start[i]].jip = (int32_t)((int64_t)start[to] - (int64_t)start[i]);
    }
    free(start);
    return status;
}

static enum sonde_status emit(const struct plan *plan, struct coder_code *code,
                              struct sonde_error *error)
{
    enum sonde_status status = move_victims(plan, code, true, error);
    if (status == SONDE_OK)
        status = move_state(plan, code, true, error);
    if (status == SONDE_OK)
        status = emit_items(plan, code, error);
    if (status == SONDE_OK)
        status = move_state(plan, code, false, error);
    if (status == SONDE_OK)
        status = move_victims(plan, code, false, error);
    return status;
}

static void count_cost(const struct plan *plan, size_t instructions)
{
    const struct sonde_coder *coder = plan->coder;
    struct sonde_procedure_cost *cost = plan->procedure->cost;
    uint32_t whole = (uint32_t)__builtin_popcount(plan->save_accumulators) + plan->save_address;
    uint32_t bytes = whole * coder->grf_size;
    for (size_t i = 0; i < plan->binding_count; i++)
        if (!coder_vreg_lasts(coder, plan->bindings[i].vreg))
            bytes += plan->bindings[i].size;
    for (unsigned f = 0; f < MAXIMUM_FLAGS; f++)
        bytes += plan->save_flag[f] ? 4 : 0;
    cost->places++;
    cost->instructions += (uint32_t)instructions;
    cost->bytes += 16 * (uint32_t)instructions; /* inserted code is not compacted */
    cost->spills += (uint32_t)plan->victim_count;
    if (bytes > cost->register_bytes)
        cost->register_bytes = bytes;
}

static bool is_before_end(const struct plan *plan)
{
    const struct sonde_gen_instruction *next =
        sonde_kernel_instruction(plan->coder->kernel, plan->point->index);
    return next != NULL && next->send.end_of_thread;
}

enum sonde_status coder_expand(struct sonde_coder *coder, const struct sonde_procedure *procedure,
                               const struct coder_point *point, struct coder_code *code,
                               uint32_t *spills, struct sonde_error *error)
{
    if (procedure->item_count == 0)
        return SONDE_OK;
    struct plan plan = {
        .coder = coder, .procedure = procedure, .point = point, .header = KERNEL_NO_REGISTER};
    size_t before = code->count;
    enum sonde_status status = make_plan(&plan, error);
    if (status == SONDE_OK)
        status = emit(&plan, code, error);
    if (status == SONDE_OK)
        status = coder_scoreboard_fill(coder, code, before, is_before_end(&plan), error);
    if (status != SONDE_OK)
        return status;
    for (size_t i = before; plan.has_call && i < code->count; i++)
        if (code->instructions[i].opcode == SONDE_GEN_JMPI)
            code->instructions[i].jip *= 16; /* inserted code is not compacted */
    *spills += (uint32_t)plan.victim_count;
    count_cost(&plan, code->count - before);
    return SONDE_OK;
}
