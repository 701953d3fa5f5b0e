/* The watchdog: WDT+ of 2xx and WDT_A of 5xx (unit number 1). */
#include "emu/msp430/internal.h"

enum { HOLD = 0x80, INTERVAL = 0x10, CLEAR = 0x08, FLAG = 1 };

struct watchdog {
    uint8_t control;
    uint64_t count; /* MCLK cycles that its clock ran */
};

static void reset(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    (void)sim;
    struct watchdog *watchdog = peripheral->state;
    *watchdog = (struct watchdog){.control = peripheral->unit->number == 1 ? 4 : 0};
}

static bool owns(const struct msp430_peripheral *peripheral, uint32_t address)
{
    return address - peripheral->unit->base < 2;
}

static enum msp430_clock clock_of(const struct msp430_peripheral *peripheral)
{
    const struct watchdog *watchdog = peripheral->state;
    if (watchdog->control & HOLD)
        return MSP430_CLOCK_NONE;
    unsigned select =
        peripheral->unit->number == 1 ? watchdog->control >> 5 & 3 : watchdog->control >> 2 & 1;
    return select == 0 ? MSP430_CLOCK_SMCLK : MSP430_CLOCK_ACLK;
}

/* The interval in MCLK cycles. */
static uint64_t interval(const struct sonde_msp430_sim *sim,
                         const struct msp430_peripheral *peripheral)
{
    static const uint8_t old_shift[4] = {15, 13, 9, 6};
    static const uint8_t new_shift[8] = {31, 27, 23, 19, 15, 13, 9, 6};
    const struct watchdog *watchdog = peripheral->state;
    unsigned shift = peripheral->unit->number == 1 ? new_shift[watchdog->control & 7]
                                                   : old_shift[watchdog->control & 3];
    return (1ull << shift) * msp430_clock_period(sim, clock_of(peripheral));
}

static void advance(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    struct watchdog *watchdog = peripheral->state;
    watchdog->count += msp430_elapsed(sim, peripheral, clock_of(peripheral));
    uint64_t length = interval(sim, peripheral);
    if (watchdog->count < length)
        return;
    watchdog->count %= length;
    if (watchdog->control & INTERVAL)
        sim->sfr_flags[0] |= FLAG;
    else
        sim->reset_requested = true;
}

static uint64_t next(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral)
{
    const struct watchdog *watchdog = peripheral->state;
    if (!msp430_clock_runs(sim, clock_of(peripheral)))
        return MSP430_NEVER;
    if ((watchdog->control & INTERVAL) && !(sim->sfr_enable[0] & FLAG))
        return MSP430_NEVER;
    return peripheral->updated + interval(sim, peripheral) - watchdog->count;
}

static uint16_t read(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                     uint32_t address, bool byte)
{
    (void)sim;
    const struct watchdog *watchdog = peripheral->state;
    return byte && (address & 1) ? 0x69 : (uint16_t)(0x6900 | watchdog->control);
}

static void write(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                  uint32_t address, uint16_t value, bool byte)
{
    (void)address;
    struct watchdog *watchdog = peripheral->state;
    if (byte || value >> 8 != 0x5a) {
        sim->reset_requested = true;
        return;
    }
    if (value & CLEAR)
        watchdog->count = 0;
    watchdog->control = (uint8_t)(value & ~CLEAR);
}

static uint64_t requests(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral)
{
    return sim->sfr_flags[0] & sim->sfr_enable[0] & FLAG ? 1ull << peripheral->unit->vector : 0;
}

static void accept(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                   unsigned vector)
{
    if (vector == peripheral->unit->vector)
        sim->sfr_flags[0] &= (uint8_t)~FLAG;
}

const struct msp430_peripheral_ops msp430_watchdog_ops = {.state_size = sizeof(struct watchdog),
                                                          .reset = reset,
                                                          .owns = owns,
                                                          .read = read,
                                                          .write = write,
                                                          .advance = advance,
                                                          .next = next,
                                                          .requests = requests,
                                                          .accept = accept};
