/* Rows of the device table with what the server itself needs. */
#ifndef SONDE_DEVICE_MODEL_H
#define SONDE_DEVICE_MODEL_H

#include "device/device.h"
#include "sonde/gen.h"

/* How the driver starts a context. */
enum device_submission {
    DEVICE_SUBMISSION_ELSP, /* four writes to engine base + 0x230: Gen8 to Gen11 */
    DEVICE_SUBMISSION_ELSQ, /* descriptor to engine base + 0x510, then bit 0 of + 0x550: Gen12 on */
};

struct device_configuration {
    struct device_model model;
    enum sonde_gen_platform platform;
    enum device_submission submission;
    uint32_t slices, subslices, eus_per_subslice, threads_per_eu;
    uint32_t cycles_per_tick; /* EU cycles in one tick of the timestamp registers */
};

/* The whole row of a model returned by device_model_find or _at. */
const struct device_configuration *device_model_configuration(const struct device_model *model);

#endif
