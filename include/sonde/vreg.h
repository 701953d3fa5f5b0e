/* Virtual registers: what procedures compute in.
 *
 * A virtual register belongs to one coder and is freed with it. Physical
 * registers are chosen when the kernel is emitted, at each place where a
 * procedure stands: first registers that the compiler reported free, then
 * registers whose value nobody needs there, then registers that are saved to
 * memory around the procedure: the thread's reserved scratch memory, or its part
 * of the profile buffer (sonde_instrument_set_spill_area).
 *
 * Scratch registers hold a value from their first use in a procedure to that
 * procedure's end, undefined before. Counters hold it from the kernel's entry,
 * where they are zero, to its end, one value a hardware thread. */
#ifndef SONDE_VREG_H
#define SONDE_VREG_H

#include "sonde/gen.h"

enum sonde_vreg_type {
    SONDE_VREG_BYTE,
    SONDE_VREG_WORD,
    SONDE_VREG_DWORD,
    SONDE_VREG_QWORD,
    SONDE_VREG_OWORD,     /* 16 bytes */
    SONDE_VREG_HWORD,     /* 32 bytes */
    SONDE_VREG_DHWORD,    /* 64 bytes */
    SONDE_VREG_PTR,       /* address in the profile buffer: 4 bytes as a surface, else 8 */
    SONDE_VREG_GRF,       /* one register */
    SONDE_VREG_MEM_BLOCK, /* sonde_coder_max_mem_block_size bytes, for load/store_mem_block */
};

enum sonde_vreg_flag {
    SONDE_VREG_FLAG_NONE = 0,
    SONDE_VREG_FLAG_COUNTER = 2, /* zeroed at every kernel entry, lasts through the kernel */
    SONDE_VREG_FLAG_SCRATCH = 4,
    SONDE_VREG_FLAG_MSG_ADDR = 8, /* starts at a register: payload of a message */
    SONDE_VREG_FLAG_MSG_DATA = 0x10,
};

struct sonde_coder;
struct sonde_procedure;

/* A virtual register of one coder; 0 is no register. */
typedef uint32_t sonde_vreg;

/* `flags` are enum sonde_vreg_flag; COUNTER excludes the others. 0 when out of
 * memory or for an unknown type or combination. */
SONDE_API sonde_vreg sonde_vreg_make(struct sonde_coder *coder, enum sonde_vreg_type type,
                                     uint32_t flags);
/* One scratch register may serve any number of procedures. */
SONDE_API sonde_vreg sonde_vreg_make_scratch(struct sonde_coder *coder, enum sonde_vreg_type type);
SONDE_API sonde_vreg sonde_vreg_make_counter(struct sonde_coder *coder, enum sonde_vreg_type type);
/* A scratch PTR, and scratch data, at sub-register 0: messages take them as
 * they are. Other registers are copied into such ones first. */
SONDE_API sonde_vreg sonde_vreg_make_msg_addr_scratch(struct sonde_coder *coder);
SONDE_API sonde_vreg sonde_vreg_make_msg_data_scratch(struct sonde_coder *coder,
                                                      enum sonde_vreg_type type);

SONDE_API bool sonde_vreg_exists(const struct sonde_coder *coder, sonde_vreg vreg);
SONDE_API size_t sonde_vreg_count(const struct sonde_coder *coder);
/* Of a register that exists; 0 and NONE otherwise. */
SONDE_API uint32_t sonde_vreg_size(const struct sonde_coder *coder, sonde_vreg vreg); /* bytes */
SONDE_API enum sonde_vreg_type sonde_vreg_type_of(const struct sonde_coder *coder, sonde_vreg vreg);
SONDE_API uint32_t sonde_vreg_flags(const struct sonde_coder *coder, sonde_vreg vreg);

/* The address of the profile buffer in the kernel, STATELESS only (0 for a
 * surface, which needs none): a PTR that lasts through the kernel. */
SONDE_API sonde_vreg sonde_vreg_profile_buffer_address(struct sonde_coder *coder);

/* Take physical registers now for everything that lasts through the kernel
 * and that `procedure` uses: its counters, the profile buffer's address, the
 * fixed-function thread id. SONDE_ERROR_NO_REGISTER with the reason when the
 * kernel leaves none; nothing is taken then, and the caller can fall back to
 * a variant that keeps its values in memory. Without this call the same error
 * comes from sonde_instrument_emit. */
SONDE_API enum sonde_status sonde_coder_reserve(struct sonde_coder *coder,
                                                const struct sonde_procedure *procedure,
                                                struct sonde_error *error);
/* The same, and SONDE_ERROR_NO_REGISTER too when of fewer than `spare` registers
 * the start would be left unused, which messages need, or no other dword: for
 * values that could as well be kept in memory. */
SONDE_API enum sonde_status sonde_coder_reserve_sparing(struct sonde_coder *coder,
                                                        const struct sonde_procedure *procedure,
                                                        uint32_t spare, struct sonde_error *error);

/* Registers of the kernel whose values procedures show although the kernel may
 * no longer need them: no inserted code keeps anything else in these `count`
 * registers from `first` on. Values that the kernel still needs are kept anyway.
 * What lasts through the kernel and stands there already moves to other
 * registers. SONDE_ERROR_RANGE: there are no such registers.
 * SONDE_ERROR_NO_REGISTER: the kernel leaves none to move to. */
SONDE_API enum sonde_status sonde_coder_observe(struct sonde_coder *coder, uint32_t first,
                                                uint32_t count, struct sonde_error *error);

#endif
