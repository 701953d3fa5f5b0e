/* Placing procedures into a kernel and emitting the instrumented binary. */
#ifndef SONDE_INSTRUMENT_H
#define SONDE_INSTRUMENT_H

#include "sonde/coder.h"
#include "sonde/kernel.h"

enum sonde_where {
    SONDE_BEFORE,
    SONDE_AFTER,
};

struct sonde_instrument;

/* The coder (profile buffer model, virtual registers) belongs to the
 * instrument object and dies with it. */
SONDE_API enum sonde_status sonde_instrument_create(struct sonde_kernel *kernel,
                                                    const struct sonde_coder_options *options,
                                                    struct sonde_instrument **instrument,
                                                    struct sonde_error *error);
SONDE_API void sonde_instrument_destroy(struct sonde_instrument *instrument);
SONDE_API struct sonde_kernel *sonde_instrument_kernel(struct sonde_instrument *instrument);
SONDE_API struct sonde_coder *sonde_instrument_coder(struct sonde_instrument *instrument);

/* Procedures at one place run in the order of their passes, those of one pass
 * in the order of the calls. From this call on insertions belong to the pass
 * of that name, made when it is new; before the first call, and for "", to one
 * without a name. Every tool of a run is a pass of its name. */
SONDE_API enum sonde_status sonde_instrument_pass(struct sonde_instrument *instrument,
                                                  const char *name, struct sonde_error *error);
/* All of pass `before` runs ahead of pass `after` wherever both stand at one
 * place. Either may be named here for the first time. Passes that no rule
 * orders come as they were named. SONDE_ERROR_ARGUMENT when the opposite
 * follows from earlier rules, which stay. */
SONDE_API enum sonde_status sonde_instrument_order(struct sonde_instrument *instrument,
                                                   const char *before, const char *after,
                                                   struct sonde_error *error);

/* Why nothing may be inserted at a point, or NULL when it may: inside a
 * sequence that must stay together (NoDDClr/NoDDChk pair, {Atomic} sequence,
 * macro pair), after a branch or an end-of-thread message. Between a product
 * in an accumulator and its use only procedures may stand that leave it alone,
 * as all do that hold no appended instruction which writes it.
 * Block starts and block ends are always allowed. */
SONDE_API const char *sonde_instrument_insertion_refusal(const struct sonde_instrument *instrument,
                                                         size_t index, enum sonde_where where);

/* Insert a copy of `procedure`. Several procedures at one point run in the
 * order of their passes and of these calls. Nothing is inserted for an empty procedure, nor in a
 * block that no entry reaches.
 *
 * Before an instruction that a branch targets, the branch lands on the
 * inserted code, so that code before a block runs exactly as often as the
 * block's instructions, once a hardware thread. endif and join must meet
 * waiting channels at the address these wait for: there the code follows the
 * instruction, and a second join takes over its jump to the next join point. */
SONDE_API enum sonde_status sonde_instrument_instruction(struct sonde_instrument *instrument,
                                                         size_t index, enum sonde_where where,
                                                         const struct sonde_procedure *procedure,
                                                         struct sonde_error *error);
SONDE_API enum sonde_status sonde_instrument_block(struct sonde_instrument *instrument,
                                                   uint32_t block, enum sonde_where where,
                                                   const struct sonde_procedure *procedure,
                                                   struct sonde_error *error);
/* Code that runs when the thread takes the edge. Fall-through edges, edges of
 * jmpi, and edges into a block with no other edge are possible; for others
 * SONDE_ERROR_UNSUPPORTED, since the channels of a divergent branch wait at
 * the destination itself. */
SONDE_API enum sonde_status sonde_instrument_edge(struct sonde_instrument *instrument, size_t edge,
                                                  const struct sonde_procedure *procedure,
                                                  struct sonde_error *error);
SONDE_API enum sonde_status sonde_instrument_entries(struct sonde_instrument *instrument,
                                                     const struct sonde_procedure *procedure,
                                                     struct sonde_error *error);
/* At the entry that every thread passes, ahead of all other code: run the
 * procedure; where the flag then is as `leaves` says, the thread goes on in the
 * original body, and nothing else that is inserted runs in it. The procedure
 * uses scratch registers only. Once a kernel. SONDE_ERROR_UNSUPPORTED, when emitted, for a kernel
 * that needs the flag at its entry. */
SONDE_API enum sonde_status sonde_instrument_leave(struct sonde_instrument *instrument,
                                                   const struct sonde_procedure *procedure,
                                                   const struct sonde_predicate *leaves,
                                                   struct sonde_error *error);
SONDE_API enum sonde_status sonde_instrument_exits(struct sonde_instrument *instrument,
                                                   const struct sonde_procedure *procedure,
                                                   struct sonde_error *error);
/* Leave an instruction out. What stands before and after it stays, and what it
 * waited for is waited for: on parts with a software scoreboard sync.nop takes
 * its place, and a sync that does nothing but wait stays itself. UNSUPPORTED for branches and ends
 * of threads, in the prolog, and for NoDDClr and NoDDChk. */
SONDE_API enum sonde_status sonde_instrument_remove(struct sonde_instrument *instrument,
                                                    size_t index, struct sonde_error *error);

/* The heap to hand to the driver: the original body, padding, the
 * instrumented body, padding. */
struct sonde_rewritten {
    uint8_t *code;               /* malloc'ed */
    size_t size;                 /* bytes, tail padding (>= 128 zero bytes) included */
    uint32_t original_entry;     /* byte offset of the original body: 0 */
    uint32_t instrumented_entry; /* 64-byte aligned */
    /* Byte offset in `code` of original instruction i in the instrumented
     * body; UINT32_MAX when removed. sonde_kernel_instruction_count entries. */
    uint32_t *instruction_offsets;
    uint32_t inserted_instructions;
    uint32_t inserted_bytes;
    uint32_t spills;         /* registers saved to memory over all procedures */
    uint32_t kept_registers; /* dwords of GRF held for the whole kernel (thread offsets) */
    uint32_t buffer_spills;  /* of the spills, those to the profile buffer */
    uint32_t spill_bytes;    /* of the spill area that these take, 0 for none */
};

/* Let registers be saved in `size` bytes of the profile buffer from byte
 * `offset` on, a multiple of SONDE_SPILL_ALIGNMENT, where a kernel has neither
 * free registers nor enough scratch memory. Every hardware thread has its own
 * part, found from its number (256 KiB on Gen9 and 512 KiB on Xe and XeHPG for
 * each 4 registers that a procedure needs saved), so that the contents need no
 * initialisation and mean nothing afterwards. The buffer has to be there
 * whenever the instrumented kernel runs. STATELESS: the area may not cross a
 * multiple of 4 GiB. Counts for the calls of sonde_instrument_emit to come,
 * which tells the bytes that it used; without it, or with size 0, a procedure
 * for which there is no register is an error there. */
SONDE_API enum sonde_status sonde_instrument_set_spill_area(struct sonde_instrument *instrument,
                                                            uint32_t offset, uint32_t size,
                                                            struct sonde_error *error);

SONDE_API enum sonde_status sonde_instrument_emit(struct sonde_instrument *instrument,
                                                  struct sonde_rewritten *rewritten,
                                                  struct sonde_error *error);
SONDE_API void sonde_rewritten_clear(struct sonde_rewritten *rewritten);

#endif
