/* USCI_A in UART mode (SLAU144 chapter 15, SLAU208 chapter 36): transmit and
 * receive with their buffers, flags, interrupts and bit times. `extra` of the
 * unit is 1 for the layout of 5xx, whose flags are its own. */
#include <stdlib.h>

#include "emu/msp430/internal.h"

enum { QUEUE_LIMIT = 16 << 20, RECEIVED = 1, SENT = 2, SOFTWARE_RESET = 1 };
enum {
    REGISTER_CONTROL0,
    REGISTER_CONTROL1,
    REGISTER_RATE0,
    REGISTER_RATE1,
    REGISTER_MODULATION,
    REGISTER_STATUS,
    REGISTER_RECEIVE,
    REGISTER_TRANSMIT,
    REGISTER_ENABLE,
    REGISTER_FLAG,
    REGISTER_VECTOR,
    REGISTER_OTHER,
    REGISTER_COUNT,
};

struct uart {
    uint8_t registers[REGISTER_COUNT];
    bool shifting, waiting; /* a byte in the shift register, one in the buffer */
    uint8_t shift;
    uint64_t shift_left, receive_left;          /* MCLK cycles until the byte is complete */
    size_t queue_head, queue_count, queue_size; /* received so far, queued ever, room */
    uint8_t *queue;
};

static unsigned register_of(const struct msp430_peripheral *peripheral, uint32_t address)
{
    uint32_t offset = address - peripheral->unit->base;
    if (peripheral->unit->extra == 0) {
        static const uint8_t map[] = {REGISTER_OTHER,    REGISTER_OTHER,      REGISTER_OTHER,
                                      REGISTER_CONTROL0, REGISTER_CONTROL1,   REGISTER_RATE0,
                                      REGISTER_RATE1,    REGISTER_MODULATION, REGISTER_STATUS,
                                      REGISTER_RECEIVE,  REGISTER_TRANSMIT};
        return offset < sizeof map ? map[offset] : REGISTER_COUNT;
    }
    switch (offset) {
    case 0x00:
        return REGISTER_CONTROL1;
    case 0x01:
        return REGISTER_CONTROL0;
    case 0x06:
        return REGISTER_RATE0;
    case 0x07:
        return REGISTER_RATE1;
    case 0x08:
        return REGISTER_MODULATION;
    case 0x0a:
        return REGISTER_STATUS;
    case 0x0c:
        return REGISTER_RECEIVE;
    case 0x0e:
        return REGISTER_TRANSMIT;
    case 0x1c:
        return REGISTER_ENABLE;
    case 0x1d:
        return REGISTER_FLAG;
    case 0x1e:
        return REGISTER_VECTOR;
    default:
        return offset < 0x20 ? REGISTER_OTHER : REGISTER_COUNT;
    }
}

static bool owns(const struct msp430_peripheral *peripheral, uint32_t address)
{
    return register_of(peripheral, address) != REGISTER_COUNT;
}

/* 2xx keeps the flags in IFG2 and IE2. */
static uint8_t *flags_of(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral)
{
    struct uart *uart = peripheral->state;
    return peripheral->unit->extra == 0 ? &sim->sfr_flags[1] : &uart->registers[REGISTER_FLAG];
}

static uint8_t enables_of(const struct sonde_msp430_sim *sim,
                          const struct msp430_peripheral *peripheral)
{
    const struct uart *uart = peripheral->state;
    return peripheral->unit->extra == 0 ? sim->sfr_enable[1] : uart->registers[REGISTER_ENABLE];
}

static void reset(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    struct uart *uart = peripheral->state;
    for (unsigned i = 0; i < REGISTER_COUNT; i++)
        uart->registers[i] = 0;
    uart->registers[REGISTER_CONTROL1] = SOFTWARE_RESET;
    uart->shifting = uart->waiting = false;
    uart->shift_left = uart->receive_left = 0;
    *flags_of(sim, peripheral) |= SENT;
}

static enum msp430_clock clock_of(const struct uart *uart)
{
    unsigned select = uart->registers[REGISTER_CONTROL1] >> 6;
    if (uart->registers[REGISTER_CONTROL1] & SOFTWARE_RESET)
        return MSP430_CLOCK_NONE;
    return select >= 2 ? MSP430_CLOCK_SMCLK : select == 1 ? MSP430_CLOCK_ACLK : MSP430_CLOCK_NONE;
}

/* MCLK cycles of a byte: start bit, 8 data bits, stop bit. The modulation
 * adds UCBRSx eighths of a clock to each bit. */
static uint64_t byte_time(const struct sonde_msp430_sim *sim, const struct uart *uart)
{
    uint64_t divider = uart->registers[REGISTER_RATE0] | (uint64_t)uart->registers[REGISTER_RATE1]
                                                             << 8;
    uint64_t eighths = divider * 8 + (uart->registers[REGISTER_MODULATION] >> 1 & 7);
    uint64_t cycles = eighths * 10 / 8 * msp430_clock_period(sim, clock_of(uart));
    return cycles == 0 ? 1 : cycles;
}

static void start_shift(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                        uint8_t byte)
{
    struct uart *uart = peripheral->state;
    uart->shift = byte;
    uart->shifting = true;
    uart->shift_left = byte_time(sim, uart);
    uart->waiting = false;
    *flags_of(sim, peripheral) |= SENT; /* the buffer is free again */
}

static void advance_transmit(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                             uint64_t elapsed)
{
    struct uart *uart = peripheral->state;
    while (uart->shifting && elapsed >= uart->shift_left) {
        elapsed -= uart->shift_left;
        uart->shifting = false;
        if (sim->options.callbacks.on_uart != NULL)
            sim->options.callbacks.on_uart(sim->options.callbacks.context, peripheral->unit->number,
                                           uart->shift);
        if (uart->waiting)
            start_shift(sim, peripheral, uart->registers[REGISTER_TRANSMIT]);
    }
    if (uart->shifting)
        uart->shift_left -= elapsed;
}

static void advance_receive(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                            uint64_t elapsed)
{
    struct uart *uart = peripheral->state;
    while (uart->queue_head < uart->queue_count) {
        if (uart->receive_left == 0)
            uart->receive_left = byte_time(sim, uart);
        if (elapsed < uart->receive_left) {
            uart->receive_left -= elapsed;
            return;
        }
        /* The line waits while the program has not read the byte before: what
         * the host sends must not be lost. */
        if (*flags_of(sim, peripheral) & RECEIVED)
            return;
        elapsed -= uart->receive_left;
        uart->receive_left = 0;
        uart->registers[REGISTER_RECEIVE] = uart->queue[uart->queue_head++];
        *flags_of(sim, peripheral) |= RECEIVED;
    }
}

static void advance(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    struct uart *uart = peripheral->state;
    uint64_t elapsed = msp430_elapsed(sim, peripheral, clock_of(uart));
    if (elapsed == 0)
        return;
    advance_transmit(sim, peripheral, elapsed);
    advance_receive(sim, peripheral, elapsed);
}

static uint64_t next(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral)
{
    const struct uart *uart = peripheral->state;
    if (!msp430_clock_runs(sim, clock_of(uart)))
        return MSP430_NEVER;
    uint64_t left = MSP430_NEVER;
    if (uart->shifting)
        left = uart->shift_left;
    bool can_receive =
        uart->queue_head < uart->queue_count && !(*flags_of(sim, peripheral) & RECEIVED);
    if (can_receive) {
        uint64_t receive = uart->receive_left == 0 ? byte_time(sim, uart) : uart->receive_left;
        left = receive < left ? receive : left;
    }
    return left == MSP430_NEVER ? left : peripheral->updated + left;
}

static uint16_t take_vector(struct uart *uart)
{
    uint8_t active = uart->registers[REGISTER_FLAG] & uart->registers[REGISTER_ENABLE];
    unsigned bit = active & RECEIVED ? RECEIVED : active & SENT;
    uart->registers[REGISTER_FLAG] &= (uint8_t)~bit;
    return (uint16_t)(bit * 2);
}

static uint16_t read_byte(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                          uint32_t address)
{
    struct uart *uart = peripheral->state;
    switch (register_of(peripheral, address)) {
    case REGISTER_RECEIVE:
        *flags_of(sim, peripheral) &= (uint8_t)~RECEIVED;
        return uart->registers[REGISTER_RECEIVE];
    case REGISTER_STATUS: /* UCBUSY */
        return uart->shifting ? 1 : 0;
    case REGISTER_VECTOR:
        return take_vector(uart);
    case REGISTER_COUNT:
        return 0;
    default:
        return uart->registers[register_of(peripheral, address)];
    }
}

static void write_byte(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                       uint32_t address, uint8_t value)
{
    struct uart *uart = peripheral->state;
    unsigned index = register_of(peripheral, address);
    if (index == REGISTER_COUNT || index == REGISTER_RECEIVE || index == REGISTER_VECTOR)
        return;
    uart->registers[index] = value;
    if (index == REGISTER_CONTROL1 && (value & SOFTWARE_RESET)) {
        uart->shifting = uart->waiting = false;
        *flags_of(sim, peripheral) = (uint8_t)((*flags_of(sim, peripheral) & ~RECEIVED) | SENT);
    }
    if (index != REGISTER_TRANSMIT || clock_of(uart) == MSP430_CLOCK_NONE)
        return;
    *flags_of(sim, peripheral) &= (uint8_t)~SENT;
    if (uart->shifting)
        uart->waiting = true;
    else
        start_shift(sim, peripheral, value);
}

static uint16_t read(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                     uint32_t address, bool byte)
{
    uint16_t value = read_byte(sim, peripheral, address);
    if (!byte && register_of(peripheral, address) != REGISTER_VECTOR)
        value = (uint16_t)(value | read_byte(sim, peripheral, address + 1) << 8);
    return value;
}

static void write(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                  uint32_t address, uint16_t value, bool byte)
{
    write_byte(sim, peripheral, address, (uint8_t)value);
    if (!byte)
        write_byte(sim, peripheral, address + 1, (uint8_t)(value >> 8));
}

static uint64_t requests(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral)
{
    uint8_t active = *flags_of(sim, peripheral) & enables_of(sim, peripheral);
    uint64_t bits = 0;
    if (active & RECEIVED)
        bits |= 1ull << peripheral->unit->vector;
    if (active & SENT)
        bits |= 1ull << peripheral->unit->vector2;
    return bits;
}

bool msp430_uart_queue(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                       uint8_t byte)
{
    struct uart *uart = peripheral->state;
    if (uart->queue_count == uart->queue_size) {
        size_t size = uart->queue_size == 0 ? 256 : 2 * uart->queue_size;
        uint8_t *grown = size <= QUEUE_LIMIT ? realloc(uart->queue, size) : NULL;
        if (grown == NULL)
            return false;
        uart->queue = grown;
        uart->queue_size = size;
    }
    uart->queue[uart->queue_count++] = byte;
    sim->deadline = 0;
    return true;
}

void msp430_uart_finish(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    struct uart *uart = peripheral->state;
    if (uart->shifting && clock_of(uart) != MSP430_CLOCK_NONE)
        advance_transmit(sim, peripheral, MSP430_NEVER);
}

void msp430_uart_clear(struct msp430_peripheral *peripheral)
{
    struct uart *uart = peripheral->state;
    if (uart != NULL)
        free(uart->queue);
}

const struct msp430_peripheral_ops msp430_uart_ops = {.state_size = sizeof(struct uart),
                                                      .reset = reset,
                                                      .owns = owns,
                                                      .read = read,
                                                      .write = write,
                                                      .advance = advance,
                                                      .next = next,
                                                      .requests = requests};
