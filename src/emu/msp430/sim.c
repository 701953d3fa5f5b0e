/* The life of a simulator and its public accessors. */
#include <stdlib.h>
#include <string.h>

#include "emu/msp430/internal.h"

static void free_all(struct sonde_msp430_sim *sim)
{
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        if (sim->peripherals[i].unit->ops == &msp430_uart_ops)
            msp430_uart_clear(&sim->peripherals[i]);
        free(sim->peripherals[i].state);
    }
    msp430_symbols_clear(sim);
    free(sim->memory);
    free(sim->ops);
    free(sim->calls);
    free(sim->scheduled);
    free(sim->hooks);
    free(sim);
}

/* Attributes of the pages that the device's regions cover; what shares a page
 * with peripherals would be slow, so regions start on pages. */
static void map_regions(struct sonde_msp430_sim *sim)
{
    const struct msp430_device *device = sim->device;
    for (size_t i = 0; i < sizeof device->regions / sizeof *device->regions; i++) {
        const struct msp430_region *region = &device->regions[i];
        if (region->attributes == 0)
            continue;
        for (uint32_t page = region->first >> MSP430_PAGE_BITS;
             page <= region->last >> MSP430_PAGE_BITS; page++)
            sim->pages[page] = region->attributes;
        memset(sim->memory + region->first, region->attributes & MSP430_PAGE_RAM ? 0 : 0xff,
               region->last - region->first + 1);
    }
}

static bool add_peripherals(struct sonde_msp430_sim *sim)
{
    for (size_t i = 0; i < MSP430_MAX_PERIPHERALS && sim->device->units[i].ops != NULL; i++) {
        struct msp430_peripheral *peripheral = &sim->peripherals[i];
        peripheral->unit = &sim->device->units[i];
        peripheral->state = calloc(1, peripheral->unit->ops->state_size + 1);
        sim->peripheral_count++;
        if (peripheral->state == NULL)
            return false;
    }
    return true;
}

static enum sonde_status set_options(struct sonde_msp430_sim *sim,
                                     const struct sonde_msp430_options *options,
                                     struct sonde_error *error)
{
    if (options != NULL)
        sim->options = *options;
    struct sonde_msp430_markers *markers = &sim->options.markers;
    sim->markers_from_note = markers->enter == 0 && markers->exit == 0;
    if (sim->markers_from_note)
        *markers = sonde_msp430_default_markers(sim->device->core);
    if (sim->options.aclk_divider == 0)
        sim->options.aclk_divider = 32;
    if (sim->options.markers_enabled)
        return sonde_msp430_markers_check(sim->device->core, *markers, error);
    return SONDE_OK;
}

enum sonde_status sonde_msp430_sim_create(const char *device,
                                          const struct sonde_msp430_options *options,
                                          struct sonde_msp430_sim **result,
                                          struct sonde_error *error)
{
    *result = NULL;
    const struct msp430_device *found = msp430_device_find(device);
    if (found == NULL)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "no MSP430 device '%s' is known",
                               device);
    struct sonde_msp430_sim *sim = calloc(1, sizeof *sim);
    if (sim == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    sim->device = found;
    sim->memory = calloc(1, MSP430_MEMORY_SIZE + 2);
    sim->ops = calloc(MSP430_MEMORY_SIZE / 2 + 8, sizeof *sim->ops);
    sim->calls = calloc(MSP430_MEMORY_SIZE / 2 + 1, sizeof *sim->calls);
    bool complete =
        sim->memory != NULL && sim->ops != NULL && sim->calls != NULL && add_peripherals(sim);
    enum sonde_status status = complete
                                   ? set_options(sim, options, error)
                                   : sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    if (status != SONDE_OK) {
        free_all(sim);
        return status;
    }
    map_regions(sim);
    *result = sim;
    return SONDE_OK;
}

void sonde_msp430_sim_destroy(struct sonde_msp430_sim *sim)
{
    if (sim != NULL)
        free_all(sim);
}

void sonde_msp430_sim_reset(struct sonde_msp430_sim *sim)
{
    memset(sim->r, 0, sizeof sim->r);
    sim->reset_requested = sim->has_fault = sim->halted = false;
    sim->sleeping = sim->hold_interrupts = false;
    sim->stopped_clocks = 0;
    sim->forced = 0;
    sim->loop_taken = false;
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        struct msp430_peripheral *peripheral = &sim->peripherals[i];
        peripheral->updated = sim->cycle;
        peripheral->unit->ops->reset(sim, peripheral);
    }
    uint32_t vector = sim->device->vectors + 2u * (sim->device->vector_count - 1u);
    sim->r[0] = msp430_load(sim, vector, false) & ~1u;
    msp430_event(sim, SONDE_MSP430_EVENT_RESET, sim->r[0], vector);
    sim->cycle += 4;
}

static void set_stop_address(struct sonde_msp430_sim *sim, const struct sonde_msp430_limits *limits)
{
    bool same = sim->has_stop_address == limits->has_stop_address &&
                sim->stop_address == limits->stop_address;
    if (same)
        return;
    if (sim->has_stop_address)
        sim->ops[sim->stop_address >> 1].handler = 0;
    sim->has_stop_address = limits->has_stop_address;
    sim->stop_address = limits->stop_address & (MSP430_MEMORY_SIZE - 1);
    if (sim->has_stop_address)
        sim->ops[sim->stop_address >> 1].handler = 0;
}

struct sonde_msp430_result sonde_msp430_sim_run(struct sonde_msp430_sim *sim,
                                                const struct sonde_msp430_limits *limits)
{
    uint64_t last =
        limits->instructions == 0 ? UINT64_MAX : sim->instructions + limits->instructions;
    sim->has_fault = sim->halted = sim->stop_requested = false;
    set_stop_address(sim, limits);
    msp430_interpret(sim, limits, last);
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        struct msp430_peripheral *peripheral = &sim->peripherals[i];
        if (sim->result.reason == SONDE_MSP430_STOP_HALTED &&
            peripheral->unit->ops == &msp430_uart_ops)
            msp430_uart_finish(sim, peripheral);
    }
    return sim->result;
}

enum sonde_msp430_core sonde_msp430_sim_core(const struct sonde_msp430_sim *sim)
{
    return sim->device->core;
}

struct sonde_msp430_markers sonde_msp430_sim_markers(const struct sonde_msp430_sim *sim)
{
    return sim->options.markers;
}

struct sonde_msp430_counts sonde_msp430_sim_counts(const struct sonde_msp430_sim *sim)
{
    return (struct sonde_msp430_counts){.cycles = sim->cycle,
                                        .idle_cycles = sim->idle_cycles,
                                        .instructions = sim->instructions,
                                        .interrupts = sim->interrupts};
}

uint32_t sonde_msp430_sim_register(const struct sonde_msp430_sim *sim, unsigned reg)
{
    return reg < 16 ? sim->r[reg] : 0;
}

void sonde_msp430_sim_set_register(struct sonde_msp430_sim *sim, unsigned reg, uint32_t value)
{
    uint32_t mask = sim->device->core == SONDE_MSP430_CORE_CPU || reg == 2 ? 0xffffu : 0xfffffu;
    if (reg < 16)
        sim->r[reg] = value & (reg == 0 ? mask & ~1u : mask);
}

void sonde_msp430_sim_read(const struct sonde_msp430_sim *sim, uint32_t address, void *data,
                           size_t size)
{
    uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        uint64_t at = (uint64_t)address + i;
        bool plain =
            at < MSP430_MEMORY_SIZE && (sim->pages[at >> MSP430_PAGE_BITS] & MSP430_PAGE_READ) != 0;
        bytes[i] = plain ? sim->memory[at] : 0;
    }
}

void sonde_msp430_sim_write(struct sonde_msp430_sim *sim, uint32_t address, const void *data,
                            size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        uint64_t at = (uint64_t)address + i;
        if (at >= MSP430_MEMORY_SIZE || !(sim->pages[at >> MSP430_PAGE_BITS] & MSP430_PAGE_READ))
            continue;
        sim->memory[at] = bytes[i];
        msp430_forget_instructions(sim, (uint32_t)at);
    }
}

struct msp430_peripheral *msp430_find_unit(struct sonde_msp430_sim *sim,
                                           const struct msp430_peripheral_ops *ops, unsigned number)
{
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        const struct msp430_unit *unit = sim->peripherals[i].unit;
        if (unit->ops == ops && unit->number == number)
            return &sim->peripherals[i];
    }
    return NULL;
}

enum sonde_status sonde_msp430_sim_uart_send(struct sonde_msp430_sim *sim, unsigned unit,
                                             uint8_t byte, struct sonde_error *error)
{
    struct msp430_peripheral *uart = msp430_find_unit(sim, &msp430_uart_ops, unit);
    if (uart == NULL)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "%s has no UART %u",
                               sim->device->name, unit);
    if (!msp430_uart_queue(sim, uart, byte))
        return sonde_error_set(error, SONDE_ERROR_RANGE, 0,
                               "more than 16 MB wait for UART %u to receive them", unit);
    return SONDE_OK;
}

enum sonde_status sonde_msp430_sim_port_input(struct sonde_msp430_sim *sim, unsigned port,
                                              uint8_t levels, struct sonde_error *error)
{
    struct msp430_peripheral *found = msp430_find_unit(sim, &msp430_port_ops, port);
    if (found == NULL)
        return sonde_error_set(error, SONDE_ERROR_NOT_FOUND, 0, "%s has no port %u",
                               sim->device->name, port);
    msp430_port_set_input(sim, found, levels);
    return SONDE_OK;
}

const char *sonde_msp430_stop_name(enum sonde_msp430_stop reason)
{
    static const char *const names[SONDE_MSP430_STOP_COUNT] = {
        [SONDE_MSP430_STOP_CYCLES] = "cycle limit reached",
        [SONDE_MSP430_STOP_INSTRUCTIONS] = "instruction limit reached",
        [SONDE_MSP430_STOP_ADDRESS] = "stop address reached",
        [SONDE_MSP430_STOP_HALTED] = "program ended",
        [SONDE_MSP430_STOP_UNDEFINED] = "undefined opcode",
        [SONDE_MSP430_STOP_UNALIGNED] = "word at an odd address",
        [SONDE_MSP430_STOP_EXECUTION] = "execution outside of program memory",
        [SONDE_MSP430_STOP_STACK] = "stack in the program's data",
        [SONDE_MSP430_STOP_REQUESTED] = "stopped as asked",
    };
    return (unsigned)reason < SONDE_MSP430_STOP_COUNT ? names[reason] : "unknown";
}
