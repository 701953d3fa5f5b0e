/* Checks branch distances of rewritten kernels with iga64's library. */
#ifndef TESTS_REWRITE_RELINK_H
#define TESTS_REWRITE_RELINK_H

#include "isa/codec_iga.h"
#include "sonde/instrument.h"

/* Without insertions the instrumented body is the original, byte for byte. */
bool relink_check_identity(const struct sonde_kernel_info *info);
/* With nops at random places (all places for seed 0), iga64 sees the original
 * instructions in their order, and each branch leads to the instruction that
 * it led to, or to nops that stand before it. */
bool relink_check_nops(struct iga *iga, const struct sonde_kernel_info *info, uint64_t seed);

#endif
