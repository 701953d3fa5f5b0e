#include <stdlib.h>
#include <string.h>

#include "cli/callflow.h"
#include "cli/commands.h"
#include "cli/results.h"

/* The tools of every -t as a NULL-terminated list; free both. */
static const char **split_tools(const struct cli_arguments *arguments, char **storage)
{
    const struct cli_values *values = &arguments->options[CLI_OPTION_TOOL];
    size_t size = 1, words = 1;
    for (size_t i = 0; i < values->count; i++)
        size += strlen(values->items[i]) + 1;
    *storage = calloc(size, 1);
    const char **tools = calloc(size, sizeof *tools);
    if (*storage == NULL || tools == NULL) {
        free(tools);
        return NULL;
    }
    char *end = *storage;
    for (size_t i = 0; i < values->count; i++)
        end = stpcpy(stpcpy(end, values->items[i]), ",");
    words = 0;
    char *rest = NULL;
    for (char *word = strtok_r(*storage, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest))
        tools[words++] = word;
    return tools;
}

static int report(const struct cli_arguments *arguments, const struct report_options *options,
                  const struct sonde_trace *trace, const struct analyze_matcher *matcher)
{
    char *storage = NULL;
    const char **tools = NULL;
    if (cli_given(arguments, CLI_OPTION_TOOL))
        tools = split_tools(arguments, &storage);
    bool is_firmware = sonde_trace_firmware(trace) != NULL;
    int status = is_firmware || results_matches(trace, matcher) ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
    struct report_text text = {.data = NULL};
    if (is_firmware)
        status = results_report_callflow(trace, tools, matcher, options, &text);
    else if (status == CLI_EXIT_OK)
        status = results_report(trace, tools, matcher, options, &text);
    if (status == CLI_EXIT_OK)
        status = results_print(&text, stdout);
    free(text.data);
    free(tools);
    free(storage);
    return status;
}

int cmd_report(const struct cli_arguments *arguments)
{
    struct report_options options;
    if (!results_options(arguments, &options))
        return CLI_EXIT_USAGE;
    if (!results_take_filter(arguments, &options.filter))
        return CLI_EXIT_USAGE;
    struct analyze_matcher *matcher = NULL;
    if (!results_matcher(arguments, &matcher))
        return CLI_EXIT_USAGE;
    struct sonde_trace *trace = results_open(arguments);
    int status = trace != NULL ? report(arguments, &options, trace, matcher) : CLI_EXIT_FAILURE;
    sonde_trace_close(trace);
    analyze_matcher_destroy(matcher);
    return status;
}
