/* Instruction sequences that inserted code must not split. */
#include "rewrite/internal.h"

static bool is_accumulator(const struct sonde_gen_effect *effect)
{
    return effect->accumulators != 0 || effect->mme;
}

/* From Xe on accumulators are registers like others, but in the pairs that
 * multiply in steps. Inserted code saves what it writes. */
static bool is_pair(const struct sonde_gen_instruction *reader,
                    const struct sonde_gen_effects *effects)
{
    if (reader->platform < SONDE_GEN_PLATFORM_XE || effects->reads.mme)
        return true;
    return reader->opcode == SONDE_GEN_MAC || reader->opcode == SONDE_GEN_MACH ||
           reader->opcode == SONDE_GEN_MACL || reader->opcode == SONDE_GEN_MADM;
}

static void mark(const char **split, size_t from, size_t to, const char *reason)
{
    for (size_t i = from + 1; i <= to; i++)
        if (split[i] == NULL)
            split[i] = reason;
}

/* The hardware skips dependency checks between the pair. */
static void mark_dependency_pair(const struct sonde_kernel *kernel, size_t from, size_t end,
                                 const char **split)
{
    for (size_t i = from + 1; i < end; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, i);
        if (!instruction->no_dependency_check)
            continue;
        mark(split, from, i, "it stands between a NoDDClr and its NoDDChk");
        if (!instruction->no_dependency_clear)
            return;
    }
}

static void scan_block(const struct sonde_kernel *kernel, const struct sonde_block *block,
                       const char **split)
{
    size_t end = (size_t)block->first + block->count;
    size_t writer = end; /* last write of an accumulator */
    for (size_t i = block->first; i < end; i++) {
        const struct sonde_gen_instruction *instruction = sonde_kernel_instruction(kernel, i);
        struct sonde_gen_effects effects;
        sonde_gen_instruction_effects(instruction, &effects);
        if (writer != end && is_accumulator(&effects.reads) && is_pair(instruction, &effects))
            mark(split, writer, i, "it stands between an accumulator's write and its use");
        if (is_accumulator(&effects.writes))
            writer = i;
        if (i + 1 == end)
            break;
        if (instruction->thread_control == SONDE_GEN_THREAD_ATOMIC)
            mark(split, i, i + 1, "it stands in an {Atomic} sequence");
        if (instruction->thread_control == SONDE_GEN_THREAD_SWITCH)
            mark(split, i, i + 1, "it follows a {Switch}");
        if (instruction->no_dependency_clear)
            mark_dependency_pair(kernel, i, end, split);
    }
}

void rewrite_find_sequences(const struct sonde_kernel *kernel, const char **split)
{
    for (size_t b = 0; b < sonde_kernel_block_count(kernel); b++)
        scan_block(kernel, sonde_kernel_block(kernel, b), split);
}
