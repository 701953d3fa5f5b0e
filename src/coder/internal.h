/* Private to the coder: procedures as lists of items over virtual registers.
 *
 * An item is either one instruction, whose operands may be bound to virtual
 * registers, or a thread-chunk computation, whose shape depends on whether a
 * register could be kept for the whole kernel. */
#ifndef SONDE_CODER_INTERNAL_H
#define SONDE_CODER_INTERNAL_H

#include "coder/expand.h"
#include "coder/pool.h"
#include "sonde/gen_message.h"

struct coder_isa;
struct coder_builder;
struct hli_step;
struct sonde_hli_function;

/* Integer atomics of the data port. */
enum coder_atomic {
    CODER_ATOMIC_STORE = 4,
    CODER_ATOMIC_INC = 5,
    CODER_ATOMIC_ADD = 7,
};

enum coder_item_kind {
    CODER_ITEM_INSTRUCTION,
    CODER_ITEM_THREAD_CHUNK, /* dst = bucket << chunk_shift, plus addend */
    CODER_ITEM_SAVE,         /* the physical registers that `keeps` items write */
    CODER_ITEM_RESTORE,
    CODER_ITEM_CALL, /* of `body` */
};

struct coder_item {
    enum coder_item_kind kind;
    sonde_vreg dst; /* 0: the operand stands in the instruction */
    sonde_vreg src[3];
    bool is_comparison; /* of the factory: all bits of its flag become the same */
    bool is_jump;       /* jmpi: its jip counts items to go */
    bool keeps;         /* physical registers that it writes are saved where live */
    struct coder_chunk chunk;
    sonde_vreg temporary; /* thread chunk that is not kept in a register */
    uint32_t addend;
    bool in_slot;         /* thread chunk: of the thread's memory, placed when emitting */
    uint32_t slot_offset; /* bytes in it */
    uint32_t body;        /* CALL */
    struct sonde_gen_instruction instruction; /* thread chunk: only its predicate */
};

struct sonde_procedure {
    struct sonde_coder *coder;
    struct sonde_procedure *next;
    char *name;
    struct coder_item *items;
    size_t item_count, item_capacity;
    struct sonde_procedure_cost *cost; /* changes while the procedure itself is constant */
};

/* What a register that lasts through the kernel holds at the entry. */
enum coder_fill {
    CODER_FILL_SCRATCH, /* not such a register */
    CODER_FILL_ZERO,
    CODER_FILL_BUFFER_ADDRESS,
    CODER_FILL_FF_TID,
};

struct coder_vreg {
    uint16_t size;
    uint16_t align;
    uint8_t type;  /* enum sonde_vreg_type */
    uint8_t flags; /* enum sonde_vreg_flag */
    uint8_t fill;  /* enum coder_fill */
    uint32_t byte; /* its place for the whole kernel, or CODER_NO_BYTE */
};

/* Scratch registers shared by all procedures, each for one purpose so that
 * nested uses do not meet. */
enum coder_temporary {
    CODER_TEMPORARY_FIRST,  /* an immediate that the encoding has no room for */
    CODER_TEMPORARY_SECOND, /* the same for the other source */
    CODER_TEMPORARY_WORK,   /* inside one operation */
    CODER_TEMPORARY_SUM,
    CODER_TEMPORARY_WIDE,   /* inside one operation of 64 bits that the part has not */
    CODER_TEMPORARY_METHOD, /* across the operations of one method */
    CODER_TEMPORARY_ADDRESS,
    CODER_TEMPORARY_DATA,
    CODER_TEMPORARY_RESPONSE,
    CODER_TEMPORARY_HEADER,
    CODER_TEMPORARY_CHUNK,
    CODER_TEMPORARY_CONDITION,
    CODER_TEMPORARY_LANES, /* a dword for each of up to 16 channels */
    CODER_TEMPORARY_COUNT
};

/* A routine of a probe, to stand once in the kernel. */
struct coder_body {
    struct hli_step *steps; /* a copy; calls name bodies */
    size_t step_count;
    uint64_t identity; /* of the probe */
    size_t routine;    /* of it */
    /* What the whole probe does not leave as it was. */
    struct sonde_gen_effect writes;
    bool used;               /* by a placed procedure; while emitting */
    size_t first, return_at; /* instructions of the code */
};

struct sonde_coder {
    struct sonde_kernel *kernel;
    struct sonde_coder_options options;
    const struct coder_isa *isa;
    uint32_t grf_size, grf_count, grf_words;
    struct coder_vreg *vregs; /* vregs[0] is no register */
    size_t vreg_count, vreg_capacity;
    struct sonde_procedure *procedures;
    struct coder_kept kept[CODER_MAXIMUM_KEPT];
    size_t kept_count;
    struct coder_pool compiler_free;        /* never used by the kernel, kept registers taken out */
    uint64_t named[SONDE_GEN_GRF_WORDS];    /* bytes that appended instructions name */
    uint64_t held[SONDE_GEN_GRF_WORDS];     /* bytes of registers that last through the kernel */
    uint64_t observed[SONDE_GEN_GRF_WORDS]; /* bytes that are shown, needed or not */
    sonde_vreg temporaries[CODER_TEMPORARY_COUNT];
    sonde_vreg buffer_address, ff_tid; /* made on first use */
    uint32_t spill_offset, spill_size; /* bytes of the profile buffer, 0: none */
    uint32_t entry;                    /* instruction at which lasting registers are filled */
    bool has_wide_accumulators;        /* of more than 32 bits a channel, in the kernel */
    bool address_never_lasts;          /* nothing is free to fetch it with at the entry */
    uint8_t token; /* of the scoreboard, for inserted messages; if possible not the kernel's */
    uint64_t kernel_bytes[SONDE_GEN_GRF_WORDS]; /* of registers that the kernel touches */
    /* And those without a value that it names beside others, as a message names
     * its whole payload. */
    uint64_t named_bytes[SONDE_GEN_GRF_WORDS];
    struct coder_body *bodies;
    size_t body_count, body_capacity;
    uint32_t slot_bytes; /* of the thread's memory, used so far */
    uint32_t slot_base;  /* byte of the profile buffer where that of thread 0 starts */
    bool has_slot_base;
    struct coder_mapping *mappings; /* of the host's memory in the profile buffer */
    size_t mapping_count, mapping_capacity;
};

/* Host memory that stands in the profile buffer too. */
struct coder_mapping {
    uintptr_t host;
    size_t size;
    uint32_t offset;
};

bool coder_vreg_lasts(const struct sonde_coder *coder, sonde_vreg vreg);
/* A register that lasts through the kernel; 0 when out of memory. */
sonde_vreg coder_vreg_make_lasting(struct sonde_coder *coder, enum sonde_vreg_type type,
                                   enum coder_fill fill);
/* accumulator.c: whether an accumulator may hold, just before instruction
 * `index`, a product that is still to be taken. */
bool coder_product_is_live(const struct sonde_kernel *kernel, size_t index);

/* keep.c: places for the lasting registers of a procedure. */
enum sonde_status coder_place_lasting(struct sonde_coder *coder,
                                      const struct sonde_procedure *procedure,
                                      struct sonde_error *error);

/* Effects on physical registers and state: virtual operands left out. */
void coder_item_physical_effects(const struct coder_item *item, struct sonde_gen_effects *effects);

/* A new zeroed item at the end of the procedure, or NULL when out of memory. */
struct coder_item *coder_procedure_append(struct sonde_procedure *procedure);

/* Append one instruction to *code. */
enum sonde_status coder_code_append(struct coder_code *code,
                                    const struct sonde_gen_instruction *instruction,
                                    struct sonde_error *error);

#define CODER_THREAD_FIELDS 3u

/* Bits of sr0.0. */
struct coder_field {
    uint8_t first, width;
};

/* How the part tells instructions what to wait for. */
enum coder_scoreboard {
    CODER_SCOREBOARD_HARDWARE,
    CODER_SCOREBOARD_XE,   /* one pipe */
    CODER_SCOREBOARD_XEHP, /* several: the distances of inserted code count over all */
};

/* What differs between instruction sets. */
struct coder_isa {
    const char *name;
    enum sonde_gen_platform platform;
    bool has_int64;         /* add, mov, shl, shr and cmp of 64 bits */
    uint8_t split_opcode;   /* of a send with two payloads */
    uint8_t scoreboard;     /* enum coder_scoreboard */
    uint32_t scratch_limit; /* bytes of scratch that a message can address; 0 none */
    uint32_t block_limit;   /* bytes of a block message, power of two */
    uint8_t perfmon_dword;  /* of the timestamp register */
    uint32_t ff_tid_mask;   /* of dword 5 of the thread header */
    /* Fields of the thread id, lowest first, and of the dual sub-slice counted
     * over the device. (No public text confirms the positions on every part;
     * buckets only spread atomic updates, so a wrong position would cost
     * speed, never a count.) */
    struct coder_field thread_fields[CODER_THREAD_FIELDS];
    struct coder_field dss;
};

/* NULL when no code can be generated for the platform. */
const struct coder_isa *coder_isa_find(enum sonde_gen_platform platform);
uint32_t coder_isa_thread_id_bits(const struct coder_isa *isa);

/* message.c: messages to the profile buffer; see build.h. `data` and
 * `response` may be 0. Registers start at sub-register 0. */
void coder_message_atomic(struct coder_builder *builder, enum coder_atomic operation, uint32_t size,
                          sonde_vreg address, sonde_vreg data, sonde_vreg response);
/* Each of the surface's dwords += data:ud, in 16 channels or at most 8. */
void coder_message_add_dwords(struct coder_builder *builder, uint8_t channels, sonde_vreg addresses,
                              sonde_vreg data);
/* Two dwords, one in each of two registers, to a surface. */
void coder_message_store_pair(struct coder_builder *builder, sonde_vreg address, sonde_vreg data);
void coder_message_block(struct coder_builder *builder, sonde_vreg address,
                         struct sonde_operand data, uint32_t size, bool write);

/* Of a message that moves `size` bytes of the profile buffer, named by its
 * address or as a surface. */
enum sonde_gen_sfid coder_block_function(bool by_address);
uint32_t coder_block_descriptor(const struct sonde_coder *coder, bool by_address, uint32_t size,
                                bool write);

/* link.c: bodies of a probe, made at its first call. */
enum sonde_status coder_body_find(struct sonde_coder *coder,
                                  const struct sonde_hli_function *function, uint32_t *body,
                                  struct sonde_error *error);
enum sonde_status coder_body_emit_call(struct sonde_coder *coder, uint32_t body,
                                       struct coder_code *code, struct sonde_error *error);
void coder_bodies_clear(struct sonde_coder *coder);

/* Generated instructions stand nowhere yet: where link.c fills something in,
 * their offset tells what, with the number of the body. */
#define CODER_MARK_CALL    0x40000000u /* jmpi to the body */
#define CODER_MARK_ADDRESS 0x80000000u /* mov of the distance from its end to behind the call */
#define CODER_MARK         (CODER_MARK_CALL | CODER_MARK_ADDRESS)
/* Whether the instruction is a jmpi whose distance counts instructions. */
bool coder_is_jump(const struct sonde_gen_instruction *instruction);

/* slot.c: thread memory. */
uint32_t coder_slot_size(const struct sonde_coder *coder); /* power of two, 0: none */
/* Append: offset:ud = byte `offset` of the thread's memory, in the profile buffer. */
void coder_slot_offset(struct coder_builder *builder, sonde_vreg to, uint32_t offset);
/* Of which at least `bytes` are needed. */
void coder_slot_need(struct coder_builder *builder, uint64_t bytes);
/* Give places to what uses it, before anything is expanded. */
enum sonde_status coder_slot_resolve(struct sonde_coder *coder, struct sonde_error *error);
/* address.c: append: pointer:uq = the 64-bit address of byte `offset`:ud of the
 * profile buffer; fails where that has none. */
void coder_pointer(struct coder_builder *builder, sonde_vreg pointer, struct sonde_operand offset);
bool coder_has_pointers(const struct sonde_coder *coder);
/* Addresses are used, and fetched from the buffer as a surface. */
bool coder_fetches_address(const struct sonde_coder_options *options);

/* scoreboard.c: let the instructions from `first` on, which are to be inserted
 * at one place, wait for what they must wait for. */
enum sonde_status coder_scoreboard_fill(const struct sonde_coder *coder, struct coder_code *code,
                                        size_t first, bool before_end, struct sonde_error *error);
/* The same for a body, which is called: callers wait for what is under way. */
enum sonde_status coder_scoreboard_fill_body(const struct sonde_coder *coder,
                                             struct coder_code *code, size_t first,
                                             struct sonde_error *error);
/* Choose the token and note which registers are the kernel's. */
void coder_scoreboard_prepare(struct sonde_coder *coder);

#endif
