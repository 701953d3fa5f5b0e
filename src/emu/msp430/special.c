/* Interrupt enables and flags of the special function registers: IE1, IE2,
 * IFG1 and IFG2 (2xx, at 0), SFRIE1 and SFRIFG1 (5xx, at 0x100). */
#include "emu/msp430/internal.h"

static void reset(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    (void)peripheral;
    sim->sfr_enable[0] = sim->sfr_enable[1] = 0;
    sim->sfr_flags[0] = 0;
    sim->sfr_flags[1] = 0;
}

static bool owns(const struct msp430_peripheral *peripheral, uint32_t address)
{
    return address - peripheral->unit->base < 4;
}

static uint8_t *byte_at(struct sonde_msp430_sim *sim, uint32_t offset)
{
    return offset & 2 ? &sim->sfr_flags[offset & 1] : &sim->sfr_enable[offset & 1];
}

static uint16_t read(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                     uint32_t address, bool byte)
{
    uint32_t offset = address - peripheral->unit->base;
    unsigned value = *byte_at(sim, offset);
    if (!byte)
        value |= (unsigned)*byte_at(sim, offset + 1) << 8;
    return (uint16_t)value;
}

static void write(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                  uint32_t address, uint16_t value, bool byte)
{
    uint32_t offset = address - peripheral->unit->base;
    *byte_at(sim, offset) = (uint8_t)value;
    if (!byte)
        *byte_at(sim, offset + 1) = (uint8_t)(value >> 8);
}

const struct msp430_peripheral_ops msp430_special_ops = {
    .reset = reset, .owns = owns, .read = read, .write = write};
