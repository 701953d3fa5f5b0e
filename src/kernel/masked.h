/* Values that only channels read which an earlier instruction of the same
 * basic block has written.
 *
 * Inside a block the execution mask does not change. A value that enabled
 * channels read, each in its own place, is therefore dead before an instruction
 * that wrote those places in those channels: what stands there in channels that
 * are not enabled is of no interest to that reader. So bytes that are read
 * channel by channel are kept apart with the channel that each belongs to, and
 * a write under the mask ends their life. At the start of the block all that is
 * left of them is live like anything else. */
#ifndef SONDE_KERNEL_MASKED_H
#define SONDE_KERNEL_MASKED_H

#include "sonde/gen.h"

#define KERNEL_FLAG_BITS 64u /* f0 and f1, 32 bits each */

struct kernel_masked {
    /* What is live in this way, and the channel of each. */
    uint64_t grf[SONDE_GEN_GRF_WORDS];
    uint64_t flags;
    uint16_t accumulators;
    uint8_t grf_channel[SONDE_GEN_GRF_WORDS * 64];
    uint8_t flag_channel[KERNEL_FLAG_BITS];
    /* Accumulators: the shape of the instructions that read them. */
    uint8_t accumulator_size, accumulator_channels, accumulator_offset;
};

void kernel_masked_clear(struct kernel_masked *masked);
/* One instruction back. The answer is what it reads in another way; *others is
 * room for it. */
const struct sonde_gen_effect *kernel_masked_step(struct kernel_masked *masked,
                                                  const struct sonde_gen_instruction *instruction,
                                                  const struct sonde_gen_effects *effects,
                                                  uint32_t words, struct sonde_gen_effect *others);
/* Add what is live in this way to *live. */
void kernel_masked_add(const struct kernel_masked *masked, uint32_t words,
                       struct sonde_gen_effect *live);

#endif
