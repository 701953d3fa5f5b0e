/* The second entry of a kernel whose compiler was not asked for it.
 *
 * From Xe-HPG on a kernel loads its payload itself: first what its thread has of
 * its own (local ids), then what all threads share. When the hardware gives the
 * local ids the driver enters at the second part. Both begin alike, with a
 * header of zeros and the payload's address, r0.0 without its low bits (as
 * compiled by IGC 1.0.12504). */
#include "kernel/internal.h"

#define ALIGNMENT     64u   /* bytes, of an entry */
#define FURTHEST      1024u /* bytes */
#define PAYLOAD_ALIGN 0xffffffc0u

static bool is_scalar_of(const struct sonde_gen_operand *operand, uint32_t number, uint32_t subreg)
{
    return operand->file == SONDE_GEN_FILE_GRF && !operand->indirect && operand->number == number &&
           operand->subreg == subreg && operand->type == SONDE_GEN_TYPE_UD;
}

static bool begins_load(const struct sonde_gen_instruction *pair, uint32_t grf_size)
{
    const struct sonde_gen_instruction *clear = &pair[0], *address = &pair[1];
    return clear->opcode == SONDE_GEN_MOV && clear->no_mask && clear->exec_size * 4u == grf_size &&
           is_scalar_of(&clear->dst, clear->dst.number, 0) &&
           clear->src[0].file == SONDE_GEN_FILE_IMMEDIATE && clear->src[0].immediate == 0 &&
           address->opcode == SONDE_GEN_AND && address->no_mask && address->exec_size == 1 &&
           is_scalar_of(&address->dst, clear->dst.number, 8) &&
           is_scalar_of(&address->src[0], 0, 0) &&
           address->src[1].file == SONDE_GEN_FILE_IMMEDIATE &&
           (uint32_t)address->src[1].immediate == PAYLOAD_ALIGN;
}

uint32_t kernel_find_second_entry(const struct sonde_kernel *kernel)
{
    const struct sonde_gen_instruction *list = kernel->instructions;
    if (kernel->info.platform < SONDE_GEN_PLATFORM_XEHPG || kernel->instruction_count < 4 ||
        !begins_load(list, kernel->grf_size))
        return 0;
    for (size_t i = 2; i + 1 < kernel->instruction_count && list[i].offset <= FURTHEST; i++) {
        if (list[i].illegal || sonde_gen_opcode_is_branch(list[i].opcode))
            break;
        if (list[i].offset % ALIGNMENT == 0 && begins_load(&list[i], kernel->grf_size))
            return list[i].offset;
    }
    return 0;
}
