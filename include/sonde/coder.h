/* The code generator: methods that append to procedures.
 *
 * Every method checks its arguments, refuses with a message that names what
 * is wrong, and then leaves the procedure as it was. A predicate of NULL means
 * always. This version generates code for Gen9, Gen11, Gen12LP (Xe) and XeHPG;
 * what is said of Gen9 holds for all unless it names another. */
#ifndef SONDE_CODER_H
#define SONDE_CODER_H

#include "sonde/factory.h"
#include "sonde/kernel.h"

enum sonde_buffer_model {
    SONDE_BUFFER_SURFACE,   /* stateful: binding-table index */
    SONDE_BUFFER_STATELESS, /* 64-bit address */
};

struct sonde_coder_options {
    enum sonde_buffer_model buffer_model;
    uint32_t binding_table_index; /* of the profile buffer, where it is a surface */
    uint32_t maximum_threads;     /* hardware threads of the device: bound of thread ids */
    bool use_own_liveness;        /* false: only the compiler's free list */
    /* STATELESS: the address of the profile buffer, or, when that is 0, the
     * byte of the register file where the driver puts it at the kernel's entry
     * (8 bytes, a multiple of 8). When that is 0 too the buffer has to be a
     * surface that holds its address: the kernel's entry reads it there. */
    uint64_t buffer_address;
    uint32_t buffer_address_byte;
    /* Whether the host leaves the buffer's own 64-bit address in the buffer, and
     * at which byte, a multiple of 8. SURFACE: pointers into the buffer are
     * possible then. */
    bool buffer_holds_address;
    uint32_t buffer_address_offset;
};

/* Of the part of the profile buffer in which registers are saved; see
 * sonde_instrument_set_spill_area. */
#define SONDE_SPILL_ALIGNMENT 128u

/* Facts of the part that code is generated for. */
struct sonde_gen_model {
    enum sonde_gen_platform platform;
    uint32_t grf_size;               /* bytes */
    uint32_t maximum_threads;        /* as given in the options */
    uint32_t maximum_thread_buckets; /* power of two, at least maximum_threads */
    uint32_t maximum_tiles;
};
SONDE_API void sonde_coder_gen_model(const struct sonde_coder *coder,
                                     struct sonde_gen_model *model);
SONDE_API enum sonde_buffer_model
sonde_coder_profile_buffer_addr_model(const struct sonde_coder *coder);

/* Memory of every hardware thread in the profile buffer, which calls of probes
 * use for a stack: bytes for all threads together, 0 when nothing asked for
 * any. It has to be given a place, a multiple of 4096 bytes in the buffer, before
 * sonde_instrument_emit; what stands there is undefined. */
SONDE_API uint64_t sonde_coder_thread_memory(const struct sonde_coder *coder);
SONDE_API enum sonde_status sonde_coder_place_thread_memory(struct sonde_coder *coder,
                                                            uint32_t offset,
                                                            struct sonde_error *error);

/* timer:ud = the low half of the timestamp (GPU clock ticks). */
SONDE_API enum sonde_status sonde_coder_start_timer(struct sonde_coder *coder,
                                                    struct sonde_procedure *procedure,
                                                    sonde_vreg timer,
                                                    const struct sonde_predicate *predicate,
                                                    struct sonde_error *error);
/* timer:ud = now - timer, modulo 2^32. */
SONDE_API enum sonde_status sonde_coder_stop_timer(struct sonde_coder *coder,
                                                   struct sonde_procedure *procedure,
                                                   sonde_vreg timer,
                                                   const struct sonde_predicate *predicate,
                                                   struct sonde_error *error);
/* As stop_timer, and tells whether to believe it. When now < timer, or the
 * timestamp's event bit says that since the last read the thread was switched
 * out or the clock changed: f0.0 = 0xffff and timer = 0. Else f0.0 = 0. f0.0
 * lasts to the procedure's end. A predicate on f0.0 is refused. */
SONDE_API enum sonde_status sonde_coder_stop_timer_ext(struct sonde_coder *coder,
                                                       struct sonde_procedure *procedure,
                                                       sonde_vreg timer,
                                                       const struct sonde_predicate *predicate,
                                                       struct sonde_error *error);
/* The same with the performance monitor of the execution unit (tm0.3 on Gen9,
 * tm0.4 on later parts). Which event it counts is the operating system's to set up. */
SONDE_API enum sonde_status sonde_coder_start_perfmon(struct sonde_coder *coder,
                                                      struct sonde_procedure *procedure,
                                                      sonde_vreg counter,
                                                      const struct sonde_predicate *predicate,
                                                      struct sonde_error *error);
SONDE_API enum sonde_status sonde_coder_stop_perfmon(struct sonde_coder *coder,
                                                     struct sonde_procedure *procedure,
                                                     sonde_vreg counter,
                                                     const struct sonde_predicate *predicate,
                                                     struct sonde_error *error);
SONDE_API enum sonde_status sonde_coder_stop_perfmon_ext(struct sonde_coder *coder,
                                                         struct sonde_procedure *procedure,
                                                         sonde_vreg counter,
                                                         const struct sonde_predicate *predicate,
                                                         struct sonde_error *error);

/* address (PTR) = byte `offset` of the profile buffer. The offset is an
 * immediate of 32 bits or a register of type ud. */
SONDE_API enum sonde_status
sonde_coder_compute_address(struct sonde_coder *coder, struct sonde_procedure *procedure,
                            sonde_vreg address, struct sonde_operand offset,
                            const struct sonde_predicate *predicate, struct sonde_error *error);
/* address = base + offset, both PTR. An immediate offset is signed, of 32
 * bits; a register is ud. */
SONDE_API enum sonde_status
sonde_coder_compute_rel_address(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                sonde_vreg address, sonde_vreg base, struct sonde_operand offset,
                                const struct sonde_predicate *predicate, struct sonde_error *error);
/* chunk_offset:ud = (thread id mod bucket_count) * chunk_size + base_offset +
 * offset_in_chunk. bucket_count and chunk_size are powers of two. Where the
 * kernel leaves a register, the thread's part is computed once at the entry. */
SONDE_API enum sonde_status sonde_coder_compute_thread_chunk_offset(
    struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg offset,
    uint32_t bucket_count, uint32_t chunk_size, uint32_t base_offset, uint32_t offset_in_chunk,
    const struct sonde_predicate *predicate, struct sonde_error *error);
/* The same as an address for the atomic and store methods. */
SONDE_API enum sonde_status sonde_coder_compute_thread_chunk_address(
    struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg address,
    uint32_t bucket_count, uint32_t chunk_size, uint32_t base_offset, uint32_t offset_in_chunk,
    const struct sonde_predicate *predicate, struct sonde_error *error);
/* SURFACE: `count` dwords at byte `offset` of one bucket += as many values:
 * counters or scratch registers that start at a register, 16 dwords in each of
 * values[0], values[1], ..., 8 are enough for the last. Counters are zero behind
 * the count; scratch registers are not kept. NULL: one dword += 1. Which of the
 * `bucket_count` buckets of `chunk_size` bytes (powers of two) is not said: only
 * the sums over all of them mean something. One message for 16 values, made for
 * the end of a thread: where the thread's chunk is known, one more
 * atomic_inc costs less. */
SONDE_API enum sonde_status
sonde_coder_add_to_buckets(struct sonde_coder *coder, struct sonde_procedure *procedure,
                           const sonde_vreg *values, uint32_t count, uint32_t bucket_count,
                           uint32_t chunk_size, uint32_t offset,
                           const struct sonde_predicate *predicate, struct sonde_error *error);

/* mask:ud = channels that an instruction at this place would run in: those
 * enabled by control flow (all when ignore_channel_enable, as for NoMask), of
 * the dispatch, in `execution_mask` (bit n: channel n), and let through by the
 * predicate of `predicated`, an instruction of the kernel, NULL for none. A
 * predicate over groups of channels (any, all) clobbers f0 for the rest of the
 * procedure. */
SONDE_API enum sonde_status
sonde_coder_compute_simd_mask(struct sonde_coder *coder, struct sonde_procedure *procedure,
                              sonde_vreg mask, bool ignore_channel_enable, uint32_t execution_mask,
                              const struct sonde_gen_instruction *predicated,
                              const struct sonde_predicate *predicate, struct sonde_error *error);
/* The channels an instruction names: exec_size of them from channel_offset. */
SONDE_API uint32_t sonde_coder_execution_mask(const struct sonde_gen_instruction *instruction);

/* Read every register that `instruction` reads (writes) to no effect: the
 * thread waits here until they have arrived. */
SONDE_API enum sonde_status sonde_coder_generate_fake_src_consumers(
    struct sonde_coder *coder, struct sonde_procedure *procedure,
    const struct sonde_gen_instruction *instruction, const struct sonde_predicate *predicate,
    struct sonde_error *error);
SONDE_API enum sonde_status sonde_coder_generate_fake_dst_consumers(
    struct sonde_coder *coder, struct sonde_procedure *procedure,
    const struct sonde_gen_instruction *instruction, const struct sonde_predicate *predicate,
    struct sonde_error *error);

/* Largest size of load_ and store_mem_block: 128 bytes. */
SONDE_API uint32_t sonde_coder_max_mem_block_size(const struct sonde_coder *coder);
/* Move `size` bytes, a power of two from 16 to the maximum, between the start
 * of `data` and memory at `address`, which is a multiple of 16. `data` is a
 * scratch register of at least `size` bytes. */
SONDE_API enum sonde_status
sonde_coder_store_mem_block(struct sonde_coder *coder, struct sonde_procedure *procedure,
                            sonde_vreg address, sonde_vreg data, uint32_t size,
                            const struct sonde_predicate *predicate, struct sonde_error *error);
SONDE_API enum sonde_status
sonde_coder_load_mem_block(struct sonde_coder *coder, struct sonde_procedure *procedure,
                           sonde_vreg address, sonde_vreg data, uint32_t size,
                           const struct sonde_predicate *predicate, struct sonde_error *error);
/* Move `count` whole registers from `first` on to or from memory at `address`,
 * a multiple of 16, and add their size to the address. They are the kernel's
 * registers; who loads answers for what they overwrite. */
SONDE_API enum sonde_status
sonde_coder_store_reg_range(struct sonde_coder *coder, struct sonde_procedure *procedure,
                            sonde_vreg address, uint32_t first, uint32_t count,
                            const struct sonde_predicate *predicate, struct sonde_error *error);
SONDE_API enum sonde_status
sonde_coder_load_reg_range(struct sonde_coder *coder, struct sonde_procedure *procedure,
                           sonde_vreg address, uint32_t first, uint32_t count,
                           const struct sonde_predicate *predicate, struct sonde_error *error);
/* Registers of a message's addresses, header included: what
 * store_payload_addresses stores. 0 when `send` is no message with addresses. */
SONDE_API uint32_t sonde_coder_payload_address_registers(const struct sonde_gen_instruction *send);
/* store_reg_range over the address payload of `send`, an instruction of the
 * kernel, of all its channels, enabled or not. Stand before it. */
SONDE_API enum sonde_status
sonde_coder_store_payload_addresses(struct sonde_coder *coder, struct sonde_procedure *procedure,
                                    sonde_vreg address, const struct sonde_gen_instruction *send,
                                    const struct sonde_predicate *predicate,
                                    struct sonde_error *error);

SONDE_API bool sonde_coder_is_tile_id_supported(const struct sonde_coder *coder);
/* tile:ud = the tile; 0 where there are none. Constant for a thread. */
SONDE_API enum sonde_status sonde_coder_load_tile_id(struct sonde_coder *coder,
                                                     struct sonde_procedure *procedure,
                                                     sonde_vreg tile,
                                                     const struct sonde_predicate *predicate,
                                                     struct sonde_error *error);
/* tid:ud = the hardware thread: thread slot (bits 2:0) and EU (6:3), then on
 * Gen9 sub-slice (8:7) and slice (10:9), on Gen11 sub-slice (9:7); on Xe and
 * XeHPG EU (5:3), sub-slice of a pair (6), dual sub-slice (8:7), slice (11:9).
 * The buckets of thread chunks are this number
 * modulo their count. */
SONDE_API enum sonde_status sonde_coder_get_tid(struct sonde_coder *coder,
                                                struct sonde_procedure *procedure, sonde_vreg tid,
                                                const struct sonde_predicate *predicate,
                                                struct sonde_error *error);
/* dss:ud = the dual sub-slice counted over the device; Gen9 has single ones:
 * sub-slice (bits 1:0), slice (3:2); so has Gen11, without slices. */
SONDE_API enum sonde_status
sonde_coder_get_dss_id(struct sonde_coder *coder, struct sonde_procedure *procedure, sonde_vreg dss,
                       const struct sonde_predicate *predicate, struct sonde_error *error);
/* ff_tid:ud = the fixed-function thread id, bits 8:0 of r0.5 on Gen9 and 9:0 on
 * later parts. Taken at the entry and held through the kernel, which needs a
 * register: see sonde_coder_reserve. */
SONDE_API enum sonde_status sonde_coder_get_ff_tid(struct sonde_coder *coder,
                                                   struct sonde_procedure *procedure,
                                                   sonde_vreg ff_tid,
                                                   const struct sonde_predicate *predicate,
                                                   struct sonde_error *error);

/* Append to `target` the instructions of `source`, each of them under the
 * condition "value:ud is not 0". The condition stands in f1.0, which `source`
 * must not use; where its instructions are predicated themselves it must not
 * use f1.1 either, and their predicates must be plain (no any, no all). */
SONDE_API enum sonde_status sonde_coder_convert_to_conditional_procedure(
    struct sonde_coder *coder, const struct sonde_procedure *source, struct sonde_procedure *target,
    sonde_vreg value, struct sonde_error *error);
/* The same under "a condition b" of type ud or uq, d or q: two registers, or a
 * register and an immediate. Condition: z, nz, g, ge, l, le. */
SONDE_API enum sonde_status sonde_coder_generate_conditional_procedure(
    struct sonde_coder *coder, const struct sonde_procedure *source, struct sonde_procedure *target,
    enum sonde_gen_condition condition, enum sonde_gen_type type, sonde_vreg a,
    struct sonde_operand b, struct sonde_error *error);

#endif
