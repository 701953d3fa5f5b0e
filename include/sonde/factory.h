/* The instruction factory: arithmetic of procedures, legal on every part.
 *
 * Operations are scalar. `type` is the type of the operation and of all its
 * operands, one of ub, b, uw, w, ud, d, uq, q unless said otherwise; a virtual
 * register may be larger than the type, never smaller. What the part does not
 * have (64-bit multiplication and logic, immediates where the encoding has no
 * room) is made of what it has, with scratch registers of the coder; the
 * accumulator is never touched. Methods that set a flag say so. */
#ifndef SONDE_FACTORY_H
#define SONDE_FACTORY_H

#include "sonde/procedure.h"

enum sonde_operand_kind {
    SONDE_OPERAND_VREG,
    SONDE_OPERAND_IMMEDIATE,
    SONDE_OPERAND_GRF, /* physical */
    SONDE_OPERAND_ARF, /* architecture register */
};

struct sonde_operand {
    enum sonde_operand_kind kind;
    sonde_vreg vreg;
    uint32_t byte; /* VREG: offset into it; GRF: into the register file; ARF: into the register */
    uint8_t arf;   /* enum sonde_gen_arf | index */
    uint64_t immediate; /* two's complement */
};

SONDE_API struct sonde_operand sonde_operand_vreg(sonde_vreg vreg);
SONDE_API struct sonde_operand sonde_operand_vreg_at(sonde_vreg vreg, uint32_t byte);
SONDE_API struct sonde_operand sonde_operand_immediate(uint64_t value);
/* Byte `subreg` of GRF `number`. Writes are the caller's to answer for. */
SONDE_API struct sonde_operand sonde_operand_grf(uint32_t number, uint32_t subreg,
                                                 uint32_t grf_size);
SONDE_API struct sonde_operand sonde_operand_arf(uint8_t number, uint32_t subreg);

enum sonde_operation {
    SONDE_MOV, /* b unused */
    SONDE_ADD,
    SONDE_SUB,
    SONDE_MUL, /* low half of the product; 16, 32 and 64 bits */
    SONDE_SHL, /* b: the distance, any operand of type ud */
    SONDE_SHR, /* arithmetic for signed types */
    SONDE_AND,
    SONDE_OR,
    SONDE_XOR,
    SONDE_NOT,  /* b unused */
    SONDE_CBIT, /* dst:ud = set bits of a (ub, uw, ud, uq); b unused */
    SONDE_OPERATION_COUNT
};

/* dst = a operation b. */
SONDE_API enum sonde_status
sonde_coder_operation(struct sonde_coder *coder, struct sonde_procedure *procedure,
                      enum sonde_operation operation, enum sonde_gen_type type,
                      struct sonde_operand dst, struct sonde_operand a, struct sonde_operand b,
                      const struct sonde_predicate *predicate, struct sonde_error *error);

/* sum:ud = a + b, carry:ud = 1 when it overflowed, else 0. */
SONDE_API enum sonde_status sonde_coder_addc(struct sonde_coder *coder,
                                             struct sonde_procedure *procedure,
                                             struct sonde_operand sum, struct sonde_operand carry,
                                             struct sonde_operand a, struct sonde_operand b,
                                             const struct sonde_predicate *predicate,
                                             struct sonde_error *error);
/* Half `flag->flag_subreg` of the flag: 16 ones when a `condition` b, else 0;
 * `flag->inverse` is to be false. Condition: z, nz, g, ge, l, le. */
SONDE_API enum sonde_status sonde_coder_cmp(struct sonde_coder *coder,
                                            struct sonde_procedure *procedure,
                                            const struct sonde_predicate *flag,
                                            enum sonde_gen_condition condition,
                                            enum sonde_gen_type type, struct sonde_operand a,
                                            struct sonde_operand b, struct sonde_error *error);
/* dst = the flag as `flag` says ? a : b. dst may be a or b. */
SONDE_API enum sonde_status sonde_coder_sel(struct sonde_coder *coder,
                                            struct sonde_procedure *procedure,
                                            const struct sonde_predicate *flag,
                                            enum sonde_gen_type type, struct sonde_operand dst,
                                            struct sonde_operand a, struct sonde_operand b,
                                            struct sonde_error *error);

/* Updates of the profile buffer at `address`, a register that compute_address
 * or its like filled. `type` is ud or uq, and the address a multiple of its
 * size. Each runs once a hardware thread. */

/* Whether a value of the type is updated in one piece. Else (uq of a surface:
 * Gen9 has 64-bit atomics on 64-bit addresses only) inc and add are made of
 * two 32-bit ones: totals are exact, but a reader may see a carry missing. */
SONDE_API bool sonde_coder_can_access_atomically(const struct sonde_coder *coder,
                                                 enum sonde_gen_type type);
SONDE_API enum sonde_status sonde_coder_atomic_inc(struct sonde_coder *coder,
                                                   struct sonde_procedure *procedure,
                                                   enum sonde_gen_type type, sonde_vreg address,
                                                   const struct sonde_predicate *predicate,
                                                   struct sonde_error *error);
SONDE_API enum sonde_status
sonde_coder_atomic_add(struct sonde_coder *coder, struct sonde_procedure *procedure,
                       enum sonde_gen_type type, sonde_vreg address, struct sonde_operand data,
                       const struct sonde_predicate *predicate, struct sonde_error *error);
SONDE_API enum sonde_status
sonde_coder_atomic_store(struct sonde_coder *coder, struct sonde_procedure *procedure,
                         enum sonde_gen_type type, sonde_vreg address, struct sonde_operand data,
                         const struct sonde_predicate *predicate, struct sonde_error *error);

/* The dword at `address` += data:ud, and old:ud = what stood there before, in
 * one piece. `old` stays as it is where the predicate does not hold. A scratch
 * register that is as large as a GRF takes the response as it comes, and may
 * be the data too; others need one more. */
SONDE_API enum sonde_status
sonde_coder_atomic_fetch_add(struct sonde_coder *coder, struct sonde_procedure *procedure,
                             sonde_vreg address, struct sonde_operand data, sonde_vreg old,
                             const struct sonde_predicate *predicate, struct sonde_error *error);

#endif
