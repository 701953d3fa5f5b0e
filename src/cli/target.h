/* Where kernels are going to run, and the driver that sends them there. */
#ifndef SONDE_CLI_TARGET_H
#define SONDE_CLI_TARGET_H

#include <limits.h>

#include "cli/cli.h"
#include "device/device.h"

struct target {
    const struct device_model *model; /* NULL = the real GPU */
    char name[64];                    /* as the trace header names it */
    char why[160];                    /* how `auto` came to it, "" when it was asked for */
};

/* Resolve the value of --device. Prints what is wrong with it and returns
 * false. */
bool target_choose(const char *device, struct target *target);
/* The first Intel GPU below /dev/dri that can be opened; false when none,
 * with the reason in `why`. */
bool target_find_hardware(char *name, size_t name_size, char *why, size_t why_size);

struct target_driver {
    char library[PATH_MAX]; /* libigdrcl.so */
    char vendors[PATH_MAX]; /* value of OCL_ICD_VENDORS that leaves only this driver */
};
/* Find the Intel OpenCL driver: $SONDE_OPENCL_DRIVER, else the ICD files of
 * $OCL_ICD_VENDORS or /etc/OpenCL/vendors. Prints which package to install
 * and returns false when there is none. */
bool target_find_driver(struct target_driver *driver);
/* Path of the library to preload, next to this executable in a build tree or
 * an installation. Prints and returns false when it is missing. */
bool target_find_attach_library(char *path, size_t size);

#endif
