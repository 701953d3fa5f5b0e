#include "cli/commands.h"
#include "cli/results.h"

int cmd_info(const struct cli_arguments *arguments)
{
    struct sonde_trace *trace = results_open(arguments);
    if (trace == NULL)
        return CLI_EXIT_FAILURE;
    struct report_text text = {.data = NULL};
    report_info_text(trace, &text);
    sonde_trace_close(trace);
    return results_print(&text, stdout);
}
