/* Channels that act in each instruction. Instructions that ignore the
 * execution mask (write-enable-all) are left out, and branches: they change it.
 *
 * Control flow changes the mask between blocks only, so that one place a block
 * counts for all its instructions over the same channels. Those with a
 * predicate share a place until the block writes a flag. */
#include "tools/builtin.h"
#include "tools/counters.h"

/* The place that the instruction at hand can share. */
struct shared {
    uint32_t window; /* execution mask, 0 = none */
    uint32_t record;
};

struct work {
    struct sonde_instrument *instrument;
    const struct sonde_kernel *kernel;
    struct tools_counters *counters;
    bool places;   /* second pass: the array is laid out, code is inserted */
    uint32_t next; /* record */
    struct sonde_error *error;
};

static enum sonde_status count_lanes(struct work *work, uint32_t index, bool at_block,
                                     uint32_t window, uint32_t record)
{
    struct sonde_coder *coder = sonde_instrument_coder(work->instrument);
    struct sonde_procedure *procedure = sonde_procedure_create(coder, "count lanes");
    sonde_vreg mask = sonde_vreg_make_scratch(coder, SONDE_VREG_DWORD);
    if (procedure == NULL || mask == 0)
        return sonde_error_set(work->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    const struct sonde_gen_instruction *predicated =
        at_block ? NULL : sonde_kernel_instruction(work->kernel, index);
    struct sonde_operand lanes = sonde_operand_vreg(mask);
    enum sonde_status status = sonde_coder_compute_simd_mask(coder, procedure, mask, false, window,
                                                             predicated, NULL, work->error);
    if (status == SONDE_OK)
        status = sonde_coder_operation(coder, procedure, SONDE_CBIT, SONDE_GEN_TYPE_UD, lanes,
                                       lanes, lanes, NULL, work->error);
    if (status == SONDE_OK)
        status =
            tools_counters_accumulate(work->counters, coder, procedure, record, mask, work->error);
    if (status != SONDE_OK)
        return status;
    if (at_block)
        return sonde_instrument_block(work->instrument, sonde_kernel_block_of(work->kernel, index),
                                      SONDE_BEFORE, procedure, work->error);
    return sonde_instrument_instruction(work->instrument, index, SONDE_BEFORE, procedure,
                                        work->error);
}

static bool same_predicate(const struct sonde_gen_instruction *a,
                           const struct sonde_gen_instruction *b)
{
    return a->predicate == b->predicate && a->predicate_inverse == b->predicate_inverse &&
           a->flag_number == b->flag_number && a->flag_subreg == b->flag_subreg;
}

static bool chooses(const struct sonde_gen_instruction *instruction)
{
    return instruction->opcode == SONDE_GEN_SEL &&
           instruction->condition == SONDE_GEN_CONDITION_NONE;
}

/* The record that counts for instruction `index`, made and placed when it is
 * the first of its kind. */
static enum sonde_status count_instruction(struct work *work, uint32_t index, struct shared *plain,
                                           struct shared *predicated, uint32_t *leader)
{
    const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(work->kernel, index);
    uint32_t window = sonde_coder_execution_mask(instruction);
    bool has_predicate =
        instruction->predicate != SONDE_GEN_PREDICATE_NONE && !chooses(instruction);
    struct shared *shared = has_predicate ? predicated : &plain[instruction->channel_offset / 4];
    bool known = shared->window == window &&
                 (!has_predicate ||
                  same_predicate(instruction, sonde_kernel_instruction(work->kernel, *leader)));
    enum sonde_status status = SONDE_OK;
    if (!known) {
        *shared = (struct shared){.window = window, .record = work->next++};
        if (has_predicate)
            *leader = index;
        if (work->places)
            status = count_lanes(work, index, !has_predicate, window, shared->record);
    }
    if (!work->places)
        tools_counters_add(work->counters, index, SONDE_TRACE_LANES, shared->record);
    return status;
}

static enum sonde_status count_block(struct work *work, const struct sonde_block *block)
{
    struct shared plain[8] = {{.window = 0}}, predicated = {.window = 0};
    uint32_t leader = 0, executions = work->next++;
    enum sonde_status status = SONDE_OK;
    if (work->places) {
        struct sonde_coder *coder = sonde_instrument_coder(work->instrument);
        struct sonde_procedure *procedure = sonde_procedure_create(coder, "count block");
        status = procedure == NULL
                     ? sonde_error_set(work->error, SONDE_ERROR_MEMORY, 0, "out of memory")
                     : tools_counters_increment(work->counters, coder, procedure, executions, NULL,
                                                work->error);
        if (status == SONDE_OK)
            status = sonde_instrument_block(work->instrument, block->id, SONDE_BEFORE, procedure,
                                            work->error);
    } else {
        tools_counters_add(work->counters, block->first, SONDE_TRACE_EXECUTIONS, executions);
    }
    for (uint32_t i = block->first; i < block->first + block->count && status == SONDE_OK; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(work->kernel, i);
        struct sonde_gen_effects effects;
        if (i >= tools_first_instruction(work->kernel) && !instruction->no_mask &&
            !sonde_gen_opcode_is_branch(instruction->opcode))
            status = count_instruction(work, i, plain, &predicated, &leader);
        sonde_gen_instruction_effects(instruction, &effects);
        if (effects.writes.flags != 0)
            predicated.window = 0;
    }
    return status;
}

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct work work = {.instrument = sonde_tool_build_instrument(build), .error = error};
    work.kernel = sonde_instrument_kernel(work.instrument);
    size_t blocks = sonde_kernel_block_count(work.kernel);
    work.counters =
        tools_counters_create(build, blocks + sonde_kernel_instruction_count(work.kernel));
    if (work.counters == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = SONDE_OK;
    for (unsigned pass = 0; pass < 2 && status == SONDE_OK; pass++) {
        work.next = 0;
        work.places = pass == 1;
        for (size_t b = 0; b < blocks && status == SONDE_OK; b++)
            status = count_block(&work, sonde_kernel_block(work.kernel, b));
        work.counters->record_count = work.next;
        if (pass == 0 && status == SONDE_OK)
            status = tools_counters_allocate(work.counters, build, error);
    }
    return status;
}

static enum sonde_status complete(struct sonde_tool_dispatch *dispatch, struct sonde_error *error)
{
    return tools_counters_write(dispatch, "simdprof", error);
}

const struct sonde_tool tools_simdprof = {
    .struct_size = sizeof(struct sonde_tool),
    .api_version = SONDE_TOOL_API_VERSION,
    .name = "simdprof",
    .summary = "channels that act in each instruction",
    .on_kernel_build = build,
    .on_dispatch_complete = complete,
};
