/* Probes written in OpenCL C.
 *
 * A probe is a function that the kernels' own compiler has compiled with its
 * stack-call convention: arguments from r26 on, each at the start of a
 * register, 64-bit ones in two; the result in r26. The source holds, for each
 * probe, a kernel that calls it once, and is the name by which it is found:
 *
 *     __attribute__((noinline)) void note(uint x, __global ulong *cells) { ... }
 *     __kernel void call_note(__global ulong *cells, uint x) { note(x, cells); }
 *
 *     IGC_FunctionControl=3 ocloc compile -file probes.cl -device skl
 *
 * A call runs the probe once a hardware thread, in one channel, whatever the
 * thread's execution mask: the code is linked into the kernel for that. What
 * the kernel needs of the registers that the convention gives to the probe is
 * kept in registers that are free at the place. Probes for Gen9, Gen12LP
 * and XeHPG.
 *
 * Refused are probes that call, that need memory for a stack (arrays, more
 * values than registers), and that end the thread or wait for others. Probes
 * must not use functions over work-groups and sub-groups, nor ask for ids. */
#ifndef SONDE_HLI_H
#define SONDE_HLI_H

#include "sonde/coder.h"

struct sonde_hli_function;

/* The probe that kernel `name` of a device binary calls. Free with
 * sonde_hli_function_destroy; it may serve any number of coders. */
SONDE_API enum sonde_status sonde_hli_function_parse(const uint8_t *binary, size_t size,
                                                     const char *name,
                                                     struct sonde_hli_function **function,
                                                     struct sonde_error *error);
SONDE_API enum sonde_status sonde_hli_function_open(const char *path, const char *name,
                                                    struct sonde_hli_function **function,
                                                    struct sonde_error *error);
SONDE_API void sonde_hli_function_destroy(struct sonde_hli_function *function);
/* Instructions that a call inserts for the probe itself. */
SONDE_API size_t sonde_hli_function_size(const struct sonde_hli_function *function);

enum sonde_hli_kind {
    SONDE_HLI_VALUE32,           /* `value`: an immediate, a register; for int, uint, float */
    SONDE_HLI_VALUE64,           /* the same of 64 bits: long, ulong, and any device pointer */
    SONDE_HLI_BUFFER_OFFSET,     /* uint: `value.immediate`, an offset in the profile buffer */
    SONDE_HLI_BUFFER,            /* pointer to that byte of the profile buffer; STATELESS only. What
                                  * the host keeps for probes is mapped there */
    SONDE_HLI_TID,               /* uint: sonde_coder_get_tid */
    SONDE_HLI_FF_TID,            /* uint: sonde_coder_get_ff_tid */
    SONDE_HLI_SIMD_MASK,         /* uint: channels enabled and dispatched */
    SONDE_HLI_OPERAND_MASK,      /* uint: channels in which `instruction` would run, from its first
                                  * channel on */
    SONDE_HLI_GRF_RANGE,         /* pointer to a copy of registers, const */
    SONDE_HLI_GRF_RANGE_MUTABLE, /* the same, copied back after the call */
    SONDE_HLI_SLM_OFFSET,        /* uint: `value.immediate`, a byte of the group's local memory */
};

struct sonde_hli_argument {
    enum sonde_hli_kind kind;
    struct sonde_operand value;
    const struct sonde_gen_instruction *instruction; /* OPERAND_MASK */
    /* GRF_RANGE: `count` registers from `first` on, copied to byte
     * value.immediate of the profile buffer, one place a thread of
     * count * 32 bytes rounded up to a power of two, by `buckets` threads. */
    uint32_t first, count, buckets;
};

/* Call with `count` arguments. `result` takes the returned value, of as many
 * bytes as it has (4 or 8); 0 for none. Under a false predicate nothing
 * happens. A procedure with a call cannot be made conditional. */
SONDE_API enum sonde_status
sonde_coder_generate_hli_call(struct sonde_coder *coder, struct sonde_procedure *procedure,
                              const struct sonde_hli_function *function,
                              const struct sonde_hli_argument *arguments, size_t count,
                              sonde_vreg result, const struct sonde_predicate *predicate,
                              struct sonde_error *error);

#endif
