/* Devices as the driver names them. */
#ifndef SONDE_ATTACH_NEO_PLATFORM_H
#define SONDE_ATTACH_NEO_PLATFORM_H

#include "attach/neo/gtpin.h"
#include "sonde/gen.h"

/* More hardware threads than any device of these generations has. */
#define ATTACH_MAXIMUM_THREADS 8192u

/* False for generations without a codec. */
bool attach_platform_of(const struct gtpin_platform *device, enum sonde_gen_platform *platform);

#endif
