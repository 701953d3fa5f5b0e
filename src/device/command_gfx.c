/* Pipeline commands other than the walker. */
#include "device/connection.h"

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* dword 1: bits 15:14 post-sync operation (1 immediate, 3 timestamp), bit 24
 * global address; dwords 2-3 address, 4-5 immediate. The driver's completion
 * tag is such an immediate. */
enum device_command_outcome device_gfx_pipe_control(struct device_streamer *s,
                                                    const uint32_t *words, uint32_t count)
{
    (void)count;
    uint32_t operation = words[1] >> 14 & 3;
    uint64_t value;
    if (operation == 0)
        return DEVICE_COMMAND_DONE;
    if (operation == 2) {
        device_streamer_fault(s, "PIPE_CONTROL asks for a depth count");
        return DEVICE_COMMAND_FAULT;
    }
    value =
        operation == 3 ? device_process_ticks(s->connection->process) : join(words[4], words[5]);
    return device_streamer_store(s, words[1] & (1u << 24), join(words[2] & ~3u, words[3]), &value,
                                 sizeof value)
               ? DEVICE_COMMAND_DONE
               : DEVICE_COMMAND_FAULT;
}

/* Bit 0 of each address says whether it changes; bits 31:12 and the next dword
 * are the address. */
enum device_command_outcome device_gfx_state_base_address(struct device_streamer *s,
                                                          const uint32_t *words, uint32_t count)
{
    struct device_state *state = s->state;
    const struct {
        uint32_t word;
        uint64_t *base;
    } fields[] = {
        {1, &state->general_base},  {4, &state->surface_base},      {6, &state->dynamic_base},
        {8, &state->indirect_base}, {10, &state->instruction_base}, {16, &state->bindless_base},
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint32_t word = fields[i].word;
        if (word + 1 < count && (words[word] & 1))
            *fields[i].base = join(words[word] & ~0xfffu, words[word + 1]) & DEVICE_ADDRESS_MASK;
    }
    return DEVICE_COMMAND_DONE;
}

/* dword 1: bits 31:10 scratch base from the general base, bits 3:0 size code
 * of a thread's scratch, 1 KiB << code. Base 0 is what the driver writes when
 * the kernel has none: a scratch area starts at 0x1000. */
enum device_command_outcome device_gfx_vfe_state(struct device_streamer *s, const uint32_t *words,
                                                 uint32_t count)
{
    (void)count;
    s->state->scratch_base = words[1] & ~0x3ffu;
    s->state->scratch_code = words[1] & 0xf;
    s->state->scratch_per_thread = 0;
    if (s->state->scratch_base == 0)
        return DEVICE_COMMAND_DONE;
    if (s->state->scratch_code > 11) {
        device_streamer_fault(s, "MEDIA_VFE_STATE scratch size code %u is above 11 (2 MiB)",
                              s->state->scratch_code);
        return DEVICE_COMMAND_FAULT;
    }
    s->state->scratch_per_thread = 1024u << s->state->scratch_code;
    return DEVICE_COMMAND_DONE;
}

enum device_command_outcome device_gfx_descriptor_load(struct device_streamer *s,
                                                       const uint32_t *words, uint32_t count)
{
    (void)count;
    s->state->descriptor_size = words[2] & 0x1ffff;
    s->state->descriptor_offset = words[3];
    return DEVICE_COMMAND_DONE;
}

/* dword 1: bits 31:16 say which of bits 15:0 change; bit 15 large register file. */
enum device_command_outcome device_gfx_compute_mode(struct device_streamer *s,
                                                    const uint32_t *words, uint32_t count)
{
    (void)count;
    if (words[1] >> 31)
        s->state->large_grf = words[1] & 1u << 15;
    return DEVICE_COMMAND_DONE;
}
