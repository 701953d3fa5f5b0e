/* Schemas (tools/schema.h) from files, by name, and from the command line. */
#ifndef SONDE_CLI_SCHEMAS_H
#define SONDE_CLI_SCHEMAS_H

#include "cli/cli.h"
#include "tools/schema.h"

/* Append the schema in a file, or the one of that name that comes with Sonde.
 * False when that fails, said. */
bool schemas_load(struct schema *schema, const char *name);
/* Every --schema and --at. */
bool schemas_take(const struct cli_arguments *arguments, struct schema *schema);
/* The schemas that come with Sonde, one a line. */
void schemas_list(FILE *out);

#endif
