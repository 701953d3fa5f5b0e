#include <string.h>

#include "cli/commands.h"
#include "cli/results.h"

int cmd_info(const struct cli_arguments *arguments)
{
    const char *format = cli_value(arguments, CLI_OPTION_FORMAT, "text");
    if (strcmp(format, "csv") == 0) {
        cli_error("sonde info writes text or json");
        return CLI_EXIT_USAGE;
    }
    struct sonde_trace *trace = results_open(arguments);
    if (trace == NULL)
        return CLI_EXIT_FAILURE;
    struct report_text text = {.data = NULL};
    if (cli_given(arguments, CLI_OPTION_JSON) || strcmp(format, "json") == 0)
        report_info_json(trace, &text);
    else
        report_info_text(trace, &text);
    sonde_trace_close(trace);
    return results_print(&text, stdout);
}
