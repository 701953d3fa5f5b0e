/* Analyses of a kernel for the code generator and the rewriter. */
#ifndef SONDE_KERNEL_ANALYSIS_H
#define SONDE_KERNEL_ANALYSIS_H

#include "sonde/kernel.h"

#define KERNEL_NO_REGISTER UINT32_MAX

/* A GRF that holds an unmodified copy of the thread header r0 on every path
 * to just before instruction `index`, or KERNEL_NO_REGISTER. Scratch messages
 * need one as their header (r0.3 size, r0.5 scratch pointer). `live`: bytes of
 * the register file that are live there, and what the messages look at must be
 * among them, since inserted code elsewhere may have taken dead ones; NULL:
 * any. */
enum sonde_status kernel_header_before(struct sonde_kernel *kernel, size_t index,
                                       const uint64_t *live, uint32_t *register_number,
                                       struct sonde_error *error);

/* Bytes of the register file that no instruction of the kernel reads or
 * writes, as a bit set like sonde_gen_effect.grf. Nothing is set when an
 * indirect operand may touch any register. */
enum sonde_status kernel_untouched_bytes(struct sonde_kernel *kernel,
                                         uint64_t untouched[SONDE_GEN_GRF_WORDS],
                                         struct sonde_error *error);

#endif
