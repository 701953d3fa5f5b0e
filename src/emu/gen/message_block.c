/* Block messages: one address, consecutive OWords (16 bytes) or HWords (32
 * bytes) to and from whole registers; the scratch block of a thread; the
 * transposed messages of the load-store cache. */
#include "emu/gen/message.h"

/* Byte offset of the block into its space. */
static uint64_t block_offset(const struct emu_message_context *context)
{
    const struct sonde_gen_message *message = context->message;
    const uint8_t *header = message_payload(context, 0);
    uint64_t address = 0;

    if (message->layout == SONDE_GEN_LAYOUT_BLOCK || message->layout == SONDE_GEN_LAYOUT_STRIDED) {
        memcpy(&address, header, message_address_size(message));
        return message->address_model == SONDE_GEN_ADDRESS_SLM ? address & MESSAGE_SLM_MASK
                                                               : address;
    }
    if (message->address_model == SONDE_GEN_ADDRESS_A64) {
        memcpy(&address, header, sizeof address);
        return address;
    }
    if (message->layout == SONDE_GEN_LAYOUT_SCRATCH_BLOCK)
        return message->scratch_offset;
    address = (uint64_t)message_dword(header, 2) << message->address_shift;
    return message->address_model == SONDE_GEN_ADDRESS_SLM ? address & MESSAGE_SLM_MASK : address;
}

/* The part of the block that lies inside its space. */
static size_t inside(const struct message_space *space, uint64_t offset, size_t size)
{
    if (offset >= space->limit)
        return 0;
    return space->limit - offset < size ? (size_t)(space->limit - offset) : size;
}

static bool read_bytes(const struct message_space *space, uint64_t offset, uint8_t *data,
                       size_t size)
{
    if (space->slm) {
        memcpy(data, space->slm + offset, size);
        return true;
    }
    return message_copy_in(space->worker, space->tlb, space->base + offset, data, size);
}

static bool write_bytes(const struct message_space *space, uint64_t offset, const uint8_t *data,
                        size_t size)
{
    if (space->slm) {
        memcpy(space->slm + offset, data, size);
        return true;
    }
    return message_copy_out(space->worker, space->tlb, space->base + offset, data, size);
}

static enum emu_message_outcome read_block(struct emu_message_context *context,
                                           const struct message_space *space, uint64_t offset,
                                           size_t size)
{
    size_t reach = inside(space, offset, size);
    uint8_t *grf;

    if (context->dst == UINT32_MAX)
        return EMU_MESSAGE_DONE;
    grf = message_response(context, 0) + (context->message->high_oword ? 16 : 0);
    memset(grf + reach, 0, size - reach);
    if (!read_bytes(space, offset, grf, reach))
        return message_fault_unmapped(space, offset, size, 0);
    return EMU_MESSAGE_DONE;
}

static enum emu_message_outcome write_block(struct emu_message_context *context,
                                            const struct message_space *space, uint64_t offset,
                                            size_t size)
{
    size_t reach = inside(space, offset, size);

    for (size_t at = 0; at < reach; at += EMU_GRF_SIZE) {
        const uint8_t *grf = message_payload(context, 1 + (uint32_t)(at / EMU_GRF_SIZE)) +
                             (context->message->high_oword ? 16 : 0);
        size_t part = reach - at < EMU_GRF_SIZE ? reach - at : EMU_GRF_SIZE;

        if (!write_bytes(space, offset + at, grf, part))
            return message_fault_unmapped(space, offset + at, part, 0);
    }
    return EMU_MESSAGE_DONE;
}

/* A scratch write obeys the execution mask: dword n of the block belongs to
 * channel n modulo 16. The compiler spills divergent values this way. */
static enum emu_message_outcome write_scratch(struct emu_message_context *context,
                                              const struct message_space *space, uint64_t offset,
                                              size_t size)
{
    if ((context->enabled & 0xffff) == 0xffff)
        return write_block(context, space, offset, size);
    for (uint32_t dword = 0; dword < size / 4; dword++) {
        const uint8_t *grf = message_payload(context, 1 + dword / 8) + 4u * (dword % 8);

        if (!(context->enabled >> dword % 16 & 1))
            continue;
        if (message_store(space, offset + 4u * dword, grf, 4) == MESSAGE_ACCESS_UNMAPPED)
            return message_fault_unmapped(space, offset + 4u * dword, 4, dword % 16);
    }
    return EMU_MESSAGE_DONE;
}

enum emu_message_outcome message_block(struct emu_message_context *context)
{
    const struct sonde_gen_message *message = context->message;
    size_t size = (size_t)message->elements * message->element_size;
    uint32_t registers = (uint32_t)((size + EMU_GRF_SIZE - 1) / EMU_GRF_SIZE);
    bool write = message->operation == SONDE_GEN_MESSAGE_WRITE;
    bool transposed = message->transposed;
    struct message_space space;
    uint64_t offset;

    if ((!message->header && !transposed) || (message->high_oword && size > 16) ||
        (transposed && message->element_size != message->element_slot))
        return message_fault(context, "block message without a header or of an unknown size");
    if (!message_require(context, write ? 1 + registers : 1, write ? 0 : registers) ||
        !message_space_open(context, &space))
        return EMU_MESSAGE_FAULT;
    if (!context->enabled) /* predicated off: the message is not sent */
        return EMU_MESSAGE_DONE;
    offset = block_offset(context);
    if (inside(&space, offset, size) < size)
        emu_worker_out_of_bounds(context->worker, 1);
    if (!write)
        return read_block(context, &space, offset, size);
    if (message->layout == SONDE_GEN_LAYOUT_SCRATCH_BLOCK)
        return write_scratch(context, &space, offset, size);
    return write_block(context, &space, offset, size);
}
