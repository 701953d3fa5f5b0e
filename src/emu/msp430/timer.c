/* Timer_A (SLAU144 chapter 12, SLAU208 chapter 17): stop, up, continuous and
 * up/down modes, compare and software capture. The counter advances in leaps
 * from one event (a compare match or a turn) to the next.
 * Timer_B (SLAU144 chapter 13, SLAU208 chapter 18) differs in its counter's
 * length and in the latches that its compare values pass through. */
#include "emu/msp430/internal.h"

enum {
    CONTROL_FLAG = 1,
    CONTROL_ENABLE = 2,
    CONTROL_CLEAR = 4,
    CHANNEL_FLAG = 1,
    CHANNEL_OVERFLOW = 2,
    CHANNEL_INPUT = 8,
    CHANNEL_ENABLE = 0x10,
    CHANNEL_CAPTURE = 0x100,
    MODE_STOP = 0,
    MODE_UP = 1,
    MODE_CONTINUOUS = 2,
    MODE_UP_DOWN = 3,
    CHANNELS = 7,
};

struct timer {
    uint16_t control, counter, expansion;
    uint16_t channel[CHANNELS], compare[CHANNELS];
    uint16_t latch[CHANNELS]; /* what the counter is compared with */
    bool down, is_timer_b;
    uint64_t fraction; /* MCLK cycles since the last tick */
};

static void reset(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    (void)sim;
    *(struct timer *)peripheral->state = (struct timer){.is_timer_b = peripheral->unit->is_timer_b};
}

static bool owns(const struct msp430_peripheral *peripheral, uint32_t address)
{
    const struct msp430_unit *unit = peripheral->unit;
    uint32_t offset = address - unit->base;
    unsigned n = unit->channels;
    return offset < 2 + 2 * n || offset - 0x10 < 2 + 2 * n || address - unit->extra < 2 ||
           (unit->base >= 0x200 && offset - 0x20 < 2);
}

static enum msp430_clock clock_of(const struct timer *timer)
{
    unsigned select = timer->control >> 8 & 3;
    return select == 1 ? MSP430_CLOCK_ACLK : select == 2 ? MSP430_CLOCK_SMCLK : MSP430_CLOCK_NONE;
}

static unsigned mode_of(const struct timer *timer)
{
    unsigned mode = timer->control >> 4 & 3;
    bool needs_period = mode == MODE_UP || mode == MODE_UP_DOWN;
    return needs_period && timer->latch[0] == 0 ? MODE_STOP : mode;
}

/* The last value before the counter turns. */
static uint32_t top_of(const struct timer *timer)
{
    static const uint16_t lengths[] = {0xffff, 0x0fff, 0x03ff, 0x00ff};
    if (mode_of(timer) != MODE_CONTINUOUS)
        return timer->latch[0];
    return timer->is_timer_b ? lengths[timer->control >> 11 & 3] : 0xffff;
}

/* When a compare value reaches its latch: 0 at once, 1 when the counter is 0,
 * 2 also at the period when counting up and down, 3 at the latch's value. The
 * first channel of a group decides for it. */
static unsigned load_condition(const struct timer *timer, unsigned channel)
{
    static const uint8_t leaders[4][CHANNELS] = {
        {0, 1, 2, 3, 4, 5, 6}, {0, 1, 1, 3, 3, 5, 5}, {0, 1, 1, 1, 4, 4, 4}, {1, 1, 1, 1, 1, 1, 1}};
    if (!timer->is_timer_b)
        return 0;
    return timer->channel[leaders[timer->control >> 13 & 3][channel]] >> 9 & 3;
}

static bool loads_now(const struct timer *timer, unsigned channel)
{
    unsigned mode = mode_of(timer);
    switch (load_condition(timer, channel)) {
    case 1:
        return timer->counter == 0;
    case 2:
        return timer->counter == 0 || (mode == MODE_UP_DOWN && timer->counter == timer->latch[0]);
    case 3:
        /* The period's own latch: the turn that it caused comes first. */
        return channel == 0 && mode == MODE_UP ? timer->counter == 0
                                               : timer->counter == timer->latch[channel];
    default:
        return false;
    }
}

static void load_latches(struct timer *timer, unsigned channels)
{
    bool now[CHANNELS];
    for (unsigned i = 0; i < channels; i++)
        now[i] = loads_now(timer, i);
    for (unsigned i = 0; i < channels; i++)
        timer->latch[i] = now[i] ? timer->compare[i] : timer->latch[i];
}

/* MCLK cycles a tick. */
static uint64_t tick_of(const struct sonde_msp430_sim *sim, const struct timer *timer)
{
    return ((uint64_t)msp430_clock_period(sim, clock_of(timer)) << (timer->control >> 6 & 3)) *
           ((timer->expansion & 7u) + 1);
}

/* Ticks until the counter has the value `to`, at least 1; 0 = never without
 * turning first. */
static uint32_t ticks_to(const struct timer *timer, uint32_t to)
{
    if (timer->down)
        return to < timer->counter ? timer->counter - to : 0;
    return to > timer->counter ? to - timer->counter : 0;
}

/* Ticks until the next match or turn. */
static uint32_t ticks_to_event(const struct timer *timer, unsigned channels)
{
    uint32_t top = top_of(timer);
    uint32_t best;
    if (timer->down)
        best = timer->counter;
    else if (timer->counter >= top)
        best = 1; /* to 0, or the first step down */
    else
        best = top - timer->counter;
    for (unsigned i = 0; i < channels; i++) {
        uint32_t ticks = ticks_to(timer, timer->latch[i]);
        if (ticks != 0 && ticks < best)
            best = ticks;
    }
    return best == 0 ? 1 : best;
}

static void match(struct timer *timer, unsigned channels)
{
    for (unsigned i = 0; i < channels; i++) {
        if (!(timer->channel[i] & CHANNEL_CAPTURE) && timer->latch[i] == timer->counter)
            timer->channel[i] |= CHANNEL_FLAG;
    }
    if (timer->is_timer_b)
        load_latches(timer, channels);
}

/* One leap; `ticks` is at most ticks_to_event. */
static void leap(struct timer *timer, unsigned channels, uint32_t ticks)
{
    unsigned mode = mode_of(timer);
    uint32_t top = top_of(timer);
    if (timer->down) {
        timer->counter = (uint16_t)(timer->counter - ticks);
        if (timer->counter == 0) {
            timer->down = false;
            timer->control |= CONTROL_FLAG;
        }
    } else if (timer->counter >= top && mode == MODE_UP_DOWN) {
        timer->down = true;
        timer->counter = (uint16_t)(timer->counter - ticks);
        if (timer->counter == 0) {
            timer->down = false;
            timer->control |= CONTROL_FLAG;
        }
    } else if (timer->counter >= top) {
        timer->counter = 0;
        timer->control |= CONTROL_FLAG;
    } else {
        timer->counter = (uint16_t)(timer->counter + ticks);
    }
    match(timer, channels);
}

static void advance(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    struct timer *timer = peripheral->state;
    uint64_t elapsed = msp430_elapsed(sim, peripheral, clock_of(timer));
    if (mode_of(timer) == MODE_STOP || elapsed == 0)
        return;
    uint64_t tick = tick_of(sim, timer);
    timer->fraction += elapsed;
    uint64_t ticks = timer->fraction / tick;
    timer->fraction %= tick;
    while (ticks > 0) {
        uint32_t step = ticks_to_event(timer, peripheral->unit->channels);
        if (step > ticks) {
            timer->counter =
                (uint16_t)(timer->down ? timer->counter - ticks : timer->counter + ticks);
            return;
        }
        leap(timer, peripheral->unit->channels, step);
        ticks -= step;
    }
}

static bool interrupts_enabled(const struct timer *timer, unsigned channels)
{
    if (timer->control & CONTROL_ENABLE)
        return true;
    for (unsigned i = 0; i < channels; i++) {
        if (timer->channel[i] & CHANNEL_ENABLE)
            return true;
    }
    return false;
}

static uint64_t next(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral)
{
    const struct timer *timer = peripheral->state;
    unsigned channels = peripheral->unit->channels;
    if (mode_of(timer) == MODE_STOP || !msp430_clock_runs(sim, clock_of(timer)) ||
        !interrupts_enabled(timer, channels))
        return MSP430_NEVER;
    uint64_t cycles = ticks_to_event(timer, channels) * tick_of(sim, timer);
    return peripheral->updated + cycles - timer->fraction;
}

/* The flagged and enabled source of the shared vector: 0 none, 2n channel n,
 * else the overflow's number. */
static unsigned shared_source(const struct timer *timer, unsigned channels)
{
    for (unsigned i = 1; i < channels; i++) {
        if ((timer->channel[i] & CHANNEL_FLAG) && (timer->channel[i] & CHANNEL_ENABLE))
            return 2 * i;
    }
    return (timer->control & CONTROL_FLAG) && (timer->control & CONTROL_ENABLE) ? 1 : 0;
}

static uint64_t requests(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral)
{
    (void)sim;
    const struct timer *timer = peripheral->state;
    uint64_t bits = 0;
    if ((timer->channel[0] & CHANNEL_FLAG) && (timer->channel[0] & CHANNEL_ENABLE))
        bits |= 1ull << peripheral->unit->vector;
    if (shared_source(timer, peripheral->unit->channels) != 0)
        bits |= 1ull << peripheral->unit->vector2;
    return bits;
}

static void accept(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                   unsigned vector)
{
    (void)sim;
    struct timer *timer = peripheral->state;
    if (vector == peripheral->unit->vector)
        timer->channel[0] &= (uint16_t)~CHANNEL_FLAG;
}

/* Reading or writing TAIV clears the flag that it shows. TAIFG's value is 10
 * on 2xx (SLAU144 12.2.6.2), 14 on 5xx and in Timer_B. */
static uint16_t take_vector(const struct msp430_peripheral *peripheral, struct timer *timer)
{
    unsigned source = shared_source(timer, peripheral->unit->channels);
    if (source == 1) {
        timer->control &= (uint16_t)~CONTROL_FLAG;
        return peripheral->unit->base >= 0x200 || timer->is_timer_b ? 14 : 10;
    }
    if (source != 0)
        timer->channel[source / 2] &= (uint16_t)~CHANNEL_FLAG;
    return (uint16_t)source;
}

/* The register of an address; NULL for the interrupt vector register. */
static uint16_t *register_at(const struct msp430_peripheral *peripheral, uint32_t address)
{
    struct timer *timer = peripheral->state;
    uint32_t offset = (address - peripheral->unit->base) & ~1u;
    if ((address & ~1u) == peripheral->unit->extra)
        return NULL;
    if (offset == 0)
        return &timer->control;
    if (offset < 0x10)
        return &timer->channel[offset / 2 - 1];
    if (offset == 0x10)
        return &timer->counter;
    return offset < 0x20 ? &timer->compare[(offset - 0x12) / 2] : &timer->expansion;
}

static uint16_t read(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                     uint32_t address, bool byte)
{
    (void)sim;
    uint16_t *at = register_at(peripheral, address);
    uint16_t value = at == NULL ? take_vector(peripheral, peripheral->state) : *at;
    return byte && (address & 1) ? value >> 8 : value;
}

/* Changing the input between GND and VCC by software is a capture's edge. */
static void write_channel(struct timer *timer, uint16_t *channel, uint16_t value)
{
    unsigned before = *channel >> 12 & 3, after = value >> 12 & 3, edges = value >> 14 & 3;
    bool rises = before == 2 && after == 3, falls = before == 3 && after == 2;
    *channel = (uint16_t)(value & ~CHANNEL_INPUT);
    if (after == 3)
        *channel |= CHANNEL_INPUT;
    if (!(value & CHANNEL_CAPTURE) || !((rises && (edges & 1)) || (falls && (edges & 2))))
        return;
    if (*channel & CHANNEL_FLAG)
        *channel |= CHANNEL_OVERFLOW;
    *channel |= CHANNEL_FLAG;
    timer->compare[channel - timer->channel] = timer->counter;
}

static void write(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                  uint32_t address, uint16_t value, bool byte)
{
    (void)sim;
    struct timer *timer = peripheral->state;
    uint16_t *at = register_at(peripheral, address);
    if (at == NULL) {
        take_vector(peripheral, timer);
        return;
    }
    if (byte)
        value =
            (uint16_t)(address & 1 ? (*at & 0xff) | value << 8 : (*at & 0xff00) | (value & 0xff));
    if (at == &timer->control) {
        if (value & CONTROL_CLEAR) {
            timer->counter = 0;
            timer->down = false;
            timer->fraction = 0;
        }
        timer->control = (uint16_t)(value & ~CONTROL_CLEAR);
        if (mode_of(timer) != MODE_UP_DOWN)
            timer->down = false;
    } else if (at >= timer->channel && at < timer->channel + CHANNELS) {
        write_channel(timer, at, value);
    } else {
        *at = value;
        if (at >= timer->compare && at < timer->compare + CHANNELS) {
            unsigned i = (unsigned)(at - timer->compare);
            if (load_condition(timer, i) == 0 || mode_of(timer) == MODE_STOP)
                timer->latch[i] = value;
        }
    }
}

const struct msp430_peripheral_ops msp430_timer_ops = {.state_size = sizeof(struct timer),
                                                       .reset = reset,
                                                       .owns = owns,
                                                       .read = read,
                                                       .write = write,
                                                       .advance = advance,
                                                       .next = next,
                                                       .requests = requests,
                                                       .accept = accept};
