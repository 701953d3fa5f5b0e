/* Any bytes as a firmware's ELF file: marked or refused with a message, and
 * what is marked can be loaded. The same bytes as a side table. */
#include "sonde/msp430_instrument.h"

#include <stdlib.h>
#include <string.h>

#include "sonde/msp430_sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_marked(const struct sonde_msp430_instrument_result *result)
{
    struct sonde_msp430_sim *sim;
    struct sonde_msp430_markers markers;
    struct sonde_error error;
    if (sonde_msp430_sim_create("generic", NULL, &sim, &error) != SONDE_OK)
        return;
    if (sonde_msp430_sim_load(sim, result->data, result->size, &error) == SONDE_OK &&
        !sonde_msp430_sim_is_marked(sim, &markers))
        abort();
    sonde_msp430_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const exclude[] = {"main", "_exit"};
    struct sonde_msp430_instrument_options options = {.core = SONDE_MSP430_CORE_CPU};
    struct sonde_msp430_instrument_result result;
    struct sonde_msp430_place *places;
    struct sonde_error error = {.message = ""};
    size_t count;
    for (unsigned i = 0; i < 2; i++) {
        options.exclude = exclude;
        options.exclude_count = 2 * i;
        if (sonde_msp430_instrument(data, size, &options, &result, &error) == SONDE_OK)
            check_marked(&result);
        else if (error.message[0] == '\0' || result.data != NULL)
            abort();
        sonde_msp430_instrument_clear(&result);
        options.core = SONDE_MSP430_CORE_CPUX;
    }
    if (sonde_msp430_side_table(data, size, &options, &result, &error) == SONDE_OK) {
        if (sonde_msp430_side_table_read(result.data, result.size, data, size, &places, &count,
                                         &error) != SONDE_OK)
            abort();
        free(places);
        sonde_msp430_instrument_clear(&result);
    }
    if (sonde_msp430_side_table_read(data, size, data, size, &places, &count, &error) == SONDE_OK)
        free(places);
    return 0;
}
