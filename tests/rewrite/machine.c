#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE         UINT64_C(0x10000000)
#define BYTES        0x1000000u
#define CODE_AT      0u
#define CODE_BYTES   0x400000u
#define STATE_AT     0x400000u
#define SCRATCH_AT   0x500000u
#define SURFACES_AT  0x800000u
#define TABLE_BYTES  0x400u
#define THREAD_LIMIT 1024u

static uint8_t *page(void *context, uint64_t address, bool write)
{
    struct machine *machine = context;
    (void)write;
    if (address < BASE || address >= BASE + BYTES)
        return NULL;
    return machine->memory + ((address - BASE) & ~(uint64_t)(EMU_PAGE_SIZE - 1));
}

static void store32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

/* Binding table, then one buffer surface state a surface. */
static void make_surfaces(struct machine *machine)
{
    uint8_t *heap = machine->memory + STATE_AT;
    for (unsigned i = 0; i < MACHINE_SURFACES; i++) {
        uint32_t offset = TABLE_BYTES + i * 64, last = MACHINE_SURFACE_BYTES - 1;
        if (i == MACHINE_PROFILE)
            last = MACHINE_PROFILE_BYTES - 1;
        store32(heap + 4 * i, offset);
        store32(heap + offset, 4u << 29 | 0x1ffu << 18);
        store32(heap + offset + 8, (last & 0x7f) | (last >> 7 & 0x3fff) << 16);
        store32(heap + offset + 12, (last >> 21) << 21);
        store32(heap + offset + 32, (uint32_t)machine_surface_address(i));
    }
}

struct machine *machine_create(void)
{
    struct machine *machine = calloc(1, sizeof *machine);
    if (machine == NULL)
        return NULL;
    struct emu_options options = {.host_threads = 1, .max_instructions = 20000000, .count = true};
    machine->memory = calloc(1, BYTES);
    if (machine->memory == NULL || emu_create(&options, &machine->emu) != SONDE_OK) {
        machine_destroy(machine);
        return NULL;
    }
    machine->dispatch = (struct emu_dispatch){
        .platform = SONDE_GEN_PLATFORM_GEN9,
        .instruction_base = BASE + CODE_AT,
        .kernel_start = BASE + CODE_AT,
        .general_base = BASE + SCRATCH_AT,
        .surface_base = BASE + STATE_AT,
        .dynamic_base = BASE + STATE_AT,
        .binding_table = BASE + STATE_AT,
        .sampler_table = BASE + STATE_AT,
        .payload = machine->payload,
        .denormals_preserve = true,
        .slm_size = 65536,
        .barrier_enable = true,
        .scratch_base = 0x400,
        .scratch_per_thread = MACHINE_SCRATCH,
        .scratch_code = 4,
        .slices = 1,
        .subslices = 3,
        .eus_per_subslice = 8,
        .threads_per_eu = 7,
    };
    make_surfaces(machine);
    return machine;
}

void machine_destroy(struct machine *machine)
{
    if (machine == NULL)
        return;
    emu_result_clear(&machine->result);
    emu_destroy(machine->emu);
    free(machine->memory);
    free(machine);
}

uint8_t *machine_surface(struct machine *machine, unsigned index)
{
    return machine->memory + SURFACES_AT + index * MACHINE_SURFACE_BYTES;
}

uint64_t machine_surface_address(unsigned index)
{
    return BASE + SURFACES_AT + index * MACHINE_SURFACE_BYTES;
}

void machine_set_group(struct machine *machine, unsigned simd, unsigned local_size, unsigned groups,
                       unsigned cross_thread_bytes)
{
    unsigned registers = simd == 32 ? 2 : 1;
    unsigned threads = (local_size + simd - 1) / simd, rest = local_size % simd;
    struct emu_dispatch *dispatch = &machine->dispatch;
    dispatch->simd = simd;
    dispatch->threads_per_group = threads;
    dispatch->group_end[0] = groups;
    dispatch->group_end[1] = dispatch->group_end[2] = 1;
    uint32_t all = simd == 32 ? UINT32_MAX : (1u << simd) - 1;
    dispatch->right_mask = rest == 0 ? all : (1u << rest) - 1;
    dispatch->cross_thread_registers = cross_thread_bytes / 32;
    dispatch->per_thread_registers = 3 * registers;
    for (unsigned t = 0; t < threads; t++) {
        uint8_t *block = machine->payload + cross_thread_bytes + t * 3 * registers * 32;
        memset(block, 0, 3 * registers * 32);
        for (unsigned lane = 0; lane < simd; lane++) {
            uint16_t id = (uint16_t)(t * simd + lane);
            memcpy(block + 2 * lane, &id, sizeof id);
        }
    }
    dispatch->payload_size = cross_thread_bytes + threads * 3 * registers * 32;
}

bool machine_run(struct machine *machine, const uint8_t *code, size_t size, uint32_t entry)
{
    struct sonde_error error = {.message = ""};
    emu_result_clear(&machine->result);
    if (size + 256 > CODE_BYTES)
        return false;
    memset(machine->memory + CODE_AT, 0, CODE_BYTES);
    memcpy(machine->memory + CODE_AT, code, size);
    memset(machine->memory + SCRATCH_AT, 0x5c, SURFACES_AT - SCRATCH_AT);
    machine->dispatch.kernel_start = BASE + CODE_AT + entry;
    struct emu_memory memory = {.context = machine, .page = page};
    if (emu_run(machine->emu, &memory, &machine->dispatch, &machine->result, &error) != SONDE_OK) {
        fprintf(stderr, "emulator: %s\n", error.message);
        return false;
    }
    const struct emu_fault *fault = &machine->result.fault;
    if (fault->occurred)
        fprintf(stderr, "fault at 0x%x: %s: %s\n", fault->instruction_offset, fault->reason,
                fault->instruction);
    return !fault->occurred;
}

uint64_t machine_executions(const struct machine *machine, uint32_t offset)
{
    size_t low = 0, high = machine->result.count_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (machine->result.counts[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == machine->result.count_count || machine->result.counts[low].offset != offset)
        return 0;
    return machine->result.counts[low].executions;
}

uint32_t machine_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state * 0x2545f4914f6cdd1du >> 32);
}
