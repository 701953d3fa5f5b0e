/* Events by address, for programs without marker words. */
#include <stdlib.h>

#include "emu/msp430/internal.h"

enum sonde_status sonde_msp430_sim_add_hook(struct sonde_msp430_sim *sim, uint32_t address,
                                            enum sonde_msp430_hook hook, struct sonde_error *error)
{
    if (address >= MSP430_MEMORY_SIZE || (address & 1) != 0 ||
        !(sim->pages[address >> MSP430_PAGE_BITS] & MSP430_PAGE_EXECUTE))
        return sonde_error_set(error, SONDE_ERROR_RANGE, address,
                               "0x%05x is no address of an instruction on %s", address,
                               sim->device->name);
    if (sim->hooks == NULL)
        sim->hooks = calloc(MSP430_MEMORY_SIZE / 2, 1);
    if (sim->hooks == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    sim->hooks[address >> 1] |= (uint8_t)hook;
    sim->ops[address >> 1].handler = 0;
    return SONDE_OK;
}

/* Whether the instruction at PC goes where it can go: all but conditional
 * jumps always do. */
static bool is_taken(struct sonde_msp430_sim *sim)
{
    struct sonde_msp430_instruction in;
    if (!msp430_fetch(sim, sim->r[0], &in))
        return false;
    if (in.opcode < SONDE_MSP430_JNE || in.opcode > SONDE_MSP430_JMP)
        return true;
    return msp430_jump_taken((enum sonde_msp430_opcode)in.opcode, sim->r[2]);
}

void msp430_hook_reached(struct sonde_msp430_sim *sim)
{
    uint32_t pc = sim->r[0];
    unsigned hooks = sim->hooks[pc >> 1];
    if (hooks & SONDE_MSP430_HOOK_ENTER) {
        /* With another SP, an interrupt came between the jump and its target. */
        if (sim->loop_taken && sim->loop_sp == sim->r[1])
            sim->loop_taken = false;
        else
            msp430_event(sim, SONDE_MSP430_EVENT_ENTER, pc, 0);
    }
    if (!(hooks & (SONDE_MSP430_HOOK_EXIT | SONDE_MSP430_HOOK_LOOP)) || !is_taken(sim))
        return;
    if (hooks & SONDE_MSP430_HOOK_EXIT)
        msp430_event(sim, SONDE_MSP430_EVENT_EXIT, pc, 0);
    if (hooks & SONDE_MSP430_HOOK_LOOP) {
        sim->loop_taken = true;
        sim->loop_sp = sim->r[1];
    }
}
