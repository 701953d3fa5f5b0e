/* From procedures to instructions over physical registers, for the rewriter. */
#ifndef SONDE_CODER_EXPAND_H
#define SONDE_CODER_EXPAND_H

#include "sonde/coder.h"

#define CODER_MAXIMUM_KEPT 16

/* A growing list of finished instructions. */
struct coder_code {
    struct sonde_gen_instruction *instructions; /* malloc'ed */
    size_t count, capacity;
};

void coder_code_clear(struct coder_code *code);
/* Scoreboard field of an instruction that waits for the one before it; 0 where
 * the part has no such field. */
uint16_t coder_wait_for_last(const struct sonde_coder *coder);
/* Of one that waits for one token: its result (bit n: token n), else its payload. */
uint16_t coder_wait_for_token(uint32_t destination, uint32_t source);
/* sync.nop, which waits and does nothing. */
void coder_make_sync(const struct sonde_coder *coder, struct sonde_gen_instruction *sync);

/* Registers saved at points. */
struct coder_spills {
    uint32_t registers; /* in all */
    uint32_t in_buffer; /* of these, to the profile buffer */
    uint32_t bytes;     /* of the profile buffer that this takes */
};

/* Where a procedure is placed. */
struct coder_point {
    size_t index;                        /* the code runs just before this instruction */
    const struct sonde_gen_effect *live; /* registers whose value is needed there */
};

/* The thread's chunk of a profile array: (thread id mod bucket_count) <<
 * chunk_shift. */
struct coder_chunk {
    uint32_t bucket_count;
    uint32_t chunk_shift;
};

/* A chunk offset held in a dword of the register file from the kernel's entry
 * to its end. */
struct coder_kept {
    struct coder_chunk chunk;
    uint32_t byte;
};

enum sonde_status coder_create(struct sonde_kernel *kernel,
                               const struct sonde_coder_options *options,
                               struct sonde_coder **coder, struct sonde_error *error);
void coder_destroy(struct sonde_coder *coder);
/* Whether the procedure was made by this coder. */
bool coder_owns(const struct sonde_coder *coder, const struct sonde_procedure *procedure);

/* Reserve registers for the chunk offsets that `procedure` uses, if any are
 * free for the whole kernel. To be called for every procedure before the
 * first expansion; never fails, since expansion can do without. */
void coder_keep_chunks(struct sonde_coder *coder, const struct sonde_procedure *procedure);
/* The same for virtual registers that last through the kernel, before the
 * chunk offsets, which are only an optimisation. */
void coder_keep_lasting(struct sonde_coder *coder, const struct sonde_procedure *procedure);
/* Start over: no chunk is kept and nothing has cost anything yet. */
void coder_forget_chunks(struct sonde_coder *coder);
size_t coder_kept_count(const struct sonde_coder *coder);
/* The code at the kernel's entry that fills the kept registers. To be called
 * before coder_expand: what cannot be filled is not kept. */
enum sonde_status coder_expand_entry(struct sonde_coder *coder, struct coder_code *code,
                                     struct sonde_error *error);

/* Append the procedure's instructions to *code with the saves and restores it
 * needs at the point. SONDE_ERROR_NO_REGISTER when it cannot be placed. */
enum sonde_status coder_expand(struct sonde_coder *coder, const struct sonde_procedure *procedure,
                               const struct coder_point *point, struct coder_code *code,
                               struct coder_spills *spills, struct sonde_error *error);
/* Registers may be saved in `size` bytes of the profile buffer from `offset`. */
void coder_set_spill_area(struct sonde_coder *coder, uint32_t offset, uint32_t size);

/* Behind all insertions: the bodies that these call, each once. */
enum sonde_status coder_expand_bodies(struct sonde_coder *coder, struct coder_code *code,
                                      struct sonde_error *error);
/* Fill in where calls go and return to; positions[i]: byte of instruction i of
 * the code. */
void coder_link(const struct sonde_coder *coder, struct coder_code *code,
                const uint32_t *positions);
/* Prepare for expansion: thread memory has its place. */
enum sonde_status coder_place(struct sonde_coder *coder, struct sonde_error *error);

#endif
