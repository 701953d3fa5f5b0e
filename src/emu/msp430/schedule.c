/* Interrupts and stops that come from outside. */
#include <stdlib.h>
#include <string.h>

#include "emu/msp430/internal.h"

static enum sonde_status find_vector(const struct sonde_msp430_sim *sim, uint32_t vector,
                                     unsigned *index, struct sonde_error *error)
{
    uint32_t first = sim->device->vectors, count = sim->device->vector_count;
    if (vector < first || (vector & 1) != 0 || (vector - first) / 2 >= count - 1)
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                               "0x%04x is no interrupt vector of %s: they are even and from "
                               "0x%04x to 0x%04x",
                               vector, sim->device->name, first, first + 2 * (count - 2));
    *index = (vector - first) / 2;
    return SONDE_OK;
}

enum sonde_status sonde_msp430_sim_interrupt(struct sonde_msp430_sim *sim, uint32_t vector,
                                             struct sonde_error *error)
{
    unsigned index = 0;
    enum sonde_status status = find_vector(sim, vector, &index, error);
    if (status == SONDE_OK)
        sim->forced |= 1ull << index;
    return status;
}

enum sonde_status sonde_msp430_sim_schedule_interrupt(struct sonde_msp430_sim *sim, uint64_t cycle,
                                                      uint32_t vector, struct sonde_error *error)
{
    unsigned index = 0;
    enum sonde_status status = find_vector(sim, vector, &index, error);
    if (status != SONDE_OK)
        return status;
    size_t count = sim->scheduled_count;
    if ((count & (count - 1)) == 0) {
        struct msp430_scheduled *grown =
            realloc(sim->scheduled, (count == 0 ? 1 : 2 * count) * sizeof *grown);
        if (grown == NULL)
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
        sim->scheduled = grown;
    }
    size_t at = count;
    while (at > sim->scheduled_done && sim->scheduled[at - 1].cycle > cycle)
        at--;
    memmove(&sim->scheduled[at + 1], &sim->scheduled[at], (count - at) * sizeof *sim->scheduled);
    sim->scheduled[at] = (struct msp430_scheduled){.cycle = cycle, .vector = index};
    sim->scheduled_count++;
    sim->deadline = 0;
    return SONDE_OK;
}

uint64_t msp430_next_scheduled(const struct sonde_msp430_sim *sim)
{
    return sim->scheduled_done < sim->scheduled_count ? sim->scheduled[sim->scheduled_done].cycle
                                                      : MSP430_NEVER;
}

void msp430_take_scheduled(struct sonde_msp430_sim *sim)
{
    while (msp430_next_scheduled(sim) <= sim->cycle && sim->scheduled_done < sim->scheduled_count)
        sim->forced |= 1ull << sim->scheduled[sim->scheduled_done++].vector;
}

void sonde_msp430_sim_stop(struct sonde_msp430_sim *sim)
{
    sim->stop_requested = true;
    sim->deadline = 0;
}
