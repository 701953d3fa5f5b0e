/* The kernel model: the instructions of one kernel, its basic blocks and the
 * control-flow graph between them, and liveness.
 *
 * Block rules (the same as GTPin's, so that block ids compare): a block has a
 * single entry and a single exit; a branch target starts a block; a
 * control-flow instruction ends one; a block that starts with a control-flow
 * instruction, and every end-of-thread send, is a block of one instruction. */
#ifndef SONDE_KERNEL_H
#define SONDE_KERNEL_H

#include "sonde/gen.h"

/* A range of bytes of the register file. */
struct sonde_register_range {
    uint16_t start;
    uint16_t size;
};

/* What the compiler and the driver said of a kernel. Everything is copied by
 * sonde_kernel_create. */
struct sonde_kernel_info {
    const char *name;
    enum sonde_gen_platform platform;
    const uint8_t *isa; /* first instruction first, without tail padding */
    size_t isa_size;
    uint32_t simd_width; /* 8, 16, 32 */
    uint64_t igc_hash;   /* compiler's hash of the kernel, 0 when unknown */
    uint32_t grf_count;  /* 0 = 128 */
    /* Registers that the compiler never uses (token 0 of the GTPin answer);
     * has_free_ranges tells an empty list from no list. */
    const struct sonde_register_range *free_ranges;
    size_t free_range_count;
    bool has_free_ranges;
    uint32_t scratch_offset;           /* reserved per-thread scratch, bytes */
    uint32_t scratch_size;             /* 0 = none reserved */
    uint32_t per_thread_prolog_size;   /* bytes */
    uint32_t cross_thread_prolog_size; /* bytes */
};

struct sonde_block {
    uint32_t id;
    uint32_t first; /* index of the first instruction */
    uint32_t count; /* instructions, at least 1 */
    bool is_entry;
    bool is_eot;
    bool is_reachable;        /* from an entry */
    uint32_t first_successor; /* index of sonde_kernel_edge */
    uint32_t successor_count;
};

/* One edge a pair of blocks. The thread may go from source to destination by
 * falling through, by the jump that ends the source, or (endif, join) both.
 * Targets at which channels only wait (UIP) are edges too. */
struct sonde_edge {
    uint32_t source; /* block ids */
    uint32_t destination;
    bool falls_through;
    bool jumps;
};

#define SONDE_NO_INSTRUCTION UINT32_MAX

struct sonde_kernel;

/* Build the model. Fails only on undecodable structure (truncated code,
 * branch into the middle of an instruction, no end-of-thread). */
SONDE_API enum sonde_status sonde_kernel_create(const struct sonde_kernel_info *info,
                                                struct sonde_kernel **kernel,
                                                struct sonde_error *error);
SONDE_API void sonde_kernel_destroy(struct sonde_kernel *kernel);

SONDE_API const struct sonde_kernel_info *sonde_kernel_info(const struct sonde_kernel *kernel);
/* xxh3-64 of the original ISA bytes: identifies the binary across runs. */
SONDE_API uint64_t sonde_kernel_hash(const struct sonde_kernel *kernel);
SONDE_API size_t sonde_kernel_instruction_count(const struct sonde_kernel *kernel);
SONDE_API const struct sonde_gen_instruction *
sonde_kernel_instruction(const struct sonde_kernel *kernel, size_t index);
SONDE_API size_t sonde_kernel_block_count(const struct sonde_kernel *kernel);
SONDE_API const struct sonde_block *sonde_kernel_block(const struct sonde_kernel *kernel,
                                                       size_t id);
SONDE_API size_t sonde_kernel_edge_count(const struct sonde_kernel *kernel);
SONDE_API const struct sonde_edge *sonde_kernel_edge(const struct sonde_kernel *kernel,
                                                     size_t index);
/* Block that holds instruction `index`. */
SONDE_API uint32_t sonde_kernel_block_of(const struct sonde_kernel *kernel, size_t index);
/* Index of the instruction that the JIP or UIP of instruction `index` names,
 * SONDE_NO_INSTRUCTION when it carries none. */
SONDE_API uint32_t sonde_kernel_jip_target(const struct sonde_kernel *kernel, size_t index);
SONDE_API uint32_t sonde_kernel_uip_target(const struct sonde_kernel *kernel, size_t index);
/* counted[b], of sonde_kernel_block_count elements: whether the executions of
 * block b must be counted so that those of all blocks can be told. */
SONDE_API enum sonde_status sonde_kernel_counted_blocks(const struct sonde_kernel *kernel,
                                                        bool *counted, struct sonde_error *error);
/* depth[b], as many: loops around block b, an estimate. */
SONDE_API void sonde_kernel_loop_depths(const struct sonde_kernel *kernel, uint32_t *depth);
/* The others' from those: executions[b] is given for counted blocks, by all
 * threads that came to their end, and filled in for the rest. */
SONDE_API enum sonde_status sonde_kernel_complete_counts(const struct sonde_kernel *kernel,
                                                         uint64_t *executions,
                                                         struct sonde_error *error);
/* NULL when the kernel can be rewritten, else why not (English, static for
 * the kernel's life): position-dependent code, unknown encodings, ... */
SONDE_API const char *sonde_kernel_refusal(const struct sonde_kernel *kernel);

/* Liveness just before instruction `index`: bytes of GRF, flags, accumulators,
 * address registers whose value may still be read. A register that only
 * channels waiting elsewhere still need counts as live. live->grf_unknown says
 * that an indirect operand ahead may read any register (all bits are set too).
 * Queries with falling index inside a block cost one instruction each. */
SONDE_API enum sonde_status sonde_kernel_live_before(struct sonde_kernel *kernel, size_t index,
                                                     struct sonde_gen_effect *live,
                                                     struct sonde_error *error);
/* The same just after instruction `index` on its way to the next one. */
SONDE_API enum sonde_status sonde_kernel_live_after(struct sonde_kernel *kernel, size_t index,
                                                    struct sonde_gen_effect *live,
                                                    struct sonde_error *error);

#endif
