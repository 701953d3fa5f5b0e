#include "fake_emu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fake_behaviour fake_behaviour;
struct emu_dispatch fake_dispatch;
uint8_t fake_payload[4096];
atomic_uint fake_started, fake_finished;

struct emu {
    struct emu_options options;
};

enum sonde_status emu_create(const struct emu_options *options, struct emu **emu)
{
    *emu = calloc(1, sizeof **emu);
    if (*emu == NULL)
        return SONDE_ERROR_MEMORY;
    (*emu)->options = *options;
    return SONDE_OK;
}

void emu_destroy(struct emu *emu)
{
    free(emu);
}

static void store(const struct emu_memory *memory, const struct fake_store *s)
{
    uint8_t *page = memory->page(memory->context, s->address, true);
    if (page != NULL)
        memcpy(page + (s->address & (EMU_PAGE_SIZE - 1)), &s->value, sizeof s->value);
}

enum sonde_status emu_run(struct emu *emu, const struct emu_memory *memory,
                          const struct emu_dispatch *dispatch, struct emu_result *result,
                          struct sonde_error *error)
{
    (void)error;
    memset(result, 0, sizeof *result);
    fake_dispatch = *dispatch;
    if (dispatch->payload_size <= sizeof fake_payload)
        memcpy(fake_payload, dispatch->payload, dispatch->payload_size);
    atomic_fetch_add(&fake_started, 1);
    for (unsigned i = 0; i < fake_behaviour.store_count; i++)
        store(memory, &fake_behaviour.stores[i]);
    while (fake_behaviour.hang && !__atomic_load_n(emu->options.cancel, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    result->instructions = fake_behaviour.instructions;
    result->lanes = 8 * fake_behaviour.instructions;
    if (fake_behaviour.fault || fake_behaviour.hang) {
        result->fault.occurred = true;
        result->fault.kernel_start = dispatch->kernel_start;
        result->fault.instruction_offset = 16;
        snprintf(result->fault.reason, sizeof result->fault.reason, "asked for by the test");
    }
    if (emu->options.count && fake_behaviour.count_count > 0) {
        result->counts = malloc(sizeof fake_behaviour.counts);
        if (result->counts == NULL)
            return SONDE_ERROR_MEMORY;
        memcpy(result->counts, fake_behaviour.counts, sizeof fake_behaviour.counts);
        result->count_count = fake_behaviour.count_count;
    }
    atomic_fetch_add(&fake_finished, 1);
    return SONDE_OK;
}

bool emu_result_add(struct emu_result *sum, struct emu_result *part)
{
    sum->instructions += part->instructions;
    emu_result_clear(part);
    return true;
}

void emu_result_clear(struct emu_result *result)
{
    free(result->counts);
    *result = (struct emu_result){0};
}
