#include "device/registers.h"

static uint32_t find(const struct device_registers *registers, uint32_t offset)
{
    uint32_t slot = (offset >> 2) * 0x9e3779b1u >> 22;
    while (registers->keys[slot] != 0 && registers->keys[slot] != offset + 1)
        slot = (slot + 1) & (DEVICE_REGISTER_SLOTS - 1);
    return slot;
}

uint32_t device_registers_read(const struct device_registers *registers, uint32_t offset)
{
    uint32_t slot = find(registers, offset & ~3u);
    return registers->keys[slot] == 0 ? 0 : registers->values[slot];
}

void device_registers_write(struct device_registers *registers, uint32_t offset, uint32_t value)
{
    uint32_t slot = find(registers, offset & ~3u);
    if (registers->keys[slot] == 0) {
        if (registers->count >= DEVICE_REGISTER_SLOTS / 2)
            return;
        registers->count++;
        registers->keys[slot] = (offset & ~3u) + 1;
    }
    registers->values[slot] = value;
}
