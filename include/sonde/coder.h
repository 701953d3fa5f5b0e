/* The code generator: instrumentation procedures over virtual registers.
 *
 * A procedure is a list of instructions over virtual and physical registers,
 * built by the methods below and placed by instrument.h. Physical registers
 * are chosen at the insertion point: first registers that the compiler
 * reported free, then registers dead there, then spills to the reserved
 * scratch. Flags, accumulators and address registers that a procedure uses
 * and that are live at the point are saved and restored around it. */
#ifndef SONDE_CODER_H
#define SONDE_CODER_H

#include "sonde/gen.h"
#include "sonde/kernel.h"

enum sonde_buffer_model {
    SONDE_BUFFER_SURFACE,   /* stateful: binding-table index */
    SONDE_BUFFER_STATELESS, /* 64-bit address */
};

struct sonde_coder_options {
    enum sonde_buffer_model buffer_model;
    uint32_t binding_table_index; /* of the profile buffer, SURFACE */
    uint32_t maximum_threads;     /* hardware threads of the device: bound of thread ids */
    bool use_own_liveness;        /* false: only the compiler's free list */
};

enum sonde_vreg_type {
    SONDE_VREG_BYTE,
    SONDE_VREG_WORD,
    SONDE_VREG_DWORD,
    SONDE_VREG_QWORD,
    SONDE_VREG_OWORD,
    SONDE_VREG_HWORD,
    SONDE_VREG_DHWORD,
    SONDE_VREG_PTR,
    SONDE_VREG_GRF,
};

struct sonde_coder;
struct sonde_procedure;

/* A virtual register of one coder; 0 is no register. */
typedef uint32_t sonde_vreg;

/* Owned by the coder, freed with it. NULL when out of memory. */
SONDE_API struct sonde_procedure *sonde_procedure_create(struct sonde_coder *coder,
                                                         const char *name);
SONDE_API size_t sonde_procedure_instruction_count(const struct sonde_procedure *procedure);

/* A register whose value lasts from its first use in a procedure to that
 * procedure's end. 0 when out of memory. One scratch register may serve any
 * number of procedures. */
SONDE_API sonde_vreg sonde_vreg_make_scratch(struct sonde_coder *coder, enum sonde_vreg_type type);

/* Append an instruction over physical registers as it stands: the caller
 * answers for the GRFs it writes. Flags and address registers that it writes
 * are saved where they are live. Branches, end-of-thread messages and writes
 * to the instruction pointer are refused. */
SONDE_API enum sonde_status
sonde_coder_append_instruction(struct sonde_coder *coder, struct sonde_procedure *procedure,
                               const struct sonde_gen_instruction *instruction,
                               struct sonde_error *error);

/* chunk_offset = (thread id mod bucket_count) * chunk_size + base_offset +
 * offset_in_chunk. bucket_count and chunk_size are powers of two. */
SONDE_API enum sonde_status sonde_coder_compute_thread_chunk_offset(
    struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg offset,
    uint32_t bucket_count, uint32_t chunk_size, uint32_t base_offset, uint32_t offset_in_chunk,
    struct sonde_error *error);
/* The same as an address payload for the atomic and store methods. */
SONDE_API enum sonde_status sonde_coder_compute_thread_chunk_address(
    struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg address,
    uint32_t bucket_count, uint32_t chunk_size, uint32_t base_offset, uint32_t offset_in_chunk,
    struct sonde_error *error);
/* Instruction factory: add 1 to the 32-bit counter at `address`, atomically,
 * once a hardware thread whatever its execution mask. */
SONDE_API enum sonde_status sonde_coder_atomic_increment(struct sonde_coder *coder,
                                                         struct sonde_procedure *procedure,
                                                         sonde_vreg address,
                                                         struct sonde_error *error);

#endif
