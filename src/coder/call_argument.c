/* Arguments of probes. */
#include "coder/call.h"

#include "base/array.h"

bool call_is_wide(enum sonde_hli_kind kind)
{
    return kind == SONDE_HLI_VALUE64 || kind == SONDE_HLI_BUFFER || kind == SONDE_HLI_GRF_RANGE ||
           kind == SONDE_HLI_GRF_RANGE_MUTABLE || kind == SONDE_HLI_DEVICE_POINTER ||
           kind == SONDE_HLI_HOST_POINTER;
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

void call_move(struct coder_builder *builder, bool wide, struct sonde_operand dst,
               struct sonde_operand source)
{
    coder_builder_operation(builder, SONDE_MOV, wide ? SONDE_GEN_TYPE_UQ : SONDE_GEN_TYPE_UD, dst,
                            source, sonde_operand_immediate(0));
}

sonde_vreg call_scratch(struct coder_builder *builder, enum sonde_vreg_type type)
{
    sonde_vreg made = sonde_vreg_make_scratch(builder->coder, type);
    if (made == 0)
        coder_builder_fail(builder, SONDE_ERROR_MEMORY, "out of memory");
    return made;
}

static void walk_range(struct call *call, size_t i, bool store)
{
    struct coder_builder *builder = &call->builder;
    const struct sonde_hli_argument *argument = &call->arguments[i];
    sonde_vreg walk = sonde_vreg_make_msg_addr_scratch(builder->coder);
    check(builder,
          sonde_coder_compute_address(builder->coder, builder->procedure, walk,
                                      sonde_operand_vreg(call->places[i]), NULL, builder->error));
    if (builder->status == SONDE_OK && store)
        check(builder,
              sonde_coder_store_reg_range(builder->coder, builder->procedure, walk, argument->first,
                                          argument->count, NULL, builder->error));
    else if (builder->status == SONDE_OK)
        check(builder,
              sonde_coder_load_reg_range(builder->coder, builder->procedure, walk, argument->first,
                                         argument->count, NULL, builder->error));
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
    call->places[i] = call_scratch(builder, SONDE_VREG_DWORD);
    if (builder->status == SONDE_OK)
        check(builder, sonde_coder_compute_thread_chunk_offset(
                           coder, builder->procedure, call->places[i], argument->buckets, chunk,
                           (uint32_t)argument->value.immediate, 0, NULL, builder->error));
    if (builder->status == SONDE_OK)
        coder_pointer(builder, call->staged[i], sonde_operand_vreg(call->places[i]));
    if (builder->status == SONDE_OK)
        walk_range(call, i, true);
}

void call_load_ranges(struct call *call)
{
    for (size_t i = 0; i < call->count && call->builder.status == SONDE_OK; i++)
        if (call->arguments[i].kind == SONDE_HLI_GRF_RANGE_MUTABLE)
            walk_range(call, i, false);
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

enum sonde_status sonde_coder_map_host(struct sonde_coder *coder, const void *host, size_t size,
                                       uint32_t offset, struct sonde_error *error)
{
    if (size == 0 || size > UINT32_MAX - offset)
        return sonde_error_set(error, SONDE_ERROR_RANGE, offset,
                               "%zu bytes of host memory have no place at byte %u of the profile "
                               "buffer",
                               size, offset);
    if (base_array_reserve((void **)&coder->mappings, &coder->mapping_capacity,
                           coder->mapping_count + 1, sizeof *coder->mappings) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    coder->mappings[coder->mapping_count++] =
        (struct coder_mapping){.host = (uintptr_t)host, .size = size, .offset = offset};
    return SONDE_OK;
}

static void stage_host_pointer(struct call *call, size_t i)
{
    struct coder_builder *builder = &call->builder;
    const struct sonde_coder *coder = builder->coder;
    uint64_t host = call->arguments[i].value.immediate;
    for (size_t m = 0; m < coder->mapping_count; m++) {
        const struct coder_mapping *mapping = &coder->mappings[m];
        if (host < mapping->host || host - mapping->host >= mapping->size)
            continue;
        uint64_t offset = mapping->offset + (host - mapping->host);
        coder_pointer(builder, call->staged[i], sonde_operand_immediate(offset));
        return;
    }
    coder_builder_fail(builder, SONDE_ERROR_ARGUMENT,
                       "argument %zu points to host memory that is not mapped into the profile "
                       "buffer (sonde_tool_build_map)",
                       i);
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
    case SONDE_HLI_DEVICE_POINTER:
        call_move(builder, call_is_wide(argument->kind), sonde_operand_vreg(to), argument->value);
        break;
    case SONDE_HLI_BUFFER:
        coder_pointer(builder, to, argument->value);
        break;
    case SONDE_HLI_HOST_POINTER:
        stage_host_pointer(call, i);
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

static bool is_constant(const struct sonde_hli_argument *argument)
{
    switch (argument->kind) {
    case SONDE_HLI_BUFFER_OFFSET:
    case SONDE_HLI_SLM_OFFSET:
        return true;
    case SONDE_HLI_VALUE32:
    case SONDE_HLI_VALUE64:
    case SONDE_HLI_DEVICE_POINTER:
        return argument->value.kind == SONDE_OPERAND_IMMEDIATE;
    default:
        return false;
    }
}

void call_stage(struct call *call, size_t i)
{
    struct coder_builder *builder = &call->builder;
    const struct sonde_hli_argument *argument = &call->arguments[i];
    bool constant = argument->value.kind == SONDE_OPERAND_IMMEDIATE;
    bool pointer = argument->kind == SONDE_HLI_BUFFER || is_range(argument->kind) ||
                   argument->kind == SONDE_HLI_HOST_POINTER;
    if ((unsigned)argument->kind > SONDE_HLI_HOST_POINTER)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "argument %zu is of no known kind", i);
    else if (pointer && !coder_has_pointers(builder->coder))
        coder_builder_fail(builder, SONDE_ERROR_UNSUPPORTED,
                           "argument %zu points into the profile buffer, which is a surface "
                           "without an address",
                           i);
    else if (is_constant(argument) && !constant)
        coder_builder_fail(builder, SONDE_ERROR_ARGUMENT, "argument %zu is no constant", i);
    call->values[i] = argument->value;
    if (builder->status != SONDE_OK || is_constant(argument))
        return;
    call->staged[i] =
        call_scratch(builder, call_is_wide(argument->kind) ? SONDE_VREG_QWORD : SONDE_VREG_DWORD);
    call->values[i] = sonde_operand_vreg(call->staged[i]);
    if (builder->status == SONDE_OK)
        stage_value(call, i);
}
