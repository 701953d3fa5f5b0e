#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPECIAL_AT    UINT64_C(0x10000000)
#define CODE_AT       0x0u
#define GENERAL_AT    0x800000u /* general state base: payload and scratch */
#define PAYLOAD_AT    0x1000u   /* from there */
#define SCRATCH_AT    0x100000u
#define STATE_AT      0x400000u
#define STATE_BYTES   0x10000u
#define SPECIAL_BYTES 0x1800000u
#define PROFILE_AT    UINT64_C(0x700000000)
#define WINDOW_AT     UINT64_C(0x200000000)
#define TABLE_BYTES   0x400u
#define SCRATCH_EACH  0x2000u
#define LOCAL_SIZE    41u
#define GROUPS        2u
#define SURFACE_BYTES 0x8000u

static uint8_t *page(void *context, uint64_t address, bool write)
{
    struct world *world = context;
    uint64_t first = address & ~(uint64_t)(EMU_PAGE_SIZE - 1);
    (void)write;
    if (address >= SPECIAL_AT && address < SPECIAL_AT + SPECIAL_BYTES)
        return world->special + (first - SPECIAL_AT);
    if (address >= PROFILE_AT && address < PROFILE_AT + WORLD_PROFILE_BYTES)
        return world->profile + (first - PROFILE_AT);
    return world->window + first % WORLD_WINDOW_BYTES;
}

static void store32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static uint64_t surface_address(unsigned surface)
{
    return WINDOW_AT + (uint64_t)surface * SURFACE_BYTES;
}

uint64_t world_profile_address(void)
{
    return PROFILE_AT;
}

static void make_buffer(uint8_t *state, unsigned type, uint64_t address, uint32_t size)
{
    uint32_t last = size - 1;
    memset(state, 0, 64);
    store32(state, type << 29 | 0x1ffu << 18);
    store32(state + 8, (last & 0x7f) | (last >> 7 & 0x3fff) << 16);
    store32(state + 12, (last >> 21) << 21);
    store32(state + 32, (uint32_t)address);
    store32(state + 36, (uint32_t)(address >> 32));
}

/* 32 x 16 pixels of four 32-bit floats. */
static void make_image(uint8_t *state, uint64_t address)
{
    memset(state, 0, 64);
    store32(state, 1u << 29 | 0x000u << 18);
    store32(state + 8, 31 | 15u << 16);
    store32(state + 12, 32 * 16 - 1);
    store32(state + 28, 4u << 25 | 5u << 22 | 6u << 19 | 7u << 16);
    store32(state + 32, (uint32_t)address);
    store32(state + 36, (uint32_t)(address >> 32));
}

static void make_surfaces(struct world *world, const struct sonde_image_kernel *kernel)
{
    uint8_t *heap = world->special + STATE_AT;
    for (unsigned i = 0; i <= WORLD_PROFILE_BTI; i++) {
        uint8_t *state = heap + TABLE_BYTES + i * 64;
        store32(heap + 4 * i, (uint32_t)(TABLE_BYTES + i * 64));
        if (i == WORLD_PROFILE_BTI)
            make_buffer(state, 4, PROFILE_AT, WORLD_PROFILE_BYTES);
        else
            make_buffer(state, 4, surface_address(i % WORLD_SURFACES), SURFACE_BYTES);
    }
    for (size_t a = 0; a < kernel->argument_count; a++)
        if (kernel->arguments[a].kind == SONDE_ARGUMENT_IMAGE && kernel->arguments[a].has_surface)
            make_image(heap + TABLE_BYTES + kernel->arguments[a].bti * 64,
                       surface_address(kernel->arguments[a].bti % WORLD_SURFACES));
    /* Scratch of XeHPG: elements of a thread each. */
    uint8_t *scratch = heap + STATE_BYTES / 2;
    memset(scratch, 0, 64);
    store32(scratch, 6u << 29 | 0x1ffu << 18);
    store32(scratch + 12, SCRATCH_EACH - 1);
    store32(scratch + 32, (uint32_t)(SPECIAL_AT + GENERAL_AT + SCRATCH_AT));
}

struct world *world_create(enum sonde_gen_platform platform, uint64_t max_instructions, bool check)
{
    struct world *world = calloc(1, sizeof *world);
    if (world == NULL)
        return NULL;
    struct emu_options options = {
        .host_threads = 1, .max_instructions = max_instructions, .count = true, .check = check};
    world->special = calloc(1, SPECIAL_BYTES);
    world->profile = calloc(1, WORLD_PROFILE_BYTES);
    world->window = calloc(1, WORLD_WINDOW_BYTES);
    if (world->special == NULL || world->profile == NULL || world->window == NULL ||
        emu_create(&options, &world->emu) != SONDE_OK) {
        world_destroy(world);
        return NULL;
    }
    world->dispatch = (struct emu_dispatch){
        .platform = platform,
        .instruction_base = SPECIAL_AT + CODE_AT,
        .general_base = SPECIAL_AT + GENERAL_AT,
        .surface_base = SPECIAL_AT + STATE_AT,
        .dynamic_base = SPECIAL_AT + STATE_AT,
        .bindless_base = SPECIAL_AT + STATE_AT,
        .binding_table = SPECIAL_AT + STATE_AT,
        .sampler_table = SPECIAL_AT + STATE_AT + STATE_BYTES,
        .payload = world->payload,
        .denormals_preserve = true,
        .slm_size = 65536,
        .barrier_enable = true,
        .scratch_per_thread = SCRATCH_EACH,
        .scratch_code = 3,
        .slices = 1,
        .subslices = 3,
        .eus_per_subslice = 8,
        .threads_per_eu = 7,
        .indirect_start = PAYLOAD_AT,
    };
    world->dispatch.scratch_base = SCRATCH_AT;
    if (platform >= SONDE_GEN_PLATFORM_XEHPG) {
        world->dispatch.scratch_surface = true;
        world->dispatch.scratch_address = SPECIAL_AT + GENERAL_AT + SCRATCH_AT;
        world->dispatch.scratch_base = STATE_BYTES / 2 / 64 << 10;
    }
    return world;
}

void world_destroy(struct world *world)
{
    if (world == NULL)
        return;
    emu_result_clear(&world->result);
    emu_destroy(world->emu);
    free(world->special);
    free(world->profile);
    free(world->window);
    free(world);
}

/* Local ids of one thread, three registers or register pairs. */
static void write_ids(uint8_t *at, unsigned simd, unsigned thread)
{
    memset(at, 0, 6 * 32);
    for (unsigned lane = 0; lane < simd; lane++) {
        uint16_t id = (uint16_t)(thread * simd + lane);
        memcpy(at + 2 * lane, &id, sizeof id);
    }
}

/* Up to Xe everything arrives in registers. From XeHP on these hold the first
 * register of arguments and, when the hardware makes them, local ids; the rest
 * is in memory. */
static void set_group(struct world *world, unsigned simd, bool skip)
{
    struct emu_dispatch *dispatch = &world->dispatch;
    unsigned ids = simd == 32 ? 6 : 3, cross = (world->arguments.size + 31) / 32;
    unsigned threads = (LOCAL_SIZE + simd - 1) / simd, rest = LOCAL_SIZE % simd;
    bool in_memory = dispatch->platform >= SONDE_GEN_PLATFORM_XEHPG;
    uint8_t *memory = world->special + GENERAL_AT + PAYLOAD_AT;
    dispatch->simd = simd;
    dispatch->threads_per_group = threads;
    dispatch->group_end[0] = GROUPS;
    dispatch->group_end[1] = dispatch->group_end[2] = 1;
    dispatch->right_mask = rest == 0 ? UINT32_MAX : (1u << rest) - 1;
    dispatch->cross_thread_registers = in_memory ? 1 : cross;
    dispatch->per_thread_registers = !in_memory || skip ? ids : 0;
    unsigned start = 32 * dispatch->cross_thread_registers;
    memcpy(world->payload, world->arguments.bytes, start);
    for (unsigned t = 0; t < threads && dispatch->per_thread_registers != 0; t++)
        write_ids(world->payload + start + t * ids * 32, simd, t);
    dispatch->payload_size = start + threads * dispatch->per_thread_registers * 32;
    if (!in_memory)
        return;
    unsigned left = cross > 1 ? 32 * (cross - 1) : 0;
    memcpy(memory, world->arguments.bytes + 32, left);
    for (unsigned t = 0; t < threads; t++)
        write_ids(memory + left + t * ids * 32, simd, t);
}

bool world_set_kernel(struct world *world, const uint8_t *file, size_t size, unsigned index,
                      const struct sonde_image_kernel *kernel, bool skip)
{
    struct device_grid grid = {.local = LOCAL_SIZE,
                               .groups = GROUPS,
                               .scalar = 5,
                               .address = surface_address,
                               .surface_limit = WORLD_SURFACES};
    memset(&world->arguments, 0, sizeof world->arguments);
    if (!device_payload_fill(file, size, index, &grid, &world->arguments))
        return false;
    for (size_t a = 0; a < kernel->argument_count; a++) {
        const struct sonde_image_argument *argument = &kernel->arguments[a];
        bool pointer =
            argument->kind == SONDE_ARGUMENT_GLOBAL || argument->kind == SONDE_ARGUMENT_CONSTANT;
        uint64_t value = surface_address((unsigned)(a % WORLD_SURFACES));
        if (argument->has_surface)
            value = surface_address(argument->bti % WORLD_SURFACES);
        for (size_t p = 0; pointer && p < argument->piece_count; p++)
            if (argument->pieces[p].payload_offset + 8 <= sizeof world->arguments.bytes &&
                argument->pieces[p].size <= 8)
                memcpy(world->arguments.bytes + argument->pieces[p].payload_offset, &value,
                       argument->pieces[p].size);
    }
    make_surfaces(world, kernel);
    set_group(world, kernel->info.simd_width, skip);
    return true;
}

/* Small numbers; as floats, some of them ordinary ones. */
static void fill_window(struct world *world)
{
    uint64_t state = 99;
    for (unsigned i = 0; i < WORLD_WINDOW_BYTES; i += 4) {
        uint32_t value = machine_random(&state);
        value = value % 4 == 0 ? 0x3f000000u + value % 0x1800000u : value % 12;
        store32(world->window + i, value);
    }
}

bool world_run(struct world *world, const uint8_t *code, size_t size, uint32_t entry)
{
    struct sonde_error error;
    emu_result_clear(&world->result);
    if (size + 256 > STATE_AT)
        return false;
    memset(world->special + CODE_AT, 0, size + 256);
    memcpy(world->special + CODE_AT, code, size);
    memset(world->special + GENERAL_AT + SCRATCH_AT, 0x5c, 168 * SCRATCH_EACH);
    fill_window(world);
    world->dispatch.kernel_start = SPECIAL_AT + CODE_AT + entry;
    struct emu_memory memory = {.context = world, .page = page};
    if (emu_run(world->emu, &memory, &world->dispatch, &world->result, &error) != SONDE_OK) {
        snprintf(world->result.fault.reason, sizeof world->result.fault.reason, "%.200s",
                 error.message);
        return false;
    }
    return !world->result.fault.occurred;
}

uint64_t world_executions(const struct world *world, uint32_t offset)
{
    size_t low = 0, high = world->result.count_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (world->result.counts[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == world->result.count_count || world->result.counts[low].offset != offset)
        return 0;
    return world->result.counts[low].executions;
}
