/* Calls of probes: arguments into the convention's registers, the probe, its
 * result, and the kernel's values around it. */
#include "coder/hli.h"
#include "coder/wide.h"

#define MAXIMUM_ARGUMENTS 16u

struct call {
    struct coder_builder builder;
    const struct sonde_hli_argument *arguments;
    size_t count;
    sonde_vreg staged[MAXIMUM_ARGUMENTS]; /* 0: an immediate */
    struct sonde_operand values[MAXIMUM_ARGUMENTS];
};

static bool is_wide(enum sonde_hli_kind kind)
{
    return kind == SONDE_HLI_VALUE64 || kind == SONDE_HLI_BUFFER || kind == SONDE_HLI_GRF_RANGE ||
           kind == SONDE_HLI_GRF_RANGE_MUTABLE;
}

static bool is_range(enum sonde_hli_kind kind)
{
    return kind == SONDE_HLI_GRF_RANGE || kind == SONDE_HLI_GRF_RANGE_MUTABLE;
}

static void check(struct coder_builder *builder, enum sonde_status status)
{
    /* The method left its message where the builder would. */
    if (builder->status == SONDE_OK)
        builder->status = status;
}

/* A pointer to a copy of the registers in the thread's part of the buffer. */
static void stage_range(struct call *call, size_t i)
{
    struct coder_builder *builder = &call->builder;
    const struct sonde_hli_argument *argument = &call->arguments[i];
    struct sonde_coder *coder = builder->coder;
    uint32_t chunk = coder->grf_size;
    while (chunk < argument->count * coder->grf_size && chunk < 1u << 16)
        chunk *= 2;
    check(builder, sonde_coder_compute_thread_chunk_address(
                       coder, builder->procedure, call->staged[i], argument->buckets, chunk,
                       (uint32_t)argument->value.immediate, 0, builder->error));
    sonde_vreg walk = sonde_vreg_make_msg_addr_scratch(coder);
    if (builder->status == SONDE_OK)
        coder_builder_operation(builder, SONDE_MOV, SONDE_GEN_TYPE_UQ, sonde_operand_vreg(walk),
                                sonde_operand_vreg(call->staged[i]), sonde_operand_immediate(0));
    if (builder->status == SONDE_OK)
        check(builder, sonde_coder_store_reg_range(coder, builder->procedure, walk, argument->first,
                                                   argument->count, NULL, builder->error));
}

static void stage_mask(struct call *call, size_t i)
{
    struct coder_builder *builder = &call->builder;
    const struct sonde_gen_instruction *instruction = call->arguments[i].instruction;
    if (call->arguments[i].kind == SONDE_HLI_SIMD_MASK) {
        check(builder,
              sonde_coder_compute_simd_mask(builder->coder, builder->procedure, call->staged[i],
                                            false, UINT32_MAX, NULL, NULL, builder->error));
        return;
    }
    if (instruction == NULL) {
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "an operand mask is of an instruction");
        return;
    }
    check(builder, sonde_coder_compute_simd_mask(
                       builder->coder, builder->procedure, call->staged[i], instruction->no_mask,
                       sonde_coder_execution_mask(instruction), instruction, NULL, builder->error));
    struct sonde_operand mask = sonde_operand_vreg(call->staged[i]);
    if (builder->status == SONDE_OK && instruction->channel_offset != 0)
        coder_builder_operation(builder, SONDE_SHR, SONDE_GEN_TYPE_UD, mask, mask,
                                sonde_operand_immediate(instruction->channel_offset));
}

static void stage_value(struct call *call, size_t i)
{
    struct coder_builder *builder = &call->builder;
    const struct sonde_hli_argument *argument = &call->arguments[i];
    struct sonde_coder *coder = builder->coder;
    sonde_vreg to = call->staged[i];
    switch (argument->kind) {
    case SONDE_HLI_VALUE32:
    case SONDE_HLI_VALUE64:
        coder_builder_operation(
            builder, SONDE_MOV, is_wide(argument->kind) ? SONDE_GEN_TYPE_UQ : SONDE_GEN_TYPE_UD,
            sonde_operand_vreg(to), argument->value, sonde_operand_immediate(0));
        break;
    case SONDE_HLI_BUFFER:
        check(builder, sonde_coder_compute_address(coder, builder->procedure, to, argument->value,
                                                   NULL, builder->error));
        break;
    case SONDE_HLI_TID:
        check(builder, sonde_coder_get_tid(coder, builder->procedure, to, NULL, builder->error));
        break;
    case SONDE_HLI_FF_TID:
        check(builder, sonde_coder_get_ff_tid(coder, builder->procedure, to, NULL, builder->error));
        break;
    case SONDE_HLI_SIMD_MASK:
    case SONDE_HLI_OPERAND_MASK:
        stage_mask(call, i);
        break;
    default:
        stage_range(call, i);
        break;
    }
}

/* Values first go to registers of our own: the convention's may be theirs. */
static void stage(struct call *call, size_t i)
{
    struct coder_builder *builder = &call->builder;
    const struct sonde_hli_argument *argument = &call->arguments[i];
    bool constant = argument->value.kind == SONDE_OPERAND_IMMEDIATE;
    bool pointer = argument->kind == SONDE_HLI_BUFFER || is_range(argument->kind);
    if ((unsigned)argument->kind > SONDE_HLI_SLM_OFFSET) {
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "argument %zu is of no known kind", i);
    } else if (pointer && builder->coder->options.buffer_model != SONDE_BUFFER_STATELESS) {
        coder_builder_fail(builder, SONDE_ERROR_UNSUPPORTED,
                           "argument %zu points into the profile buffer, which is a surface "
                           "without an address",
                           i);
    } else if (argument->kind == SONDE_HLI_BUFFER_OFFSET ||
               argument->kind == SONDE_HLI_SLM_OFFSET ||
               (constant &&
                (argument->kind == SONDE_HLI_VALUE32 || argument->kind == SONDE_HLI_VALUE64))) {
        if (!constant)
            coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "argument %zu is no constant", i);
        call->values[i] = argument->value;
    } else {
        call->staged[i] = sonde_vreg_make_scratch(
            builder->coder, is_wide(argument->kind) ? SONDE_VREG_QWORD : SONDE_VREG_DWORD);
        if (call->staged[i] == 0)
            coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
        call->values[i] = sonde_operand_vreg(call->staged[i]);
        if (builder->status == SONDE_OK)
            stage_value(call, i);
    }
}

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

static void pass_arguments(struct call *call)
{
    struct coder_builder *builder = &call->builder;
    uint32_t number = HLI_FIRST_ARGUMENT;
    for (size_t i = 0; i < call->count && builder->status == SONDE_OK; i++) {
        bool wide = is_wide(call->arguments[i].kind);
        if (number + (wide ? 2 : 1) > HLI_FIRST_ARGUMENT + HLI_ARGUMENT_LIMIT)
            coder_builder_fail(builder, SONDE_ERROR_RANGE, "more arguments than registers");
        else
            coder_builder_operation(builder, SONDE_MOV,
                                    wide ? SONDE_GEN_TYPE_UQ : SONDE_GEN_TYPE_UD,
                                    sonde_operand_grf(number, 0, builder->coder->grf_size),
                                    call->values[i], sonde_operand_immediate(0));
        number += wide ? 2 : 1;
    }
}

static void append_probe(struct coder_builder *builder, const struct sonde_hli_function *function)
{
    for (size_t i = 0; i < function->count && builder->status == SONDE_OK; i++) {
        struct coder_item *item = append_kind(builder, CODER_ITEM_INSTRUCTION);
        if (item == NULL)
            return;
        item->instruction = function->instructions[i];
        item->is_jump = item->instruction.opcode == SONDE_GEN_JMPI;
        coder_builder_name(builder, item);
    }
}

/* Registers of the convention that items from `first` on write are kept. */
static void keep_written(struct coder_builder *builder, size_t first)
{
    for (size_t i = first; i < builder->procedure->item_count; i++)
        builder->procedure->items[i].keeps = true;
}

static void take_result(struct coder_builder *builder, sonde_vreg result)
{
    if (result == 0)
        return;
    coder_builder_need(builder, result, 4, "a result");
    if (builder->status != SONDE_OK)
        return;
    bool wide = sonde_vreg_size(builder->coder, result) >= 8;
    coder_builder_operation(builder, SONDE_MOV, wide ? SONDE_GEN_TYPE_UQ : SONDE_GEN_TYPE_UD,
                            sonde_operand_vreg(result),
                            sonde_operand_grf(HLI_FIRST_ARGUMENT, 0, builder->coder->grf_size),
                            sonde_operand_immediate(0));
}

static void load_ranges(struct call *call)
{
    struct coder_builder *builder = &call->builder;
    for (size_t i = 0; i < call->count && builder->status == SONDE_OK; i++) {
        const struct sonde_hli_argument *argument = &call->arguments[i];
        if (argument->kind != SONDE_HLI_GRF_RANGE_MUTABLE)
            continue;
        sonde_vreg walk = sonde_vreg_make_msg_addr_scratch(builder->coder);
        coder_builder_operation(builder, SONDE_MOV, SONDE_GEN_TYPE_UQ, sonde_operand_vreg(walk),
                                sonde_operand_vreg(call->staged[i]), sonde_operand_immediate(0));
        check(builder,
              sonde_coder_load_reg_range(builder->coder, builder->procedure, walk, argument->first,
                                         argument->count, NULL, builder->error));
    }
}

static void jump_over(struct coder_builder *builder, const struct sonde_predicate *predicate)
{
    struct coder_item *item = append_kind(builder, CODER_ITEM_INSTRUCTION);
    if (item == NULL)
        return;
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
}

static void append_call(struct call *call, const struct sonde_hli_function *function,
                        sonde_vreg result, const struct sonde_predicate *predicate)
{
    struct coder_builder *builder = &call->builder;
    struct sonde_procedure *procedure = builder->procedure;
    size_t jump = procedure->item_count;
    if (predicate != NULL)
        jump_over(builder, predicate);
    for (size_t i = 0; i < call->count && builder->status == SONDE_OK; i++)
        stage(call, i);
    append_kind(builder, CODER_ITEM_SAVE);
    size_t first = procedure->item_count;
    pass_arguments(call);
    append_probe(builder, function);
    keep_written(builder, first);
    take_result(builder, result);
    append_kind(builder, CODER_ITEM_RESTORE);
    load_ranges(call);
    if (predicate != NULL && builder->status == SONDE_OK)
        procedure->items[jump].instruction.jip = (int32_t)(procedure->item_count - jump);
}

enum sonde_status sonde_coder_generate_hli_call(struct sonde_coder *coder,
                                                struct sonde_procedure *procedure,
                                                const struct sonde_hli_function *function,
                                                const struct sonde_hli_argument *arguments,
                                                size_t count, sonde_vreg result,
                                                const struct sonde_predicate *predicate,
                                                struct sonde_error *error)
{
    struct call call = {.builder = coder_builder_open(coder, procedure, predicate, error),
                        .arguments = arguments,
                        .count = count};
    call.builder.predicate = NULL;
    if (function == NULL || function->platform != sonde_kernel_info(coder->kernel)->platform)
        coder_builder_fail(&call.builder, SONDE_ERROR_ARGUMENT,
                           "the probe was compiled for another part than the kernel");
    else if (count > MAXIMUM_ARGUMENTS)
        coder_builder_fail(&call.builder, SONDE_ERROR_RANGE, "more than %u arguments",
                           MAXIMUM_ARGUMENTS);
    if (call.builder.status == SONDE_OK)
        append_call(&call, function, result, predicate);
    return coder_builder_close(&call.builder);
}
