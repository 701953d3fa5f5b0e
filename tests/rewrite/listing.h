/* Instructions and blocks of the kernel model against iga64's listing. */
#ifndef TESTS_REWRITE_LISTING_H
#define TESTS_REWRITE_LISTING_H

#include "isa/codec_iga.h"
#include "sonde/kernel.h"

/* iga64 prints a label at each of its block starts. Ours are the same and, by
 * GTPin's rule, each end-of-thread message. */
bool listing_check(struct iga *iga, const struct sonde_kernel_info *info);

#endif
