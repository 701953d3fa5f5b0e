/* COMPUTE_WALKER, XeHP and later: the interface descriptor stands in the
 * command, the kernel loads its payload itself, and the hardware may make the
 * local ids. (Formats: compute-runtime 22.43, shared/source/generated/
 * xe_hpg_core; register layout: read off what the compiler's prologs expect.) */
#include "device/connection.h"

#include <string.h>

#include "base/bytes.h"

#define GRF_SIZE   32u
#define DESCRIPTOR 18u /* dword of the interface descriptor */
#define POST_SYNC  26u
#define INLINE     31u

enum post_sync { POST_SYNC_NONE = 0, POST_SYNC_IMMEDIATE = 1, POST_SYNC_TIMESTAMP = 3 };

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* Interface descriptor fields. SLM size code: 0 none, n = 2^(n-1) KiB up to 64 KiB. */
static bool apply_descriptor(struct device_streamer *s, const uint32_t *idd,
                             struct emu_dispatch *dispatch)
{
    const struct device_state *state = s->state;
    uint32_t slm = idd[5] >> 16 & 0x1f;
    dispatch->kernel_start = (state->instruction_base + (idd[0] & ~0x3fu)) & DEVICE_ADDRESS_MASK;
    dispatch->denormals_preserve = idd[2] & (1u << 19);
    dispatch->sampler_state_pointer = idd[3] & ~0x1fu;
    dispatch->sampler_table =
        (state->dynamic_base + dispatch->sampler_state_pointer) & DEVICE_ADDRESS_MASK;
    dispatch->binding_table =
        (state->binding_table_base + (idd[4] & 0x1fffe0)) & DEVICE_ADDRESS_MASK;
    dispatch->threads_per_group = idd[5] & 0x3ff;
    dispatch->barrier_enable = idd[5] >> 28 & 7;
    dispatch->rounding_mode = idd[5] >> 22 & 3;
    dispatch->slm_size = slm == 0 ? 0 : 1024u << (slm - 1);
    if (slm > 7)
        device_streamer_fault(s, "COMPUTE_WALKER asks for SLM size code %u, above 64 KiB", slm);
    return slm <= 7;
}

/* The dimensions in the order in which local ids count, fastest first. */
static const uint8_t walk_orders[6][3] = {
    {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0},
};

/* 16-bit ids of the work-items of one thread: whole registers a dimension. */
static void write_local_ids(const uint32_t *words, const uint8_t *order, uint32_t simd,
                            uint32_t thread, uint8_t *out)
{
    const uint32_t size[3] = {(words[6] & 0x3ff) + 1, (words[6] >> 10 & 0x3ff) + 1,
                              (words[6] >> 20 & 0x3ff) + 1};
    uint32_t stride = (2 * simd + GRF_SIZE - 1) / GRF_SIZE * GRF_SIZE;
    for (uint32_t lane = 0; lane < simd; lane++) {
        uint32_t id[3], rest = thread * simd + lane;
        for (unsigned i = 0; i < 3; i++) {
            id[order[i]] = rest % size[order[i]];
            rest /= size[order[i]];
        }
        uint8_t *at = out;
        for (unsigned axis = 0; axis < 3; axis++) {
            if (!(words[4] >> (26 + axis) & 1))
                continue;
            base_store16(at + 2 * (size_t)lane, (uint16_t)id[axis]);
            at += stride;
        }
    }
}

/* What the hardware puts in registers from r1 on: the local ids when it makes
 * them, then the inline data. */
static bool build_payload(struct device_streamer *s, const uint32_t *words,
                          struct emu_dispatch *dispatch)
{
    uint32_t order = words[4] >> 22 & 7, axes = (uint32_t)__builtin_popcount(words[4] >> 26 & 7);
    uint32_t registers = (2 * dispatch->simd + GRF_SIZE - 1) / GRF_SIZE;
    bool generate = words[4] & (1u << 29), emit_inline = words[4] & (1u << 25);
    dispatch->cross_thread_registers = emit_inline ? 1 : 0;
    dispatch->per_thread_registers = generate ? axes * registers : 0;
    dispatch->payload = s->payload;
    dispatch->payload_size =
        GRF_SIZE * ((size_t)dispatch->cross_thread_registers +
                    (size_t)dispatch->threads_per_group * dispatch->per_thread_registers);
    if (order >= 6 || dispatch->payload_size > sizeof s->payload) {
        device_streamer_fault(s, "COMPUTE_WALKER of %u threads a group, walk order %u",
                              dispatch->threads_per_group, order);
        return false;
    }
    memset(s->payload, 0, dispatch->payload_size);
    uint8_t *at = s->payload;
    for (unsigned i = 0; emit_inline && i < 8; i++, at += 4)
        base_store32(at, words[INLINE + i]);
    if (generate)
        for (uint32_t i = 0; i < dispatch->threads_per_group; i++)
            write_local_ids(words, walk_orders[order], dispatch->simd, i,
                            at + (size_t)i * GRF_SIZE * dispatch->per_thread_registers);
    return true;
}

static bool apply_walker(struct device_streamer *s, const uint32_t *words,
                         struct emu_dispatch *dispatch)
{
    if (words[4] >> 30 == 3 || words[2] >> 30 || words[0] & (1u << 10)) {
        device_streamer_fault(s, "COMPUTE_WALKER with SIMD code %u, partitions or indirect groups",
                              words[4] >> 30);
        return false;
    }
    dispatch->simd = 8u << (words[4] >> 30);
    memcpy(dispatch->group_start, &words[10], sizeof dispatch->group_start);
    memcpy(dispatch->group_end, &words[7], sizeof dispatch->group_end);
    dispatch->right_mask = words[5];
    dispatch->indirect_start = words[3] & ~0x3fu;
    dispatch->indirect_size = words[2] & 0x1ffff;
    return build_payload(s, words, dispatch);
}

/* The scratch surface state gives the base and, as its pitch, the bytes a
 * thread. */
static bool apply_scratch(struct device_streamer *s, struct emu_dispatch *dispatch)
{
    const struct device_state *state = s->state;
    uint32_t surface[16];
    dispatch->scratch_per_thread = 0;
    dispatch->scratch_base = state->scratch_base / 64 << 10;
    if (state->scratch_base == 0)
        return true;
    uint64_t address = state->surface_base + state->scratch_base;
    if (!device_streamer_load(s, false, address & DEVICE_ADDRESS_MASK, surface, sizeof surface))
        return false;
    dispatch->scratch_surface = true;
    dispatch->scratch_address = join(surface[8], surface[9]) & DEVICE_ADDRESS_MASK;
    dispatch->scratch_per_thread = (surface[3] & 0x3ffff) + 1;
    return true;
}

/* Context start, global start, context end, global end: 32 bits each. */
static bool write_post_sync(struct device_streamer *s, const uint32_t *words, uint64_t begin)
{
    uint32_t operation = words[POST_SYNC] & 3;
    uint64_t address = join(words[POST_SYNC + 1], words[POST_SYNC + 2]) & DEVICE_ADDRESS_MASK;
    uint32_t start = (uint32_t)begin, end = (uint32_t)device_process_ticks(s->connection->process);
    const uint32_t stamps[4] = {start, start, end, end};
    if (operation == POST_SYNC_IMMEDIATE)
        return device_streamer_store(s, false, address, &words[POST_SYNC + 3], 8);
    return operation != POST_SYNC_TIMESTAMP ||
           device_streamer_store(s, false, address, stamps, sizeof stamps);
}

enum device_command_outcome device_gfx_compute_walker(struct device_streamer *s,
                                                      const uint32_t *words, uint32_t count)
{
    (void)count;
    struct emu_dispatch dispatch = {0};
    uint64_t begin = device_process_ticks(s->connection->process);
    device_dispatch_apply_state(s, &dispatch);
    if (!apply_descriptor(s, &words[DESCRIPTOR], &dispatch) || !apply_walker(s, words, &dispatch) ||
        !apply_scratch(s, &dispatch))
        return DEVICE_COMMAND_FAULT;
    device_dispatch_run(s, &dispatch, words[DESCRIPTOR + 4] & 0x1f);
    return write_post_sync(s, words, begin) ? DEVICE_COMMAND_DONE : DEVICE_COMMAND_FAULT;
}

/* dword 1, bits 31:10: offset of the scratch surface state from the surface
 * base, in units of 64 bytes; 0 when the kernel has no scratch. */
enum device_command_outcome device_gfx_cfe_state(struct device_streamer *s, const uint32_t *words,
                                                 uint32_t count)
{
    (void)count;
    s->state->scratch_base = (words[1] >> 10) * 64;
    return DEVICE_COMMAND_DONE;
}

enum device_command_outcome device_gfx_binding_table_pool(struct device_streamer *s,
                                                          const uint32_t *words, uint32_t count)
{
    (void)count;
    s->state->binding_table_base = join(words[1] & ~0xfffu, words[2]) & DEVICE_ADDRESS_MASK;
    return DEVICE_COMMAND_DONE;
}
