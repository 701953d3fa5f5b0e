#include <string.h>

#include "cli/commands.h"
#include "cli/results.h"
#include "report/diff.h"

typedef unsigned long long ull;

static struct sonde_trace *open_run(const char *directory)
{
    struct sonde_trace *trace;
    struct sonde_error error;
    if (sonde_trace_open(directory, &trace, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return NULL;
    }
    if (sonde_trace_warning(trace) != NULL)
        cli_warning("%s: %s", directory, sonde_trace_warning(trace));
    return trace;
}

static void warn_of_losses(const struct sonde_trace *trace, const char *directory)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        lost += sonde_trace_loss(trace, i)->records;
    if (lost > 0)
        cli_warning("%s: %llu records were lost: its figures are too small", directory, (ull)lost);
}

static int compare(const struct cli_arguments *arguments, const struct sonde_trace *left,
                   const struct sonde_trace *right, const struct analyze_matcher *matcher)
{
    bool is_json = strcmp(cli_value(arguments, CLI_OPTION_FORMAT, "text"), "json") == 0;
    struct report_text text = {.data = NULL};
    struct report_json json = {.text = &text};
    struct report_diff diff;
    struct sonde_error error;
    warn_of_losses(left, arguments->operands[0]);
    warn_of_losses(right, arguments->operands[1]);
    if (is_json)
        report_json_begin_object(&json, NULL);
    enum sonde_status status =
        report_diff_print(left, right, matcher, &text, is_json ? &json : NULL, &diff, &error);
    if (status != SONDE_OK) {
        cli_error("%s", error.message);
        return CLI_EXIT_USAGE;
    }
    if (is_json) {
        report_json_number(&json, "compared", diff.compared);
        report_json_number(&json, "different", diff.different);
        report_json_number(&json, "only_left", diff.only_left);
        report_json_number(&json, "only_right", diff.only_right);
        report_json_end_object(&json);
    } else {
        report_text_add(&text,
                        "%llu figures compared, %llu differ; %llu rows only in the first run, "
                        "%llu only in the second\n",
                        (ull)diff.compared, (ull)diff.different, (ull)diff.only_left,
                        (ull)diff.only_right);
    }
    if (results_print(&text, stdout) != CLI_EXIT_OK)
        return CLI_EXIT_USAGE;
    if (diff.compared + diff.only_left + diff.only_right == 0) {
        cli_error("the runs have no tool in common");
        return CLI_EXIT_USAGE;
    }
    return diff.different + diff.only_left + diff.only_right == 0 ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

/* As diff(1): 0 the same, 1 different, 2 trouble. */
int cmd_diff(const struct cli_arguments *arguments)
{
    struct analyze_matcher *matcher = NULL;
    if (!results_matcher(arguments, &matcher))
        return CLI_EXIT_USAGE;
    struct sonde_trace *left = open_run(arguments->operands[0]);
    struct sonde_trace *right = open_run(arguments->operands[1]);
    int status = CLI_EXIT_USAGE;
    if (left != NULL && right != NULL)
        status = compare(arguments, left, right, matcher);
    sonde_trace_close(left);
    sonde_trace_close(right);
    analyze_matcher_destroy(matcher);
    return status;
}
