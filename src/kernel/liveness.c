/* Liveness by backward data flow over the control-flow graph.
 *
 * Registers are storage of the thread, not of a channel: a write under an
 * execution mask or predicate ends no life beyond its basic block (masked.h
 * has what it ends inside), and the graph leads from each divergent branch to
 * wherever its channels wait. What is dead here is dead for every channel. */
#include "kernel/analysis.h"
#include "kernel/internal.h"
#include "kernel/masked.h"

#include <stdlib.h>
#include <string.h>

/* A set is grf_words words of register-file bytes and one word that packs the
 * architecture registers. */
#define FLAGS_SHIFT       0
#define ACCUMULATOR_SHIFT 8
#define MME_SHIFT         24
#define ADDRESS_SHIFT     32
#define CONTROL_SHIFT     48

struct kernel_liveness {
    size_t words;      /* of a set */
    uint64_t *live_in; /* block_count sets */
    /* The set just before instruction `index` of the last query; falling
     * queries inside one block continue from it. */
    bool cursor_valid;
    uint32_t cursor_index;
    bool cursor_unknown;
    uint64_t *cursor;
    struct kernel_masked masked; /* belongs to the cursor; before that to one block after another */
    bool *unknown_in;            /* a block: an indirect read ahead may touch any register */
    bool has_unknown_access;
    uint64_t *touched; /* grf_words: bytes that any instruction names */
};

void kernel_liveness_free(struct kernel_liveness *liveness)
{
    if (liveness == NULL)
        return;
    free(liveness->live_in);
    free(liveness->cursor);
    free(liveness->unknown_in);
    free(liveness->touched);
    free(liveness);
}

static uint64_t pack(const struct sonde_gen_effect *effect)
{
    return (uint64_t)effect->flags << FLAGS_SHIFT |
           (uint64_t)effect->accumulators << ACCUMULATOR_SHIFT |
           (uint64_t)effect->mme << MME_SHIFT | (uint64_t)effect->address << ADDRESS_SHIFT |
           (uint64_t)effect->control << CONTROL_SHIFT;
}

static void unpack(uint64_t word, struct sonde_gen_effect *effect)
{
    effect->flags = (uint8_t)(word >> FLAGS_SHIFT);
    effect->accumulators = (uint16_t)(word >> ACCUMULATOR_SHIFT);
    effect->mme = (word >> MME_SHIFT & 1) != 0;
    effect->address = (uint16_t)(word >> ADDRESS_SHIFT);
    effect->control = (word >> CONTROL_SHIFT & 1) != 0;
}

static bool is_send(const struct sonde_gen_instruction *instruction)
{
    return sonde_gen_opcode_format(instruction->opcode) == SONDE_GEN_FORMAT_SEND;
}

/* Architecture registers that this instruction overwrites as a whole. */
static uint64_t killed_registers(const struct sonde_gen_instruction *instruction,
                                 const struct sonde_gen_effect *writes)
{
    struct sonde_gen_effect killed = {.flags = writes->flags, .address = writes->address};
    /* A condition writes one bit a channel, fewer than the half it names when
     * the instruction is narrow. */
    if (instruction->condition != SONDE_GEN_CONDITION_NONE && instruction->exec_size < 16)
        killed.flags = 0;
    const struct sonde_gen_operand *dst = &instruction->dst;
    bool whole_accumulator = dst->file == SONDE_GEN_FILE_ARF &&
                             (dst->number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR &&
                             dst->subreg == 0 && dst->hstride == 1 &&
                             instruction->exec_size * sonde_gen_type_size(dst->type) >= 32;
    if (whole_accumulator)
        killed.accumulators = writes->accumulators;
    return pack(&killed);
}

/* live -= whole writes. */
static void step_writes(const struct sonde_kernel *kernel,
                        const struct sonde_gen_instruction *instruction,
                        const struct sonde_gen_effects *of, uint64_t *live)
{
    /* A message may leave bytes of its response unwritten (disabled
     * channels), so it never counts as a whole write. */
    if (of->write_is_partial || is_send(instruction))
        return;
    for (uint32_t w = 0; w < kernel->grf_words && !of->writes.grf_unknown; w++)
        live[w] &= ~of->writes.grf[w];
    live[kernel->grf_words] &= ~killed_registers(instruction, &of->writes);
}

static void add_effect(const struct sonde_kernel *kernel, const struct sonde_gen_effect *effect,
                       uint64_t *live)
{
    for (uint32_t w = 0; w < kernel->grf_words; w++)
        live[w] |= effect->grf_unknown ? UINT64_MAX : effect->grf[w];
    live[kernel->grf_words] |= pack(effect);
}

/* live = (live - whole writes) + reads, for one instruction; reads by channel
 * are kept in `masked`. */
static void step_over(const struct sonde_kernel *kernel,
                      const struct sonde_gen_instruction *instruction,
                      const struct sonde_gen_effects *of, struct kernel_masked *masked,
                      uint64_t *live, bool *unknown)
{
    struct sonde_gen_effect room;
    step_writes(kernel, instruction, of, live);
    const struct sonde_gen_effect *reads =
        kernel_masked_step(masked, instruction, of, kernel->grf_words, &room);
    add_effect(kernel, reads, live);
    *unknown |= reads->grf_unknown;
}

static void step_back(const struct sonde_kernel *kernel, struct kernel_liveness *liveness,
                      const struct sonde_gen_instruction *instruction)
{
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    step_over(kernel, instruction, &effects, &liveness->masked, liveness->cursor,
              &liveness->cursor_unknown);
}

static void gather_live_out(const struct sonde_kernel *kernel,
                            const struct kernel_liveness *liveness, const struct sonde_block *block,
                            uint64_t *live, bool *unknown)
{
    memset(live, 0, liveness->words * sizeof *live);
    *unknown = false;
    for (uint32_t i = 0; i < block->successor_count; i++) {
        uint32_t next = kernel->edges[block->first_successor + i].destination;
        const uint64_t *in = &liveness->live_in[next * liveness->words];
        for (size_t w = 0; w < liveness->words; w++)
            live[w] |= in[w];
        *unknown |= liveness->unknown_in[next];
    }
}

/* What a block reads before writing (use) and overwrites (def), both sets of
 * `words` words, so that iterating does not decode effects again. */
struct summary {
    uint64_t *use;
    uint64_t *keep; /* complement of def */
    bool *unknown;
};

static void note_touched(const struct sonde_kernel *kernel, struct kernel_liveness *liveness,
                         const struct sonde_gen_effects *effects)
{
    if (effects->reads.grf_unknown || effects->writes.grf_unknown)
        liveness->has_unknown_access = true;
    for (uint32_t w = 0; w < kernel->grf_words; w++)
        liveness->touched[w] |= effects->reads.grf[w] | effects->writes.grf[w];
}

static void summarise_block(const struct sonde_kernel *kernel, struct kernel_liveness *liveness,
                            const struct sonde_block *block, const struct summary *summary)
{
    uint64_t *use = &summary->use[block->id * liveness->words];
    uint64_t *keep = &summary->keep[block->id * liveness->words];
    memset(keep, 0xff, liveness->words * sizeof *keep);
    kernel_masked_clear(&liveness->masked);
    for (uint32_t i = block->first + block->count; i-- > block->first;) {
        const struct sonde_gen_instruction *instruction = &kernel->instructions[i];
        struct sonde_gen_effects effects;
        sonde_gen_instruction_effects(instruction, &effects);
        step_over(kernel, instruction, &effects, &liveness->masked, use,
                  &summary->unknown[block->id]);
        step_writes(kernel, instruction, &effects, keep);
        note_touched(kernel, liveness, &effects);
    }
    struct sonde_gen_effect left = {.grf = {0}};
    kernel_masked_add(&liveness->masked, kernel->grf_words, &left);
    add_effect(kernel, &left, use);
}

static enum sonde_status solve(const struct sonde_kernel *kernel, struct kernel_liveness *liveness,
                               const struct summary *summary)
{
    uint32_t *queue = malloc((kernel->block_count + 1) * sizeof *queue);
    bool *queued = malloc(kernel->block_count * sizeof *queued);
    uint64_t *live = malloc(liveness->words * sizeof *live);
    if (queue == NULL || queued == NULL || live == NULL) {
        free(queue);
        free(queued);
        free(live);
        return SONDE_ERROR_MEMORY;
    }
    /* A ring that starts with the last block: most edges lead forward. */
    size_t capacity = kernel->block_count + 1, head = 0, tail = 0;
    for (size_t b = kernel->block_count; b-- > 0;) {
        queue[tail++] = (uint32_t)b;
        queued[b] = true;
    }
    while (head != tail) {
        uint32_t b = queue[head];
        head = (head + 1) % capacity;
        queued[b] = false;
        uint64_t *in = &liveness->live_in[b * liveness->words];
        const uint64_t *use = &summary->use[b * liveness->words];
        const uint64_t *keep = &summary->keep[b * liveness->words];
        bool unknown = false, changed = false;
        gather_live_out(kernel, liveness, &kernel->blocks[b], live, &unknown);
        for (size_t w = 0; w < liveness->words; w++) {
            uint64_t value = use[w] | (live[w] & keep[w]);
            changed |= value != in[w];
            in[w] = value;
        }
        unknown |= summary->unknown[b];
        changed |= unknown != liveness->unknown_in[b];
        liveness->unknown_in[b] = unknown;
        if (!changed)
            continue;
        for (uint32_t i = kernel->first_predecessor[b]; i < kernel->first_predecessor[b + 1]; i++) {
            uint32_t before = kernel->predecessors[i];
            if (queued[before])
                continue;
            queued[before] = true;
            queue[tail] = before;
            tail = (tail + 1) % capacity;
        }
    }
    free(queue);
    free(queued);
    free(live);
    return SONDE_OK;
}

static enum sonde_status run_analysis(const struct sonde_kernel *kernel,
                                      struct kernel_liveness *liveness)
{
    size_t total = kernel->block_count * liveness->words;
    struct summary summary = {
        .use = calloc(total, sizeof *summary.use),
        .keep = calloc(total, sizeof *summary.keep),
        .unknown = calloc(kernel->block_count, sizeof *summary.unknown),
    };
    enum sonde_status status = SONDE_ERROR_MEMORY;
    if (summary.use != NULL && summary.keep != NULL && summary.unknown != NULL) {
        for (size_t b = 0; b < kernel->block_count; b++)
            summarise_block(kernel, liveness, &kernel->blocks[b], &summary);
        status = solve(kernel, liveness, &summary);
    }
    free(summary.use);
    free(summary.keep);
    free(summary.unknown);
    return status;
}

static enum sonde_status ensure_liveness(struct sonde_kernel *kernel, struct sonde_error *error)
{
    if (kernel->liveness != NULL)
        return SONDE_OK;
    struct kernel_liveness *liveness = calloc(1, sizeof *liveness);
    if (liveness == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    liveness->words = kernel->grf_words + 1;
    liveness->live_in = calloc(kernel->block_count * liveness->words, sizeof *liveness->live_in);
    liveness->cursor = calloc(liveness->words, sizeof *liveness->cursor);
    liveness->unknown_in = calloc(kernel->block_count, sizeof *liveness->unknown_in);
    liveness->touched = calloc(kernel->grf_words, sizeof *liveness->touched);
    enum sonde_status status = SONDE_ERROR_MEMORY;
    if (liveness->live_in != NULL && liveness->cursor != NULL && liveness->unknown_in != NULL &&
        liveness->touched != NULL)
        status = run_analysis(kernel, liveness);
    if (status != SONDE_OK) {
        kernel_liveness_free(liveness);
        return sonde_error_set(error, status, 0, "out of memory");
    }
    kernel->liveness = liveness;
    return SONDE_OK;
}

static void copy_live(const struct sonde_kernel *kernel, const uint64_t *set, bool unknown,
                      struct sonde_gen_effect *live)
{
    memset(live, 0, sizeof *live);
    memcpy(live->grf, set, kernel->grf_words * sizeof *set);
    unpack(set[kernel->grf_words], live);
    live->grf_unknown = unknown;
}

enum sonde_status sonde_kernel_live_before(struct sonde_kernel *kernel, size_t index,
                                           struct sonde_gen_effect *live, struct sonde_error *error)
{
    if (index >= kernel->instruction_count)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no instruction %zu", index);
    enum sonde_status status = ensure_liveness(kernel, error);
    if (status != SONDE_OK)
        return status;
    struct kernel_liveness *liveness = kernel->liveness;
    const struct sonde_block *block = &kernel->blocks[kernel->block_of[index]];
    if (index == block->first) {
        copy_live(kernel, &liveness->live_in[block->id * liveness->words],
                  liveness->unknown_in[block->id], live);
        return SONDE_OK;
    }
    uint32_t from = liveness->cursor_index;
    bool reuse = liveness->cursor_valid && from >= index && kernel->block_of[from] == block->id;
    if (!reuse) {
        gather_live_out(kernel, liveness, block, liveness->cursor, &liveness->cursor_unknown);
        kernel_masked_clear(&liveness->masked);
        from = block->first + block->count;
    }
    while (from > index)
        step_back(kernel, liveness, &kernel->instructions[--from]);
    liveness->cursor_valid = true;
    liveness->cursor_index = (uint32_t)index;
    copy_live(kernel, liveness->cursor, liveness->cursor_unknown, live);
    kernel_masked_add(&liveness->masked, kernel->grf_words, live);
    return SONDE_OK;
}

enum sonde_status sonde_kernel_live_after(struct sonde_kernel *kernel, size_t index,
                                          struct sonde_gen_effect *live, struct sonde_error *error)
{
    if (index >= kernel->instruction_count)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "no instruction %zu", index);
    uint32_t b = kernel->block_of[index];
    if (index + 1 < kernel->instruction_count && kernel->block_of[index + 1] == b)
        return sonde_kernel_live_before(kernel, index + 1, live, error);
    enum sonde_status status = ensure_liveness(kernel, error);
    if (status != SONDE_OK)
        return status;
    struct kernel_liveness *liveness = kernel->liveness;
    liveness->cursor_valid = false;
    gather_live_out(kernel, liveness, &kernel->blocks[b], liveness->cursor,
                    &liveness->cursor_unknown);
    copy_live(kernel, liveness->cursor, liveness->cursor_unknown, live);
    return SONDE_OK;
}

enum sonde_status kernel_untouched_bytes(struct sonde_kernel *kernel,
                                         uint64_t untouched[SONDE_GEN_GRF_WORDS],
                                         struct sonde_error *error)
{
    memset(untouched, 0, SONDE_GEN_GRF_WORDS * sizeof *untouched);
    enum sonde_status status = ensure_liveness(kernel, error);
    if (status != SONDE_OK || kernel->liveness->has_unknown_access)
        return status;
    for (uint32_t w = 0; w < kernel->grf_words; w++)
        untouched[w] = ~kernel->liveness->touched[w];
    return SONDE_OK;
}
