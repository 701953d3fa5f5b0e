/* The devices: memory, peripherals and vectors of each. Addresses and vectors
 * are those of the data sheets (SLAS735 for G2553, SLAS694 G2231, SLAS722 G2452,
 * SLAS504 F2274, SLAS590 F5529, SLAS612 F5438A). */
#include <string.h>

#include "emu/msp430/internal.h"

#define FLASH (MSP430_PAGE_READ | MSP430_PAGE_EXECUTE)
#define RAM   (MSP430_PAGE_READ | MSP430_PAGE_WRITE | MSP430_PAGE_EXECUTE | MSP430_PAGE_RAM)

static const struct msp430_device devices[] = {
    {
        .name = "msp430g2553",
        .core = SONDE_MSP430_CORE_CPU,
        .vectors = 0xffe0,
        .vector_count = 16,
        .nonmaskable = 1,
        .regions = {{0x0200, 0x03ff, RAM}, {0x1000, 0x10ff, FLASH}, {0xc000, 0xffff, FLASH}},
        .units = {{&msp430_special_ops, 0, 0x0000, 0, 0, 0, 0, false},
                  {&msp430_watchdog_ops, 0, 0x0120, 0, 10, 0, 0, false},
                  {&msp430_timer_ops, 0, 0x0160, 0x012e, 9, 8, 3, false},
                  {&msp430_timer_ops, 1, 0x0180, 0x011e, 13, 12, 3, false},
                  {&msp430_port_ops, 1, 0x0020, 0, 2, 0, 0, false},
                  {&msp430_port_ops, 2, 0x0028, 0, 3, 0, 0, false},
                  {&msp430_uart_ops, 0, 0x005d, 0, 7, 6, 0, false}},
    },
    {
        .name = "msp430g2231",
        .core = SONDE_MSP430_CORE_CPU,
        .vectors = 0xffe0,
        .vector_count = 16,
        .nonmaskable = 1,
        .regions = {{0x0200, 0x027f, RAM}, {0x1000, 0x10ff, FLASH}, {0xf800, 0xffff, FLASH}},
        .units = {{&msp430_special_ops, 0, 0x0000, 0, 0, 0, 0, false},
                  {&msp430_watchdog_ops, 0, 0x0120, 0, 10, 0, 0, false},
                  {&msp430_timer_ops, 0, 0x0160, 0x012e, 9, 8, 2, false},
                  {&msp430_port_ops, 1, 0x0020, 0, 2, 0, 0, false},
                  {&msp430_port_ops, 2, 0x0028, 0, 3, 0, 0, false}},
    },
    {
        .name = "msp430g2452",
        .core = SONDE_MSP430_CORE_CPU,
        .vectors = 0xffe0,
        .vector_count = 16,
        .nonmaskable = 1,
        .regions = {{0x0200, 0x02ff, RAM}, {0x1000, 0x10ff, FLASH}, {0xe000, 0xffff, FLASH}},
        .units = {{&msp430_special_ops, 0, 0x0000, 0, 0, 0, 0, false},
                  {&msp430_watchdog_ops, 0, 0x0120, 0, 10, 0, 0, false},
                  {&msp430_timer_ops, 0, 0x0160, 0x012e, 9, 8, 3, false},
                  {&msp430_port_ops, 1, 0x0020, 0, 2, 0, 0, false},
                  {&msp430_port_ops, 2, 0x0028, 0, 3, 0, 0, false}},
    },
    {
        .name = "msp430f2274",
        .core = SONDE_MSP430_CORE_CPU,
        .vectors = 0xffe0,
        .vector_count = 16,
        .nonmaskable = 1,
        .regions = {{0x0200, 0x05ff, RAM}, {0x1000, 0x10ff, FLASH}, {0x8000, 0xffff, FLASH}},
        .units = {{&msp430_special_ops, 0, 0x0000, 0, 0, 0, 0, false},
                  {&msp430_watchdog_ops, 0, 0x0120, 0, 10, 0, 0, false},
                  {&msp430_timer_ops, 0, 0x0160, 0x012e, 9, 8, 3, false},
                  {&msp430_timer_ops, 0x10, 0x0180, 0x011e, 13, 12, 3, true},
                  {&msp430_port_ops, 1, 0x0020, 0, 2, 0, 0, false},
                  {&msp430_port_ops, 2, 0x0028, 0, 3, 0, 0, false},
                  {&msp430_uart_ops, 0, 0x005d, 0, 7, 6, 0, false}},
    },
    {
        .name = "msp430f5438a",
        .core = SONDE_MSP430_CORE_CPUX,
        .vectors = 0xff80,
        .vector_count = 64,
        .nonmaskable = 2,
        .regions = {{0x1000, 0x19ff, FLASH},
                    {0x1c00, 0x5bff, RAM},
                    {0x5c00, 0xffff, FLASH},
                    {0x10000, 0x45bff, FLASH}},
        .units = {{&msp430_special_ops, 1, 0x0100, 0, 0, 0, 0, false},
                  {&msp430_power_ops, 0, 0x0120, 0, 0, 0, 0, false},
                  {&msp430_watchdog_ops, 1, 0x015c, 0, 58, 0, 0, false},
                  {&msp430_timer_ops, 0, 0x0340, 0x036e, 54, 53, 5, false},
                  {&msp430_timer_ops, 1, 0x0380, 0x03ae, 49, 48, 3, false},
                  {&msp430_timer_ops, 0x10, 0x03c0, 0x03ee, 60, 59, 7, true},
                  {&msp430_multiplier_ops, 1, 0x04c0, 0, 0, 0, 0, false},
                  {&msp430_port_ops, 1, 0x0200, 1, 47, 0, 0, false},
                  {&msp430_port_ops, 2, 0x0201, 1, 42, 0, 0, false},
                  {&msp430_uart_ops, 0, 0x05c0, 1, 57, 57, 0, false},
                  {&msp430_uart_ops, 1, 0x0600, 1, 46, 46, 0, false},
                  {&msp430_uart_ops, 2, 0x0640, 1, 52, 52, 0, false},
                  {&msp430_uart_ops, 3, 0x0680, 1, 44, 44, 0, false}},
    },
    {
        .name = "msp430f5529",
        .core = SONDE_MSP430_CORE_CPUX,
        .vectors = 0xff80,
        .vector_count = 64,
        .nonmaskable = 2,
        .regions = {{0x1000, 0x19ff, FLASH},
                    {0x1c00, 0x23ff, RAM},
                    {0x2400, 0x43ff, RAM},
                    {0x4400, 0xffff, FLASH},
                    {0x10000, 0x243ff, FLASH}},
        .units = {{&msp430_special_ops, 1, 0x0100, 0, 0, 0, 0, false},
                  {&msp430_watchdog_ops, 1, 0x015c, 0, 57, 0, 0, false},
                  {&msp430_timer_ops, 0, 0x0340, 0x036e, 53, 52, 5, false},
                  {&msp430_timer_ops, 1, 0x0380, 0x03ae, 49, 48, 3, false},
                  {&msp430_timer_ops, 2, 0x0400, 0x042e, 44, 43, 3, false},
                  {&msp430_timer_ops, 0x10, 0x03c0, 0x03ee, 59, 58, 7, true},
                  {&msp430_power_ops, 0, 0x0120, 0, 0, 0, 0, false},
                  {&msp430_multiplier_ops, 1, 0x04c0, 0, 0, 0, 0, false},
                  {&msp430_port_ops, 1, 0x0200, 1, 47, 0, 0, false},
                  {&msp430_port_ops, 2, 0x0201, 1, 42, 0, 0, false},
                  {&msp430_uart_ops, 0, 0x05c0, 1, 56, 56, 0, false},
                  {&msp430_uart_ops, 1, 0x0600, 1, 46, 46, 0, false}},
    },
    {
        .name = "generic",
        .core = SONDE_MSP430_CORE_CPU,
        .vectors = 0xffe0,
        .vector_count = 16,
        .nonmaskable = 1,
        .regions = {{0x0200, 0xffff, RAM}},
        .units = {{&msp430_special_ops, 0, 0x0000, 0, 0, 0, 0, false},
                  {&msp430_watchdog_ops, 0, 0x0120, 0, 10, 0, 0, false},
                  {&msp430_multiplier_ops, 0, 0x0130, 0, 0, 0, 0, false},
                  {&msp430_timer_ops, 0, 0x0160, 0x012e, 9, 8, 3, false}},
    },
    {
        .name = "genericx",
        .core = SONDE_MSP430_CORE_CPUX,
        .vectors = 0xffe0,
        .vector_count = 16,
        .nonmaskable = 1,
        .regions = {{0x0200, 0xfffff, RAM}},
        .units = {{&msp430_special_ops, 0, 0x0000, 0, 0, 0, 0, false},
                  {&msp430_watchdog_ops, 0, 0x0120, 0, 10, 0, 0, false},
                  {&msp430_multiplier_ops, 0, 0x0130, 0, 0, 0, 0, false},
                  {&msp430_timer_ops, 0, 0x0160, 0x012e, 9, 8, 3, false}},
    },
};

const char *sonde_msp430_device_name(size_t index)
{
    return index < sizeof devices / sizeof *devices ? devices[index].name : NULL;
}

const struct msp430_device *msp430_device_find(const char *name)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (strcmp(devices[i].name, name) == 0)
            return &devices[i];
    }
    return NULL;
}
