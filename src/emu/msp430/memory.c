/* Accesses that the interpreter's fast path does not do itself: peripherals,
 * writes to decoded instructions, read-only memory, faults. */
#include "emu/msp430/internal.h"

void msp430_fault(struct sonde_msp430_sim *sim, enum sonde_msp430_stop reason, uint32_t data)
{
    if (sim->has_fault)
        return;
    sim->has_fault = true;
    sim->deadline = 0;
    sim->result = (struct sonde_msp430_result){
        .reason = reason, .is_fault = true, .address = sim->r[0], .data = data};
}

static struct msp430_peripheral *find_owner(struct sonde_msp430_sim *sim, uint32_t address)
{
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        struct msp430_peripheral *peripheral = &sim->peripherals[i];
        if (peripheral->unit->ops->owns(peripheral, address))
            return peripheral;
    }
    return NULL;
}

static void advance(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    if (peripheral->unit->ops->advance != NULL)
        peripheral->unit->ops->advance(sim, peripheral);
}

uint32_t msp430_load(struct sonde_msp430_sim *sim, uint32_t address, bool byte)
{
    address &= MSP430_MEMORY_SIZE - 1;
    if (!byte && (address & 1) != 0) {
        msp430_fault(sim, SONDE_MSP430_STOP_UNALIGNED, address);
        return 0;
    }
    if (sim->pages[address >> MSP430_PAGE_BITS] & MSP430_PAGE_READ)
        return byte ? sim->memory[address]
                    : sim->memory[address] | (uint32_t)sim->memory[address + 1] << 8;
    struct msp430_peripheral *owner = find_owner(sim, address);
    if (owner == NULL) /* vacant registers: whatever was written */
        return byte ? sim->memory[address]
                    : sim->memory[address] | (uint32_t)sim->memory[address + 1] << 8;
    advance(sim, owner);
    uint32_t value = owner->unit->ops->read(sim, owner, address, byte);
    sim->deadline = 0; /* reading may clear a flag */
    return byte ? value & 0xff : value;
}

void msp430_forget_instructions(struct sonde_msp430_sim *sim, uint32_t address)
{
    /* An instruction has at most four words. */
    uint32_t last = address >> 1, first = last < 3 ? 0 : last - 3;
    for (uint32_t i = first; i <= last; i++)
        sim->ops[i].handler = 0;
}

void msp430_store(struct sonde_msp430_sim *sim, uint32_t address, uint32_t value, bool byte)
{
    address &= MSP430_MEMORY_SIZE - 1;
    if (!byte && (address & 1) != 0) {
        msp430_fault(sim, SONDE_MSP430_STOP_UNALIGNED, address);
        return;
    }
    uint8_t page = sim->pages[address >> MSP430_PAGE_BITS];
    bool plain = (page & MSP430_PAGE_READ) != 0;
    if (plain && !(page & MSP430_PAGE_RAM))
        return; /* flash ignores writes that its controller was not told of */
    struct msp430_peripheral *owner = plain ? NULL : find_owner(sim, address);
    if (owner != NULL) {
        advance(sim, owner);
        owner->unit->ops->write(sim, owner, address, (uint16_t)value, byte);
        sim->deadline = 0; /* flags or times may have changed */
        return;
    }
    sim->memory[address] = (uint8_t)value;
    if (!byte)
        sim->memory[address + 1] = (uint8_t)(value >> 8);
    if (plain && !(page & MSP430_PAGE_WRITE))
        msp430_forget_instructions(sim, address);
}
