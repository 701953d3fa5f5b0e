/* Instruction sequences that inserted code must not split. */
#include "rewrite/internal.h"

static bool is_accumulator(const struct sonde_gen_effect *effect)
{
    return effect->accumulators != 0 || effect->mme;
}

/* Products and carries stay in an accumulator until it is written again: the
 * compilers themselves schedule messages and anything else between a mul and
 * its mach, and inserted code either leaves the accumulator alone, has it
 * saved, or is refused by the coder. Macros keep further bits, which nothing
 * reads; a macl belongs right behind its mul. */
static bool is_pair(const struct sonde_gen_instruction *reader,
                    const struct sonde_gen_effects *effects)
{
    return effects->reads.mme || reader->opcode == SONDE_GEN_MADM ||
           reader->opcode == SONDE_GEN_MACL;
}

static bool names_accumulator(const struct sonde_gen_operand *operand)
{
    return operand->file == SONDE_GEN_FILE_ARF &&
           (operand->number & 0xf0) == SONDE_GEN_ARF_ACCUMULATOR;
}

/* Most instructions have nothing to do with accumulators: told without the
 * whole of their effects. */
static bool may_touch_accumulator(const struct sonde_gen_instruction *instruction)
{
    switch (instruction->opcode) {
    case SONDE_GEN_ADDC:
    case SONDE_GEN_SUBB:
    case SONDE_GEN_MAC:
    case SONDE_GEN_MACH:
    case SONDE_GEN_MACL:
    case SONDE_GEN_SADA2:
    case SONDE_GEN_MADM:
    case SONDE_GEN_MATH:
    case SONDE_GEN_ILLEGAL:
        return true;
    default:
        break;
    }
    bool named = names_accumulator(&instruction->dst) || instruction->accumulator_write ||
                 instruction->illegal || instruction->dst.mme != 0xff;
    for (unsigned i = 0; i < 3; i++)
        named |= names_accumulator(&instruction->src[i]) ||
                 (i < instruction->source_count && instruction->src[i].mme != 0xff);
    return named;
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
        if (may_touch_accumulator(instruction)) {
            struct sonde_gen_effects effects;
            sonde_gen_instruction_effects(instruction, &effects);
            if (writer != end && is_accumulator(&effects.reads) && is_pair(instruction, &effects))
                mark(split, writer, i, "it stands between an accumulator's write and its use");
            if (is_accumulator(&effects.writes))
                writer = i;
        }
        if (i + 1 == end)
            break;
        /* The compiler's way around a fault of Gen12LP branches. */
        if (instruction->opcode == SONDE_GEN_CSEL &&
            sonde_gen_opcode_is_branch(sonde_kernel_instruction(kernel, i + 1)->opcode))
            mark(split, i, i + 1, "it stands between a csel and its branch");
        if (instruction->thread_control == SONDE_GEN_THREAD_ATOMIC)
            mark(split, i, i + 1, "it stands in an {Atomic} sequence");
        /* A {Switch} is over before the next instruction, whatever that is: compilers have
         * messages there, and further writes of cr0. */
        if (instruction->no_dependency_clear)
            mark_dependency_pair(kernel, i, end, split);
    }
}

void rewrite_find_sequences(const struct sonde_kernel *kernel, const char **split)
{
    for (size_t b = 0; b < sonde_kernel_block_count(kernel); b++)
        scan_block(kernel, sonde_kernel_block(kernel, b), split);
}
