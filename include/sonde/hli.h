/* Probes written in OpenCL C.
 *
 * A probe is a function that the kernels' own compiler has compiled with its
 * stack-call convention: arguments from r26 on, each at the start of a
 * register, 64-bit ones in two; the result in r26; return address, frame and
 * stack pointers in r125. The source holds, for each probe, a kernel that calls
 * it, and is the name by which it is found:
 *
 *     __attribute__((noinline)) void note(uint x, __global ulong *cells) { ... }
 *     __kernel void call_note(__global ulong *cells, uint x) { note(x, cells); }
 *
 *     IGC_FunctionControl=3 ocloc compile -file probes.cl -device skl
 *
 * The probe, with the functions that it calls, is linked into the kernel once,
 * behind the kernel's code, and called by that convention from all places. A
 * small one without a frame of its own is inserted at each place instead.
 *
 * A call runs the probe once a hardware thread, in one channel, whatever the
 * thread's execution mask. What the kernel needs of the registers, flags,
 * address registers, accumulators and of cr0 that the probe writes is kept; the
 * execution mask is not touched. For Gen9, Gen12LP and XeHPG.
 *
 * Probes with arrays, with more values than registers or with calls need a
 * stack: memory of the thread in the profile buffer
 * (sonde_coder_thread_memory; `sonde run` places it), reached by 64-bit
 * addresses, so that the buffer must have one: STATELESS, or
 * buffer_holds_address in the coder's options (as under `sonde run`).
 *
 * Refused are probes that call themselves or through a pointer, that end the
 * thread or wait for others, and that ask for ids of work-items or
 * work-groups. They must not use functions over work-groups and sub-groups. */
#ifndef SONDE_HLI_H
#define SONDE_HLI_H

#include "sonde/coder.h"

struct sonde_hli_function;

/* The probe that kernel `name` of a device binary calls. Free with
 * sonde_hli_function_destroy; it may serve any number of coders, and be freed
 * before their kernels are emitted. */
SONDE_API enum sonde_status sonde_hli_function_parse(const uint8_t *binary, size_t size,
                                                     const char *name,
                                                     struct sonde_hli_function **function,
                                                     struct sonde_error *error);
SONDE_API enum sonde_status sonde_hli_function_open(const char *path, const char *name,
                                                    struct sonde_hli_function **function,
                                                    struct sonde_error *error);
SONDE_API void sonde_hli_function_destroy(struct sonde_hli_function *function);
/* Instructions of the probe itself and of what it calls. */
SONDE_API size_t sonde_hli_function_size(const struct sonde_hli_function *function);
/* Bytes of stack that it needs, 0 for none. */
SONDE_API uint32_t sonde_hli_function_stack_size(const struct sonde_hli_function *function);

enum sonde_hli_linkage {
    SONDE_HLI_AUTO,   /* inlined when that costs fewer instructions than it takes bytes */
    SONDE_HLI_INLINE, /* at each place */
    SONDE_HLI_CALL,   /* once in the kernel */
};

/* For the calls to come. UNSUPPORTED for INLINE when the probe needs a stack. */
SONDE_API enum sonde_status sonde_hli_function_set_linkage(struct sonde_hli_function *function,
                                                           enum sonde_hli_linkage linkage,
                                                           struct sonde_error *error);
/* The combo parameter: the probe has one parameter, a pointer to a structure
 * (`__global` or generic) with a member for each argument, in their order and
 * each aligned to its size. Needs thread memory and an address like a stack. */
SONDE_API void sonde_hli_function_set_combined(struct sonde_hli_function *function,
                                               bool is_combined);

enum sonde_hli_kind {
    SONDE_HLI_VALUE32,           /* `value`: an immediate, a register; for int, uint, float */
    SONDE_HLI_VALUE64,           /* the same of 64 bits: long, ulong, and any device pointer */
    SONDE_HLI_BUFFER_OFFSET,     /* uint: `value.immediate`, an offset in the profile buffer */
    SONDE_HLI_BUFFER,            /* pointer to that byte of the profile buffer */
    SONDE_HLI_TID,               /* uint: sonde_coder_get_tid */
    SONDE_HLI_FF_TID,            /* uint: sonde_coder_get_ff_tid */
    SONDE_HLI_SIMD_MASK,         /* uint: channels enabled and dispatched */
    SONDE_HLI_OPERAND_MASK,      /* uint: channels in which `instruction` would run, from its first
                                  * channel on */
    SONDE_HLI_GRF_RANGE,         /* pointer to a copy of registers, const */
    SONDE_HLI_GRF_RANGE_MUTABLE, /* the same, copied back after the call */
    SONDE_HLI_SLM_OFFSET,        /* __local pointer, or uint: `value.immediate`, a byte of the
                                  * group's local memory */
    SONDE_HLI_DEVICE_POINTER,    /* pointer: `value`, 64 bits */
    SONDE_HLI_HOST_POINTER,      /* pointer: `value.immediate`, the address of host memory that was
                                  * mapped (sonde_tool_build_map), as the device sees it */
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
 * bytes as it has (4 or 8); 0 for none. Under a predicate that does not hold
 * nothing happens; one whose flag differs by channel (`varies`) holds when it
 * does in any channel that is enabled and of the dispatch. A procedure with a
 * call cannot be made conditional. What the call costs is part of
 * sonde_procedure_cost, the body of a linked probe left out. */
SONDE_API enum sonde_status
sonde_coder_generate_hli_call(struct sonde_coder *coder, struct sonde_procedure *procedure,
                              const struct sonde_hli_function *function,
                              const struct sonde_hli_argument *arguments, size_t count,
                              sonde_vreg result, const struct sonde_predicate *predicate,
                              struct sonde_error *error);

/* Host memory [host, host + size) has a copy at byte `offset` of the profile
 * buffer: what HOST_POINTER refers to. Who calls this keeps both the same. */
SONDE_API enum sonde_status sonde_coder_map_host(struct sonde_coder *coder, const void *host,
                                                 size_t size, uint32_t offset,
                                                 struct sonde_error *error);

#endif
