/* A tool for `sonde verify`: random legal procedures at random places of every
 * kernel. RANDOM_SEED chooses others. */
#include <stdlib.h>

#include "random_procedure.h"
#include "sonde/tool.h"

#define POINTS 24u

static enum sonde_status build(struct sonde_tool_build *build, struct sonde_error *error)
{
    struct sonde_instrument *instrument = sonde_tool_build_instrument(build);
    const char *text = getenv("RANDOM_SEED");
    uint64_t seed = text == NULL ? 1 : strtoull(text, NULL, 0);
    struct sonde_profile_array array;
    enum sonde_status status = sonde_tool_build_allocate(build, RANDOM_CHUNK, 1, &array, error);
    if (status != SONDE_OK)
        return status;
    struct random_procedures random;
    random_procedures_open(&random, instrument, array.base, array.buckets,
                           seed ^ sonde_kernel_hash(sonde_instrument_kernel(instrument)), true);
    for (unsigned i = 0; i < POINTS; i++) {
        if (random_procedures_insert(&random))
            continue;
        if (error != NULL)
            *error = random.error;
        return SONDE_ERROR_ARGUMENT;
    }
    return SONDE_OK;
}

SONDE_API const struct sonde_tool *sonde_tool_entry(void);
const struct sonde_tool *sonde_tool_entry(void)
{
    static const struct sonde_tool tool = {.struct_size = sizeof tool,
                                           .api_version = SONDE_TOOL_API_VERSION,
                                           .name = "random",
                                           .summary = "random procedures at random places",
                                           .on_kernel_build = build};
    return &tool;
}
