/* What the operations of format I do, for the interpreter's handlers. */
#ifndef SONDE_EMU_MSP430_OPERATIONS_H
#define SONDE_EMU_MSP430_OPERATIONS_H

#include "emu/msp430/internal.h"

/* Every operation of format I with every operand combination. */
#define WITH_SOURCES(X, op) X(op, REG) X(op, IMM) X(op, MEM) X(op, INC)
#define OPERATIONS(X)                                                                              \
    WITH_SOURCES(X, MOV)                                                                           \
    WITH_SOURCES(X, ADD)                                                                           \
    WITH_SOURCES(X, ADDC)                                                                          \
    WITH_SOURCES(X, SUBC)                                                                          \
    WITH_SOURCES(X, SUB)                                                                           \
    WITH_SOURCES(X, CMP)                                                                           \
    WITH_SOURCES(X, DADD)                                                                          \
    WITH_SOURCES(X, BIT)                                                                           \
    WITH_SOURCES(X, BIC) WITH_SOURCES(X, BIS) WITH_SOURCES(X, XOR) WITH_SOURCES(X, AND)

#define FLAGS (MSP430_SR_V | MSP430_SR_N | MSP430_SR_Z | MSP430_SR_C)

static inline uint32_t address_of(uint32_t base, int32_t index)
{
    return (base + (uint32_t)index) & (base > 0xffff ? 0xfffffu : 0xffffu);
}

static inline uint32_t logic_flags(uint32_t sr, uint32_t result, unsigned bits)
{
    sr &= ~(uint32_t)FLAGS;
    sr |= result == 0 ? MSP430_SR_Z : MSP430_SR_C;
    return sr | (result >> (bits - 1) << 2);
}

static inline uint32_t sum_flags(uint32_t sr, uint32_t s, uint32_t d, uint32_t sum, unsigned bits)
{
    uint32_t mask = (1u << bits) - 1;
    sr &= ~(uint32_t)FLAGS;
    sr |= sum >> bits & 1;
    sr |= (sum & mask) == 0 ? MSP430_SR_Z : 0;
    sr |= (sum >> (bits - 1) & 1) << 2;
    return sr | (((s ^ sum) & (d ^ sum)) >> (bits - 1) & 1) << 8;
}

/* Decimal sum; what it does to digits above 9 TI leaves open. */
static uint32_t decimal_sum(uint32_t s, uint32_t d, uint32_t carry, unsigned bits)
{
    uint32_t sum = carry;
    for (unsigned shift = 0; shift < bits; shift += 4) {
        sum += (s & 0xfu << shift) + (d & 0xfu << shift);
        if ((sum & 0x1fu << shift) > 9u << shift)
            sum += 6u << shift;
    }
    return sum;
}

/* Results of the operations from s, d and sr; they may change sr. */
#define RESULT_MOV(bits)  (s)
#define RESULT_ADD(bits)  SUM(s, 0, bits)
#define RESULT_ADDC(bits) SUM(s, sr & 1, bits)
#define RESULT_SUBC(bits) SUM(~s &MASK(bits), sr & 1, bits)
#define RESULT_SUB(bits)  SUM(~s &MASK(bits), 1, bits)
#define RESULT_CMP(bits)  SUM(~s &MASK(bits), 1, bits)
#define RESULT_DADD(bits)                                                                          \
    (t = decimal_sum(s, d, sr & 1, bits),                                                          \
     sr = (sr & ~(uint32_t)FLAGS) | (t >> bits & 1) | ((t & MASK(bits)) == 0 ? MSP430_SR_Z : 0) |  \
          (t >> (bits - 1) & 1) << 2,                                                              \
     t)
#define RESULT_BIT(bits) LOGIC(s &d, bits)
#define RESULT_BIC(bits) (d & ~s)
#define RESULT_BIS(bits) (d | s)
#define RESULT_XOR(bits) (t = LOGIC(s ^ d, bits), sr |= (s & d) >> (bits - 1) << 8 & MSP430_SR_V, t)
#define RESULT_AND(bits) LOGIC(s &d, bits)
#define MASK(bits)       ((1u << (bits)) - 1)
#define SUM(value, carry, bits)                                                                    \
    (v = (value), t = v + d + (carry), sr = sum_flags(sr, v, d, t, bits), t)
#define LOGIC(value, bits) (t = (value), sr = logic_flags(sr, t, bits), t)

enum {
    READS_MOV = 0,
    READS_ADD = 1,
    READS_ADDC = 1,
    READS_SUBC = 1,
    READS_SUB = 1,
    READS_CMP = 1,
    READS_DADD = 1,
    READS_BIT = 1,
    READS_BIC = 1,
    READS_BIS = 1,
    READS_XOR = 1,
    READS_AND = 1,
    WRITES_MOV = 1,
    WRITES_ADD = 1,
    WRITES_ADDC = 1,
    WRITES_SUBC = 1,
    WRITES_SUB = 1,
    WRITES_CMP = 0,
    WRITES_DADD = 1,
    WRITES_BIT = 0,
    WRITES_BIC = 1,
    WRITES_BIS = 1,
    WRITES_XOR = 1,
    WRITES_AND = 1,
};

#endif
