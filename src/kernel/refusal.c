/* Why a kernel must run as it is: code whose meaning depends on where it
 * stands, or whose targets or encodings are not known. */
#include "kernel/internal.h"

#include <stdio.h>
#include <string.h>

static void refuse(struct sonde_kernel *kernel, const struct sonde_gen_instruction *instruction,
                   const char *reason)
{
    kernel->refused = true;
    snprintf(kernel->refusal, sizeof kernel->refusal, "%s at 0x%x %s",
             instruction->illegal ? "instruction" : sonde_gen_opcode_mnemonic(instruction->opcode),
             instruction->offset, reason);
    if (instruction->illegal) {
        size_t used = strlen(kernel->refusal);
        char why[200];
        sonde_gen_illegal_print(instruction, why, sizeof why);
        snprintf(kernel->refusal + used, sizeof kernel->refusal - used, ": %s", why);
    }
}

static bool names_ip(const struct sonde_gen_operand *operand)
{
    return operand->file == SONDE_GEN_FILE_ARF && !operand->indirect &&
           (operand->number & 0xf0) == SONDE_GEN_ARF_IP;
}

/* Branches with an immediate offset keep an ip operand in unused bits. */
static bool uses_ip(const struct sonde_gen_instruction *instruction)
{
    if (sonde_gen_opcode_is_branch(instruction->opcode))
        return false;
    if (names_ip(&instruction->dst))
        return true;
    for (unsigned i = 0; i < instruction->source_count && i < 3; i++)
        if (names_ip(&instruction->src[i]))
            return true;
    return false;
}

static const char *reason_of(const struct sonde_gen_instruction *instruction)
{
    if (instruction->illegal || instruction->opcode == SONDE_GEN_ILLEGAL)
        return "is not an encoding that the hardware defines";
    if (uses_ip(instruction))
        return "computes with the instruction pointer (stack call or position-dependent code)";
    if (!sonde_gen_opcode_is_branch(instruction->opcode))
        return NULL;
    if (instruction->opcode == SONDE_GEN_CALLA)
        return "calls an absolute address, which moves with the code";
    if (!instruction->has_jip && instruction->opcode != SONDE_GEN_RET)
        return "branches to an address in a register: its targets are not known";
    return NULL;
}

void kernel_find_refusal(struct sonde_kernel *kernel)
{
    for (size_t b = 0; b < kernel->block_count; b++) {
        const struct sonde_block *block = &kernel->blocks[b];
        if (!block->is_reachable)
            continue;
        uint32_t last = block->first + block->count - 1;
        for (uint32_t i = block->first; i <= last; i++) {
            const char *reason = reason_of(&kernel->instructions[i]);
            if (reason == NULL)
                continue;
            refuse(kernel, &kernel->instructions[i], reason);
            return;
        }
        if (!kernel_ends_flow(&kernel->instructions[last]) &&
            last + 1 >= kernel->instruction_count) {
            refuse(kernel, &kernel->instructions[last], "runs past the end of the kernel");
            return;
        }
    }
}
