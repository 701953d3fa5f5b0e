/* The power management module of 5xx (SLAU208 chapter 2), as far as programs
 * wait for it: supply and core voltage are always settled. */
#include "emu/msp430/internal.h"

enum {
    FLAGS_OFFSET = 0x0c,
    /* PMMIFG: the supervisors' delays are over, the monitors' levels reached. */
    SETTLED = 0x0001 | 0x0004 | 0x0010 | 0x0040,
};

static void reset(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    (void)sim;
    (void)peripheral;
}

static bool owns(const struct msp430_peripheral *peripheral, uint32_t address)
{
    return address - peripheral->unit->base - FLAGS_OFFSET < 2;
}

static uint16_t read(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                     uint32_t address, bool byte)
{
    (void)sim;
    (void)peripheral;
    return byte && (address & 1) ? SETTLED >> 8 : SETTLED;
}

static void write(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                  uint32_t address, uint16_t value, bool byte)
{
    (void)sim;
    (void)peripheral;
    (void)address;
    (void)value;
    (void)byte;
}

const struct msp430_peripheral_ops msp430_power_ops = {
    .reset = reset, .owns = owns, .read = read, .write = write};
