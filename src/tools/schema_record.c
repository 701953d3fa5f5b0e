/* What a schema records in the trace. */
#include "sonde/gen_message.h"
#include "tools/builtin.h"
#include "tools/schema_work.h"

static uint64_t point_value(const struct sonde_record_point *point, uint32_t operand)
{
    return (uint64_t)point->kind | (uint64_t)point->after << 8 | (uint64_t)operand << 9 |
           (uint64_t)point->first << 16 | (uint64_t)point->count << 32;
}

/* A point in the trace, shown to the report as a counter without a record. */
static enum sonde_status record(struct schema_work *work, const struct sonde_record_point *point,
                                enum schema_operand operand)
{
    if (!work->places) {
        tools_counters_add_value(&work->state->counters, work->group, point->instruction,
                                 SONDE_TRACE_POINT, point_value(point, operand));
        return SONDE_OK;
    }
    return sonde_tool_build_record(work->build, point, work->error);
}

static enum sonde_status record_visits(struct schema_work *work, uint32_t block)
{
    const struct sonde_record_point point = {
        .kind = SONDE_RECORD_CLOCK,
        .instruction = sonde_kernel_block(work->kernel.kernel, block)->first};
    return record(work, &point, SCHEMA_GRF);
}

/* Else the block's header tells which channels. */
static enum sonde_status record_mask(struct schema_work *work, uint32_t index, bool always)
{
    const struct sonde_record_point point = {.kind = SONDE_RECORD_MASK, .instruction = index};
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(work->kernel.kernel, index);
    return always || instruction->predicate != SONDE_GEN_PREDICATE_NONE
               ? record(work, &point, SCHEMA_GRF)
               : SONDE_OK;
}

/* --- registers --- */

/* Bytes from the operand's first element to the end of its last. */
static uint32_t extent(const struct sonde_gen_operand *operand, uint32_t elements,
                       bool is_destination)
{
    uint32_t size = sonde_gen_type_size((enum sonde_gen_type)operand->type);
    uint32_t width = operand->width != 0 && operand->width < elements ? operand->width : elements;
    uint32_t last =
        is_destination ? (elements - 1) * (operand->hstride != 0 ? operand->hstride : 1u)
                       : (elements / width - 1) * operand->vstride + (width - 1) * operand->hstride;
    return (last + 1) * size;
}

/* Registers that a message reads or writes by an operand. */
static uint32_t message_registers(const struct sonde_gen_instruction *instruction,
                                  enum schema_operand which)
{
    struct sonde_gen_message message;
    if (sonde_gen_message_decode(instruction, &message, NULL) != SONDE_OK)
        return 0;
    return which == SCHEMA_DST    ? message.response_registers
           : which == SCHEMA_SRC0 ? message.payload_registers
                                  : message.src1_registers;
}

/* The registers of an operand; false when it has none that are known. */
static bool find_operand(const struct schema_work *work, uint32_t index, enum schema_operand which,
                         struct sonde_record_point *point)
{
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(work->kernel.kernel, index);
    unsigned source = (unsigned)which - SCHEMA_SRC0;
    const struct sonde_gen_operand *operand =
        which == SCHEMA_DST ? &instruction->dst : &instruction->src[source];
    struct sonde_gen_model model;
    sonde_coder_gen_model(work->coder, &model);
    if (operand->file != SONDE_GEN_FILE_GRF || operand->indirect ||
        (which != SCHEMA_DST && source >= instruction->source_count) ||
        (which != SCHEMA_DST && operand->vstride == SONDE_GEN_VSTRIDE_VXH) ||
        sonde_gen_opcode_is_branch(instruction->opcode))
        return false;
    point->first = operand->number;
    if (sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_SEND)
        point->count = message_registers(instruction, which);
    else if (operand->type < SONDE_GEN_TYPE_NONE)
        point->count =
            (operand->subreg + extent(operand, instruction->exec_size, which == SCHEMA_DST) +
             model.grf_size - 1) /
            model.grf_size;
    return point->count != 0;
}

static bool fits(const struct schema_work *work, const struct sonde_record_point *point)
{
    uint32_t limit = sonde_kernel_info(work->kernel.kernel)->grf_count;
    limit = limit != 0 ? limit : 128;
    return point->first < limit && point->count <= limit - point->first;
}

static enum sonde_status record_register(struct schema_work *work, uint32_t index,
                                         const char *which)
{
    struct schema_grf grf;
    struct sonde_record_point point = {.kind = SONDE_RECORD_REGISTERS, .instruction = index};
    if (!schema_grf_parse(which, &grf))
        return SONDE_OK;
    point.after = grf.operand == SCHEMA_DST;
    point.first = grf.first;
    point.count = grf.count;
    if ((grf.operand != SCHEMA_GRF && !find_operand(work, index, grf.operand, &point)) ||
        !fits(work, &point) ||
        sonde_instrument_insertion_refusal(work->instrument, index,
                                           point.after ? SONDE_AFTER : SONDE_BEFORE) != NULL) {
        schema_leave_out(work);
        return SONDE_OK;
    }
    work->state->points[work->group] += !work->places;
    return record(work, &point, grf.operand);
}

static enum sonde_status record_registers(struct schema_work *work, uint32_t index)
{
    const struct schema_values *values = &work->probe->values[SCHEMA_REGISTERS];
    uint32_t before = work->state->points[work->group];
    enum sonde_status status = values->count == 0 ? record_register(work, index, "dst") : SONDE_OK;
    for (size_t i = 0; i < values->count && status == SONDE_OK; i++)
        status = record_register(work, index, values->items[i]);
    bool any = work->places || work->state->points[work->group] != before;
    return status == SONDE_OK && any && schema_is_at_instructions(work->probe) &&
                   sonde_instrument_insertion_refusal(work->instrument, index, SONDE_BEFORE) == NULL
               ? record_mask(work, index, false)
               : status;
}

/* --- points --- */

static enum sonde_status record_instruction(struct schema_work *work, uint32_t index)
{
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(work->kernel.kernel, index);
    struct sonde_record_point point = {.instruction = index};
    uint32_t block = sonde_kernel_block_of(work->kernel.kernel, index);
    if (work->collect == SCHEMA_REGISTER)
        return record_registers(work, index);
    if ((work->collect != SCHEMA_COUNT &&
         sonde_instrument_insertion_refusal(work->instrument, index, SONDE_BEFORE) != NULL) ||
        (work->collect == SCHEMA_ADDRESSES &&
         sonde_coder_payload_address_registers(instruction) == 0)) {
        schema_leave_out(work);
        return SONDE_OK;
    }
    work->state->points[work->group] += !work->places;
    if (work->collect == SCHEMA_COUNT)
        return record_visits(work, block);
    if (work->collect == SCHEMA_LANES)
        return record_mask(work, index, true);
    point.kind = work->collect == SCHEMA_TIME ? SONDE_RECORD_CLOCK : SONDE_RECORD_ADDRESSES;
    enum sonde_status status = record(work, &point, SCHEMA_GRF);
    if (status == SONDE_OK && work->places && point.kind == SONDE_RECORD_ADDRESSES &&
        tools_goes_to_address(instruction))
        status = tools_record_pointers(work->build, work->error);
    return status == SONDE_OK && work->collect == SCHEMA_ADDRESSES ? record_mask(work, index, false)
                                                                   : status;
}

/* --- arguments --- */

/* Instead of an operand; which bytes of the registers stands above their number. */
#define ARGUMENT       5u
#define ARGUMENT_BYTE  48
#define ARGUMENT_BYTES 56

static enum sonde_status record_argument(struct schema_work *work, uint32_t first)
{
    const struct sonde_trace_argument *argument = schema_find_argument(work);
    if (argument == NULL) {
        schema_leave_out(work);
        return SONDE_OK;
    }
    const struct sonde_record_point point = schema_argument_point(work, first, argument);
    work->state->points[work->group] += !work->places;
    if (work->places)
        return sonde_tool_build_record(work->build, &point, work->error);
    tools_counters_add_value(
        &work->state->counters, work->group, point.instruction, SONDE_TRACE_POINT,
        point_value(&point, ARGUMENT) | (uint64_t)(argument->offset % 32) << ARGUMENT_BYTE |
            (uint64_t)argument->size << ARGUMENT_BYTES);
    return SONDE_OK;
}

static enum sonde_status record_block(struct schema_work *work, uint32_t block)
{
    uint32_t first = sonde_kernel_block(work->kernel.kernel, block)->first;
    if (!schema_selects_block(work->probe, &work->kernel, block))
        return SONDE_OK;
    if (work->collect == SCHEMA_ARGUMENT)
        return record_argument(work, first);
    if (first < work->kernel.first)
        return SONDE_OK;
    if (work->collect != SCHEMA_REGISTER) {
        work->state->points[work->group] += !work->places;
        return record_visits(work, block);
    }
    return record_registers(work, first);
}

enum sonde_status schema_record_points(struct schema_work *work)
{
    const struct sonde_kernel *kernel = work->kernel.kernel;
    enum sonde_status status = SONDE_OK;
    if (!schema_is_at_instructions(work->probe)) {
        bool every = work->probe->masks[SCHEMA_BLOCK] == 1u << SCHEMA_BLOCK_EVERY;
        size_t blocks = sonde_kernel_block_count(kernel);
        /* Of every block there is a record anyway, even where no code may stand. */
        if (every && work->collect != SCHEMA_REGISTER && work->places)
            return sonde_tool_build_record_blocks(work->build, work->error);
        for (uint32_t b = 0; b < blocks && status == SONDE_OK; b++)
            status = record_block(work, b);
        return status;
    }
    size_t count = sonde_kernel_instruction_count(kernel);
    for (uint32_t i = work->kernel.first; i < count && status == SONDE_OK; i++)
        if (schema_selects_instruction(work->probe, &work->kernel, i))
            status = record_instruction(work, i);
    return status;
}
