/* What happens between two instructions: limits, time, interrupts, sleep. */
#include "emu/msp430/internal.h"

void msp430_event(struct sonde_msp430_sim *sim, enum sonde_msp430_event_kind kind, uint32_t address,
                  uint32_t vector)
{
    if (sim->options.callbacks.on_event == NULL)
        return;
    struct sonde_msp430_event event = {
        .kind = kind, .cycle = sim->cycle, .address = address, .sp = sim->r[1], .vector = vector};
    sim->options.callbacks.on_event(sim->options.callbacks.context, &event);
}

bool msp430_clock_runs(const struct sonde_msp430_sim *sim, enum msp430_clock clock)
{
    if (clock == MSP430_CLOCK_NONE)
        return false;
    /* LPM2 and deeper stop SMCLK, LPM4 stops ACLK. */
    return !(sim->stopped_clocks &
             (clock == MSP430_CLOCK_SMCLK ? MSP430_SR_SCG1 : MSP430_SR_OSCOFF));
}

uint64_t msp430_elapsed(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                        enum msp430_clock clock)
{
    uint64_t elapsed = sim->cycle - peripheral->updated;
    peripheral->updated = sim->cycle;
    return msp430_clock_runs(sim, clock) ? elapsed : 0;
}

static void advance_all(struct sonde_msp430_sim *sim)
{
    msp430_take_scheduled(sim);
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        struct msp430_peripheral *peripheral = &sim->peripherals[i];
        if (peripheral->unit->ops->advance != NULL)
            peripheral->unit->ops->advance(sim, peripheral);
        else
            peripheral->updated = sim->cycle;
    }
}

static uint64_t next_peripheral_event(struct sonde_msp430_sim *sim)
{
    uint64_t next = msp430_next_scheduled(sim);
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        const struct msp430_peripheral *peripheral = &sim->peripherals[i];
        if (peripheral->unit->ops->next == NULL)
            continue;
        uint64_t at = peripheral->unit->ops->next(sim, peripheral);
        next = at < next ? at : next;
    }
    return next;
}

static uint64_t all_requests(struct sonde_msp430_sim *sim)
{
    uint64_t requests = sim->forced;
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        const struct msp430_peripheral *peripheral = &sim->peripherals[i];
        if (peripheral->unit->ops->requests != NULL)
            requests |= peripheral->unit->ops->requests(sim, peripheral);
    }
    return requests;
}

void msp430_push_word(struct sonde_msp430_sim *sim, uint32_t value)
{
    uint32_t mask = sim->device->core == SONDE_MSP430_CORE_CPU ? 0xffffu : 0xfffffu;
    uint32_t sp = (sim->r[1] - 2) & mask;
    if (sp < sim->stack_limit && sim->r[1] >= sim->stack_limit)
        msp430_fault(sim, SONDE_MSP430_STOP_STACK, sp);
    msp430_store(sim, sp, value & 0xffff, false);
    sim->r[1] = sp;
}

/* SR is cleared except for SCG0 (SLAU144 2.2.3); a CPUX keeps PC's high bits
 * beside it (SLAU445 4.2). */
static void accept(struct sonde_msp430_sim *sim, unsigned index)
{
    uint32_t vector = sim->device->vectors + 2 * index;
    msp430_event(sim, SONDE_MSP430_EVENT_INTERRUPT_ENTER, sim->r[0], vector);
    uint32_t sr = sim->r[2];
    if (sim->device->core == SONDE_MSP430_CORE_CPUX)
        sr = (sr & 0xfff) | (sim->r[0] >> 16 & 15) << 12;
    msp430_push_word(sim, sim->r[0]);
    msp430_push_word(sim, sr);
    sim->r[2] &= MSP430_SR_SCG0;
    sim->forced &= ~(1ull << index);
    for (size_t i = 0; i < sim->peripheral_count; i++) {
        struct msp430_peripheral *peripheral = &sim->peripherals[i];
        if (peripheral->unit->ops->accept != NULL)
            peripheral->unit->ops->accept(sim, peripheral, index);
    }
    if (sim->has_fault)
        return;
    uint32_t interrupted = sim->r[0];
    sim->r[0] = msp430_load(sim, vector, false) & ~1u;
    msp430_note_call(sim, sim->r[1] + 2, interrupted, sim->r[0] | MSP430_CALL_INTERRUPT);
    sim->cycle += 6;
    sim->interrupts++;
}

/* The pending interrupt of highest priority (highest vector), -1 for none.
 * GIE does not hold off the NMI. */
static int pending_interrupt(struct sonde_msp430_sim *sim)
{
    uint64_t requests = all_requests(sim);
    if (requests == 0)
        return -1;
    int highest = 63 - __builtin_clzll(requests);
    bool maskable = highest < sim->device->vector_count - 1 - sim->device->nonmaskable;
    return maskable && !(sim->r[2] & MSP430_SR_GIE) ? -1 : highest;
}

static bool stop(struct sonde_msp430_sim *sim, enum sonde_msp430_stop reason)
{
    sim->result = (struct sonde_msp430_result){.reason = reason, .address = sim->r[0]};
    return false;
}

static void wake(struct sonde_msp430_sim *sim)
{
    if (!sim->sleeping)
        return;
    advance_all(sim);
    sim->sleeping = false;
    sim->stopped_clocks = 0;
    msp430_event(sim, SONDE_MSP430_EVENT_WAKE, sim->r[0], 0);
}

/* Let time pass while CPUOFF is set. False when the run ends asleep. */
static bool sleep_until_interrupt(struct sonde_msp430_sim *sim, uint64_t limit)
{
    if (!sim->sleeping) {
        advance_all(sim);
        sim->sleeping = true;
        sim->stopped_clocks = sim->r[2] & (MSP430_SR_SCG1 | MSP430_SR_OSCOFF);
        msp430_event(sim, SONDE_MSP430_EVENT_SLEEP, sim->r[0], 0);
    }
    while (pending_interrupt(sim) < 0 && !sim->reset_requested) {
        uint64_t next = next_peripheral_event(sim);
        if (next == MSP430_NEVER && limit == MSP430_NEVER)
            return stop(sim, SONDE_MSP430_STOP_HALTED);
        uint64_t to = next < limit ? next : limit;
        if (to > sim->cycle) {
            sim->idle_cycles += to - sim->cycle;
            sim->cycle = to;
        }
        advance_all(sim);
        if (sim->stop_requested)
            return stop(sim, SONDE_MSP430_STOP_REQUESTED);
        if (sim->cycle >= limit)
            return stop(sim, SONDE_MSP430_STOP_CYCLES);
    }
    return true;
}

static bool reached_limit(struct sonde_msp430_sim *sim, const struct sonde_msp430_limits *limits,
                          uint64_t last_instruction)
{
    if (sim->has_fault || sim->halted)
        return true;
    if (limits->cycles != 0 && sim->cycle >= limits->cycles)
        return !stop(sim, SONDE_MSP430_STOP_CYCLES);
    if (sim->instructions >= last_instruction)
        return !stop(sim, SONDE_MSP430_STOP_INSTRUCTIONS);
    return false;
}

/* When the interpreter has to come back at the latest. */
static void set_deadline(struct sonde_msp430_sim *sim, const struct sonde_msp430_limits *limits,
                         uint64_t last_instruction)
{
    uint64_t deadline = next_peripheral_event(sim);
    if (limits->cycles != 0 && limits->cycles < deadline)
        deadline = limits->cycles;
    /* An instruction takes a cycle at least. */
    uint64_t left = last_instruction - sim->instructions;
    if (deadline > sim->cycle && left < deadline - sim->cycle)
        deadline = sim->cycle + left;
    sim->deadline = deadline;
}

bool msp430_boundary(struct sonde_msp430_sim *sim, const struct sonde_msp430_limits *limits,
                     uint64_t last_instruction)
{
    for (;;) {
        if (reached_limit(sim, limits, last_instruction))
            return false;
        advance_all(sim);
        if (sim->stop_requested)
            return stop(sim, SONDE_MSP430_STOP_REQUESTED);
        if (sim->reset_requested) {
            wake(sim);
            sonde_msp430_sim_reset(sim);
            continue;
        }
        if (sim->hold_interrupts) {
            /* The instruction behind EINT is executed first (SLAU144 3.4.6.21). */
            sim->hold_interrupts = false;
            if (!(sim->r[2] & MSP430_SR_CPUOFF)) {
                set_deadline(sim, limits, last_instruction);
                sim->deadline = sim->cycle + 1;
                return true;
            }
        }
        int index = pending_interrupt(sim);
        if (index >= 0) {
            wake(sim);
            accept(sim, (unsigned)index);
            continue;
        }
        if (!(sim->r[2] & MSP430_SR_CPUOFF))
            break;
        if (!sleep_until_interrupt(sim, limits->cycles != 0 ? limits->cycles : MSP430_NEVER))
            return false;
    }
    set_deadline(sim, limits, last_instruction);
    return true;
}
