/* How one procedure is placed at one point: which registers its values take,
 * and what is saved around it. */
#ifndef SONDE_CODER_PLAN_H
#define SONDE_CODER_PLAN_H

#include "coder/direct.h"
#include "sonde/coder.h"

#define PLAN_MAXIMUM_VREGS        64
#define PLAN_MAXIMUM_VICTIMS      96
#define PLAN_MAXIMUM_SAVES        64
#define PLAN_MAXIMUM_FLAGS        4
#define PLAN_MAXIMUM_ACCUMULATORS 8

/* A virtual register used by the procedure at hand. */
struct plan_binding {
    sonde_vreg vreg;
    uint32_t size, align;
    uint32_t extent; /* bytes from its start that a message names */
    uint32_t byte;   /* CODER_NO_BYTE while not allocated */
    bool lasts;      /* has its byte for the whole kernel */
};

/* Where registers are saved that the kernel needs and the procedure takes. */
enum plan_spill {
    PLAN_SPILL_NONE,
    PLAN_SPILL_SCRATCH, /* the thread's scratch memory */
    PLAN_SPILL_BUFFER,  /* the thread's part of the profile buffer */
};

/* What keeps the register that holds the address of saved ones. */
enum plan_home {
    PLAN_HOME_NONE, /* the bytes of the address are free there */
    PLAN_HOME_ADDRESS,
    PLAN_HOME_ACCUMULATOR,
};

struct plan {
    struct sonde_coder *coder;
    const struct sonde_procedure *procedure;
    const struct coder_point *point;
    struct plan_binding bindings[PLAN_MAXIMUM_VREGS];
    size_t binding_count;
    /* Architecture registers that the procedure writes and the kernel needs. */
    bool save_flag[PLAN_MAXIMUM_FLAGS];
    bool save_address;
    uint16_t save_accumulators; /* bit n: accn */
    uint32_t accumulator_byte[PLAN_MAXIMUM_ACCUMULATORS];
    uint32_t flag_byte[PLAN_MAXIMUM_FLAGS];
    uint32_t address_byte;
    bool writes_address, writes_accumulator;
    uint64_t fixed[SONDE_GEN_GRF_WORDS]; /* bytes named by physical operands */
    /* Of these, what a call writes, what others name; and the registers to
     * save around the call. */
    uint64_t clobbered[SONDE_GEN_GRF_WORDS], outside[SONDE_GEN_GRF_WORDS];
    bool has_call, names_any;
    uint32_t saves[PLAN_MAXIMUM_SAVES], save_bytes[PLAN_MAXIMUM_SAVES];
    size_t save_count;
    enum plan_spill spill;
    uint32_t header; /* of scratch messages, or KERNEL_NO_REGISTER */
    /* The register with the address in the profile buffer, and a free dword
     * while that is computed. */
    uint32_t carrier, carrier_temporary;
    enum plan_home home;
    uint8_t home_number; /* of the accumulator */
    bool has_keeper;     /* the procedure writes the home: meanwhile this one keeps the carrier */
    uint32_t keeper;     /* a victim */
    uint32_t victims[PLAN_MAXIMUM_VICTIMS]; /* saved registers, ascending when emitted */
    size_t victim_count;
};

/* bind.c: what the procedure needs. */
enum sonde_status plan_bind(struct plan *plan, struct sonde_error *error);
const struct coder_kept *plan_find_kept(const struct sonde_coder *coder,
                                        const struct coder_chunk *chunk);

/* allocate.c: give every value a register, saving as few as possible. */
enum sonde_status plan_allocate(struct plan *plan, struct sonde_error *error);
/* Stocks at the point: what the compiler left unused, and what is dead. */
void plan_fill_pools(const struct plan *plan, struct coder_pool *compiler,
                     struct coder_pool *others);
/* From one stock or else the other. */
uint32_t plan_take(struct coder_pool *first, struct coder_pool *second, uint32_t size,
                   uint32_t align);

/* spill.c: free one more register, or say why there is none. */
enum sonde_status plan_spill_one(struct plan *plan, struct sonde_error *error);
/* Bytes of the carrier that hold the address. */
void plan_carrier_span(const struct plan *plan, uint32_t *byte, uint32_t *size);
enum sonde_status plan_move_victims(const struct plan *plan, struct coder_code *code, bool save,
                                    struct sonde_error *error);
/* Bytes of the profile buffer that `victims` registers of every thread take. */
uint64_t plan_spill_bytes(const struct sonde_coder *coder, size_t victims);

#endif
