#include "attach/neo/platform.h"

/* The driver names XeHPC as XeHPG; the PCI ids of Ponte Vecchio tell them apart. */
static bool is_xe_hpc(uint32_t device_id)
{
    return (device_id >= 0x0bd0 && device_id <= 0x0bdf) || device_id == 0x0b69 ||
           device_id == 0x0b6e;
}

bool attach_platform_of(const struct gtpin_platform *device, enum sonde_gen_platform *platform)
{
    switch (device->generation) {
    case 2:
        *platform = SONDE_GEN_PLATFORM_GEN9;
        return true;
    case 4:
        *platform = SONDE_GEN_PLATFORM_GEN11;
        return true;
    case 5:
        *platform = SONDE_GEN_PLATFORM_XE;
        return true;
    case 6:
        *platform = SONDE_GEN_PLATFORM_XEHP;
        return true;
    case 7:
        *platform =
            is_xe_hpc(device->device_id) ? SONDE_GEN_PLATFORM_XEHPC : SONDE_GEN_PLATFORM_XEHPG;
        return true;
    default:
        return false;
    }
}
