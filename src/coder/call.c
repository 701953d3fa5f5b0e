/* Calls of probes: arguments into the convention's registers, the probe, its
 * result, and the kernel's values around it. */
#include "coder/call.h"
#include "coder/direct.h"

#define INLINE_LIMIT 32u /* instructions, for which a body is not worth its call */

#define STACK_HEADER_BYTES 16u /* r125.4: variables; see hli.h */

static struct coder_item *append_kind(struct coder_builder *builder, enum coder_item_kind kind)
{
    struct coder_item *item =
        builder->status == SONDE_OK ? coder_procedure_append(builder->procedure) : NULL;
    if (item == NULL)
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
    else
        item->kind = kind;
    return item;
}

static struct sonde_operand grf(const struct call *call, uint32_t number, uint32_t byte)
{
    return sonde_operand_grf(number, byte, call->builder.coder->grf_size);
}

static void pass_arguments(struct call *call)
{
    struct coder_builder *builder = &call->builder;
    uint32_t number = HLI_FIRST_ARGUMENT;
    for (size_t i = 0; i < call->count && builder->status == SONDE_OK; i++) {
        bool wide = call_is_wide(call->arguments[i].kind);
        if (number + (wide ? 2 : 1) > HLI_FIRST_ARGUMENT + HLI_ARGUMENT_LIMIT)
            coder_builder_fail(builder, SONDE_ERROR_RANGE, "more arguments than registers");
        else
            call_move(builder, wide, grf(call, number, 0), call->values[i]);
        number += wide ? 2 : 1;
    }
}

/* Bytes of the structure, each member at a multiple of its size. */
static uint32_t combined_offset(const struct call *call, size_t member)
{
    uint32_t offset = 0;
    for (size_t i = 0; i <= member; i++) {
        uint32_t size = i < call->count && call_is_wide(call->arguments[i].kind) ? 8 : 4;
        offset = (offset + size - 1) / size * size;
        if (i < member)
            offset += size;
    }
    return offset;
}

/* The structure stands in the thread's memory, behind the probe's stack. */
static void pass_combined(struct call *call)
{
    struct coder_builder *builder = &call->builder;
    struct sonde_coder *coder = builder->coder;
    sonde_vreg place = call_scratch(builder, SONDE_VREG_DWORD);
    sonde_vreg data = sonde_vreg_make(coder, SONDE_VREG_MEM_BLOCK, SONDE_VREG_FLAG_MSG_DATA);
    sonde_vreg address = sonde_vreg_make_msg_addr_scratch(coder);
    uint32_t size = 16;
    while (size < combined_offset(call, call->count))
        size *= 2;
    if (data == 0 || address == 0)
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < call->count && builder->status == SONDE_OK; i++)
        call_move(builder, call_is_wide(call->arguments[i].kind),
                  sonde_operand_vreg_at(data, combined_offset(call, i)), call->values[i]);
    if (builder->status != SONDE_OK)
        return;
    coder_slot_offset(builder, place, call->function->stack_bytes);
    if (builder->status == SONDE_OK)
        builder->status = sonde_coder_compute_address(
            coder, builder->procedure, address, sonde_operand_vreg(place), NULL, builder->error);
    if (builder->status == SONDE_OK)
        builder->status = sonde_coder_store_mem_block(coder, builder->procedure, address, data,
                                                      size, NULL, builder->error);
    sonde_vreg pointer = call_scratch(builder, SONDE_VREG_QWORD);
    if (builder->status == SONDE_OK)
        coder_pointer(builder, pointer, sonde_operand_vreg(place));
    call->values[0] = sonde_operand_vreg(pointer);
}

/* Of the registers that the convention has for it. The areas for registers and
 * for variables stand one behind the other. */
static void pass_stack(struct call *call)
{
    struct coder_builder *builder = &call->builder;
    if (call->stack == 0 || builder->status != SONDE_OK)
        return;
    struct sonde_operand base = sonde_operand_vreg(call->stack);
    call_move(builder, true, grf(call, HLI_MEMORY_HEADER, 0), base);
    call_move(builder, false, grf(call, HLI_MEMORY_HEADER, STACK_HEADER_BYTES), base);
    call_move(builder, true, grf(call, HLI_FRAME, 8), sonde_operand_immediate(0));
    coder_builder_operation(builder, SONDE_ADD, SONDE_GEN_TYPE_UQ, base, base,
                            sonde_operand_immediate(call->function->spill_bytes));
    call_move(builder, true, grf(call, HLI_FRAME, 16), base);
    call_move(builder, true, grf(call, HLI_FRAME, 24), base);
}

static void stage_stack(struct call *call)
{
    struct coder_builder *builder = &call->builder;
    if (call->function->stack_bytes == 0 || builder->status != SONDE_OK)
        return;
    sonde_vreg place = call_scratch(builder, SONDE_VREG_DWORD);
    call->stack = call_scratch(builder, SONDE_VREG_QWORD);
    if (builder->status == SONDE_OK)
        coder_slot_offset(builder, place, 0);
    if (builder->status == SONDE_OK)
        coder_pointer(builder, call->stack, sonde_operand_vreg(place));
}

static void append_inline(struct call *call)
{
    const struct hli_routine *routine = &call->function->routines[0];
    for (size_t i = 0; i + 1 < routine->count && call->builder.status == SONDE_OK; i++) {
        struct coder_item *item = append_kind(&call->builder, CODER_ITEM_INSTRUCTION);
        if (item == NULL)
            return;
        item->instruction = routine->steps[i].instruction;
        item->is_jump = routine->steps[i].kind == HLI_JUMP;
        if (item->is_jump)
            item->instruction.jip = (int32_t)routine->steps[i].target - (int32_t)i;
        coder_builder_name(&call->builder, item);
    }
}

static void append_body(struct call *call)
{
    struct coder_builder *builder = &call->builder;
    struct sonde_coder *coder = builder->coder;
    uint32_t body = 0;
    if (builder->status == SONDE_OK)
        builder->status = coder_body_find(coder, call->function, &body, builder->error);
    struct coder_item *item = append_kind(builder, CODER_ITEM_CALL);
    if (item == NULL)
        return;
    item->body = body;
    for (uint32_t w = 0; w < coder->grf_words; w++)
        coder->named[w] |= call->function->writes.grf[w];
}

static bool is_inline(const struct sonde_hli_function *function)
{
    if (function->linkage == SONDE_HLI_AUTO)
        return hli_can_inline(function) && function->routines[0].count <= INLINE_LIMIT;
    return function->linkage == SONDE_HLI_INLINE;
}

/* Registers of the convention that items from `first` on write are kept. */
static void keep_written(struct coder_builder *builder, size_t first)
{
    for (size_t i = first; i < builder->procedure->item_count; i++)
        builder->procedure->items[i].keeps = true;
}

static void take_result(struct call *call, sonde_vreg result)
{
    struct coder_builder *builder = &call->builder;
    if (result == 0)
        return;
    coder_builder_need(builder, result, 4, "a result");
    if (builder->status == SONDE_OK)
        call_move(builder, sonde_vreg_size(builder->coder, result) >= 8, sonde_operand_vreg(result),
                  grf(call, HLI_FIRST_ARGUMENT, 0));
}

/* cr0 = or from the register. A probe may set how it rounds. */
static void move_control(struct call *call, sonde_vreg kept, bool save)
{
    struct coder_builder *builder = &call->builder;
    if (!call->function->writes.control || builder->status != SONDE_OK)
        return;
    struct coder_operand control =
        coder_typed(sonde_operand_arf(SONDE_GEN_ARF_CONTROL, 0), SONDE_GEN_TYPE_UD);
    struct coder_operand copy = coder_vreg_typed(kept, 0, SONDE_GEN_TYPE_UD);
    struct coder_item *item = coder_builder_append(
        builder, SONDE_GEN_MOV, 1, save ? &copy : &control, save ? &control : &copy, 1);
    if (item != NULL && !save && item->instruction.platform < SONDE_GEN_PLATFORM_XE)
        item->instruction.thread_control = SONDE_GEN_THREAD_SWITCH;
}

static void append_call(struct call *call, sonde_vreg result)
{
    struct coder_builder *builder = &call->builder;
    struct sonde_procedure *procedure = builder->procedure;
    bool inlined = is_inline(call->function), combined = call->function->is_combined;
    sonde_vreg control =
        call->function->writes.control ? call_scratch(builder, SONDE_VREG_DWORD) : 0;
    for (size_t i = 0; i < call->count && builder->status == SONDE_OK; i++)
        call_stage(call, i);
    if (combined)
        pass_combined(call);
    stage_stack(call);
    move_control(call, control, true);
    append_kind(builder, CODER_ITEM_SAVE);
    size_t first = procedure->item_count;
    if (combined && builder->status == SONDE_OK)
        call_move(builder, true, grf(call, HLI_FIRST_ARGUMENT, 0), call->values[0]);
    else
        pass_arguments(call);
    pass_stack(call);
    if (inlined)
        append_inline(call);
    else
        append_body(call);
    keep_written(builder, first);
    take_result(call, result);
    append_kind(builder, CODER_ITEM_RESTORE);
    move_control(call, control, false);
    call_load_ranges(call);
}

static struct coder_item *jump_over(struct call *call, const struct sonde_predicate *predicate)
{
    struct coder_builder *builder = &call->builder;
    struct coder_item *item = append_kind(builder, CODER_ITEM_INSTRUCTION);
    if (item == NULL)
        return NULL;
    struct sonde_gen_instruction *jump = &item->instruction;
    item->is_jump = true;
    sonde_gen_instruction_init(jump, sonde_kernel_info(builder->coder->kernel)->platform,
                               SONDE_GEN_JMPI, 1, true);
    jump->has_jip = true;
    jump->source_count = 1;
    jump->src[0].file = SONDE_GEN_FILE_IMMEDIATE;
    jump->src[0].type = SONDE_GEN_TYPE_D;
    jump->predicate = SONDE_GEN_PREDICATE_CHANNEL;
    jump->predicate_inverse = !predicate->inverse;
    jump->flag_number = predicate->flag_number;
    jump->flag_subreg = predicate->flag_subreg;
    return item;
}

/* Flags that differ by channel: the half becomes all ones or all zeros for as
 * long as the call takes. */
static void make_uniform(struct call *call, const struct sonde_predicate *predicate,
                         sonde_vreg kept, sonde_vreg mask)
{
    struct coder_builder *builder = &call->builder;
    struct sonde_gen_instruction predicated = {.exec_size = 16,
                                               .predicate = SONDE_GEN_PREDICATE_CHANNEL,
                                               .predicate_inverse = predicate->inverse,
                                               .flag_number = predicate->flag_number,
                                               .flag_subreg = predicate->flag_subreg};
    uint32_t channels = predicate->flag_subreg == 0 ? UINT32_MAX : 0xffff;
    struct sonde_predicate flag = {.flag_number = predicate->flag_number,
                                   .flag_subreg = predicate->flag_subreg};
    struct coder_operand whole = coder_typed(
        sonde_operand_arf(SONDE_GEN_ARF_FLAG | predicate->flag_number, 0), SONDE_GEN_TYPE_UD);
    coder_builder_move(builder, coder_vreg_typed(kept, 0, SONDE_GEN_TYPE_UD), whole);
    if (builder->status == SONDE_OK)
        builder->status =
            sonde_coder_compute_simd_mask(builder->coder, builder->procedure, mask, false, channels,
                                          &predicated, NULL, builder->error);
    if (builder->status == SONDE_OK)
        builder->status = sonde_coder_cmp(
            builder->coder, builder->procedure, &flag, SONDE_GEN_CONDITION_NZ, SONDE_GEN_TYPE_UD,
            sonde_operand_vreg(mask), sonde_operand_immediate(0), builder->error);
}

static void append_predicated(struct call *call, sonde_vreg result,
                              const struct sonde_predicate *predicate)
{
    struct coder_builder *builder = &call->builder;
    struct sonde_procedure *procedure = builder->procedure;
    struct sonde_predicate uniform = *predicate;
    sonde_vreg kept = 0;
    if (predicate->varies) {
        kept = call_scratch(builder, SONDE_VREG_DWORD);
        make_uniform(call, predicate, kept, call_scratch(builder, SONDE_VREG_DWORD));
        uniform.inverse = false;
    }
    size_t jump = procedure->item_count;
    jump_over(call, &uniform);
    append_call(call, result);
    if (builder->status != SONDE_OK)
        return;
    procedure->items[jump].instruction.jip = (int32_t)(procedure->item_count - jump);
    struct coder_operand whole = coder_typed(
        sonde_operand_arf(SONDE_GEN_ARF_FLAG | predicate->flag_number, 0), SONDE_GEN_TYPE_UD);
    struct coder_operand from = coder_vreg_typed(kept, 0, SONDE_GEN_TYPE_UD);
    if (predicate->varies)
        coder_builder_append(builder, SONDE_GEN_MOV, 1, &whole, &from, 1);
}

static void check_call(struct call *call)
{
    struct coder_builder *builder = &call->builder;
    const struct sonde_coder *coder = builder->coder;
    const struct sonde_hli_function *function = call->function;
    if (function == NULL || function->platform != sonde_kernel_info(coder->kernel)->platform) {
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                           "the probe was compiled for another part than the kernel");
        return;
    }
    uint32_t bytes = combined_offset(call, call->count);
    bool needs_memory = function->stack_bytes != 0 || function->is_combined;
    if (call->count > CALL_MAXIMUM_ARGUMENTS)
        coder_builder_fail(builder, SONDE_ERROR_RANGE, "more than %u arguments",
                           CALL_MAXIMUM_ARGUMENTS);
    else if (function->is_combined && (call->count == 0 || bytes > coder->isa->block_limit))
        coder_builder_fail(builder, SONDE_ERROR_RANGE,
                           "%u bytes of combined arguments: there are from 4 to %u", bytes,
                           coder->isa->block_limit);
    else if (needs_memory && !coder_has_pointers(coder))
        coder_builder_fail(builder, SONDE_ERROR_UNSUPPORTED,
                           "probe %s needs %s, which takes an address of the profile buffer: this "
                           "one is a surface without (buffer_holds_address)",
                           function->name,
                           function->stack_bytes != 0 ? "a stack" : "memory for its arguments");
    if (builder->status == SONDE_OK && needs_memory)
        coder_slot_need(builder, (uint64_t)function->stack_bytes +
                                     (function->is_combined ? coder->isa->block_limit : 0));
}

enum sonde_status sonde_coder_generate_hli_call(struct sonde_coder *coder,
                                                struct sonde_procedure *procedure,
                                                const struct sonde_hli_function *function,
                                                const struct sonde_hli_argument *arguments,
                                                size_t count, sonde_vreg result,
                                                const struct sonde_predicate *predicate,
                                                struct sonde_error *error)
{
    struct sonde_predicate uniform = {.flag_number = 0};
    if (predicate != NULL)
        uniform = *predicate;
    uniform.varies = false;
    struct call call = {.builder = coder_builder_open(coder, procedure, &uniform, error),
                        .function = function,
                        .arguments = arguments,
                        .count = count};
    call.builder.predicate = NULL;
    check_call(&call);
    if (call.builder.status == SONDE_OK && predicate != NULL)
        append_predicated(&call, result, predicate);
    else if (call.builder.status == SONDE_OK)
        append_call(&call, result);
    return coder_builder_close(&call.builder);
}
