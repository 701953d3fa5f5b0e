/* Digital input and output with edge interrupts (SLAU144 chapter 8, SLAU208
 * chapter 12). `extra` of the unit is 1 for the layout of 5xx. */
#include "emu/msp430/internal.h"

enum {
    REGISTER_INPUT,
    REGISTER_OUTPUT,
    REGISTER_DIRECTION,
    REGISTER_FLAG,
    REGISTER_EDGE,
    REGISTER_ENABLE,
    REGISTER_SELECT,
    REGISTER_RESISTOR,
    REGISTER_STRENGTH,
    REGISTER_COUNT,
    REGISTER_NONE,
};

struct port {
    uint8_t registers[REGISTER_COUNT];
    uint8_t levels; /* what the outside drives */
};

static unsigned register_of(const struct msp430_peripheral *peripheral, uint32_t address)
{
    uint32_t offset = address - peripheral->unit->base;
    if (peripheral->unit->extra == 0)
        return offset < 8 ? offset : REGISTER_NONE;
    static const uint8_t by_offset[] = {
        [0x00] = REGISTER_INPUT,         [0x02] = REGISTER_OUTPUT + 1,
        [0x04] = REGISTER_DIRECTION + 1, [0x06] = REGISTER_RESISTOR + 1,
        [0x08] = REGISTER_STRENGTH + 1,  [0x0a] = REGISTER_SELECT + 1,
        [0x18] = REGISTER_EDGE + 1,      [0x1a] = REGISTER_ENABLE + 1,
        [0x1c] = REGISTER_FLAG + 1};
    if (offset == 0)
        return REGISTER_INPUT;
    if (offset >= sizeof by_offset || by_offset[offset] == 0)
        return REGISTER_NONE;
    return by_offset[offset] - 1u;
}

static bool is_vector_register(const struct msp430_peripheral *peripheral, uint32_t address)
{
    /* P1IV and P2IV are words; port 2's other registers are the odd bytes. */
    uint32_t at = (peripheral->unit->base & ~1u) + (peripheral->unit->number == 1 ? 0x0e : 0x1e);
    return peripheral->unit->extra == 1 && (address & ~1u) == at;
}

static bool owns(const struct msp430_peripheral *peripheral, uint32_t address)
{
    return register_of(peripheral, address) != REGISTER_NONE ||
           is_vector_register(peripheral, address);
}

static void reset(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    (void)sim;
    struct port *port = peripheral->state;
    uint8_t levels = port->levels;
    *port = (struct port){.levels = levels};
}

/* The pins: outputs show what is driven, inputs the outside. */
static uint8_t pins(const struct port *port)
{
    uint8_t direction = port->registers[REGISTER_DIRECTION];
    return (uint8_t)((port->registers[REGISTER_OUTPUT] & direction) |
                     (port->levels & (uint8_t)~direction));
}

static void flag_edges(struct port *port, uint8_t before)
{
    uint8_t now = pins(port), edge = port->registers[REGISTER_EDGE];
    uint8_t rising = (uint8_t)(~before & now & ~edge), falling = (uint8_t)(before & ~now & edge);
    port->registers[REGISTER_FLAG] |= (uint8_t)(rising | falling);
}

void msp430_port_set_input(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                           uint8_t levels)
{
    struct port *port = peripheral->state;
    uint8_t before = pins(port);
    port->levels = levels;
    flag_edges(port, before);
    sim->deadline = 0;
}

static uint16_t take_vector(struct port *port)
{
    uint8_t active = port->registers[REGISTER_FLAG] & port->registers[REGISTER_ENABLE];
    if (active == 0)
        return 0;
    unsigned bit = (unsigned)__builtin_ctz(active);
    port->registers[REGISTER_FLAG] &= (uint8_t) ~(1u << bit);
    return (uint16_t)(2 * bit + 2);
}

static uint16_t read_byte(struct msp430_peripheral *peripheral, uint32_t address)
{
    struct port *port = peripheral->state;
    unsigned index = register_of(peripheral, address);
    if (index == REGISTER_NONE)
        return take_vector(port);
    return index == REGISTER_INPUT ? pins(port) : port->registers[index];
}

static void write_byte(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                       uint32_t address, uint8_t value)
{
    struct port *port = peripheral->state;
    unsigned index = register_of(peripheral, address);
    if (index == REGISTER_NONE) {
        take_vector(port);
        return;
    }
    uint8_t before = pins(port), old = port->registers[REGISTER_OUTPUT];
    if (index != REGISTER_INPUT)
        port->registers[index] = value;
    if (index == REGISTER_OUTPUT || index == REGISTER_DIRECTION)
        flag_edges(port, before);
    if (index == REGISTER_OUTPUT && value != old && sim->options.callbacks.on_port != NULL)
        sim->options.callbacks.on_port(sim->options.callbacks.context, peripheral->unit->number,
                                       value);
}

/* A word takes in the odd neighbour: the next register of 2xx, port 2 of 5xx. */
static struct msp430_peripheral *neighbour(struct sonde_msp430_sim *sim,
                                           struct msp430_peripheral *peripheral, uint32_t address)
{
    if (is_vector_register(peripheral, address))
        return NULL;
    if (owns(peripheral, address + 1))
        return peripheral;
    struct msp430_peripheral *other =
        msp430_find_unit(sim, &msp430_port_ops, peripheral->unit->number + 1);
    return other != NULL && owns(other, address + 1) ? other : NULL;
}

static uint16_t read(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                     uint32_t address, bool byte)
{
    uint16_t value = read_byte(peripheral, address);
    struct msp430_peripheral *other = byte ? NULL : neighbour(sim, peripheral, address);
    if (other != NULL)
        value = (uint16_t)(value | read_byte(other, address + 1) << 8);
    return value;
}

static void write(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                  uint32_t address, uint16_t value, bool byte)
{
    write_byte(sim, peripheral, address, (uint8_t)value);
    struct msp430_peripheral *other = byte ? NULL : neighbour(sim, peripheral, address);
    if (other != NULL)
        write_byte(sim, other, address + 1, (uint8_t)(value >> 8));
}

static uint64_t requests(struct sonde_msp430_sim *sim, const struct msp430_peripheral *peripheral)
{
    (void)sim;
    const struct port *port = peripheral->state;
    return port->registers[REGISTER_FLAG] & port->registers[REGISTER_ENABLE]
               ? 1ull << peripheral->unit->vector
               : 0;
}

const struct msp430_peripheral_ops msp430_port_ops = {.state_size = sizeof(struct port),
                                                      .reset = reset,
                                                      .owns = owns,
                                                      .read = read,
                                                      .write = write,
                                                      .requests = requests};
