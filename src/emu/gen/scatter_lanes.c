/* Runs the messages of send_scatter.c. Compiled as lanes.c is, once more for
 * AVX2-class processors. */
#include <string.h>

#include "emu/gen/core.h"
#include "emu/gen/message.h"

/* Where offsets count from: host memory for local memory, else a GPU address. */
struct space {
    struct emu_worker *worker;
    uint8_t *local;
    uint64_t base, limit;
};

static inline bool open_space(struct emu_thread *thread, const struct sonde_gen_message *message,
                              struct space *space)
{
    const struct emu_dispatch *dispatch = thread->worker->dispatch;
    const struct emu_surface *surface = &thread->worker->surfaces[message->bti];
    *space = (struct space){.worker = thread->worker, .limit = UINT64_MAX};
    switch ((enum sonde_gen_address_model)message->address_model) {
    case SONDE_GEN_ADDRESS_SLM:
        space->local = thread->group->slm;
        space->limit = dispatch->slm_size;
        return space->local != NULL;
    case SONDE_GEN_ADDRESS_STATELESS:
        space->base = dispatch->general_base;
        return true;
    case SONDE_GEN_ADDRESS_A64:
        return true;
    default:
        space->base = surface->base;
        space->limit = surface->size;
        return surface->valid && surface->type == MESSAGE_SURFACE_BUFFER;
    }
}

/* The least and greatest offset, and whether they are one behind the other. */
struct extent {
    uint64_t low, high;
    bool block;
};

#define FIND_EXTENT(name, type)                                                                    \
    static inline struct extent name(const type *offset, uint32_t lanes, uint32_t size)            \
    {                                                                                              \
        type low = offset[0], high = offset[0], wrong = 0;                                         \
        for (uint32_t lane = 0; lane < lanes; lane++) {                                            \
            low = offset[lane] < low ? offset[lane] : low;                                         \
            high = offset[lane] > high ? offset[lane] : high;                                      \
            wrong |= (type)(offset[lane] - offset[0] - (type)lane * size);                         \
        }                                                                                          \
        return (struct extent){low, high, wrong == 0 && high - low == (type)(lanes - 1) * size};   \
    }

FIND_EXTENT(find_extent_32, uint32_t)
FIND_EXTENT(find_extent_64, uint64_t)

/* The offsets of `lanes` channels and their extent. Channels that are not in
 * `mask` get the offset of one that is. */
static inline struct extent find_offsets(const struct emu_thread *thread,
                                         const struct emu_details *details, uint32_t lanes,
                                         uint32_t mask, uint64_t *offsets)
{
    const struct emu_scatter *scatter = &details->scatter;
    const uint8_t *addresses = thread->grf + scatter->address;
    unsigned shift = details->message.address_shift, used = (unsigned)__builtin_ctz(mask);
    bool all = mask == message_lane_mask(lanes);
    if (scatter->wide) {
        memcpy(offsets, addresses, sizeof(*offsets) * lanes);
        for (uint32_t lane = 0; lane < lanes && !all; lane++)
            offsets[lane] = offsets[mask >> lane & 1 ? lane : used];
        return find_extent_64(offsets, lanes, scatter->size);
    }
    uint32_t narrow[EMU_LANES];
    memcpy(narrow, addresses, sizeof(*narrow) * lanes);
    for (uint32_t lane = 0; lane < lanes && !all; lane++)
        narrow[lane] = narrow[mask >> lane & 1 ? lane : used];
    if (details->message.address_model == SONDE_GEN_ADDRESS_SLM)
        for (uint32_t lane = 0; lane < lanes; lane++)
            narrow[lane] &= (uint32_t)MESSAGE_SLM_MASK;
    for (uint32_t lane = 0; lane < lanes; lane++)
        offsets[lane] = (uint64_t)narrow[lane] << shift;
    struct extent extent = find_extent_32(narrow, lanes, (uint32_t)scatter->size >> shift);
    return (struct extent){extent.low << shift, extent.high << shift, extent.block};
}

/* `size` bytes at an offset, which may go on in a second page: the first part,
 * *part bytes long. */
static inline uint8_t *locate(const struct space *space, uint64_t offset, size_t size, bool write,
                              size_t *part)
{
    uint64_t address = space->base + offset;
    size_t in_page = address % EMU_PAGE_SIZE;
    *part = size;
    if (size > space->limit || offset > space->limit - size)
        return NULL;
    if (space->local)
        return space->local + offset;
    uint8_t *page = message_page(space->worker, space->worker->tlb, address, write);
    if (*part > EMU_PAGE_SIZE - in_page)
        *part = EMU_PAGE_SIZE - in_page;
    return page ? page + in_page : NULL;
}

/* All channels, one element each, one behind the other. */
static inline bool move_block(const struct space *space, const struct emu_scatter *scatter,
                              uint64_t offset, uint8_t *data)
{
    size_t size = (size_t)scatter->lanes * scatter->size, part, rest;
    uint8_t *first = locate(space, offset, size, scatter->write, &part), *second = NULL;
    if (!first)
        return false;
    if (part < size) {
        second = locate(space, offset + part, size - part, scatter->write, &rest);
        if (!second)
            return false;
    }
    if (scatter->write) {
        message_move(first, data, part);
        if (second)
            message_move(second, data + part, size - part);
    } else {
        message_move(data, first, part);
        if (second)
            message_move(data + part, second, size - part);
    }
    return true;
}

/* All channels read the same dword. */
static inline bool read_same(const struct space *space, const struct emu_scatter *scatter,
                             uint64_t offset, uint8_t *data)
{
    uint32_t value;
    size_t part;
    const uint8_t *from = locate(space, offset, sizeof(value), false, &part);
    if (!from || part < sizeof(value))
        return false;
    memcpy(&value, from, sizeof(value));
    for (uint32_t lane = 0; lane < scatter->lanes; lane++)
        memcpy(data + lane * sizeof(value), &value, sizeof(value));
    return true;
}

/* Host address of every enabled channel's elements. */
static bool locate_lanes(const struct space *space, const struct emu_scatter *scatter,
                         const struct extent *extent, const uint64_t *offsets, uint32_t mask,
                         uint8_t **host)
{
    size_t size = (size_t)scatter->size * scatter->elements, part;
    if (size > space->limit || extent->high > space->limit - size)
        return false;
    /* All in one page, or in local memory. */
    uint8_t *low =
        locate(space, extent->low, extent->high - extent->low + size, scatter->write, &part);
    if (!low)
        return false;
    if (part == extent->high - extent->low + size) {
        for (uint32_t lane = 0; lane < scatter->lanes; lane++)
            host[lane] = low + (offsets[lane] - extent->low);
        return true;
    }
    uint64_t known = UINT64_MAX;
    uint8_t *page = NULL;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = (space->base + offsets[lane]) & MESSAGE_ADDRESS_MASK;
        if (address / EMU_PAGE_SIZE != known) {
            known = address / EMU_PAGE_SIZE;
            page = message_page(space->worker, space->worker->tlb, address, scatter->write);
            if (!page)
                return false;
        }
        if (address % EMU_PAGE_SIZE + size > EMU_PAGE_SIZE)
            return false;
        host[lane] = page + address % EMU_PAGE_SIZE;
    }
    return true;
}

static inline __attribute__((always_inline)) void move_lane(const struct emu_scatter *scatter,
                                                            uint8_t *memory, uint8_t *at,
                                                            uint32_t size, uint32_t slot)
{
    for (uint32_t i = 0; i < scatter->elements; i++) {
        uint64_t value = 0;
        if (scatter->write) {
            memcpy(memory, at, size);
        } else {
            memcpy(&value, memory, size);
            memcpy(at, &value, slot);
        }
        memory += size;
        at += scatter->next_element;
    }
}

static inline __attribute__((always_inline)) void move_lanes(const struct emu_scatter *scatter,
                                                             uint8_t *const *host, uint32_t mask,
                                                             uint8_t *data, uint32_t size,
                                                             uint32_t slot)
{
    if (!scatter->write && scatter->elements == 1 && mask == message_lane_mask(scatter->lanes)) {
        for (uint32_t lane = 0; lane < scatter->lanes; lane++) {
            uint64_t value = 0;
            memcpy(&value, host[lane], size);
            memcpy(data + (size_t)lane * slot, &value, slot);
        }
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        move_lane(scatter, host[lane], data + (size_t)lane * slot, size, slot);
    }
}

void EMU_SCATTER_NAME(struct emu_thread *thread, const struct emu_operation *operation,
                      uint32_t mask)
{
    const struct emu_details *details = operation->details;
    const struct emu_scatter *scatter = &details->scatter;
    uint64_t offsets[EMU_LANES];
    uint8_t *host[EMU_LANES], *data = thread->grf + scatter->data;
    uint32_t all = message_lane_mask(scatter->lanes);
    struct space space;
    mask &= all;
    if (thread->worker->timing || !mask || !open_space(thread, &details->message, &space)) {
        emu_run_message(thread, operation, mask);
        return;
    }
    struct extent extent = find_offsets(thread, details, scatter->lanes, mask, offsets);
    if (mask == all && scatter->elements == 1 && scatter->size == scatter->slot) {
        if (extent.block && move_block(&space, scatter, offsets[0], data))
            return;
        if (extent.low == extent.high && scatter->size == 4 && !scatter->write &&
            read_same(&space, scatter, extent.low, data))
            return;
    }
    if (!locate_lanes(&space, scatter, &extent, offsets, mask, host)) {
        emu_run_message(thread, operation, mask);
        return;
    }
    switch (scatter->size << 4 | scatter->slot) {
    case 0x14:
        move_lanes(scatter, host, mask, data, 1, 4);
        break;
    case 0x24:
        move_lanes(scatter, host, mask, data, 2, 4);
        break;
    case 0x44:
        move_lanes(scatter, host, mask, data, 4, 4);
        break;
    default:
        move_lanes(scatter, host, mask, data, 8, 8);
        break;
    }
}
