/* Which registers still hold the thread header: a forward must-analysis of
 * whole-register copies that start at r0. */
#include "kernel/analysis.h"
#include "kernel/internal.h"

#include <stdlib.h>
#include <string.h>

#define SET_WORDS      4 /* 256 registers */
#define MAXIMUM_ROUNDS 64

struct kernel_headers {
    uint64_t *in; /* block_count sets of SET_WORDS words, one bit a register */
    /* The answers for one block: a set before each instruction. */
    uint64_t *answers;
    uint32_t answered_block;
};

void kernel_headers_free(struct kernel_headers *headers)
{
    if (headers == NULL)
        return;
    free(headers->in);
    free(headers->answers);
    free(headers);
}

static bool in_set(const uint64_t *set, uint32_t number)
{
    return (set[number / 64] >> (number % 64) & 1) != 0;
}

static bool is_whole_operand(const struct sonde_gen_operand *operand)
{
    return operand->file == SONDE_GEN_FILE_GRF && !operand->indirect && operand->subreg == 0 &&
           operand->hstride == 1 && !operand->negate && !operand->absolute &&
           (operand->type == SONDE_GEN_TYPE_UD || operand->type == SONDE_GEN_TYPE_D);
}

/* mov of one whole register to another, all channels. */
static bool is_register_copy(const struct sonde_gen_instruction *instruction, uint32_t grf_size)
{
    const struct sonde_gen_operand *src = &instruction->src[0];
    bool packed_source = src->vstride == src->width; /* <8;8,1>, <1;1,...> with one element a row */
    return instruction->opcode == SONDE_GEN_MOV && !instruction->illegal && instruction->no_mask &&
           !instruction->align16 && instruction->exec_size * 4u == grf_size &&
           instruction->predicate == SONDE_GEN_PREDICATE_NONE && !instruction->saturate &&
           is_whole_operand(&instruction->dst) && src->file == SONDE_GEN_FILE_GRF &&
           src->subreg == 0 && !src->indirect && !src->negate && !src->absolute &&
           src->type == instruction->dst.type && packed_source &&
           (src->hstride == 1 || src->width == 1);
}

static void step(const struct sonde_kernel *kernel, const struct sonde_gen_instruction *instruction,
                 uint64_t *set)
{
    bool copies =
        is_register_copy(instruction, kernel->grf_size) && in_set(set, instruction->src[0].number);
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    if (effects.writes.grf_unknown) {
        memset(set, 0, SET_WORDS * sizeof *set);
    } else {
        for (uint32_t number = 0; number < kernel->info.grf_count; number++) {
            uint32_t bit = number * kernel->grf_size;
            uint64_t mask = kernel->grf_size == 64 ? UINT64_MAX : 0xffffffffull << (bit % 64);
            if ((effects.writes.grf[bit / 64] & mask) != 0)
                set[number / 64] &= ~(1ull << (number % 64));
        }
    }
    if (copies)
        set[instruction->dst.number / 64] |= 1ull << (instruction->dst.number % 64);
}

static void step_block(const struct sonde_kernel *kernel, const struct sonde_block *block,
                       size_t end, uint64_t *set)
{
    for (size_t i = block->first; i < end; i++)
        step(kernel, &kernel->instructions[i], set);
}

/* Narrow the successors of block b to `out`; true when one changed. */
static bool meet_successors(const struct sonde_kernel *kernel, struct kernel_headers *headers,
                            size_t b, const uint64_t *out)
{
    bool changed = false;
    const struct sonde_block *block = &kernel->blocks[b];
    for (uint32_t i = 0; i < block->successor_count; i++) {
        uint32_t next = kernel->edges[block->first_successor + i].destination;
        uint64_t *in = &headers->in[next * SET_WORDS];
        for (unsigned w = 0; w < SET_WORDS; w++) {
            changed |= (in[w] & ~out[w]) != 0;
            in[w] &= out[w];
        }
    }
    return changed;
}

static enum sonde_status ensure_headers(struct sonde_kernel *kernel, struct sonde_error *error)
{
    if (kernel->headers != NULL)
        return SONDE_OK;
    struct kernel_headers *headers = calloc(1, sizeof *headers);
    if (headers != NULL) {
        headers->in = malloc(kernel->block_count * SET_WORDS * sizeof *headers->in);
        headers->answers = malloc(kernel->instruction_count * SET_WORDS * sizeof *headers->answers);
        headers->answered_block = UINT32_MAX;
    }
    if (headers == NULL || headers->in == NULL || headers->answers == NULL) {
        kernel_headers_free(headers);
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    memset(headers->in, 0xff, kernel->block_count * SET_WORDS * sizeof *headers->in);
    for (size_t b = 0; b < kernel->block_count; b++) {
        if (!kernel->blocks[b].is_entry)
            continue;
        memset(&headers->in[b * SET_WORDS], 0, SET_WORDS * sizeof *headers->in);
        headers->in[b * SET_WORDS] = 1;
    }
    /* Each round only removes bits. Real kernels need as many rounds as loops
     * are nested; one that wants more is left without headers. */
    bool changed = true;
    for (unsigned round = 0; changed && round < MAXIMUM_ROUNDS; round++) {
        changed = false;
        for (size_t b = 0; b < kernel->block_count; b++) {
            const struct sonde_block *block = &kernel->blocks[b];
            uint64_t out[SET_WORDS];
            memcpy(out, &headers->in[b * SET_WORDS], sizeof out);
            if (!block->is_reachable || (out[0] | out[1] | out[2] | out[3]) == 0)
                memset(out, 0, sizeof out);
            else
                step_block(kernel, block, block->first + block->count, out);
            if (block->is_reachable)
                changed |= meet_successors(kernel, headers, b, out);
        }
    }
    if (changed)
        memset(headers->in, 0, kernel->block_count * SET_WORDS * sizeof *headers->in);
    kernel->headers = headers;
    return SONDE_OK;
}

/* Dwords of a header that scratch messages look at: 3 and 5. */
static bool is_needed(const struct sonde_kernel *kernel, const uint64_t *live, uint32_t number)
{
    static const uint8_t needed[] = {12, 13, 14, 15, 20, 21, 22, 23};
    for (size_t i = 0; live != NULL && i < sizeof needed; i++) {
        uint32_t byte = number * kernel->grf_size + needed[i];
        if ((live[byte / 64] >> (byte % 64) & 1) == 0)
            return false;
    }
    return true;
}

static void answer_block(const struct sonde_kernel *kernel, const struct sonde_block *block)
{
    uint64_t set[SET_WORDS];
    memcpy(set, &kernel->headers->in[block->id * SET_WORDS], sizeof set);
    for (uint32_t i = 0; i < block->count; i++) {
        memcpy(&kernel->headers->answers[i * SET_WORDS], set, sizeof set);
        step(kernel, &kernel->instructions[block->first + i], set);
    }
    kernel->headers->answered_block = block->id;
}

enum sonde_status kernel_header_before(struct sonde_kernel *kernel, size_t index,
                                       const uint64_t *live, uint32_t *register_number,
                                       struct sonde_error *error)
{
    *register_number = KERNEL_NO_REGISTER;
    if (index >= kernel->instruction_count)
        return SONDE_OK;
    enum sonde_status status = ensure_headers(kernel, error);
    if (status != SONDE_OK)
        return status;
    const struct sonde_block *block = &kernel->blocks[kernel->block_of[index]];
    if (!block->is_reachable)
        return SONDE_OK;
    if (kernel->headers->answered_block != block->id)
        answer_block(kernel, block);
    const uint64_t *answer = &kernel->headers->answers[(index - block->first) * SET_WORDS];
    for (uint32_t number = 0; number < kernel->info.grf_count; number++)
        if (in_set(answer, number) && is_needed(kernel, live, number)) {
            *register_number = number;
            return SONDE_OK;
        }
    return SONDE_OK;
}
