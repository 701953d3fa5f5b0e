/* Media block read and write: a rectangle of bytes of a 2D surface. The header
 * holds x in bytes, y in rows, and width - 1 and height - 1. Rows follow each
 * other in the registers, each padded to a power of two of at least four
 * bytes. The driver gives the width of such surfaces in dwords. */
#include "emu/gen/message_image.h"

struct media_block {
    struct message_image image;
    int32_t x, y;
    uint32_t width, height; /* bytes, rows */
    uint32_t row;           /* bytes a row takes in the registers */
    uint32_t surface_width; /* bytes */
};

static bool prepare(struct emu_message_context *context, struct media_block *block, bool write)
{
    uint32_t size, registers;
    const uint8_t *header;

    if (!context->message->header || message_payload_count(context) < 1) {
        emu_worker_fault(context->worker, "media block message without a header");
        return false;
    }
    if (!message_image_open(context, false, &block->image))
        return false;
    header = message_payload(context, 0);
    size = message_dword(header, 2);
    block->x = (int32_t)message_dword(header, 0);
    block->y = (int32_t)message_dword(header, 1);
    block->width = (size & 0x3f) + 1;
    block->height = (size >> 16 & 0x3f) + 1;
    block->row = 4;
    while (block->row < block->width)
        block->row *= 2;
    block->surface_width = block->image.surface->width * 4;
    registers = (block->row * block->height + EMU_GRF_SIZE - 1) / EMU_GRF_SIZE;
    return message_require(context, write ? 1 + registers : 1, write ? 0 : registers);
}

static int64_t clamp(int64_t value, uint32_t count)
{
    return value < 0 ? 0 : value >= count ? (int64_t)count - 1 : value;
}

/* Bytes left of, right of, above and below the surface repeat its edge, the
 * horizontal ones by dwords. */
static enum emu_message_outcome read_row(struct emu_message_context *context,
                                         const struct media_block *block, uint32_t row)
{
    uint8_t *grf = message_response(context, 0) + (size_t)row * block->row;

    for (uint32_t i = 0; i < block->width; i++) {
        int64_t x = (int64_t)block->x + i;
        int64_t dword = clamp(x >= 0 ? x / 4 : -1, block->surface_width / 4);
        struct message_place place = {
            (uint32_t)(dword * 4 + (x & 3)),
            (uint32_t)clamp((int64_t)block->y + row, block->image.surface->height), 0};
        uint64_t offset = message_image_offset(block->image.surface, &place, 1);

        if (message_load(&block->image.space, offset, grf + i, 1) != MESSAGE_ACCESS_OK)
            return message_fault_unmapped(&block->image.space, offset, 1, 0);
    }
    return EMU_MESSAGE_DONE;
}

static enum emu_message_outcome write_row(struct emu_message_context *context,
                                          const struct media_block *block, uint32_t row)
{
    int64_t y = (int64_t)block->y + row;

    if (y < 0 || y >= block->image.surface->height)
        return EMU_MESSAGE_DONE;
    for (uint32_t i = 0; i < block->width; i++) {
        uint32_t at = row * block->row + i;
        const uint8_t *grf = message_payload(context, 1 + at / EMU_GRF_SIZE) + at % EMU_GRF_SIZE;
        int64_t x = (int64_t)block->x + i;
        struct message_place place = {(uint32_t)x, (uint32_t)y, 0};
        uint64_t offset = message_image_offset(block->image.surface, &place, 1);

        if (x < 0 || x >= block->surface_width)
            continue;
        if (message_store(&block->image.space, offset, grf, 1) != MESSAGE_ACCESS_OK)
            return message_fault_unmapped(&block->image.space, offset, 1, 0);
    }
    return EMU_MESSAGE_DONE;
}

enum emu_message_outcome message_media_block(struct emu_message_context *context)
{
    bool write = context->message->operation == SONDE_GEN_MESSAGE_MEDIA_WRITE;
    struct media_block block;

    if (!prepare(context, &block, write))
        return EMU_MESSAGE_FAULT;
    if (!context->enabled || (!write && context->dst == UINT32_MAX) ||
        block.image.surface->type == MESSAGE_SURFACE_NULL)
        return EMU_MESSAGE_DONE;
    for (uint32_t row = 0; row < block.height; row++) {
        enum emu_message_outcome outcome =
            write ? write_row(context, &block, row) : read_row(context, &block, row);

        if (outcome != EMU_MESSAGE_DONE)
            return outcome;
    }
    return EMU_MESSAGE_DONE;
}
