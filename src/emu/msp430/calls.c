/* The calls that have not returned, from what calls left on the stack. */
#include "emu/msp430/internal.h"

/* The word is still what the call put there. */
static bool is_intact(const struct sonde_msp430_sim *sim, uint32_t at)
{
    uint32_t expected = sim->calls[at >> 1].return_address;
    return expected != 0 &&
           (sim->memory[at] | (uint32_t)sim->memory[at + 1] << 8) == (expected & 0xffff);
}

/* Whether `inside` can be in the function that `target` begins. Without
 * symbols all can be. */
static bool may_belong(const struct sonde_msp430_sim *sim, uint32_t inside, uint32_t target)
{
    uint32_t offset, target_offset;
    const char *name = sonde_msp430_sim_function_at(sim, inside, &offset);
    const char *called = sonde_msp430_sim_function_at(sim, target, &target_offset);
    return name == NULL || called == NULL || inside - offset == target - target_offset;
}

size_t sonde_msp430_sim_call_stack(const struct sonde_msp430_sim *sim,
                                   struct sonde_msp430_frame *frames, size_t capacity)
{
    size_t count = 0;
    uint32_t inside = sim->r[0]; /* an instruction of the innermost function */
    for (uint32_t at = sim->r[1] & ~1u; at < MSP430_MEMORY_SIZE && count < capacity; at += 2) {
        if (!(sim->pages[at >> MSP430_PAGE_BITS] & MSP430_PAGE_RAM))
            break;
        if (!is_intact(sim, at))
            continue;
        const struct msp430_call *call = &sim->calls[at >> 1];
        uint32_t target = call->target & ~MSP430_CALL_INTERRUPT;
        if (!may_belong(sim, inside, target))
            break;
        frames[count++] = (struct sonde_msp430_frame){.sp = at,
                                                      .return_address = call->return_address,
                                                      .target = target,
                                                      .is_interrupt = target != call->target};
        /* The call may be its function's last instruction. */
        inside = call->return_address - (target == call->target ? 2 : 0);
    }
    return count;
}
