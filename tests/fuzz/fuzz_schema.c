/* Any bytes as a schema file, and as probes in short: read, or refused with a
 * message. What was read and is written in short reads as the same again. */
#include "tools/schema.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct schema *schema, enum sonde_status status, const struct sonde_error *error)
{
    if (status != SONDE_OK) {
        if (error->message[0] == '\0')
            abort();
        schema_clear(schema);
        return;
    }
    struct schema again = {.probes = NULL};
    struct sonde_error problem;
    char *text = schema_to_short(schema);
    if (text == NULL || schema_parse_short(&again, text, "again", &problem) != SONDE_OK)
        abort();
    char *same = schema_to_short(&again);
    if (same == NULL || strcmp(text, same) != 0)
        abort();
    free(text);
    free(same);
    schema_clear(&again);
    schema_clear(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schema schema = {.probes = NULL};
    struct sonde_error error = {.message = ""};
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    check(&schema, schema_parse_yaml(&schema, text, size, "fuzz.yaml", &error), &error);
    error.message[0] = '\0';
    check(&schema, schema_parse_short(&schema, text, "--at", &error), &error);
    free(text);
    return 0;
}
