/* MI_MATH: a program for the command streamer's 64-bit ALU, one dword an
 * instruction. The driver brackets dispatches that read and write the same
 * image with it. Codes as in the public command reference (and Mesa's
 * description of it). */
#include "device/connection.h"
#include "device/streamer.h"

#define GENERAL_REGISTERS 0x2600u /* sixteen of 8 bytes */

enum instruction {
    MATH_NOOP = 0x000,
    MATH_LOAD = 0x080,
    MATH_LOAD_ZERO = 0x081,
    MATH_ADD = 0x100,
    MATH_SUBTRACT = 0x101,
    MATH_AND = 0x102,
    MATH_OR = 0x103,
    MATH_XOR = 0x104,
    MATH_STORE = 0x180,
    MATH_LOAD_INVERTED = 0x480,
    MATH_LOAD_ONES = 0x481,
    MATH_STORE_INVERTED = 0x580,
};

enum operand {
    OPERAND_SOURCE_A = 0x20,
    OPERAND_SOURCE_B = 0x21,
    OPERAND_ACCUMULATOR = 0x31,
    OPERAND_ZERO_FLAG = 0x32,
    OPERAND_CARRY_FLAG = 0x33,
};

struct alu {
    uint64_t source[2], accumulator;
    bool zero, carry;
};

static uint64_t get(struct device_streamer *s, const struct alu *alu, uint32_t operand)
{
    uint32_t at = GENERAL_REGISTERS + 8 * operand;

    switch (operand) {
    case OPERAND_SOURCE_A:
    case OPERAND_SOURCE_B:
        return alu->source[operand & 1];
    case OPERAND_ACCUMULATOR:
        return alu->accumulator;
    case OPERAND_ZERO_FLAG:
        return alu->zero ? UINT64_MAX : 0;
    case OPERAND_CARRY_FLAG:
        return alu->carry ? UINT64_MAX : 0;
    default:
        if (operand > 15)
            return 0;
        return device_connection_register(s->connection, at) |
               (uint64_t)device_connection_register(s->connection, at + 4) << 32;
    }
}

static void set(struct device_streamer *s, struct alu *alu, uint32_t operand, uint64_t value)
{
    struct device_registers *registers = &s->connection->registers;
    uint32_t at = GENERAL_REGISTERS + 8 * operand;

    if (operand == OPERAND_SOURCE_A || operand == OPERAND_SOURCE_B) {
        alu->source[operand & 1] = value;
    } else if (operand <= 15) {
        device_registers_write(registers, at, (uint32_t)value);
        device_registers_write(registers, at + 4, (uint32_t)(value >> 32));
    }
}

static void compute(struct alu *alu, enum instruction code)
{
    uint64_t a = alu->source[0], b = alu->source[1], result = a ^ b;

    alu->carry = false;
    if (code == MATH_ADD)
        alu->carry = __builtin_add_overflow(a, b, &result);
    else if (code == MATH_SUBTRACT)
        alu->carry = __builtin_sub_overflow(a, b, &result);
    else if (code == MATH_AND)
        result = a & b;
    else if (code == MATH_OR)
        result = a | b;
    alu->accumulator = result;
    alu->zero = result == 0;
}

enum device_command_outcome device_mi_math(struct device_streamer *s, const uint32_t *words,
                                           uint32_t count)
{
    struct alu alu = {.zero = true};

    for (uint32_t i = 1; i < count; i++) {
        uint32_t first = words[i] >> 10 & 0x3ff, second = words[i] & 0x3ff;
        enum instruction code = (enum instruction)(words[i] >> 20);

        switch (code) {
        case MATH_NOOP:
            break;
        case MATH_LOAD:
            set(s, &alu, first, get(s, &alu, second));
            break;
        case MATH_LOAD_INVERTED:
            set(s, &alu, first, ~get(s, &alu, second));
            break;
        case MATH_LOAD_ZERO:
            set(s, &alu, first, 0);
            break;
        case MATH_LOAD_ONES:
            set(s, &alu, first, UINT64_MAX);
            break;
        case MATH_ADD:
        case MATH_SUBTRACT:
        case MATH_AND:
        case MATH_OR:
        case MATH_XOR:
            compute(&alu, code);
            break;
        case MATH_STORE:
            set(s, &alu, first, get(s, &alu, second));
            break;
        case MATH_STORE_INVERTED:
            set(s, &alu, first, ~get(s, &alu, second));
            break;
        default:
            device_streamer_fault(s, "MI_MATH instruction 0x%x is not known", code);
            return DEVICE_COMMAND_FAULT;
        }
    }
    return DEVICE_COMMAND_DONE;
}
