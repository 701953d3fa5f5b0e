/* Binding table -> RENDER_SURFACE_STATE (Gen9: 16 dwords), and the memory
 * that a message addresses. Field positions are those of Mesa's genxml
 * description of Gen9. */
#include <stdio.h>

#include "emu/gen/message.h"

#define SURFACE_STATE_DWORDS 16u

static uint32_t bits(const uint32_t *state, unsigned first, unsigned last)
{
    uint32_t value = state[first / 32] >> (first % 32);
    unsigned count = last - first + 1;

    return count == 32 ? value : value & ((UINT32_C(1) << count) - 1);
}

static void decode(const uint32_t state[SURFACE_STATE_DWORDS], struct emu_surface *surface)
{
    uint32_t width = bits(state, 64, 77);
    uint32_t height = bits(state, 80, 93);
    uint32_t depth = bits(state, 117, 127);

    *surface = (struct emu_surface){
        .valid = true,
        .type = (uint8_t)bits(state, 29, 31),
        .format = (uint16_t)bits(state, 18, 27),
        .tile_mode = (uint8_t)bits(state, 12, 13),
        .base = (uint64_t)state[9] << 32 | state[8],
        .width = width + 1,
        .height = height + 1,
        .depth = depth + 1,
        .pitch = bits(state, 96, 113) + 1,
        .qpitch = bits(state, 32, 46) * 4,
        .array_first = bits(state, 146, 156),
        .array_count = bits(state, 28, 28) ? depth + 1 : 1,
        .x_offset = bits(state, 185, 191) * 4,
        .y_offset = bits(state, 181, 183) * 4,
        .mip_count = (uint8_t)bits(state, 160, 163),
        .auxiliary_mode = (uint8_t)bits(state, 192, 194),
        .swizzle = {(uint8_t)bits(state, 249, 251), (uint8_t)bits(state, 246, 248),
                    (uint8_t)bits(state, 243, 245), (uint8_t)bits(state, 240, 242)},
    };
    if (surface->type == MESSAGE_SURFACE_BUFFER) {
        /* The number of elements less one is spread over the three fields. */
        uint64_t elements =
            ((uint64_t)(width & 0x7f) | (uint64_t)height << 7 | (uint64_t)depth << 21) + 1;
        surface->size = surface->format == 0x1ff ? elements : elements * surface->pitch;
    }
}

const struct emu_surface *message_surface(struct emu_message_context *context, uint32_t bti)
{
    struct emu_surface *surface = &emu_worker_surfaces(context->worker)[bti & 0xff];
    const struct emu_dispatch *dispatch = context->dispatch;
    uint64_t entry = dispatch->binding_table + 4u * (uint64_t)bti;
    uint32_t offset, state[SURFACE_STATE_DWORDS];

    if (surface->valid)
        return surface;
    if (!emu_memory_read(context->worker, entry, &offset, sizeof offset)) {
        emu_worker_fault(context->worker, "binding table entry %u at 0x%llx is not mapped", bti,
                         (unsigned long long)entry);
        return NULL;
    }
    offset &= ~UINT32_C(0x3f);
    if (!emu_memory_read(context->worker, dispatch->surface_base + offset, state, sizeof state)) {
        emu_worker_fault(context->worker,
                         "surface state 0x%x of binding table entry %u is not mapped", offset, bti);
        return NULL;
    }
    decode(state, surface);
    return surface;
}

/* Bytes a message header adds to a stateless A32 address: the buffer base in
 * dword 5, 1 KiB aligned. */
static uint64_t header_base(const struct emu_message_context *context)
{
    if (!context->message->header)
        return 0;
    return message_dword(message_payload(context, 0), 5) & ~UINT32_C(0x3ff);
}

/* Scratch surfaces hold one element a hardware thread, `pitch` bytes each. */
static void open_surface(const struct emu_message_context *context,
                         const struct emu_surface *surface, struct message_space *space)
{
    space->base = surface->base;
    if (surface->type == MESSAGE_SURFACE_NULL) {
        space->limit = 0;
    } else if (surface->type == MESSAGE_SURFACE_SCRATCH) {
        space->base += (uint64_t)context->slot * surface->pitch;
        space->limit = surface->pitch;
    } else if (surface->type == MESSAGE_SURFACE_BUFFER) {
        space->limit = surface->size;
    } else { /* Block and untyped access to an image: rows of `pitch` bytes. */
        space->limit = (uint64_t)surface->pitch * surface->height * surface->depth;
    }
}

bool message_surface_in_place(struct emu_message_context *context, struct emu_surface *surface)
{
    bool bindless = context->message->address_model == SONDE_GEN_ADDRESS_BINDLESS;
    uint64_t address =
        (bindless ? context->dispatch->bindless_base : context->dispatch->surface_base) +
        context->message->surface_offset;
    uint32_t state[SURFACE_STATE_DWORDS];

    if (!emu_memory_read(context->worker, address, state, sizeof state)) {
        emu_worker_fault(context->worker, "surface state at 0x%llx is not mapped",
                         (unsigned long long)address);
        return false;
    }
    decode(state, surface);
    return true;
}

bool message_space_open(struct emu_message_context *context, struct message_space *space)
{
    const struct emu_surface *surface;
    struct emu_surface found;

    *space = (struct message_space){.context = context,
                                    .worker = context->worker,
                                    .tlb = emu_worker_tlb(context->worker),
                                    .limit = UINT64_MAX};
    switch ((enum sonde_gen_address_model)context->message->address_model) {
    case SONDE_GEN_ADDRESS_SLM:
        space->slm = context->slm;
        space->limit = context->slm ? context->dispatch->slm_size : 0;
        return true;
    case SONDE_GEN_ADDRESS_A64:
        return true;
    case SONDE_GEN_ADDRESS_SCRATCH:
        if (context->dispatch->scratch_surface) {
            space->base = context->dispatch->scratch_address +
                          (uint64_t)context->slot * context->dispatch->scratch_per_thread;
            return true;
        }
        space->base = context->dispatch->general_base + header_base(context);
        return true;
    case SONDE_GEN_ADDRESS_STATELESS:
        space->base = context->dispatch->general_base + header_base(context);
        return true;
    case SONDE_GEN_ADDRESS_SURFACE:
        surface = message_surface(context, context->message->bti);
        if (!surface)
            return false;
        open_surface(context, surface, space);
        return true;
    case SONDE_GEN_ADDRESS_SURFACE_STATE:
    case SONDE_GEN_ADDRESS_BINDLESS:
        if (!message_surface_in_place(context, &found))
            return false;
        open_surface(context, &found, space);
        return true;
    case SONDE_GEN_ADDRESS_NONE:
        break;
    }
    emu_worker_fault(context->worker, "message without an address model");
    return false;
}

enum emu_message_outcome message_fault(struct emu_message_context *context, const char *what)
{
    emu_worker_fault(context->worker, "%s", what);
    return EMU_MESSAGE_FAULT;
}

static const char *operation_name(uint8_t operation)
{
    switch ((enum sonde_gen_message_operation)operation) {
    case SONDE_GEN_MESSAGE_READ:
        return "read";
    case SONDE_GEN_MESSAGE_WRITE:
        return "write";
    case SONDE_GEN_MESSAGE_ATOMIC:
        return "atomic";
    case SONDE_GEN_MESSAGE_SAMPLE:
        return "sample";
    case SONDE_GEN_MESSAGE_TYPED_READ:
        return "typed read";
    case SONDE_GEN_MESSAGE_TYPED_WRITE:
        return "typed write";
    case SONDE_GEN_MESSAGE_TYPED_ATOMIC:
        return "typed atomic";
    case SONDE_GEN_MESSAGE_MEDIA_READ:
        return "media block read";
    case SONDE_GEN_MESSAGE_MEDIA_WRITE:
        return "media block write";
    default:
        return "access";
    }
}

enum emu_message_outcome message_fault_unmapped(const struct message_space *space, uint64_t offset,
                                                size_t size, uint32_t lane)
{
    const struct sonde_gen_message *message = space->context->message;
    char target[32] = "a 64-bit address";

    if (message->address_model == SONDE_GEN_ADDRESS_SURFACE)
        snprintf(target, sizeof target, "binding table entry %u", message->bti);
    else if (message->address_model == SONDE_GEN_ADDRESS_STATELESS)
        snprintf(target, sizeof target, "a stateless offset");
    else if (message->address_model == SONDE_GEN_ADDRESS_SCRATCH)
        snprintf(target, sizeof target, "scratch");
    emu_worker_fault(space->worker,
                     "%s of %zu bytes at unmapped address 0x%llx through %s, "
                     "channel %u",
                     operation_name(message->operation), size,
                     (unsigned long long)((space->base + offset) & MESSAGE_ADDRESS_MASK), target,
                     lane);
    return EMU_MESSAGE_FAULT;
}

uint32_t message_addresses(const struct emu_message_context *context, uint32_t first,
                           uint32_t lanes, uint64_t offsets[MESSAGE_LANES_MAX])
{
    uint32_t size = message_address_size(context->message);
    uint32_t registers = message_registers(lanes, size);
    uint8_t room[MESSAGE_LANES_MAX * 8];
    const uint8_t *addresses = message_payload_range(context, first, registers, room);
    unsigned shift = context->message->address_shift;

    if (size == 8) {
        memcpy(offsets, addresses, 8 * (size_t)lanes);
        return registers;
    }
    for (uint32_t lane = 0; lane < lanes && size == 4; lane++)
        offsets[lane] = (uint64_t)message_dword(addresses, lane) << shift;
    for (uint32_t lane = 0; lane < lanes && size == 2; lane++)
        offsets[lane] = (uint64_t)(addresses[2 * lane] | addresses[2 * lane + 1] << 8);
    if (context->message->address_model == SONDE_GEN_ADDRESS_SLM)
        for (uint32_t lane = 0; lane < lanes; lane++)
            offsets[lane] &= MESSAGE_SLM_MASK;
    return registers;
}
