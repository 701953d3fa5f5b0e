/* Places a procedure: chooses registers, saves what is live, emits. */
#include "coder/plan.h"

#include "base/array.h"
#include "kernel/analysis.h"

#include <stdlib.h>

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
    const struct coder_kept *kept = plan_find_kept(coder, &item->chunk);
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
    if (item->kind == CODER_ITEM_CALL)
        return coder_body_emit_call(plan->coder, item->body, code, error);
    if (item->kind != CODER_ITEM_INSTRUCTION)
        return emit_saves(plan, item->kind == CODER_ITEM_SAVE, code, error);
    struct sonde_gen_instruction instruction = item->instruction;
    place_operand(plan, item->dst, &instruction.dst);
    for (unsigned i = 0; i < 3; i++)
        place_operand(plan, item->src[i], &instruction.src[i]);
    return coder_code_append(code, &instruction, error);
}

static enum sonde_status move_state(const struct plan *plan, struct coder_code *code, bool save,
                                    struct sonde_error *error)
{
    const struct sonde_coder *coder = plan->coder;
    enum sonde_status status = SONDE_OK;
    for (unsigned f = 0; f < PLAN_MAXIMUM_FLAGS && status == SONDE_OK; f++)
        if (plan->save_flag[f])
            status = direct_move_flag(coder, code, f, plan->flag_byte[f], save, error);
    if (status == SONDE_OK && plan->save_address)
        status = direct_move_address(coder, code, plan->address_byte, save, error);
    for (unsigned n = 0; n < PLAN_MAXIMUM_ACCUMULATORS && status == SONDE_OK; n++)
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

/* The profile buffer's address, where no register could be kept for it. */
static enum sonde_status emit_address(const struct plan *plan, struct coder_code *code,
                                      struct sonde_error *error)
{
    for (size_t i = 0; i < plan->binding_count; i++) {
        const struct plan_binding *binding = &plan->bindings[i];
        if (binding->vreg != plan->coder->buffer_address || binding->lasts)
            continue;
        return coder_fetches_address(&plan->coder->options)
                   ? direct_fetch_buffer_address(plan->coder, code, binding->byte, binding->byte,
                                                 error)
                   : direct_read_buffer_address(plan->coder, code, binding->byte, error);
    }
    return SONDE_OK;
}

static enum sonde_status emit(const struct plan *plan, struct coder_code *code,
                              struct sonde_error *error)
{
    enum sonde_status status = plan_move_victims(plan, code, true, error);
    if (status == SONDE_OK)
        status = move_state(plan, code, true, error);
    if (status == SONDE_OK)
        status = emit_address(plan, code, error);
    if (status == SONDE_OK)
        status = emit_items(plan, code, error);
    if (status == SONDE_OK)
        status = move_state(plan, code, false, error);
    if (status == SONDE_OK)
        status = plan_move_victims(plan, code, false, error);
    return status;
}

static void count_cost(const struct plan *plan, size_t instructions)
{
    const struct sonde_coder *coder = plan->coder;
    struct sonde_procedure_cost *cost = plan->procedure->cost;
    uint32_t whole = (uint32_t)__builtin_popcount(plan->save_accumulators) + plan->save_address;
    uint32_t bytes = whole * coder->grf_size;
    for (size_t i = 0; i < plan->binding_count; i++)
        if (!plan->bindings[i].lasts)
            bytes += plan->bindings[i].size;
    for (unsigned f = 0; f < PLAN_MAXIMUM_FLAGS; f++)
        bytes += plan->save_flag[f] ? 4 : 0;
    cost->places++;
    cost->instructions += (uint32_t)instructions;
    cost->bytes += 16 * (uint32_t)instructions; /* inserted code is not compacted */
    cost->spills += (uint32_t)plan->victim_count;
    if (plan->spill == PLAN_SPILL_BUFFER)
        cost->buffer_spills += (uint32_t)plan->victim_count;
    if (bytes > cost->register_bytes)
        cost->register_bytes = bytes;
}

static bool is_before_end(const struct plan *plan)
{
    const struct sonde_gen_instruction *next =
        sonde_kernel_instruction(plan->coder->kernel, plan->point->index);
    return next != NULL && next->send.end_of_thread;
}

static void count_spills(const struct plan *plan, struct coder_spills *spills)
{
    spills->registers += (uint32_t)plan->victim_count;
    if (plan->spill != PLAN_SPILL_BUFFER)
        return;
    spills->in_buffer += (uint32_t)plan->victim_count;
    uint32_t bytes = (uint32_t)plan_spill_bytes(plan->coder, plan->victim_count);
    if (bytes > spills->bytes)
        spills->bytes = bytes;
}

enum sonde_status coder_expand(struct sonde_coder *coder, const struct sonde_procedure *procedure,
                               const struct coder_point *point, struct coder_code *code,
                               struct coder_spills *spills, struct sonde_error *error)
{
    if (procedure->item_count == 0)
        return SONDE_OK;
    struct plan plan = {
        .coder = coder, .procedure = procedure, .point = point, .header = KERNEL_NO_REGISTER};
    size_t before = code->count;
    enum sonde_status status = plan_bind(&plan, error);
    if (status == SONDE_OK)
        status = plan_allocate(&plan, error);
    if (status == SONDE_OK)
        status = emit(&plan, code, error);
    if (status == SONDE_OK)
        status = coder_scoreboard_fill(coder, code, before, is_before_end(&plan), error);
    if (status != SONDE_OK)
        return status;
    for (size_t i = before; plan.has_call && i < code->count; i++)
        if (coder_is_jump(&code->instructions[i]))
            code->instructions[i].jip *= 16; /* inserted code is not compacted */
    count_spills(&plan, spills);
    count_cost(&plan, code->count - before);
    return SONDE_OK;
}
