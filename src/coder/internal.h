/* Private to the coder: procedures as lists of items over virtual registers.
 *
 * An item is either one instruction, whose operands may be bound to virtual
 * registers, or a thread-chunk computation, whose shape depends on whether a
 * register could be kept for the whole kernel. */
#ifndef SONDE_CODER_INTERNAL_H
#define SONDE_CODER_INTERNAL_H

#include "coder/expand.h"
#include "coder/pool.h"

struct coder_isa;

enum coder_item_kind {
    CODER_ITEM_INSTRUCTION,
    CODER_ITEM_THREAD_CHUNK, /* dst = bucket << chunk_shift, plus addend */
};

struct coder_item {
    enum coder_item_kind kind;
    sonde_vreg dst; /* 0: the operand stands in the instruction */
    sonde_vreg src[3];
    struct coder_chunk chunk;
    sonde_vreg temporary; /* thread chunk that is not kept in a register */
    uint32_t addend;
    struct sonde_gen_instruction instruction;
};

struct sonde_procedure {
    struct sonde_coder *coder;
    struct sonde_procedure *next;
    char *name;
    struct coder_item *items;
    size_t item_count, item_capacity;
};

struct coder_vreg {
    uint16_t size;
    uint16_t align;
};

struct sonde_coder {
    struct sonde_kernel *kernel;
    struct sonde_coder_options options;
    const struct coder_isa *isa;
    uint32_t grf_size, grf_count, grf_words;
    struct coder_vreg *vregs; /* vregs[0] is no register */
    size_t vreg_count, vreg_capacity;
    sonde_vreg chunk_temporary; /* shared by all thread-chunk items */
    struct sonde_procedure *procedures;
    struct coder_kept kept[CODER_MAXIMUM_KEPT];
    size_t kept_count;
    struct coder_pool compiler_free; /* never used by the kernel, kept registers taken out */
    uint64_t named[SONDE_GEN_GRF_WORDS]; /* bytes that appended instructions name */
};

/* A new zeroed item at the end of the procedure, or NULL when out of memory. */
struct coder_item *coder_procedure_append(struct sonde_procedure *procedure);

/* Append one instruction to *code. */
enum sonde_status coder_code_append(struct coder_code *code,
                                    const struct sonde_gen_instruction *instruction,
                                    struct sonde_error *error);

/* What differs between instruction sets. Registers are byte addresses in the
 * register file. */
struct coder_isa {
    const char *name;
    enum sonde_gen_platform first, last; /* platforms */
    uint32_t spill_unit;                 /* bytes saved by one scratch message */
    uint32_t scratch_limit;              /* bytes of scratch that a message can address */
    bool (*chunk_needs_temporary)(uint32_t bucket_count);
    /* dst = (thread id mod buckets) << shift, plus addend. */
    enum sonde_status (*thread_chunk)(const struct sonde_coder *coder, struct coder_code *code,
                                      const struct coder_chunk *chunk, uint32_t addend,
                                      uint32_t dst, uint32_t temporary, struct sonde_error *error);
    /* dst = src + addend, 32 bits. */
    enum sonde_status (*add_immediate)(const struct sonde_coder *coder, struct coder_code *code,
                                       uint32_t dst, uint32_t src, uint32_t addend,
                                       struct sonde_error *error);
    enum sonde_status (*scratch)(const struct sonde_coder *coder, struct coder_code *code,
                                 uint32_t header, uint32_t number, uint32_t offset, bool write,
                                 struct sonde_error *error);
    /* Move a 32-bit flag register, or the address registers, to or from GRF. */
    enum sonde_status (*move_flag)(const struct sonde_coder *coder, struct coder_code *code,
                                   uint32_t flag, uint32_t byte, bool save,
                                   struct sonde_error *error);
    enum sonde_status (*move_address)(const struct sonde_coder *coder, struct coder_code *code,
                                      uint32_t byte, bool save, struct sonde_error *error);
    /* The operand (message payloads) is set by the vreg binding. */
    void (*atomic_increment)(const struct sonde_coder *coder,
                             struct sonde_gen_instruction *instruction);
};

const struct coder_isa *coder_isa_find(enum sonde_gen_platform platform);
extern const struct coder_isa coder_isa_gen9;

#endif
