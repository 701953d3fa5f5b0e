#include "device/model.h"

#include <stddef.h>
#include <string.h>

/* The smallest part that the driver's Skylake table has (1x2x6, 84 hardware
 * threads): scratch memory is allocated for every hardware thread and travels
 * whole over the socket in both directions, so a small part is a fast one. */
static const char *const skl_environment[] = {
    "NEOReadDebugKeys=1",
    "SetCommandStreamReceiver=2",
    "ProductFamilyOverride=skl",
    "HardwareInfoOverride=1x2x6",
    NULL,
};

/* 1x2x16: the smaller of the two parts that the driver's Tiger Lake table has. */
static const char *const tgllp_environment[] = {
    "NEOReadDebugKeys=1",
    "SetCommandStreamReceiver=2",
    "ProductFamilyOverride=tgllp",
    "HardwareInfoOverride=1x2x16",
    NULL,
};

/* The driver's DG2 table is empty without a real part, so that the size must be
 * given; its scratch would be that of the largest part: 4096 threads. System
 * memory, linear images and no copy engine keep to what is emulated. A tool's
 * buffers must not be shared ones: the driver crashes mapping them. */
static const char *const dg2_environment[] = {
    "NEOReadDebugKeys=1",
    "SetCommandStreamReceiver=2",
    "ProductFamilyOverride=dg2",
    "HardwareInfoOverride=1x1x16",
    "OverrideNumComputeUnitsForScratch=128",
    "EnableLocalMemory=0",
    "EnableBlitterOperationsSupport=0",
    "EnableBlitterForEnqueueOperations=0",
    "ForceLinearImages=1",
    "GTPinAllocateBufferInSharedMemory=0",
    NULL,
};

static const struct device_configuration configurations[] = {
    {
        .model = {"skl", "Intel Gen9 (Skylake), 1 slice x 2 sub-slices x 6 EUs", skl_environment},
        .platform = SONDE_GEN_PLATFORM_GEN9,
        .submission = DEVICE_SUBMISSION_ELSP,
        .slices = 1,
        .subslices = 2,
        .eus_per_subslice = 6,
        .threads_per_eu = 7,
        .cycles_per_tick = 96, /* 1.152 GHz over the 12 MHz timestamp clock */
    },
    {
        .model = {"tgllp", "Intel Gen12LP (Tiger Lake), 1 slice x 2 sub-slices x 16 EUs",
                  tgllp_environment},
        .platform = SONDE_GEN_PLATFORM_XE,
        .submission = DEVICE_SUBMISSION_ELSQ,
        .slices = 1,
        .subslices = 2,
        .eus_per_subslice = 16,
        .threads_per_eu = 7,
        .cycles_per_tick = 60, /* 1.152 GHz over the 19.2 MHz timestamp clock */
    },
    {
        .model = {"dg2", "Intel Xe-HPG (DG2), 1 slice x 1 sub-slice x 16 EUs", dg2_environment},
        .platform = SONDE_GEN_PLATFORM_XEHPG,
        .submission = DEVICE_SUBMISSION_ELSQ,
        .slices = 1,
        .subslices = 1,
        .eus_per_subslice = 16,
        .threads_per_eu = 8,
        .cycles_per_tick = 60,
    },
};

#define CONFIGURATION_COUNT (sizeof configurations / sizeof *configurations)

const struct device_model *device_model_find(const char *name)
{
    for (size_t i = 0; i < CONFIGURATION_COUNT; i++)
        if (strcmp(configurations[i].model.name, name) == 0)
            return &configurations[i].model;
    return NULL;
}

const struct device_model *device_model_at(unsigned index)
{
    return index < CONFIGURATION_COUNT ? &configurations[index].model : NULL;
}

const struct device_configuration *device_model_configuration(const struct device_model *model)
{
    for (size_t i = 0; i < CONFIGURATION_COUNT; i++)
        if (&configurations[i].model == model)
            return &configurations[i];
    return NULL;
}
