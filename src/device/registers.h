/* MMIO registers of one connection: a small sparse store. */
#ifndef SONDE_DEVICE_REGISTERS_H
#define SONDE_DEVICE_REGISTERS_H

#include <stdint.h>

#define DEVICE_REGISTER_SLOTS 1024u /* a power of two; the driver writes under 200 */

/* Sonde's own (src/attach/neo/fault.c): faults of the process. */
#define DEVICE_REGISTER_FAULTS 0x53000000u

struct device_registers {
    uint32_t keys[DEVICE_REGISTER_SLOTS]; /* offset + 1, 0 = free */
    uint32_t values[DEVICE_REGISTER_SLOTS];
    uint32_t count;
};

/* 0 for a register that was never written. */
uint32_t device_registers_read(const struct device_registers *registers, uint32_t offset);
/* Dropped when the store is full. */
void device_registers_write(struct device_registers *registers, uint32_t offset, uint32_t value);

#endif
