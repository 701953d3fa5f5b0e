/* Procedures: lists of instructions over virtual and physical registers, built
 * by the methods of coder.h and factory.h and placed by instrument.h.
 *
 * A procedure runs once a hardware thread whatever the thread's execution
 * mask: its instructions are scalar and ignore the mask. Flags and address
 * registers that it writes are saved and restored where the kernel needs them,
 * so what it leaves in a flag lasts to its end and no further. */
#ifndef SONDE_PROCEDURE_H
#define SONDE_PROCEDURE_H

#include "sonde/vreg.h"

/* When an instruction of a procedure runs. Methods that take a `const struct
 * sonde_predicate *` run always for NULL. The flag is to be uniform: the 16
 * bits all the same, as every flag is that the methods set. */
struct sonde_predicate {
    uint8_t flag_number; /* f0, f1 */
    uint8_t flag_subreg; /* 0 or 1: the 16-bit half */
    bool inverse;        /* when the flag is clear */
    bool varies;         /* calls of probes (hli.h) only: the flag differs by channel */
};

/* Owned by the coder, freed with it. NULL when out of memory. */
SONDE_API struct sonde_procedure *sonde_procedure_create(struct sonde_coder *coder,
                                                         const char *name);
SONDE_API size_t sonde_procedure_instruction_count(const struct sonde_procedure *procedure);

/* Append an instruction over physical registers as it stands: the caller
 * answers for the GRFs it writes. Flags and address registers that it writes
 * are saved where they are live. Branches, end-of-thread messages and writes
 * to the instruction pointer or to cr0 are refused. */
SONDE_API enum sonde_status
sonde_coder_append_instruction(struct sonde_coder *coder, struct sonde_procedure *procedure,
                               const struct sonde_gen_instruction *instruction,
                               struct sonde_error *error);

/* Append a copy of `source`. */
SONDE_API enum sonde_status sonde_procedure_append(struct sonde_procedure *procedure,
                                                   const struct sonde_procedure *source,
                                                   struct sonde_error *error);

/* What the places of a procedure cost in the last sonde_instrument_emit that
 * held it. Zero before. */
struct sonde_procedure_cost {
    uint32_t places;
    uint32_t instructions;   /* inserted, saves and restores included, over all places */
    uint32_t bytes;          /* of these */
    uint32_t register_bytes; /* most held at one place, those of the whole kernel left out */
    uint32_t spills;         /* registers saved to memory, over all places */
    uint32_t buffer_spills;  /* of these, to the profile buffer; the rest to scratch memory */
};
SONDE_API void sonde_procedure_cost(const struct sonde_procedure *procedure,
                                    struct sonde_procedure_cost *cost);

#endif
