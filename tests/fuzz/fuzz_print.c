/* Any bytes as Gen9 code: decodes, prints into a buffer of any size, and what
 * was decoded encodes to the bytes it came from. */
#include "sonde/gen.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct sonde_gen_instruction *instruction, const uint8_t *bytes)
{
    char text[1024];
    int length = sonde_gen_print(instruction, NULL, NULL, text, sizeof text);
    if (length <= 0 || (size_t)length >= sizeof text || strlen(text) != (size_t)length)
        abort();
    size_t room = bytes[0] % 64u;
    char *small = malloc(room + 1);
    if (small == NULL)
        abort();
    if (sonde_gen_print(instruction, NULL, NULL, small, room) != length ||
        (room > 0 && strlen(small) >= room))
        abort();
    free(small);
    uint8_t again[16];
    struct sonde_error error;
    if (instruction->illegal)
        return;
    enum sonde_status status = instruction->compacted
                                   ? sonde_gen_compact(instruction, again, &error)
                                   : sonde_gen_encode(instruction, again, &error);
    if (status != SONDE_OK || memcmp(again, bytes, instruction->size) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t offset = 0;
    struct sonde_gen_instruction instruction;
    struct sonde_error error;
    while (sonde_gen_decode(SONDE_GEN_PLATFORM_GEN9, data, size, offset, &instruction, &error) ==
           SONDE_OK) {
        check(&instruction, data + offset);
        offset += instruction.size;
    }
    return 0;
}
