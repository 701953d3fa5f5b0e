/* What each command does: one function a command, in cmd_NAME.c. */
#ifndef SONDE_CLI_COMMANDS_H
#define SONDE_CLI_COMMANDS_H

#include "cli/cli.h"

int cmd_run(const struct cli_arguments *arguments);
int cmd_report(const struct cli_arguments *arguments);
int cmd_annotate(const struct cli_arguments *arguments);
int cmd_verify(const struct cli_arguments *arguments);
int cmd_disasm(const struct cli_arguments *arguments);
int cmd_list(const struct cli_arguments *arguments);
int cmd_info(const struct cli_arguments *arguments);
int cmd_export(const struct cli_arguments *arguments);
int cmd_diff(const struct cli_arguments *arguments);
int cmd_dump(const struct cli_arguments *arguments);
int cmd_schema_check(const struct cli_arguments *arguments);
int cmd_schema_list(const struct cli_arguments *arguments);
int cmd_emu(const struct cli_arguments *arguments);
int cmd_msp430(const struct cli_arguments *arguments);
int cmd_msp430_as(const struct cli_arguments *arguments);
int cmd_msp430_instrument(const struct cli_arguments *arguments);

#endif
