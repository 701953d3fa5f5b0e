/* Collecting insertions; emit.c turns them into code. */
#include "rewrite/internal.h"

#include "base/array.h"

#include <stdlib.h>

/* The last entry, into which the code from the others falls: every thread
 * passes it. */
static bool find_entry(const struct sonde_kernel *kernel, uint32_t *entry)
{
    *entry = 0;
    uint32_t blocks = 1;
    for (uint32_t b = 1; b < sonde_kernel_block_count(kernel); b++) {
        if (!sonde_kernel_block(kernel, b)->is_entry)
            continue;
        *entry = sonde_kernel_block(kernel, b)->first;
        blocks = b + 1;
    }
    for (size_t e = 0; e < sonde_kernel_edge_count(kernel); e++) {
        const struct sonde_edge *edge = sonde_kernel_edge(kernel, e);
        bool enters = edge->destination < blocks;
        if (enters && (edge->source + 1 != edge->destination || edge->jumps) && *entry != 0)
            return false;
    }
    return true;
}

static enum sonde_status make(struct sonde_instrument *instrument, struct sonde_kernel *kernel,
                              const struct sonde_coder_options *options, struct sonde_error *error)
{
    size_t count = sonde_kernel_instruction_count(kernel);
    instrument->kernel = kernel;
    instrument->removed = calloc(count, sizeof *instrument->removed);
    instrument->split = calloc(count, sizeof *instrument->split);
    instrument->meets_behind = calloc(count, sizeof *instrument->meets_behind);
    if (instrument->removed == NULL || instrument->split == NULL ||
        instrument->meets_behind == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (!find_entry(kernel, &instrument->entry))
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0,
                               "kernel %s: its entries do not lead into one straight line",
                               sonde_kernel_info(kernel)->name);
    rewrite_find_sequences(kernel, instrument->split);
    rewrite_find_meeting_points(kernel, instrument->meets_behind);
    enum sonde_status status = sonde_instrument_pass(instrument, "", error);
    return status == SONDE_OK ? coder_create(kernel, options, &instrument->coder, error) : status;
}

enum sonde_status sonde_instrument_create(struct sonde_kernel *kernel,
                                          const struct sonde_coder_options *options,
                                          struct sonde_instrument **instrument,
                                          struct sonde_error *error)
{
    *instrument = NULL;
    const char *refusal = sonde_kernel_refusal(kernel);
    if (refusal != NULL)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, 0, "kernel %s: %s",
                               sonde_kernel_info(kernel)->name, refusal);
    struct sonde_instrument *made = calloc(1, sizeof *made);
    if (made == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = make(made, kernel, options, error);
    if (status != SONDE_OK) {
        sonde_instrument_destroy(made);
        return status;
    }
    *instrument = made;
    return SONDE_OK;
}

void sonde_instrument_destroy(struct sonde_instrument *instrument)
{
    if (instrument == NULL)
        return;
    coder_destroy(instrument->coder);
    rewrite_clear_passes(instrument);
    free(instrument->insertions);
    free(instrument->meets_behind);
    free(instrument->split);
    free(instrument->removed);
    free(instrument);
}

struct sonde_kernel *sonde_instrument_kernel(struct sonde_instrument *instrument)
{
    return instrument->kernel;
}

struct sonde_coder *sonde_instrument_coder(struct sonde_instrument *instrument)
{
    return instrument->coder;
}

enum sonde_status sonde_instrument_set_spill_area(struct sonde_instrument *instrument,
                                                  uint32_t offset, uint32_t size,
                                                  struct sonde_error *error)
{
    if (offset % SONDE_SPILL_ALIGNMENT != 0 || size > UINT32_MAX - offset)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "a spill area of %u bytes at byte %u of the profile buffer: it "
                               "starts at a multiple of %u and ends below 4 GiB",
                               size, offset, SONDE_SPILL_ALIGNMENT);
    coder_set_spill_area(instrument->coder, offset, size);
    return SONDE_OK;
}

static enum sonde_status insert(struct sonde_instrument *instrument, size_t index,
                                enum rewrite_slot slot, const struct sonde_procedure *procedure,
                                struct sonde_error *error)
{
    if (!coder_owns(instrument->coder, procedure))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "procedure of another coder");
    if (base_array_reserve((void **)&instrument->insertions, &instrument->insertion_capacity,
                           instrument->insertion_count + 1,
                           sizeof *instrument->insertions) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct rewrite_insertion *insertion = &instrument->insertions[instrument->insertion_count];
    *insertion = (struct rewrite_insertion){.index = (uint32_t)index,
                                            .slot = slot,
                                            .order = (uint32_t)instrument->insertion_count,
                                            .pass = instrument->pass,
                                            .procedure = procedure};
    instrument->insertion_count++;
    return SONDE_OK;
}

static const char in_prolog[] = "it stands in the prolog, behind which the driver enters at a "
                                "fixed distance";

/* Code at the prolog stands outside; its last instruction gives way to it. */
static enum sonde_status insert_at_prolog(struct sonde_instrument *instrument, size_t index,
                                          const struct sonde_procedure *procedure,
                                          struct sonde_error *error)
{
    const struct sonde_gen_instruction *last =
        sonde_kernel_instruction(instrument->kernel, instrument->entry - 1);
    if (last->opcode != SONDE_GEN_NOP || last->size != 16)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, last->offset,
                               "the prolog at 0x%x has no room to be instrumented", last->offset);
    return insert(instrument, index, REWRITE_BEFORE, procedure, error);
}

static bool ends_block(const struct sonde_gen_instruction *instruction)
{
    return sonde_gen_opcode_is_branch(instruction->opcode) || instruction->send.end_of_thread;
}

/* A predicated end-of-thread does not always end. */
static bool may_not_end(const struct sonde_gen_instruction *instruction)
{
    return instruction->predicate != SONDE_GEN_PREDICATE_NONE;
}

const char *sonde_instrument_insertion_refusal(const struct sonde_instrument *instrument,
                                               size_t index, enum sonde_where where)
{
    const struct sonde_kernel *kernel = instrument->kernel;
    if (index >= sonde_kernel_instruction_count(kernel))
        return "there is no such instruction";
    if (index < instrument->entry)
        return in_prolog;
    if (where == SONDE_BEFORE)
        return instrument->split[index];
    if (ends_block(sonde_kernel_instruction(kernel, index)))
        return "a branch or end of thread has no single place after it";
    size_t next = index + 1;
    bool same_block = next < sonde_kernel_instruction_count(kernel) &&
                      sonde_kernel_block_of(kernel, next) == sonde_kernel_block_of(kernel, index);
    return same_block ? instrument->split[next] : NULL;
}

enum sonde_status sonde_instrument_instruction(struct sonde_instrument *instrument, size_t index,
                                               enum sonde_where where,
                                               const struct sonde_procedure *procedure,
                                               struct sonde_error *error)
{
    if (index >= sonde_kernel_instruction_count(instrument->kernel))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no instruction %zu", index);
    const char *refusal = sonde_instrument_insertion_refusal(instrument, index, where);
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(instrument->kernel, index);
    if (refusal != NULL)
        return sonde_error_set(
            error, SONDE_ERROR_UNSUPPORTED, instruction->offset,
            "nothing may be inserted %s %s at 0x%x: %s", where == SONDE_BEFORE ? "before" : "after",
            sonde_gen_opcode_mnemonic(instruction->opcode), instruction->offset, refusal);
    return insert(instrument, index, where == SONDE_BEFORE ? REWRITE_BEFORE : REWRITE_AFTER,
                  procedure, error);
}

enum sonde_status sonde_instrument_block(struct sonde_instrument *instrument, uint32_t id,
                                         enum sonde_where where,
                                         const struct sonde_procedure *procedure,
                                         struct sonde_error *error)
{
    const struct sonde_block *block = sonde_kernel_block(instrument->kernel, id);
    if (block == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no block %u", id);
    if (block->first < instrument->entry)
        return insert_at_prolog(instrument, block->first, procedure, error);
    if (where == SONDE_BEFORE)
        return insert(instrument, block->first, REWRITE_BEFORE, procedure, error);
    /* The end of a block is before the branch that ends it. */
    uint32_t last = block->first + block->count - 1;
    bool before = ends_block(sonde_kernel_instruction(instrument->kernel, last));
    return insert(instrument, last, before ? REWRITE_BEFORE : REWRITE_AFTER, procedure, error);
}

static unsigned edges_into(const struct sonde_kernel *kernel, uint32_t block)
{
    unsigned count = sonde_kernel_block(kernel, block)->is_entry;
    for (size_t e = 0; e < sonde_kernel_edge_count(kernel); e++)
        count += sonde_kernel_edge(kernel, e)->destination == block;
    return count;
}

enum sonde_status sonde_instrument_edge(struct sonde_instrument *instrument, size_t index,
                                        const struct sonde_procedure *procedure,
                                        struct sonde_error *error)
{
    const struct sonde_kernel *kernel = instrument->kernel;
    const struct sonde_edge *edge = sonde_kernel_edge(kernel, index);
    if (edge == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no edge %zu", index);
    const struct sonde_block *source = sonde_kernel_block(kernel, edge->source);
    uint32_t last = source->first + source->count - 1;
    uint32_t target = sonde_kernel_block(kernel, edge->destination)->first;
    const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, last);
    if (last < instrument->entry)
        return insert_at_prolog(instrument, last, procedure, error);
    bool uniform =
        !sonde_gen_opcode_is_branch(instruction->opcode) || instruction->opcode == SONDE_GEN_JMPI;
    /* Both ways of leaving a joining instruction for the next one meet in the
     * code that stands between them. */
    bool joins = edge->falls_through && sonde_kernel_jip_target(kernel, last) == target &&
                 (instruction->opcode == SONDE_GEN_ENDIF || instruction->opcode == SONDE_GEN_JOIN);
    if (edge->falls_through && (uniform || joins))
        return insert(instrument, target, REWRITE_FALL_THROUGH, procedure, error);
    if (instruction->opcode == SONDE_GEN_JMPI)
        return insert(instrument, last, REWRITE_TAKEN, procedure, error);
    if (edges_into(kernel, edge->destination) == 1)
        return insert(instrument, target, REWRITE_BEFORE, procedure, error);
    return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, instruction->offset,
                           "no code can stand on the edge from %s at 0x%x to 0x%x: channels that "
                           "come from elsewhere meet there",
                           sonde_gen_opcode_mnemonic(instruction->opcode), instruction->offset,
                           sonde_kernel_instruction(kernel, target)->offset);
}

enum sonde_status sonde_instrument_entries(struct sonde_instrument *instrument,
                                           const struct sonde_procedure *procedure,
                                           struct sonde_error *error)
{
    return insert(instrument, instrument->entry, REWRITE_ENTRY, procedure, error);
}

enum sonde_status sonde_instrument_leave(struct sonde_instrument *instrument,
                                         const struct sonde_procedure *procedure,
                                         const struct sonde_predicate *leaves,
                                         struct sonde_error *error)
{
    if (!coder_owns(instrument->coder, procedure))
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "procedure of another coder");
    if (instrument->leave.procedure != NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "which threads leave is decided already");
    instrument->leave = (struct rewrite_insertion){
        .index = instrument->entry, .slot = REWRITE_ENTRY, .procedure = procedure};
    instrument->leaves = *leaves;
    return SONDE_OK;
}

enum sonde_status sonde_instrument_exits(struct sonde_instrument *instrument,
                                         const struct sonde_procedure *procedure,
                                         struct sonde_error *error)
{
    const struct sonde_kernel *kernel = instrument->kernel;
    size_t count = sonde_kernel_block_count(kernel);
    for (size_t b = 0; b < count; b++) {
        const struct sonde_block *block = sonde_kernel_block(kernel, b);
        const struct sonde_gen_instruction *end = sonde_kernel_instruction(kernel, block->first);
        if (block->is_eot && may_not_end(end))
            return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, end->offset,
                                   "the end of thread at 0x%x is predicated: code before it "
                                   "would run without an exit",
                                   end->offset);
    }
    for (size_t b = 0; b < count; b++) {
        const struct sonde_block *block = sonde_kernel_block(kernel, b);
        if (!block->is_eot)
            continue;
        enum sonde_status status =
            insert(instrument, block->first, REWRITE_BEFORE, procedure, error);
        if (status != SONDE_OK)
            return status;
    }
    return SONDE_OK;
}

enum sonde_status sonde_instrument_remove(struct sonde_instrument *instrument, size_t index,
                                          struct sonde_error *error)
{
    const struct sonde_gen_instruction *instruction =
        sonde_kernel_instruction(instrument->kernel, index);
    if (instruction == NULL)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no instruction %zu", index);
    if (index < instrument->entry)
        return sonde_error_set(
            error, SONDE_ERROR_UNSUPPORTED, instruction->offset, "%s at 0x%x cannot be removed: %s",
            sonde_gen_opcode_mnemonic(instruction->opcode), instruction->offset, in_prolog);
    if (ends_block(instruction))
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, instruction->offset,
                               "%s at 0x%x directs the thread and cannot be removed",
                               sonde_gen_opcode_mnemonic(instruction->opcode), instruction->offset);
    if (instruction->no_dependency_clear || instruction->no_dependency_check)
        return sonde_error_set(error, SONDE_ERROR_UNSUPPORTED, instruction->offset,
                               "%s at 0x%x cannot be removed: its neighbours rely on it for their "
                               "dependencies (NoDDClr, NoDDChk)",
                               sonde_gen_opcode_mnemonic(instruction->opcode), instruction->offset);
    instrument->removed[index] = true;
    return SONDE_OK;
}
