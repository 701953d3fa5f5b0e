/* Arguments of a kernel: where they stand, and their values into counters and histograms. */
#include <stdio.h>
#include <string.h>

#include "tools/builtin.h"
#include "tools/schema_work.h"

#define ARGUMENT_REGISTER 32u /* bytes of the cross-thread data in one */

/* Values that one or two dwords hold. */
static bool is_scalar(const struct sonde_trace_argument *argument)
{
    return argument->size != 0 && argument->size <= 8 &&
           argument->offset % 4 + (argument->size < 4 ? argument->size : 4) <= 4;
}

const struct sonde_trace_argument *schema_find_argument(const struct schema_work *work)
{
    const struct sonde_trace_arguments *arguments = sonde_tool_build_arguments(work->build);
    const char *wanted = schema_text(work->probe, SCHEMA_ARGUMENT_KEY);
    for (size_t i = 0;
         arguments != NULL && arguments->payload_register != 0 && i < arguments->count; i++) {
        const struct sonde_trace_argument *argument = &arguments->items[i];
        char number[16];
        snprintf(number, sizeof number, "%u", argument->index);
        bool named = argument->name != NULL && strcmp(argument->name, wanted) == 0;
        if ((named || strcmp(number, wanted) == 0) && is_scalar(argument))
            return argument;
    }
    return NULL;
}

struct sonde_record_point schema_argument_point(const struct schema_work *work, uint32_t first,
                                                const struct sonde_trace_argument *argument)
{
    uint32_t begin = argument->offset / ARGUMENT_REGISTER;
    uint32_t end = (argument->offset + argument->size - 1) / ARGUMENT_REGISTER;
    struct sonde_record_point point = {
        .kind = SONDE_RECORD_REGISTERS,
        .instruction = first,
        .first = sonde_tool_build_arguments(work->build)->payload_register + begin,
        .count = end - begin + 1,
    };
    tools_find_load(work->kernel.kernel, &point);
    return point;
}

static enum sonde_status change(struct schema_work *work, struct sonde_procedure *procedure,
                                enum sonde_operation what, sonde_vreg value, uint32_t by)
{
    struct sonde_operand self = sonde_operand_vreg(value);
    return sonde_coder_operation(work->coder, procedure, what, SONDE_GEN_TYPE_UD, self, self,
                                 sonde_operand_immediate(by), NULL, work->error);
}

/* value = the argument's bytes from `from` on, up to four. */
static enum sonde_status load(struct schema_work *work, struct sonde_procedure *procedure,
                              const struct sonde_trace_argument *argument, uint32_t from,
                              sonde_vreg value)
{
    struct sonde_gen_model model;
    uint32_t at = argument->offset + from, left = argument->size - from;
    uint32_t number = sonde_tool_build_arguments(work->build)->payload_register;
    sonde_coder_gen_model(work->coder, &model);
    struct sonde_operand source = sonde_operand_grf(number + at / ARGUMENT_REGISTER,
                                                    at % ARGUMENT_REGISTER & ~3u, model.grf_size);
    enum sonde_status status =
        sonde_coder_operation(work->coder, procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                              sonde_operand_vreg(value), source, source, NULL, work->error);
    if (status == SONDE_OK && at % 4 != 0)
        status = change(work, procedure, SONDE_SHR, value, at % 4 * 8);
    if (status == SONDE_OK && left < 4)
        status = change(work, procedure, SONDE_AND, value, (1u << 8 * left) - 1);
    return status;
}

enum sonde_status schema_count_argument(struct schema_work *work, uint32_t first,
                                        const struct sonde_trace_argument *argument)
{
    bool is_wide = argument->size > 4;
    uint32_t record = schema_take_records(work, first, SONDE_TRACE_SUM, is_wide ? 64 : 32);
    if (!work->places)
        return SONDE_OK;
    struct sonde_procedure *procedure = sonde_procedure_create(work->coder, "schema: argument");
    sonde_vreg value = sonde_vreg_make_scratch(work->coder, SONDE_VREG_DWORD);
    sonde_vreg high = is_wide ? sonde_vreg_make_scratch(work->coder, SONDE_VREG_DWORD) : 0;
    if (procedure == NULL || value == 0 || (is_wide && high == 0))
        return sonde_error_set(work->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = load(work, procedure, argument, 0, value);
    if (status == SONDE_OK && is_wide)
        status = load(work, procedure, argument, 4, high);
    if (status == SONDE_OK)
        status = schema_keep_value(work, procedure, value, high, record, NULL);
    if (status != SONDE_OK)
        return status;
    struct sonde_record_point at = schema_argument_point(work, first, argument);
    return at.after ? sonde_instrument_instruction(work->instrument, at.instruction, SONDE_AFTER,
                                                   procedure, work->error)
                    : sonde_instrument_block(work->instrument,
                                             sonde_kernel_block_of(work->kernel.kernel, first),
                                             SONDE_BEFORE, procedure, work->error);
}
