/* Where the texels of an image lie: linear rows, X tiles (512 bytes by 8 rows)
 * and Y tiles (128 bytes by 32 rows, in columns of 16 bytes), layers `qpitch`
 * rows apart (1D arrays: texels). */
#include "emu/gen/message_image.h"

enum tile_mode { TILE_LINEAR = 0, TILE_W = 1, TILE_X = 2, TILE_Y = 3 };

#define TILE_BYTES 4096u

bool message_image_open(struct emu_message_context *context, bool need_format,
                        struct message_image *image)
{
    const struct emu_surface *surface = &image->in_place;
    uint8_t model = context->message->address_model;

    *image = (struct message_image){.space = {.context = context,
                                              .worker = context->worker,
                                              .tlb = emu_worker_tlb(context->worker),
                                              .limit = UINT64_MAX}};
    if (model == SONDE_GEN_ADDRESS_SURFACE_STATE || model == SONDE_GEN_ADDRESS_BINDLESS) {
        if (!message_surface_in_place(context, &image->in_place))
            return false;
    } else if (model == SONDE_GEN_ADDRESS_SURFACE) {
        surface = message_surface(context, context->message->bti);
    } else {
        emu_worker_fault(context->worker, "image message without a surface");
        return false;
    }
    if (!surface)
        return false;
    image->surface = surface;
    image->space.base = surface->base;
    image->format = message_format_find(surface->format);
    if (surface->type == MESSAGE_SURFACE_NULL)
        image->format = message_format_find(0);
    if (surface->type > MESSAGE_SURFACE_3D && surface->type != MESSAGE_SURFACE_BUFFER &&
        surface->type != MESSAGE_SURFACE_NULL) {
        emu_worker_fault(context->worker,
                         "surface type %u of binding table entry %u is not "
                         "emulated",
                         surface->type, context->message->bti);
        return false;
    }
    if (need_format && !image->format) {
        emu_worker_fault(context->worker,
                         "surface format 0x%x of binding table entry %u is not emulated",
                         surface->format, context->message->bti);
        return false;
    }
    if (surface->tile_mode == TILE_W || surface->auxiliary_mode || surface->mip_count) {
        emu_worker_fault(context->worker,
                         "binding table entry %u: W tiles, compressed surfaces "
                         "and mip levels are not emulated",
                         context->message->bti);
        return false;
    }
    return true;
}

bool message_image_place(const struct message_image *image, int64_t u, int64_t v, int64_t r,
                         struct message_place *place)
{
    const struct emu_surface *surface = image->surface;
    int64_t width = surface->width, height = 1, layers = surface->array_count, layer = r;

    switch ((enum message_surface_type)surface->type) {
    case MESSAGE_SURFACE_1D:
        layer = layers > 1 ? v : 0;
        v = 0;
        break;
    case MESSAGE_SURFACE_2D:
        height = surface->height;
        layer = layers > 1 ? r : 0;
        break;
    case MESSAGE_SURFACE_3D:
        height = surface->height;
        layers = surface->depth;
        break;
    case MESSAGE_SURFACE_BUFFER:
        width = (int64_t)(surface->size / image->format->bytes);
        layer = v = 0;
        break;
    case MESSAGE_SURFACE_SCRATCH:
    case MESSAGE_SURFACE_NULL:
        return false;
    }
    if (u < 0 || v < 0 || layer < 0 || u >= width || v >= height || layer >= layers)
        return false;
    *place = (struct message_place){(uint32_t)u, (uint32_t)v, (uint32_t)layer};
    return true;
}

uint64_t message_image_offset(const struct emu_surface *surface, const struct message_place *place,
                              uint32_t bytes)
{
    uint32_t layer = place->layer + surface->array_first;
    bool line = surface->type == MESSAGE_SURFACE_1D; /* its layers are `qpitch` texels apart */
    uint64_t row = place->y + surface->y_offset + (line ? 0 : (uint64_t)layer * surface->qpitch);
    uint64_t column = place->x + surface->x_offset + (line ? (uint64_t)layer * surface->qpitch : 0);

    column *= bytes;
    if (surface->type == MESSAGE_SURFACE_BUFFER)
        return (uint64_t)place->x * bytes;
    if (surface->tile_mode == TILE_X)
        return (row / 8 * (surface->pitch / 512) + column / 512) * TILE_BYTES + row % 8 * 512 +
               column % 512;
    if (surface->tile_mode == TILE_Y)
        return (row / 32 * (surface->pitch / 128) + column / 128) * TILE_BYTES +
               column % 128 / 16 * 512 + row % 32 * 16 + column % 16;
    return row * surface->pitch + column;
}
