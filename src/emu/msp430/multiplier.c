/* The hardware multiplier: 16 bits (SLAU144 chapter 11), 32 bits with unit
 * number 1 (SLAU208 chapter 25). Results are there for the next instruction. */
#include "emu/msp430/internal.h"

struct multiplier {
    uint16_t operand1_low, operand1_high, operand2_low, operand2_high;
    uint16_t mode; /* bit 0 signed, bit 1 accumulate */
    bool wide1;    /* operand 1 has 32 bits */
    uint64_t result;
    uint16_t sum_extension;
    uint16_t control;
};

static void reset(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral)
{
    (void)sim;
    *(struct multiplier *)peripheral->state = (struct multiplier){.mode = 0};
}

static bool owns(const struct msp430_peripheral *peripheral, uint32_t address)
{
    return address - peripheral->unit->base < (peripheral->unit->number == 1 ? 0x30u : 0x10u);
}

static void multiply_16(struct multiplier *m)
{
    bool is_signed = (m->mode & 1) != 0, accumulate = (m->mode & 2) != 0;
    uint32_t product =
        is_signed ? (uint32_t)((int32_t)(int16_t)m->operand1_low * (int16_t)m->operand2_low)
                  : (uint32_t)m->operand1_low * m->operand2_low;
    uint64_t sum = (uint64_t)product + (accumulate ? (uint32_t)m->result : 0);
    m->result = (uint32_t)sum;
    if (is_signed)
        m->sum_extension = (uint32_t)sum & 0x80000000u ? 0xffff : 0;
    else
        m->sum_extension = accumulate ? (uint16_t)(sum >> 32) : 0;
}

static void multiply_32(struct multiplier *m, bool wide2)
{
    bool is_signed = (m->mode & 1) != 0, accumulate = (m->mode & 2) != 0;
    uint32_t a = m->wide1    ? (uint32_t)m->operand1_high << 16 | m->operand1_low
                 : is_signed ? (uint32_t)(int32_t)(int16_t)m->operand1_low
                             : m->operand1_low;
    uint32_t b = wide2       ? (uint32_t)m->operand2_high << 16 | m->operand2_low
                 : is_signed ? (uint32_t)(int32_t)(int16_t)m->operand2_low
                             : m->operand2_low;
    uint64_t product = is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    uint64_t sum = product + (accumulate ? m->result : 0);
    bool carry = accumulate && sum < product;
    m->result = sum;
    m->sum_extension = is_signed ? (sum >> 63 ? 0xffff : 0) : carry ? 1 : 0;
}

static uint16_t *operand_register(struct multiplier *m, uint32_t offset)
{
    switch (offset) {
    case 0x08:
    case 0x20:
        return &m->operand2_low;
    case 0x22:
        return &m->operand2_high;
    default:
        return (offset >= 0x10 && (offset & 2)) ? &m->operand1_high : &m->operand1_low;
    }
}

static uint16_t read(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                     uint32_t address, bool byte)
{
    (void)sim;
    struct multiplier *m = peripheral->state;
    uint32_t offset = address - peripheral->unit->base;
    uint16_t value;
    switch (offset & ~1u) {
    case 0x0a:
    case 0x24:
        value = (uint16_t)m->result;
        break;
    case 0x0c:
    case 0x26:
        value = (uint16_t)(m->result >> 16);
        break;
    case 0x28:
        value = (uint16_t)(m->result >> 32);
        break;
    case 0x2a:
        value = (uint16_t)(m->result >> 48);
        break;
    case 0x0e:
        value = m->sum_extension;
        break;
    case 0x2c:
        value = m->control;
        break;
    default:
        value = *operand_register(m, offset & ~1u);
    }
    return byte && (address & 1) ? value >> 8 : value;
}

static void write_result(struct multiplier *m, unsigned shift, uint16_t value)
{
    m->result = (m->result & ~(0xffffull << shift)) | (uint64_t)value << shift;
}

static void write(struct sonde_msp430_sim *sim, struct msp430_peripheral *peripheral,
                  uint32_t address, uint16_t value, bool byte)
{
    (void)sim;
    struct multiplier *m = peripheral->state;
    uint32_t offset = address - peripheral->unit->base;
    if (byte)
        value = (uint8_t)value;
    if (offset < 8) {
        m->operand1_low = value;
        m->mode = (uint16_t)(offset >> 1);
        m->wide1 = false;
    } else if (offset == 8) {
        m->operand2_low = value;
        if (m->wide1)
            multiply_32(m, false);
        else
            multiply_16(m);
    } else if (offset < 0x10) {
        if (offset == 0x0e)
            m->sum_extension = value;
        else
            write_result(m, offset == 0x0a ? 0 : 16, value);
    } else if (offset < 0x20) {
        *operand_register(m, offset & ~1u) = value;
        m->mode = (uint16_t)(offset >> 2 & 3);
        m->wide1 = true;
    } else if (offset < 0x24) {
        *operand_register(m, offset & ~1u) = value;
        if (offset == 0x22)
            multiply_32(m, true);
    } else if (offset < 0x2c) {
        write_result(m, (offset - 0x24) * 8, value);
    } else {
        m->control = value;
    }
}

const struct msp430_peripheral_ops msp430_multiplier_ops = {.state_size = sizeof(struct multiplier),
                                                            .reset = reset,
                                                            .owns = owns,
                                                            .read = read,
                                                            .write = write};
