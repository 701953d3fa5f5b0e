/* Fields of message descriptors. */
#ifndef SONDE_ISA_GEN_DESCRIPTOR_H
#define SONDE_ISA_GEN_DESCRIPTOR_H

#include <stdint.h>

/* Bits [high:low], fewer than 32 of them. */
static inline uint32_t descriptor_bits(uint32_t descriptor, unsigned high, unsigned low)
{
    return descriptor >> low & ((UINT32_C(1) << (high - low + 1)) - 1);
}

#endif
