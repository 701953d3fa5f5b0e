/* Any bytes as assembler text for MSP430: rewritten or refused with a message;
 * without --auto nothing but pseudo-operations and far jumps changes. */
#include "sonde/msp430_as.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, size_t size, const struct sonde_msp430_as_options *options)
{
    struct sonde_msp430_as_result result;
    struct sonde_error error = {.message = ""};
    if (sonde_msp430_as("fuzz.s", text, size, options, &result, &error) != SONDE_OK) {
        if (error.message[0] == '\0' || result.text != NULL)
            abort();
        return;
    }
    if (!options->automatic && result.enter_count + result.exit_count + result.widened_count == 0 &&
        (result.size != size || (size > 0 && memcmp(result.text, text, size) != 0)))
        abort();
    sonde_msp430_as_clear(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const exclude[] = {"main", "f"};
    struct sonde_msp430_as_options options = {.core = SONDE_MSP430_CORE_CPUX};
    options.markers = sonde_msp430_default_markers(options.core);
    check((const char *)data, size, &options);
    options.automatic = true;
    check((const char *)data, size, &options);
    options.exclude = exclude;
    options.exclude_count = 2;
    check((const char *)data, size, &options);
    return 0;
}
