#include <stdlib.h>

#include "cli/commands.h"
#include "cli/schemas.h"

int cmd_schema_check(const struct cli_arguments *arguments)
{
    for (size_t i = 0; i < arguments->operand_count; i++) {
        struct schema schema = {.probes = NULL};
        bool good = schemas_load(&schema, arguments->operands[i]);
        char *text = good ? schema_to_short(&schema) : NULL;
        if (text != NULL)
            fputs(text, stdout);
        free(text);
        schema_clear(&schema);
        if (!good)
            return CLI_EXIT_FAILURE;
    }
    return CLI_EXIT_OK;
}

int cmd_schema_list(const struct cli_arguments *arguments)
{
    (void)arguments;
    schema_print_tables(stdout);
    return CLI_EXIT_OK;
}
