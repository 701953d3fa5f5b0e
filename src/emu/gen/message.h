/* Shared by the message units only (message_*.c): payload access, address
 * translation, surfaces. */
#ifndef SONDE_EMU_GEN_MESSAGE_H
#define SONDE_EMU_GEN_MESSAGE_H

#include <string.h>

#include "emu/gen/internal.h"

#define MESSAGE_ADDRESS_MASK ((UINT64_C(1) << 48) - 1)
#define MESSAGE_LANES_MAX    32u
/* Offsets into local memory carry a mark in bit 28 in kernels that use generic
 * pointers (so that no local pointer is null); the unit ignores it. */
#define MESSAGE_SLM_MASK UINT64_C(0x0fffffff)

/* RENDER_SURFACE_STATE surface types. */
enum message_surface_type {
    MESSAGE_SURFACE_1D = 0,
    MESSAGE_SURFACE_2D = 1,
    MESSAGE_SURFACE_3D = 2,
    MESSAGE_SURFACE_BUFFER = 4,
    MESSAGE_SURFACE_SCRATCH = 6,
    MESSAGE_SURFACE_NULL = 7,
};

/* What came of one access to memory. */
enum message_access {
    MESSAGE_ACCESS_OK,
    MESSAGE_ACCESS_OUTSIDE,  /* beyond the surface or the local memory */
    MESSAGE_ACCESS_UNMAPPED, /* no page there: a fault */
};

/* The memory that a message addresses: `limit` bytes at GPU address `base`,
 * or local memory when `slm` is set. */
struct message_space {
    struct emu_message_context *context;
    struct emu_worker *worker;
    struct emu_tlb_entry *tlb;
    uint8_t *slm;
    uint64_t base;
    uint64_t limit; /* UINT64_MAX: the whole address space */
};

/* Resolve the address model of the message, with the buffer base that a
 * header of a stateless message adds. false: fault raised. */
bool message_space_open(struct emu_message_context *context, struct message_space *space);

/* The surface state behind a binding-table index, decoded once a dispatch.
 * NULL: fault raised (message_surface.c). */
const struct emu_surface *message_surface(struct emu_message_context *context, uint32_t bti);

/* The surface whose state the message names by its place. false: fault raised. */
bool message_surface_in_place(struct emu_message_context *context, struct emu_surface *surface);

/* The translation of a page that the cache does not hold (message_memory.c). */
uint8_t *message_page_miss(struct emu_worker *worker, struct emu_tlb_entry *tlb, uint64_t address,
                           bool write);
/* Copies that cross a page; false when a part is not mapped. */
bool message_copy_in(struct emu_worker *worker, struct emu_tlb_entry *tlb, uint64_t address,
                     void *data, size_t size);
bool message_copy_out(struct emu_worker *worker, struct emu_tlb_entry *tlb, uint64_t address,
                      const void *data, size_t size);

/* Raise a fault that names the operation, the address and the channel. */
enum emu_message_outcome message_fault_unmapped(const struct message_space *space, uint64_t offset,
                                                size_t size, uint32_t lane);
enum emu_message_outcome message_fault(struct emu_message_context *context, const char *what);

/* One handler for each kind of message. */
enum emu_message_outcome message_untyped(struct emu_message_context *context);
enum emu_message_outcome message_scattered(struct emu_message_context *context);
enum emu_message_outcome message_status(struct emu_message_context *context);
enum emu_message_outcome message_block(struct emu_message_context *context);
enum emu_message_outcome message_atomic(struct emu_message_context *context);
enum emu_message_outcome message_typed(struct emu_message_context *context);
enum emu_message_outcome message_typed_atomic(struct emu_message_context *context);
enum emu_message_outcome message_media_block(struct emu_message_context *context);
enum emu_message_outcome message_sample(struct emu_message_context *context);

/* Apply one atomic operation to `size` (2, 4, 8) bytes of host memory that is
 * aligned to its size; returns what the message writes back. `operand` holds
 * the two sources. false: no such operation. */
bool message_atomic_apply(const struct sonde_gen_message *message, uint8_t *host, uint32_t size,
                          const uint64_t operand[2], uint64_t *result);
/* Source operands that an atomic operation takes: 0, 1, 2. */
unsigned message_atomic_sources(const struct sonde_gen_message *message);

static inline uint8_t *message_page(struct emu_worker *worker, struct emu_tlb_entry *tlb,
                                    uint64_t address, bool write)
{
    uint64_t page = (address & MESSAGE_ADDRESS_MASK) / EMU_PAGE_SIZE;
    const struct emu_tlb_entry *entry = &tlb[page % EMU_TLB_SIZE];

    if (entry->tag == page + 1 && (entry->writable || !write))
        return entry->host;
    return message_page_miss(worker, tlb, address, write);
}

static inline bool message_inside(const struct message_space *space, uint64_t offset, size_t size)
{
    return size <= space->limit && offset <= space->limit - size;
}

/* Bytes to or from memory that other host threads use meanwhile. Each element is
 * moved with one access, and once. The C library's memcpy stores short pieces twice,
 * as two that overlap: in between, another thread may have answered, and its answer
 * would be gone. The compiler must not make a call of it again. */
static inline __attribute__((always_inline)) void message_move(uint8_t *to, const uint8_t *from,
                                                               size_t size)
{
#define MOVE(bytes)                                                                                \
    do {                                                                                           \
        memcpy(to, from, bytes);                                                                   \
        __asm__ volatile("" ::: "memory");                                                         \
        to += (bytes);                                                                             \
        from += (bytes);                                                                           \
    } while (0)
    for (; size >= 32; size -= 32)
        MOVE(32);
    if (size & 16)
        MOVE(16);
    if (size & 8)
        MOVE(8);
    if (size & 4)
        MOVE(4);
    if (size & 2)
        MOVE(2);
    if (size & 1)
        MOVE(1);
#undef MOVE
}

static inline enum message_access message_load(const struct message_space *space, uint64_t offset,
                                               void *data, size_t size)
{
    uint64_t address = space->base + offset;
    size_t in_page = address % EMU_PAGE_SIZE;

    if (!message_inside(space, offset, size)) {
        memset(data, 0, size);
        return MESSAGE_ACCESS_OUTSIDE;
    }
    if (space->slm) {
        message_move(data, space->slm + offset, size);
        return MESSAGE_ACCESS_OK;
    }
    if (in_page + size <= EMU_PAGE_SIZE) {
        const uint8_t *host = message_page(space->worker, space->tlb, address, false);
        if (!host)
            return MESSAGE_ACCESS_UNMAPPED;
        message_move(data, host + in_page, size);
        return MESSAGE_ACCESS_OK;
    }
    return message_copy_in(space->worker, space->tlb, address, data, size)
               ? MESSAGE_ACCESS_OK
               : MESSAGE_ACCESS_UNMAPPED;
}

static inline enum message_access message_store(const struct message_space *space, uint64_t offset,
                                                const void *data, size_t size)
{
    uint64_t address = space->base + offset;
    size_t in_page = address % EMU_PAGE_SIZE;

    if (!message_inside(space, offset, size))
        return MESSAGE_ACCESS_OUTSIDE;
    if (space->slm) {
        message_move(space->slm + offset, data, size);
        return MESSAGE_ACCESS_OK;
    }
    if (in_page + size <= EMU_PAGE_SIZE) {
        uint8_t *host = message_page(space->worker, space->tlb, address, true);
        if (!host)
            return MESSAGE_ACCESS_UNMAPPED;
        message_move(host + in_page, data, size);
        return MESSAGE_ACCESS_OK;
    }
    return message_copy_out(space->worker, space->tlb, address, data, size)
               ? MESSAGE_ACCESS_OK
               : MESSAGE_ACCESS_UNMAPPED;
}

/* Host address of bytes that are inside the space, mapped and in one page;
 * else NULL, and message_load / message_store tell why. */
static inline uint8_t *message_locate(const struct message_space *space, uint64_t offset,
                                      size_t size, bool write)
{
    uint64_t address = space->base + offset;
    size_t in_page = address % EMU_PAGE_SIZE;
    uint8_t *host;

    if (!message_inside(space, offset, size))
        return NULL;
    if (space->slm)
        return space->slm + offset;
    if (in_page + size > EMU_PAGE_SIZE)
        return NULL;
    host = message_page(space->worker, space->tlb, address, write);
    return host ? host + in_page : NULL;
}

/* Register `index` of the payload: the first operand's registers, then those
 * of the second operand of a split send. */
static inline const uint8_t *message_payload(const struct emu_message_context *context,
                                             uint32_t index)
{
    uint32_t first = context->message->payload_registers;

    if (context->payload)
        return context->payload + (size_t)index * EMU_GRF_SIZE;
    if (index < first)
        return context->grf + (size_t)(context->src0 + index) * EMU_GRF_SIZE;
    return context->grf + (size_t)(context->src1 + index - first) * EMU_GRF_SIZE;
}

/* More registers than any scattered message has of addresses or data. */
#define MESSAGE_RANGE_MAX 64u

/* Registers [first, first + count) of the payload as one piece: in place, or
 * gathered in `room` when they lie in both operands of a split send. */
static inline const uint8_t *message_payload_range(const struct emu_message_context *context,
                                                   uint32_t first, uint32_t count, uint8_t *room)
{
    uint32_t split = context->message->payload_registers;

    if (first >= split || first + count <= split)
        return message_payload(context, first);
    for (uint32_t i = 0; i < count && i < MESSAGE_RANGE_MAX; i++)
        memcpy(room + (size_t)i * EMU_GRF_SIZE, message_payload(context, first + i), EMU_GRF_SIZE);
    return room;
}

static inline uint8_t *message_response(const struct emu_message_context *context, uint32_t index)
{
    return context->grf + (size_t)(context->dst + index) * EMU_GRF_SIZE;
}

static inline uint32_t message_payload_count(const struct emu_message_context *context)
{
    return (uint32_t)context->message->payload_registers +
           (context->src1 == UINT32_MAX ? 0u : context->message->src1_registers);
}

/* Bytes of one address in the payload. */
static inline uint32_t message_address_size(const struct sonde_gen_message *message)
{
    if (message->address_size)
        return message->address_size;
    return message->address_model == SONDE_GEN_ADDRESS_A64 ? 8 : 4;
}

/* GRFs that `lanes` values of `size` bytes take: at least one. */
static inline uint32_t message_registers(uint32_t lanes, uint32_t size)
{
    uint32_t bytes = lanes * size;

    return bytes <= EMU_GRF_SIZE ? 1u : (bytes + EMU_GRF_SIZE - 1) / EMU_GRF_SIZE;
}

/* Payload and response of at least this many registers, else a fault. */
static inline bool message_require(struct emu_message_context *context, uint32_t payload,
                                   uint32_t response)
{
    if (message_payload_count(context) < payload) {
        emu_worker_fault(context->worker, "message payload of %u registers, %u needed",
                         message_payload_count(context), payload);
        return false;
    }
    if (context->dst != UINT32_MAX && context->message->response_registers < response) {
        emu_worker_fault(context->worker, "message response of %u registers, %u needed",
                         context->message->response_registers, response);
        return false;
    }
    return true;
}

static inline uint32_t message_dword(const uint8_t *grf, uint32_t index)
{
    uint32_t value;

    memcpy(&value, grf + 4u * index, sizeof value);
    return value;
}

/* Channels of the message that the layout has registers for. */
static inline uint32_t message_lanes(const struct emu_message_context *context)
{
    uint32_t simd = context->message->simd;

    return simd > MESSAGE_LANES_MAX ? MESSAGE_LANES_MAX : simd;
}

static inline uint32_t message_lane_mask(uint32_t lanes)
{
    return lanes >= 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
}

/* The address of every channel, from payload register `first` on. Returns the registers read. */
uint32_t message_addresses(const struct emu_message_context *context, uint32_t first,
                           uint32_t lanes, uint64_t offsets[MESSAGE_LANES_MAX]);

#endif
