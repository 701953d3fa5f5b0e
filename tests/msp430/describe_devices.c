/* Prints the simulator's devices for test_devices.py. */
#include <stdio.h>

#include "emu/msp430/internal.h"

static const char *kind_of(const struct msp430_unit *unit)
{
    static const struct {
        const struct msp430_peripheral_ops *ops;
        const char *name;
    } kinds[] = {{&msp430_special_ops, "special"},
                 {&msp430_timer_ops, "timer"},
                 {&msp430_watchdog_ops, "watchdog"},
                 {&msp430_port_ops, "port"},
                 {&msp430_multiplier_ops, "multiplier"},
                 {&msp430_uart_ops, "uart"},
                 {&msp430_power_ops, "power"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].ops == unit->ops)
            return kinds[i].name;
    }
    return "unknown";
}

int main(void)
{
    const char *name;
    for (size_t i = 0; (name = sonde_msp430_device_name(i)) != NULL; i++) {
        const struct msp430_device *device = msp430_device_find(name);
        printf("%s vectors %x %u\n", name, device->vectors, device->vector_count);
        for (size_t k = 0; k < 6 && device->regions[k].attributes != 0; k++)
            printf("%s region %x %x\n", name, device->regions[k].first, device->regions[k].last);
        for (size_t k = 0; k < MSP430_MAX_PERIPHERALS && device->units[k].ops != NULL; k++) {
            const struct msp430_unit *unit = &device->units[k];
            printf("%s unit %s %u %x %u %u\n", name, kind_of(unit), unit->number, unit->base,
                   unit->vector, unit->vector2);
        }
    }
    return 0;
}
