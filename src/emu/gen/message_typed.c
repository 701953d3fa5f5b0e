/* Typed surface messages: eight channels, coordinates u [v [r [lod]]] of one
 * register each, then the components of the texel or the atomic's sources. */
#include "emu/gen/message_image.h"

#define TYPED_LANES 8u

/* One typed message, taken apart. */
struct typed {
    struct message_image image;
    uint32_t enabled;
    uint32_t coordinates; /* registers of u, v, r, lod present */
    uint32_t data;        /* payload register after them */
    uint32_t outside;     /* channels */
};

static int64_t coordinate(const struct emu_message_context *context, const struct typed *typed,
                          uint32_t index, uint32_t lane)
{
    if (index >= typed->coordinates)
        return 0;
    return message_dword(message_payload(context, context->message->header + index), lane);
}

/* `data_registers`: payload registers after the coordinates. */
static bool prepare(struct emu_message_context *context, struct typed *typed,
                    uint32_t data_registers, uint32_t response)
{
    const struct sonde_gen_message *message = context->message;
    uint32_t count = message_payload_count(context);

    if (message->load_store_cache &&
        (message->element_size != 4 || message->address_size != 4 || message->simd > TYPED_LANES)) {
        emu_worker_fault(context->worker,
                         "typed message of %u channels, %u bytes an element, %u a coordinate",
                         message->simd, message->element_size, message->address_size);
        return false;
    }

    if (!message_require(context, message->header + 1u + data_registers, response) ||
        !message_image_open(context, true, &typed->image))
        return false;
    typed->coordinates = count - message->header - data_registers;
    if (typed->coordinates > 4)
        typed->coordinates = 4;
    typed->data = count - data_registers;
    typed->outside = 0;
    typed->enabled = context->enabled & message_lane_mask(TYPED_LANES);
    if (message->header) /* pixel sample mask, of this slot group */
        typed->enabled &= message_dword(message_payload(context, 0), 7) >> message->channel_first;
    return true;
}

/* Offset of the channel's texel; false: outside the image. */
static bool locate(const struct emu_message_context *context, struct typed *typed, uint32_t lane,
                   uint64_t *offset)
{
    struct message_place place;

    if (!message_image_place(&typed->image, coordinate(context, typed, 0, lane),
                             coordinate(context, typed, 1, lane),
                             coordinate(context, typed, 2, lane), &place) ||
        coordinate(context, typed, 3, lane) != 0) {
        typed->outside++;
        return false;
    }
    *offset = message_image_offset(typed->image.surface, &place, typed->image.format->bytes);
    return true;
}

static enum emu_message_outcome read_lane(struct emu_message_context *context, struct typed *typed,
                                          uint32_t lane)
{
    const struct message_format *format = typed->image.format;
    uint32_t value[4] = {0, 0, 0, 0}, item = 0;
    uint8_t texel[16];
    uint64_t offset;

    if (locate(context, typed, lane, &offset)) {
        if (message_load(&typed->image.space, offset, texel, format->bytes) != MESSAGE_ACCESS_OK)
            return message_fault_unmapped(&typed->image.space, offset, format->bytes, lane);
        message_format_unpack(format, texel, value);
    }
    for (uint32_t i = 0; i < 4; i++)
        if (context->message->component_mask >> i & 1)
            memcpy(message_response(context, item++) + 4u * lane, &value[i], 4);
    return EMU_MESSAGE_DONE;
}

static enum emu_message_outcome write_lane(struct emu_message_context *context, struct typed *typed,
                                           uint32_t lane)
{
    const struct message_format *format = typed->image.format;
    uint32_t value[4] = {0, 0, 0, 0}, item = 0;
    uint8_t texel[16] = {0};
    uint64_t offset;

    for (uint32_t i = 0; i < 4; i++)
        if (context->message->component_mask >> i & 1)
            value[i] = message_dword(message_payload(context, typed->data + item++), lane);
    if (!locate(context, typed, lane, &offset))
        return EMU_MESSAGE_DONE;
    if (message_load(&typed->image.space, offset, texel, format->bytes) != MESSAGE_ACCESS_OK)
        return message_fault_unmapped(&typed->image.space, offset, format->bytes, lane);
    message_format_pack(format, value, context->message->component_mask, texel);
    message_store(&typed->image.space, offset, texel, format->bytes);
    return EMU_MESSAGE_DONE;
}

enum emu_message_outcome message_typed(struct emu_message_context *context)
{
    uint32_t components = (uint32_t)__builtin_popcount(context->message->component_mask & 0xfu);
    bool write = context->message->operation == SONDE_GEN_MESSAGE_TYPED_WRITE;
    struct typed typed;

    if (!prepare(context, &typed, write ? components : 0, write ? 0 : components))
        return EMU_MESSAGE_FAULT;
    if (!write && context->dst == UINT32_MAX)
        return EMU_MESSAGE_DONE;
    for (uint32_t left = typed.enabled; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        enum emu_message_outcome outcome =
            write ? write_lane(context, &typed, lane) : read_lane(context, &typed, lane);

        if (outcome != EMU_MESSAGE_DONE)
            return outcome;
    }
    if (typed.outside)
        emu_worker_out_of_bounds(context->worker, typed.outside);
    return EMU_MESSAGE_DONE;
}

static enum emu_message_outcome atomic_lane(struct emu_message_context *context,
                                            struct typed *typed, unsigned sources, uint32_t lane)
{
    uint64_t operand[2] = {0, 0}, result = 0, offset;
    uint32_t word;

    for (unsigned i = 0; i < sources; i++)
        operand[i] = message_dword(message_payload(context, typed->data + i), lane);
    if (locate(context, typed, lane, &offset)) {
        uint8_t *host = message_locate(&typed->image.space, offset, 4, true);

        if (!host)
            return message_fault_unmapped(&typed->image.space, offset, 4, lane);
        if ((uintptr_t)host % 4 ||
            !message_atomic_apply(context->message, host, 4, operand, &result))
            return message_fault(context, "typed atomic operation is not emulated");
    }
    word = (uint32_t)result;
    if (context->message->returns_data && context->dst != UINT32_MAX)
        memcpy(message_response(context, 0) + 4u * lane, &word, 4);
    return EMU_MESSAGE_DONE;
}

enum emu_message_outcome message_typed_atomic(struct emu_message_context *context)
{
    unsigned sources = message_atomic_sources(context->message);
    struct typed typed;

    if (!prepare(context, &typed, sources, context->message->returns_data))
        return EMU_MESSAGE_FAULT;
    if (typed.image.format->bytes != 4)
        return message_fault(context, "typed atomic on a format that is not of 32 bits");
    for (uint32_t left = typed.enabled; left; left &= left - 1) {
        enum emu_message_outcome outcome =
            atomic_lane(context, &typed, sources, (uint32_t)__builtin_ctz(left));

        if (outcome != EMU_MESSAGE_DONE)
            return outcome;
    }
    if (typed.outside)
        emu_worker_out_of_bounds(context->worker, typed.outside);
    return EMU_MESSAGE_DONE;
}
