/* Untyped surface messages (dword components) and the scattered byte, dword
 * and qword messages: one address a channel. */
#include "emu/gen/message.h"

/* One scattered message, taken apart. */
struct scatter {
    struct message_space space;
    bool write;
    uint32_t high; /* bytes of the slot below the element */
    uint32_t lanes;
    const uint8_t *source; /* data of a write, components one after the other */
    uint8_t *target;       /* of a read */
    size_t per_item;       /* bytes from one component to the next */
    uint64_t offsets[MESSAGE_LANES_MAX];
    uint8_t room[MESSAGE_RANGE_MAX * EMU_GRF_SIZE];
};

/* Addresses one after the other, all channels enabled, within one page: the
 * registers are moved as wholes. */
static bool move_contiguous(const struct scatter *scatter, uint32_t size)
{
    uint32_t lanes = scatter->lanes;
    uint64_t first = scatter->offsets[0], wrong = 0;
    uint8_t *host;

    for (uint32_t lane = 1; lane < lanes; lane++)
        wrong |= scatter->offsets[lane] ^ (first + (uint64_t)lane * size);
    if (wrong)
        return false;
    host = message_locate(&scatter->space, first, (size_t)lanes * size, scatter->write);
    if (!host)
        return false;
    if (scatter->write)
        message_move(host, scatter->source, (size_t)lanes * size);
    else
        message_move(scatter->target, host, (size_t)lanes * size);
    return true;
}

/* One element of one channel, `size` bytes in memory and `slot` in the
 * register (`at` bytes into the data); the rest of the slot reads as zero. */
static inline enum message_access move_element(const struct scatter *scatter, uint64_t offset,
                                               size_t at, uint32_t size, uint32_t slot)
{
    enum message_access access;
    uint64_t value[4] = {0}; /* as much as a move of unknown size may fill */

    if (scatter->write)
        return message_store(&scatter->space, offset, scatter->source + at + scatter->high, size);
    access = message_load(&scatter->space, offset, value, size);
    value[0] <<= 8 * scatter->high;
    memcpy(scatter->target + at, value, slot);
    return access;
}

/* All `count` elements of a channel, when they lie in one page. */
static inline __attribute__((always_inline)) bool move_vector(const struct scatter *scatter,
                                                              uint32_t lane, uint32_t count,
                                                              uint32_t size, uint32_t slot)
{
    uint8_t *host = message_locate(&scatter->space, scatter->offsets[lane], (size_t)count * size,
                                   scatter->write);
    size_t at = (size_t)lane * slot;

    if (!host)
        return false;
    for (uint32_t i = 0; i < count; i++, at += scatter->per_item) {
        uint64_t value = 0;
        if (scatter->write) {
            memcpy(host + (size_t)i * size, scatter->source + at, size);
        } else {
            memcpy(&value, host + (size_t)i * size, size);
            memcpy(scatter->target + at, &value, slot);
        }
    }
    return true;
}

/* Every enabled channel by itself: the elements whose bit is set in
 * `component_mask`, `size` bytes apart in memory. `count` is their number when
 * they are the first ones, else 0. */
static inline __attribute__((always_inline)) enum emu_message_outcome
move_lanes(struct emu_message_context *context, const struct scatter *scatter,
           uint32_t component_mask, uint32_t count, uint32_t size, uint32_t slot)
{
    uint32_t outside = 0;

    for (uint32_t left = context->enabled; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        size_t at = (size_t)lane * slot;
        bool lane_outside = false;

        if (count && move_vector(scatter, lane, count, size, slot))
            continue;
        for (uint32_t mask = component_mask; mask; mask &= mask - 1, at += scatter->per_item) {
            uint64_t offset =
                scatter->offsets[lane] + (uint64_t)size * (uint32_t)__builtin_ctz(mask);
            enum message_access access = move_element(scatter, offset, at, size, slot);

            if (access == MESSAGE_ACCESS_UNMAPPED)
                return message_fault_unmapped(&scatter->space, offset, size, lane);
            lane_outside |= access == MESSAGE_ACCESS_OUTSIDE;
        }
        outside += lane_outside;
    }
    if (outside)
        emu_worker_out_of_bounds(context->worker, outside);
    return EMU_MESSAGE_DONE;
}

/* A base address and the distance of the channels from each other. */
static void strided_addresses(const struct emu_message_context *context, struct scatter *scatter)
{
    const uint8_t *payload = message_payload(context, context->message->header);
    uint64_t address = 0;

    memcpy(&address, payload, message_address_size(context->message));
    for (uint32_t lane = 0; lane < scatter->lanes; lane++) {
        scatter->offsets[lane] = address + (uint64_t)lane * message_dword(payload, 2);
        if (context->message->address_model == SONDE_GEN_ADDRESS_SLM)
            scatter->offsets[lane] &= MESSAGE_SLM_MASK;
    }
}

/* Fill `scatter` from the context. Returns false when the message has nothing
 * to do, or after a fault (*outcome says which). */
static bool prepare(struct emu_message_context *context, struct scatter *scatter,
                    uint32_t components, uint32_t slot, enum emu_message_outcome *outcome)
{
    const struct sonde_gen_message *message = context->message;
    uint32_t lanes = message_lanes(context), per_item = message_registers(lanes, slot);
    bool strided = message->layout == SONDE_GEN_LAYOUT_STRIDED;
    uint32_t data =
        message->header + (strided ? 1 : message_registers(lanes, message_address_size(message)));
    bool write = message->operation == SONDE_GEN_MESSAGE_WRITE;

    scatter->write = write;
    scatter->high = message->element_high ? slot - message->element_size : 0;
    scatter->lanes = lanes;
    scatter->per_item = (size_t)per_item * EMU_GRF_SIZE;
    context->enabled &= message_lane_mask(lanes);
    *outcome = EMU_MESSAGE_FAULT;
    if (!message_require(context, data + (write ? components * per_item : 0),
                         write ? 0 : components * per_item))
        return false;
    if (!message_space_open(context, &scatter->space))
        return false;
    *outcome = EMU_MESSAGE_DONE;
    if (!context->enabled || (!write && context->dst == UINT32_MAX))
        return false;
    if (strided)
        strided_addresses(context, scatter);
    else
        message_addresses(context, message->header, lanes, scatter->offsets);
    if (write)
        scatter->source =
            message_payload_range(context, data, components * per_item, scatter->room);
    else
        scatter->target = message_response(context, 0);
    return true;
}

/* SIMD4x2: two addresses, in dwords 0 and 4 of the address register; the four
 * components of each in one half of the data register. A half is written by
 * the channels of its components. */
static enum emu_message_outcome untyped_4x2(struct emu_message_context *context)
{
    const struct sonde_gen_message *message = context->message;
    bool wide = message->address_model == SONDE_GEN_ADDRESS_A64;
    struct scatter scatter;
    uint32_t outside = 0;

    scatter.write = message->operation == SONDE_GEN_MESSAGE_WRITE;
    scatter.high = 0;
    if (!message_require(context, message->header + 1u + scatter.write, !scatter.write) ||
        !message_space_open(context, &scatter.space))
        return EMU_MESSAGE_FAULT;
    if (!scatter.write && context->dst == UINT32_MAX)
        return EMU_MESSAGE_DONE;
    if (scatter.write)
        scatter.source = message_payload(context, message->header + 1u);
    else
        scatter.target = message_response(context, 0);
    for (uint32_t slot = 0; slot < 2; slot++) {
        const uint8_t *address = message_payload(context, message->header);
        uint64_t base = message_dword(address, wide ? 2 * slot : 4 * slot);

        if (wide)
            base |= (uint64_t)message_dword(address, 2 * slot + 1) << 32;
        if (message->address_model == SONDE_GEN_ADDRESS_SLM)
            base &= MESSAGE_SLM_MASK;
        for (uint32_t i = 0; i < 4; i++) {
            enum message_access access;

            if (!(message->component_mask & context->enabled >> (4 * slot) & (1u << i)))
                continue;
            access = move_element(&scatter, base + 4u * i, 16u * slot + 4u * i, 4, 4);
            if (access == MESSAGE_ACCESS_UNMAPPED)
                return message_fault_unmapped(&scatter.space, base + 4u * i, 4, 4 * slot + i);
            outside += access == MESSAGE_ACCESS_OUTSIDE;
        }
    }
    if (outside)
        emu_worker_out_of_bounds(context->worker, outside);
    return EMU_MESSAGE_DONE;
}

/* The components of the load-store cache need not be dwords. */
static enum emu_message_outcome components_of_other_sizes(struct emu_message_context *context,
                                                          uint32_t mask)
{
    uint32_t size = context->message->element_size, slot = context->message->element_slot;
    struct scatter scatter;
    enum emu_message_outcome outcome;

    if (!prepare(context, &scatter, (uint32_t)__builtin_popcount(mask), slot, &outcome))
        return outcome;
    return move_lanes(context, &scatter, mask, 0, size, slot);
}

enum emu_message_outcome message_untyped(struct emu_message_context *context)
{
    const struct sonde_gen_message *message = context->message;
    uint32_t mask = message->component_mask & 0xfu;
    struct scatter scatter;
    enum emu_message_outcome outcome;

    if (message->simd == 2 || message->simd == 4)
        return untyped_4x2(context);
    if (message->load_store_cache && message->element_size != 4)
        return components_of_other_sizes(context, mask);
    if (!prepare(context, &scatter, (uint32_t)__builtin_popcount(mask), 4, &outcome))
        return outcome;
    switch (mask) {
    case 0x1:
        if (scatter.lanes >= 8 && context->enabled == message_lane_mask(scatter.lanes) &&
            move_contiguous(&scatter, 4))
            return EMU_MESSAGE_DONE;
        return move_lanes(context, &scatter, mask, 1, 4, 4);
    case 0x3:
        return move_lanes(context, &scatter, mask, 2, 4, 4);
    case 0x7:
        return move_lanes(context, &scatter, mask, 3, 4, 4);
    case 0xf:
        return move_lanes(context, &scatter, mask, 4, 4, 4);
    default:
        return move_lanes(context, &scatter, mask, 0, 4, 4);
    }
}

enum emu_message_outcome message_scattered(struct emu_message_context *context)
{
    const struct sonde_gen_message *message = context->message;
    uint32_t size = message->element_size, slot = message->element_slot;
    uint32_t elements = message->elements ? message->elements : 1;
    uint32_t mask;
    struct scatter scatter;
    enum emu_message_outcome outcome;

    if (!slot)
        slot = size < 4 ? 4 : size;
    if (elements > 8)
        return message_fault(context, "scattered message of more than 8 elements a channel");
    mask = message_lane_mask(elements);
    if (!prepare(context, &scatter, elements, slot, &outcome))
        return outcome;
    if (message->header) { /* global offset, in the units of the addresses */
        uint64_t global = (uint64_t)message_dword(message_payload(context, 0), 2)
                          << message->address_shift;
        if (message->address_model != SONDE_GEN_ADDRESS_A64)
            for (uint32_t lane = 0; lane < scatter.lanes; lane++)
                scatter.offsets[lane] += global;
    }
    if (elements == 1 && size == slot && scatter.lanes >= 8 &&
        context->enabled == message_lane_mask(scatter.lanes) && move_contiguous(&scatter, size))
        return EMU_MESSAGE_DONE;
    switch (size << 4 | slot) {
    case 0x11:
        return move_lanes(context, &scatter, mask, elements, 1, 1);
    case 0x22:
        return move_lanes(context, &scatter, mask, elements, 2, 2);
    case 0x14:
        return move_lanes(context, &scatter, mask, elements, 1, 4);
    case 0x24: /* one by one when they stand in the upper halves */
        return move_lanes(context, &scatter, mask, scatter.high ? 0 : elements, 2, 4);
    case 0x44:
        return move_lanes(context, &scatter, mask, elements, 4, 4);
    case 0x88:
        return move_lanes(context, &scatter, mask, elements, 8, 8);
    default:
        return message_fault(context, "scattered message with an unknown element size");
    }
}

/* Bit n of the first dword of the response: the elements of channel n lie in
 * pages that are there. */
enum emu_message_outcome message_status(struct emu_message_context *context)
{
    const struct sonde_gen_message *message = context->message;
    uint32_t size = (uint32_t)message->element_size * message->elements, present = 0;
    struct scatter scatter;
    enum emu_message_outcome outcome;

    if (!prepare(context, &scatter, 0, 4, &outcome))
        return outcome;
    if (message->response_registers < 1)
        return message_fault(context, "status message without a response");
    for (uint32_t left = context->enabled; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t first = scatter.offsets[lane], last = first + size - 1;

        if (message_locate(&scatter.space, first, 1, false) &&
            message_locate(&scatter.space, last, 1, false))
            present |= UINT32_C(1) << lane;
    }
    memset(scatter.target, 0, EMU_GRF_SIZE);
    memcpy(scatter.target, &present, sizeof present);
    return EMU_MESSAGE_DONE;
}
