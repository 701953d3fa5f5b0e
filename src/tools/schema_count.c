/* Counters and histograms of a schema: device code. */
#include "tools/builtin.h"
#include "tools/schema_work.h"

/* Flags of a procedure: f0.0 is the answer of the timer, f1.1 of the counters. */
static const struct sonde_predicate doubtful = {.flag_number = 0};
static const struct sonde_predicate believed = {.flag_number = 0, .inverse = true};

static enum sonde_status no_memory(struct schema_work *work)
{
    return sonde_error_set(work->error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

static const struct sonde_gen_instruction *instruction_at(const struct schema_work *work,
                                                          uint32_t index)
{
    return sonde_kernel_instruction(work->kernel.kernel, index);
}

static void show(struct schema_work *work, uint32_t instruction, uint32_t kind, uint32_t record)
{
    if (!work->places)
        tools_counters_add_to(&work->state->counters, work->group, instruction, kind, record);
}

static bool is_histogram(const struct schema_work *work)
{
    return work->into == SCHEMA_HISTOGRAM;
}

uint32_t schema_take_records(struct schema_work *work, uint32_t instruction, uint32_t kind,
                             uint32_t bits)
{
    uint32_t record = work->next, count = is_histogram(work) ? bits + 1 : 1;
    work->next += count;
    for (uint32_t n = 0; n < count; n++)
        show(work, instruction, is_histogram(work) ? SONDE_TRACE_BIN + n : kind, record + n);
    return record;
}

static uint32_t take_value_records(struct schema_work *work, uint32_t instruction, uint32_t kind)
{
    return schema_take_records(work, instruction, kind, 32);
}

/* --- procedures --- */

static enum sonde_status operation(struct schema_work *work, struct sonde_procedure *procedure,
                                   enum sonde_operation what, sonde_vreg dst, sonde_vreg a,
                                   struct sonde_operand b)
{
    return sonde_coder_operation(work->coder, procedure, what, SONDE_GEN_TYPE_UD,
                                 sonde_operand_vreg(dst), sonde_operand_vreg(a), b, NULL,
                                 work->error);
}

/* bits = how many value has: every one below the highest is set, then all are counted. */
static enum sonde_status count_bits(struct schema_work *work, struct sonde_procedure *procedure,
                                    sonde_vreg value, sonde_vreg bits)
{
    sonde_vreg shifted = sonde_vreg_make_scratch(work->coder, SONDE_VREG_DWORD);
    enum sonde_status status = shifted == 0 ? no_memory(work)
                                            : operation(work, procedure, SONDE_MOV, bits, value,
                                                        sonde_operand_vreg(value));
    for (unsigned distance = 1; distance <= 16 && status == SONDE_OK; distance *= 2) {
        status =
            operation(work, procedure, SONDE_SHR, shifted, bits, sonde_operand_immediate(distance));
        if (status == SONDE_OK)
            status = operation(work, procedure, SONDE_OR, bits, bits, sonde_operand_vreg(shifted));
    }
    return status == SONDE_OK
               ? operation(work, procedure, SONDE_CBIT, bits, bits, sonde_operand_vreg(bits))
               : status;
}

/* bits = 32 and those of the upper half, where that has any. */
static enum sonde_status count_upper_bits(struct schema_work *work,
                                          struct sonde_procedure *procedure, sonde_vreg high,
                                          sonde_vreg bits)
{
    static const struct sonde_predicate any = {.flag_number = 1, .flag_subreg = 1};
    sonde_vreg upper = sonde_vreg_make_scratch(work->coder, SONDE_VREG_DWORD);
    if (upper == 0)
        return no_memory(work);
    enum sonde_status status = count_bits(work, procedure, high, upper);
    if (status == SONDE_OK)
        status =
            sonde_coder_cmp(work->coder, procedure, &any, SONDE_GEN_CONDITION_NZ, SONDE_GEN_TYPE_UD,
                            sonde_operand_vreg(upper), sonde_operand_immediate(0), work->error);
    if (status == SONDE_OK)
        status = sonde_coder_operation(work->coder, procedure, SONDE_ADD, SONDE_GEN_TYPE_UD,
                                       sonde_operand_vreg(bits), sonde_operand_vreg(upper),
                                       sonde_operand_immediate(32), &any, work->error);
    return status;
}

/* One more value of as many bits. */
static enum sonde_status keep_in_bin(struct schema_work *work, struct sonde_procedure *procedure,
                                     sonde_vreg value, sonde_vreg high, uint32_t record,
                                     const struct sonde_predicate *predicate)
{
    const struct tools_counters *counters = &work->state->counters;
    sonde_vreg bin = sonde_vreg_make_scratch(work->coder, SONDE_VREG_DWORD);
    sonde_vreg address = sonde_vreg_make_scratch(work->coder, SONDE_VREG_PTR);
    if (bin == 0 || address == 0)
        return no_memory(work);
    enum sonde_status status = count_bits(work, procedure, value, bin);
    if (status == SONDE_OK && high != 0)
        status = count_upper_bits(work, procedure, high, bin);
    if (status == SONDE_OK)
        status = operation(work, procedure, SONDE_ADD, bin, bin, sonde_operand_immediate(record));
    if (status == SONDE_OK)
        status =
            sonde_profile_array_compute_address(&counters->array, work->coder, procedure, address,
                                                sonde_operand_vreg(bin), 0, work->error);
    if (status == SONDE_OK)
        status = sonde_coder_atomic_inc(work->coder, procedure, SONDE_GEN_TYPE_UD, address,
                                        predicate, work->error);
    return status;
}

enum sonde_status schema_keep_value(struct schema_work *work, struct sonde_procedure *procedure,
                                    sonde_vreg value, sonde_vreg high, uint32_t record,
                                    const struct sonde_predicate *predicate)
{
    const struct tools_counters *counters = &work->state->counters;
    if (is_histogram(work))
        return keep_in_bin(work, procedure, value, high, record, predicate);
    enum sonde_status status =
        tools_counters_accumulate(counters, work->coder, procedure, record, value, work->error);
    if (status == SONDE_OK && high != 0)
        status = tools_counters_accumulate_high(counters, work->coder, procedure, record, high,
                                                work->error);
    return status;
}

static enum sonde_status keep_value(struct schema_work *work, struct sonde_procedure *procedure,
                                    sonde_vreg value, uint32_t record,
                                    const struct sonde_predicate *predicate)
{
    return schema_keep_value(work, procedure, value, 0, record, predicate);
}

static enum sonde_status insert(struct schema_work *work, uint32_t index, bool at_block,
                                const struct sonde_procedure *procedure)
{
    return at_block ? sonde_instrument_block(work->instrument,
                                             sonde_kernel_block_of(work->kernel.kernel, index),
                                             SONDE_BEFORE, procedure, work->error)
                    : sonde_instrument_instruction(work->instrument, index, SONDE_BEFORE, procedure,
                                                   work->error);
}

static enum sonde_status insert_increment(struct schema_work *work, uint32_t index, uint32_t record)
{
    struct sonde_procedure *procedure = sonde_procedure_create(work->coder, "schema: count");
    if (procedure == NULL)
        return no_memory(work);
    enum sonde_status status = tools_counters_increment(&work->state->counters, work->coder,
                                                        procedure, record, NULL, work->error);
    return status == SONDE_OK ? insert(work, index, true, procedure) : status;
}

/* --- blocks --- */

/* Executions of a block, one record for all that asks for it: `record` is that
 * of the block at hand, UINT32_MAX when it has none yet. */
static enum sonde_status count_block(struct schema_work *work, uint32_t block, uint32_t *record)
{
    if (*record != UINT32_MAX)
        return SONDE_OK;
    *record = work->next++;
    uint32_t first = sonde_kernel_block(work->kernel.kernel, block)->first;
    return work->places ? insert_increment(work, first, *record) : SONDE_OK;
}

/* --- lanes --- */

static bool has_predicate(const struct sonde_gen_instruction *instruction)
{
    bool chooses =
        instruction->opcode == SONDE_GEN_SEL && instruction->condition == SONDE_GEN_CONDITION_NONE;
    return instruction->predicate != SONDE_GEN_PREDICATE_NONE && !chooses;
}

/* Control flow changes the mask between blocks only: without a predicate the
 * head of the block does, where code may always stand. */
static enum sonde_status insert_lanes(struct schema_work *work, uint32_t index, uint32_t window,
                                      const struct sonde_gen_instruction *predicated,
                                      uint32_t record)
{
    struct sonde_procedure *procedure = sonde_procedure_create(work->coder, "schema: lanes");
    sonde_vreg lanes = sonde_vreg_make_scratch(work->coder, SONDE_VREG_DWORD);
    if (procedure == NULL || lanes == 0)
        return no_memory(work);
    enum sonde_status status = sonde_coder_compute_simd_mask(work->coder, procedure, lanes, false,
                                                             window, predicated, NULL, work->error);
    if (status == SONDE_OK)
        status = operation(work, procedure, SONDE_CBIT, lanes, lanes, sonde_operand_vreg(lanes));
    if (status == SONDE_OK)
        status = keep_value(work, procedure, lanes, record, NULL);
    return status == SONDE_OK ? insert(work, index, predicated == NULL, procedure) : status;
}

static enum sonde_status count_lanes(struct schema_work *work, uint32_t index)
{
    const struct sonde_gen_instruction *instruction = instruction_at(work, index);
    const struct sonde_gen_instruction *predicated =
        has_predicate(instruction) ? instruction : NULL;
    uint32_t record = take_value_records(work, index, SONDE_TRACE_LANES);
    return work->places ? insert_lanes(work, index, sonde_coder_execution_mask(instruction),
                                       predicated, record)
                        : SONDE_OK;
}

static enum sonde_status count_channels(struct schema_work *work, uint32_t block)
{
    uint32_t first = sonde_kernel_block(work->kernel.kernel, block)->first;
    uint32_t record = take_value_records(work, first, SONDE_TRACE_CHANNELS);
    return work->places ? insert_lanes(work, first, UINT32_MAX, NULL, record) : SONDE_OK;
}

/* --- registers --- */

static enum sonde_status count_register(struct schema_work *work, uint32_t index, bool at_block)
{
    struct schema_grf grf;
    uint32_t record = take_value_records(work, index, SONDE_TRACE_SUM);
    if (!work->places)
        return SONDE_OK;
    struct sonde_procedure *procedure = sonde_procedure_create(work->coder, "schema: register");
    sonde_vreg value = sonde_vreg_make_scratch(work->coder, SONDE_VREG_DWORD);
    struct sonde_gen_model model;
    if (procedure == NULL || value == 0)
        return no_memory(work);
    schema_grf_parse(work->probe->values[SCHEMA_REGISTERS].items[0], &grf);
    sonde_coder_gen_model(work->coder, &model);
    struct sonde_operand from = sonde_operand_grf(grf.first, 4 * grf.dword, model.grf_size);
    enum sonde_status status =
        sonde_coder_operation(work->coder, procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                              sonde_operand_vreg(value), from, from, NULL, work->error);
    if (status == SONDE_OK)
        status = keep_value(work, procedure, value, record, NULL);
    return status == SONDE_OK ? insert(work, index, at_block, procedure) : status;
}

/* --- time --- */

struct timed {
    uint32_t executions, skipped, cycles; /* records; cycles: the sum, or the first bin */
    struct sonde_procedure *start, *stop;
};

static enum sonde_status make_timer(struct schema_work *work, uint32_t instruction,
                                    const struct sonde_gen_instruction *timed_instruction,
                                    struct timed *timed)
{
    const struct tools_counters *counters = &work->state->counters;
    timed->cycles = take_value_records(work, instruction, SONDE_TRACE_CYCLES);
    timed->executions = work->next++;
    timed->skipped = work->next++;
    show(work, instruction, SONDE_TRACE_EXECUTIONS, timed->executions);
    show(work, instruction, SONDE_TRACE_SKIPPED, timed->skipped);
    if (!work->places)
        return SONDE_OK;
    timed->start = sonde_procedure_create(work->coder, "schema: start timer");
    timed->stop = sonde_procedure_create(work->coder, "schema: stop timer");
    enum sonde_status status =
        timed->start == NULL || timed->stop == NULL ? no_memory(work) : SONDE_OK;
    if (status == SONDE_OK && timed_instruction != NULL)
        status = sonde_coder_generate_fake_src_consumers(work->coder, timed->start,
                                                         timed_instruction, NULL, work->error);
    if (status == SONDE_OK)
        status = sonde_coder_start_timer(work->coder, timed->start, work->timer, NULL, work->error);
    if (status == SONDE_OK && timed_instruction != NULL)
        status = sonde_coder_generate_fake_dst_consumers(work->coder, timed->stop,
                                                         timed_instruction, NULL, work->error);
    if (status == SONDE_OK)
        status =
            sonde_coder_stop_timer_ext(work->coder, timed->stop, work->timer, NULL, work->error);
    if (status == SONDE_OK)
        status = tools_counters_increment(counters, work->coder, timed->stop, timed->skipped,
                                          &doubtful, work->error);
    if (status == SONDE_OK)
        status = tools_counters_increment(counters, work->coder, timed->stop, timed->executions,
                                          NULL, work->error);
    if (status == SONDE_OK)
        status = keep_value(work, timed->stop, work->timer, timed->cycles, &believed);
    return status;
}

static enum sonde_status time_instruction(struct schema_work *work, uint32_t index)
{
    struct timed timed;
    enum sonde_status status = make_timer(work, index, instruction_at(work, index), &timed);
    if (status == SONDE_OK && work->places)
        status = sonde_instrument_instruction(work->instrument, index, SONDE_BEFORE, timed.start,
                                              work->error);
    if (status == SONDE_OK && work->places)
        status = sonde_instrument_instruction(work->instrument, index, SONDE_AFTER, timed.stop,
                                              work->error);
    return status;
}

static enum sonde_status time_block(struct schema_work *work, uint32_t block)
{
    struct timed timed;
    uint32_t first = sonde_kernel_block(work->kernel.kernel, block)->first;
    enum sonde_status status = make_timer(work, first, NULL, &timed);
    if (status == SONDE_OK && work->places)
        status =
            sonde_instrument_block(work->instrument, block, SONDE_BEFORE, timed.start, work->error);
    if (status == SONDE_OK && work->places)
        status =
            sonde_instrument_block(work->instrument, block, SONDE_AFTER, timed.stop, work->error);
    return status;
}

static enum sonde_status time_kernel(struct schema_work *work)
{
    struct timed timed;
    enum sonde_status status = make_timer(work, work->kernel.first, NULL, &timed);
    if (status == SONDE_OK && work->places)
        status = sonde_instrument_entries(work->instrument, timed.start, work->error);
    if (status == SONDE_OK && work->places)
        status = sonde_instrument_exits(work->instrument, timed.stop, work->error);
    return status;
}

/* --- points --- */

/* Whether code can stand where the probe needs it. */
static bool has_room(const struct schema_work *work, uint32_t index)
{
    const struct sonde_gen_instruction *instruction = instruction_at(work, index);
    const struct sonde_instrument *instrument = work->instrument;
    bool before = sonde_instrument_insertion_refusal(instrument, index, SONDE_BEFORE) == NULL;
    switch (work->collect) {
    case SCHEMA_COUNT:
        return true;
    case SCHEMA_LANES:
        return !has_predicate(instruction) || before;
    case SCHEMA_TIME:
        return before && sonde_instrument_insertion_refusal(instrument, index, SONDE_AFTER) == NULL;
    default:
        return before;
    }
}

/* Lanes of instructions that act in all channels, or change the mask, mean nothing. */
static bool is_meant(const struct schema_work *work, uint32_t index)
{
    const struct sonde_gen_instruction *instruction = instruction_at(work, index);
    return work->collect != SCHEMA_LANES ||
           (!instruction->no_mask && !sonde_gen_opcode_is_branch(instruction->opcode));
}

static enum sonde_status count_instruction(struct schema_work *work, uint32_t index,
                                           uint32_t *executions)
{
    enum sonde_status status = SONDE_OK;
    if (work->collect == SCHEMA_TIME)
        return time_instruction(work, index);
    status = count_block(work, sonde_kernel_block_of(work->kernel.kernel, index), executions);
    if (schema_text(work->probe, SCHEMA_REPORT) == NULL)
        show(work, index, SONDE_TRACE_EXECUTIONS, *executions);
    if (status == SONDE_OK && work->collect == SCHEMA_LANES)
        status = count_lanes(work, index);
    else if (status == SONDE_OK && work->collect == SCHEMA_REGISTER)
        status = count_register(work, index, false);
    return status;
}

static enum sonde_status count_instructions(struct schema_work *work, uint32_t block)
{
    const struct sonde_block *range = sonde_kernel_block(work->kernel.kernel, block);
    uint32_t executions = UINT32_MAX;
    enum sonde_status status = SONDE_OK;
    for (uint32_t i = range->first; i < range->first + range->count && status == SONDE_OK; i++) {
        if (!schema_selects_instruction(work->probe, &work->kernel, i) || !is_meant(work, i))
            continue;
        if (has_room(work, i)) {
            work->state->points[work->group] += !work->places;
            status = count_instruction(work, i, &executions);
        } else {
            schema_leave_out(work);
        }
    }
    /* The report of simdprof takes a block's executions from its first instruction. */
    if (executions != UINT32_MAX && schema_text(work->probe, SCHEMA_REPORT) != NULL)
        show(work, range->first, SONDE_TRACE_EXECUTIONS, executions);
    return status;
}

static enum sonde_status count_whole_block(struct schema_work *work, uint32_t block)
{
    uint32_t executions = UINT32_MAX;
    uint32_t first = sonde_kernel_block(work->kernel.kernel, block)->first;
    enum sonde_status status = SONDE_OK;
    if (!schema_selects_block(work->probe, &work->kernel, block) ||
        ((work->collect == SCHEMA_LANES || work->collect == SCHEMA_REGISTER) &&
         first < work->kernel.first))
        return SONDE_OK;
    const struct sonde_trace_argument *argument =
        work->collect == SCHEMA_ARGUMENT ? schema_find_argument(work) : NULL;
    if (work->collect == SCHEMA_ARGUMENT && argument == NULL) {
        schema_leave_out(work);
        return SONDE_OK;
    }
    work->state->points[work->group] += !work->places;
    if (work->collect == SCHEMA_TIME)
        return time_block(work, block);
    status = count_block(work, block, &executions);
    show(work, first, SONDE_TRACE_EXECUTIONS, executions);
    if (status == SONDE_OK && work->collect == SCHEMA_LANES)
        status = count_channels(work, block);
    else if (status == SONDE_OK && work->collect == SCHEMA_REGISTER)
        status = count_register(work, first, true);
    else if (status == SONDE_OK && work->collect == SCHEMA_ARGUMENT)
        status = schema_count_argument(work, first, argument);
    return status;
}

enum sonde_status schema_count_points(struct schema_work *work)
{
    size_t blocks = sonde_kernel_block_count(work->kernel.kernel);
    enum sonde_status status = SONDE_OK;
    if (schema_is_at_kernel(work->probe)) {
        work->state->points[work->group] += !work->places;
        return time_kernel(work);
    }
    for (uint32_t b = 0; b < blocks && status == SONDE_OK; b++)
        status = schema_is_at_instructions(work->probe) ? count_instructions(work, b)
                                                        : count_whole_block(work, b);
    return status;
}
