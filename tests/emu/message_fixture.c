#include "message_fixture.h"

#include <stdio.h>
#include <stdlib.h>

static struct fixture_page *find(struct fixture_memory *memory, uint64_t address)
{
    uint64_t number = (address & ((UINT64_C(1) << 48) - 1)) / EMU_PAGE_SIZE;

    for (unsigned i = 0; i < memory->count; i++)
        if (memory->pages[i].number == number)
            return &memory->pages[i];
    return NULL;
}

static uint8_t *page(void *context, uint64_t address, bool write)
{
    struct fixture_page *found = find(context, address);

    if (!found)
        return NULL;
    if (write)
        __atomic_store_n(&found->written, true, __ATOMIC_RELAXED);
    return found->host;
}

void emu_worker_fault(struct emu_worker *worker, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(worker->fault, sizeof worker->fault, format, arguments);
    va_end(arguments);
}

void emu_worker_out_of_bounds(struct emu_worker *worker, uint32_t lanes)
{
    worker->outside += lanes;
}

bool emu_worker_touch(struct emu_worker *worker, uint64_t address, size_t size)
{
    (void)worker;
    (void)address;
    (void)size;
    return false;
}

struct emu_tlb_entry *emu_worker_tlb(struct emu_worker *worker)
{
    return worker->tlb;
}

const struct emu_memory *emu_worker_memory(struct emu_worker *worker)
{
    return &worker->memory;
}

struct emu_surface *emu_worker_surfaces(struct emu_worker *worker)
{
    return worker->surfaces;
}

struct emu_worker *fixture_create(struct fixture_memory *shared)
{
    struct emu_worker *worker = aligned_alloc(64, sizeof *worker);

    assert_non_null(worker);
    memset(worker, 0, sizeof *worker);
    worker->pages = shared ? shared : calloc(1, sizeof *worker->pages);
    assert_non_null(worker->pages);
    worker->memory = (struct emu_memory){worker->pages, page};
    worker->dispatch = (struct emu_dispatch){
        .general_base = FIXTURE_GENERAL,
        .surface_base = FIXTURE_SURFACES,
        .dynamic_base = FIXTURE_DYNAMIC,
        .binding_table = FIXTURE_BINDING_TABLE,
        .sampler_table = FIXTURE_SAMPLERS,
        .slm_size = 4096,
    };
    if (!shared) {
        fixture_map(worker, FIXTURE_BINDING_TABLE, EMU_PAGE_SIZE);
        fixture_map(worker, FIXTURE_SURFACES, EMU_PAGE_SIZE);
        fixture_map(worker, FIXTURE_SAMPLERS, EMU_PAGE_SIZE);
    }
    fixture_fill_registers(worker);
    return worker;
}

void fixture_destroy(struct emu_worker *worker, bool with_memory)
{
    if (with_memory) {
        for (unsigned i = 0; i < worker->pages->count; i++)
            free(worker->pages->pages[i].host - EMU_PAGE_SIZE);
        free(worker->pages);
    }
    free(worker);
}

uint8_t fixture_pattern(uint64_t address)
{
    return (uint8_t)((address * 0x9e3779b97f4a7c15u) >> 56);
}

void fixture_map(struct emu_worker *worker, uint64_t address, size_t size)
{
    uint64_t end = address + size;

    for (uint64_t at = address / EMU_PAGE_SIZE * EMU_PAGE_SIZE; at < end; at += EMU_PAGE_SIZE) {
        struct fixture_page *new_page;
        uint8_t *guarded;

        if (find(worker->pages, at))
            continue;
        assert_true(worker->pages->count < FIXTURE_PAGES);
        new_page = &worker->pages->pages[worker->pages->count++];
        /* A page on either side that belongs to nobody. */
        guarded = calloc(3, EMU_PAGE_SIZE);
        assert_non_null(guarded);
        *new_page = (struct fixture_page){(at & ((UINT64_C(1) << 48) - 1)) / EMU_PAGE_SIZE,
                                          guarded + EMU_PAGE_SIZE, false};
        for (unsigned i = 0; i < EMU_PAGE_SIZE; i++)
            new_page->host[i] = fixture_pattern(at + i);
    }
}

static uint8_t *host(struct emu_worker *worker, uint64_t address)
{
    struct fixture_page *found = find(worker->pages, address);

    assert_non_null(found);
    return found->host + address % EMU_PAGE_SIZE;
}

void fixture_get(struct emu_worker *worker, uint64_t address, void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)data)[i] = *host(worker, address + i);
}

void fixture_put(struct emu_worker *worker, uint64_t address, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *host(worker, address + i) = ((const uint8_t *)data)[i];
}

bool fixture_written(struct emu_worker *worker, uint64_t address)
{
    struct fixture_page *found = find(worker->pages, address);

    return found && found->written;
}

void fixture_surface(struct emu_worker *worker, unsigned bti, const uint32_t state[16])
{
    uint32_t offset = bti * 64;

    assert_true(bti < EMU_PAGE_SIZE / 64);
    fixture_put(worker, FIXTURE_BINDING_TABLE + 4 * bti, &offset, sizeof offset);
    fixture_put(worker, FIXTURE_SURFACES + offset, state, 64);
    worker->surfaces[bti].valid = false;
}

void fixture_buffer(struct emu_worker *worker, unsigned bti, uint64_t base, uint64_t size)
{
    uint64_t last = size - 1;
    uint32_t state[16] = {
        [0] = 4u << 29 | 0x1ffu << 18,
        [2] = (uint32_t)(last & 0x7f) | (uint32_t)(last >> 7 & 0x3fff) << 16,
        [3] = (uint32_t)(last >> 21 & 0x7ff) << 21,
        [8] = (uint32_t)base,
        [9] = (uint32_t)(base >> 32),
    };

    fixture_surface(worker, bti, state);
}

void fixture_image(struct emu_worker *worker, unsigned bti, const struct fixture_image *image)
{
    static const uint8_t identity[4] = {4, 5, 6, 7};
    uint32_t selected = 0;
    memcpy(&selected, image->select, 4);
    const uint8_t *select = selected ? image->select : identity;
    uint32_t state[16] = {
        [0] = image->type << 29 | (image->array ? 1u << 28 : 0) | image->format << 18 |
              image->tile << 12,
        [1] = image->qpitch / 4,
        [2] = (image->width - 1) | (image->height - 1) << 16,
        [3] = (image->pitch - 1) | (image->depth - 1) << 21,
        [7] = (uint32_t)select[0] << 25 | (uint32_t)select[1] << 22 | (uint32_t)select[2] << 19 |
              (uint32_t)select[3] << 16,
        [8] = (uint32_t)image->base,
        [9] = (uint32_t)(image->base >> 32),
    };

    fixture_surface(worker, bti, state);
}

uint32_t fixture_random(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

void fixture_fill_registers(struct emu_worker *worker)
{
    for (size_t i = 0; i < sizeof worker->grf; i++)
        worker->grf[i] = (uint8_t)fixture_random();
}

uint8_t *fixture_grf(struct emu_worker *worker, unsigned number)
{
    return worker->grf + (size_t)number * EMU_GRF_SIZE;
}

enum emu_message_outcome fixture_run(struct emu_worker *worker, uint32_t enabled, bool split)
{
    return fixture_run_to(worker, enabled, split, FIXTURE_DST);
}

enum emu_message_outcome fixture_run_to(struct emu_worker *worker, uint32_t enabled, bool split,
                                        uint32_t dst)
{
    worker->fault[0] = 0;
    worker->context = (struct emu_message_context){
        .worker = worker,
        .grf = worker->grf,
        .enabled = enabled,
        .dispatch = &worker->dispatch,
        .slm = worker->dispatch.slm_size ? worker->slm : NULL,
        .dst = worker->message.response_registers ? dst : UINT32_MAX,
        .src0 = FIXTURE_SRC0,
        .src1 = split ? FIXTURE_SRC1 : UINT32_MAX,
        .message = &worker->message,
    };
    return emu_message_execute(&worker->context);
}
