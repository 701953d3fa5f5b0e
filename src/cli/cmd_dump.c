#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/records.h"
#include "cli/commands.h"
#include "cli/results.h"

/* A number in any base of C; false when the text is none, or goes on. */
static bool parse(const char *text, size_t length, uint64_t *value)
{
    char copy[32], *end;
    if (length == 0 || length >= sizeof copy || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    errno = 0;
    *value = strtoull(copy, &end, 0);
    return *end == '\0' && errno == 0;
}

static bool take_word(const struct cli_arguments *arguments, enum cli_option_id id, bool *given,
                      uint32_t *value)
{
    const char *text = cli_value(arguments, id, NULL);
    uint64_t number;
    *given = text != NULL;
    if (text == NULL)
        return true;
    if (parse(text, strlen(text), &number) && number <= UINT32_MAX) {
        *value = (uint32_t)number;
        return true;
    }
    cli_error("--%s takes a number of 32 bits, not '%s'", cli_option_find(id)->name, text);
    return false;
}

/* A..B, A.. or ..B */
static bool take_time(const struct cli_arguments *arguments, struct analyze_selection *selection)
{
    const char *text = cli_value(arguments, CLI_OPTION_TIME, NULL);
    selection->time_first = 0;
    selection->time_last = UINT64_MAX;
    if (text == NULL)
        return true;
    const char *dots = strstr(text, "..");
    if (dots != NULL && (dots != text || dots[2] != '\0') &&
        (dots == text || parse(text, (size_t)(dots - text), &selection->time_first)) &&
        (dots[2] == '\0' || parse(dots + 2, strlen(dots + 2), &selection->time_last)) &&
        selection->time_first <= selection->time_last)
        return true;
    cli_error("--time takes device clock ticks as A..B, A.. or ..B, not '%s'", text);
    return false;
}

static bool is_selective(const struct cli_arguments *arguments)
{
    return cli_given(arguments, CLI_OPTION_KERNEL) || cli_given(arguments, CLI_OPTION_DISPATCH) ||
           cli_given(arguments, CLI_OPTION_THREAD) || cli_given(arguments, CLI_OPTION_TIME);
}

/* Only the records that are asked for, by the index: nothing else is read. */
static int dump_selected(const struct cli_arguments *arguments,
                         const struct analyze_selection *selection, bool json_wanted)
{
    const char *directory = cli_value(arguments, CLI_OPTION_INPUT, RESULTS_DIRECTORY);
    struct sonde_trace *trace;
    struct sonde_error error;
    if (sonde_trace_open_index(directory, &trace, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return CLI_EXIT_FAILURE;
    }
    if (sonde_trace_warning(trace) != NULL)
        cli_warning("%s: %s", directory, sonde_trace_warning(trace));
    struct report_text text = {.data = NULL};
    struct report_json json = {.text = &text};
    enum sonde_status status;
    if (json_wanted) {
        report_json_begin_object(&json, NULL);
        report_json_number(&json, "sonde_dump", 1);
        report_run_print_json(trace, &json);
        status = report_records_dump_json(trace, selection, &json, &error);
        report_json_end_object(&json);
    } else {
        status = report_records_dump_text(trace, selection, &text, &error);
    }
    sonde_trace_close(trace);
    int printed = results_print(&text, stdout);
    if (status != SONDE_OK)
        cli_error("%s: %s", directory, error.message);
    return status == SONDE_OK ? printed : CLI_EXIT_FAILURE;
}

static int dump_all(const struct cli_arguments *arguments, bool json_wanted)
{
    struct sonde_trace *trace = results_open(arguments);
    if (trace == NULL)
        return CLI_EXIT_FAILURE;
    struct report_text text = {.data = NULL};
    if (json_wanted)
        report_dump_json(trace, &text);
    else
        report_dump_text(trace, &text);
    sonde_trace_close(trace);
    return results_print(&text, stdout);
}

int cmd_dump(const struct cli_arguments *arguments)
{
    const char *format = cli_value(arguments, CLI_OPTION_FORMAT, "text");
    struct analyze_matcher *matcher = NULL;
    struct analyze_selection selection = {.time_last = UINT64_MAX};
    if (strcmp(format, "csv") == 0) {
        cli_error("sonde dump writes text or json: its records have no common columns");
        return CLI_EXIT_USAGE;
    }
    if (!take_word(arguments, CLI_OPTION_DISPATCH, &selection.has_dispatch, &selection.dispatch) ||
        !take_word(arguments, CLI_OPTION_THREAD, &selection.has_thread, &selection.thread) ||
        !take_time(arguments, &selection) || !results_matcher(arguments, &matcher))
        return CLI_EXIT_USAGE;
    selection.matcher = matcher;
    bool json = strcmp(format, "json") == 0;
    int status = is_selective(arguments) ? dump_selected(arguments, &selection, json)
                                         : dump_all(arguments, json);
    analyze_matcher_destroy(matcher);
    return status;
}
