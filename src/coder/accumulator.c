/* Whether an accumulator holds a product, of more bits than a move can save. */
#include "coder/internal.h"

#include <stdlib.h>

enum touch { NOTHING, OVERWRITES, TAKES_PRODUCT };

/* Steps of a multiplication read what a product left; other readers take 32
 * bits a channel, and writers begin anew. */
static enum touch touch_of(const struct sonde_gen_instruction *instruction)
{
    if (instruction->opcode == SONDE_GEN_MAC || instruction->opcode == SONDE_GEN_MACH ||
        instruction->opcode == SONDE_GEN_MACL || instruction->opcode == SONDE_GEN_SADA2)
        return TAKES_PRODUCT;
    struct sonde_gen_effects effects;
    sonde_gen_instruction_effects(instruction, &effects);
    if (effects.reads.mme || effects.writes.mme)
        return TAKES_PRODUCT;
    return (effects.writes.accumulators & 1) != 0 ? OVERWRITES : NOTHING;
}

static enum touch scan(const struct sonde_kernel *kernel, size_t from, size_t end)
{
    enum touch touch = NOTHING;
    for (size_t i = from; i < end && touch == NOTHING; i++)
        touch = touch_of(sonde_kernel_instruction(kernel, i));
    return touch;
}

/* All blocks that are reached from block `from` before acc0 is written. */
static bool follow(const struct sonde_kernel *kernel, uint32_t from, bool *seen, uint32_t *stack)
{
    size_t depth = 0;
    stack[depth++] = from;
    while (depth != 0) {
        const struct sonde_block *block = sonde_kernel_block(kernel, stack[--depth]);
        for (uint32_t e = 0; e < block->successor_count; e++) {
            uint32_t next = sonde_kernel_edge(kernel, block->first_successor + e)->destination;
            if (seen[next])
                continue;
            seen[next] = true;
            const struct sonde_block *target = sonde_kernel_block(kernel, next);
            enum touch touch = scan(kernel, target->first, target->first + target->count);
            if (touch == TAKES_PRODUCT)
                return true;
            if (touch == NOTHING)
                stack[depth++] = next;
        }
    }
    return false;
}

bool coder_product_is_live(const struct sonde_kernel *kernel, size_t index)
{
    if (index >= sonde_kernel_instruction_count(kernel))
        return false;
    uint32_t id = sonde_kernel_block_of(kernel, index);
    const struct sonde_block *block = sonde_kernel_block(kernel, id);
    enum touch touch = scan(kernel, index, block->first + block->count);
    if (touch != NOTHING)
        return touch == TAKES_PRODUCT;
    size_t blocks = sonde_kernel_block_count(kernel);
    bool *seen = calloc(blocks, sizeof *seen);
    uint32_t *stack = calloc(blocks + 1, sizeof *stack);
    bool is_live = seen == NULL || stack == NULL || follow(kernel, id, seen, stack);
    free(seen);
    free(stack);
    return is_live;
}
