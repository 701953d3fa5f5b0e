/* A compiled probe from any bytes: the first one chooses the part, the rest are
 * the instructions of a kernel that calls it. */
#include <stdint.h>
#include <stdlib.h>

#include "coder/hli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum sonde_gen_platform platforms[] = {
        SONDE_GEN_PLATFORM_GEN9, SONDE_GEN_PLATFORM_XE, SONDE_GEN_PLATFORM_XEHPG};
    struct hli_source source = {.instructions = NULL};
    struct sonde_error error;
    if (size < 9)
        return 0;
    struct sonde_hli_function *function = calloc(1, sizeof *function);
    if (function == NULL)
        return 0;
    function->platform = platforms[data[0] % 3];
    if (sonde_gen_decode_all(function->platform, data + 1, size - 1, &source.instructions,
                             &source.count, &error) == SONDE_OK)
        hli_convert(&source, function, &error);
    free(source.instructions);
    sonde_hli_function_destroy(function);
    return 0;
}
