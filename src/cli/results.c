#include "cli/results.h"

#include "report/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_TOOLS = 32 };

struct sonde_trace *results_open(const struct cli_arguments *arguments)
{
    const char *directory = cli_value(arguments, CLI_OPTION_INPUT, RESULTS_DIRECTORY);
    struct sonde_trace *trace;
    struct sonde_error error;
    enum sonde_status status = sonde_trace_open(directory, &trace, &error);
    if (status != SONDE_OK) {
        cli_error("%s", error.message);
        if (status == SONDE_ERROR_NOT_FOUND)
            cli_hint("-i DIR reads another one");
        return NULL;
    }
    if (sonde_trace_warning(trace) != NULL)
        cli_warning("%s: %s", directory, sonde_trace_warning(trace));
    return trace;
}

bool results_options(const struct cli_arguments *arguments, struct report_options *options)
{
    unsigned long limit = 0;
    const char *format = cli_value(arguments, CLI_OPTION_FORMAT, "text");
    if (!cli_value_number(arguments, CLI_OPTION_LIMIT, 1000000, &limit))
        return false;
    *options = (struct report_options){
        .format = strcmp(format, "csv") == 0    ? REPORT_FORMAT_CSV
                  : strcmp(format, "json") == 0 ? REPORT_FORMAT_JSON
                                                : REPORT_FORMAT_TEXT,
        .columns = cli_value(arguments, CLI_OPTION_COLUMNS, NULL),
        .sort = cli_value(arguments, CLI_OPTION_SORT, NULL),
        .limit = limit,
        .total_only = cli_given(arguments, CLI_OPTION_TOTAL),
        .color = cli_message_uses_color(stdout),
    };
    return true;
}

bool results_matcher(const struct cli_arguments *arguments, struct analyze_matcher **matcher)
{
    const struct cli_values *values = &arguments->options[CLI_OPTION_KERNEL];
    struct sonde_error error;
    if (analyze_matcher_create(values->items, values->count, matcher, &error) == SONDE_OK)
        return true;
    cli_error("%s", error.message);
    return false;
}

bool results_matches(const struct sonde_trace *trace, const struct analyze_matcher *matcher)
{
    size_t count = sonde_trace_kernel_count(trace);
    char list[400] = "";
    for (size_t i = 0; i < count; i++) {
        const char *name = sonde_trace_kernel(trace, i)->name;
        if (analyze_matcher_accepts_kernel(matcher, sonde_trace_kernel(trace, i)))
            return true;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", name);
    }
    if (count == 0)
        cli_warning("the run has no kernels");
    else
        cli_warning("-k matches no kernel of the run, which has: %s", list);
    return false;
}

int results_print(struct report_text *text, FILE *out)
{
    int status = CLI_EXIT_OK;
    if (text->failed) {
        cli_error("out of memory");
        status = CLI_EXIT_FAILURE;
    } else if (text->size > 0 && fwrite(text->data, 1, text->size, out) != text->size) {
        if (errno != EPIPE)
            cli_error("cannot write the output: %s", strerror(errno));
        status = CLI_EXIT_FAILURE;
    }
    free(text->data);
    *text = (struct report_text){.data = NULL};
    return status;
}

static bool is_wanted(const char *const *wanted, const char *tool)
{
    const struct report_table *table = report_table_of_tool(tool);
    if (wanted == NULL)
        return table == NULL || !report_table_is_on_request(table);
    for (; *wanted != NULL; wanted++) {
        if (strcmp(*wanted, tool) == 0)
            return true;
    }
    return false;
}

static int check_wanted(const char *const *wanted, const char *const *tools, size_t count)
{
    for (; wanted != NULL && *wanted != NULL; wanted++) {
        struct base_suggestion suggestion;
        char list[300] = "";
        bool found = false;
        base_suggestion_begin(&suggestion, *wanted);
        for (size_t i = 0; i < count; i++) {
            found = found || strcmp(*wanted, tools[i]) == 0;
            base_suggestion_offer(&suggestion, tools[i]);
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", tools[i]);
        }
        if (found)
            continue;
        const char *meant = base_suggestion_end(&suggestion);
        cli_error("the run has no counts of tool '%s'%s%s%s; it has: %s", *wanted,
                  meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                  meant != NULL ? "'?" : "", count > 0 ? list : "none");
        return CLI_EXIT_FAILURE;
    }
    return CLI_EXIT_OK;
}

/* Tools that left block counts, then those that have tables. */
static size_t list_tools(const struct sonde_trace *trace, const char **tools)
{
    size_t count = analyze_tools_list(trace, tools, MAXIMUM_TOOLS);
    const struct report_table *table;
    for (size_t i = 0; (table = report_table_at(i)) != NULL && count < MAXIMUM_TOOLS; i++)
        if (report_table_was_run(table, trace))
            tools[count++] = table->view.name;
    return count;
}

static int report_failure(enum sonde_status status, const struct sonde_error *error)
{
    if (status == SONDE_OK)
        return CLI_EXIT_OK;
    cli_error("%s", error->message);
    return status == SONDE_ERROR_ARGUMENT ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
}

static int report_table(const struct report_table *table, const struct sonde_trace *trace,
                        const struct analyze_matcher *matcher, const struct report_options *options,
                        struct report_text *text, struct report_json *json)
{
    struct sonde_error error;
    uint64_t lost = 0;
    enum sonde_status status =
        report_table_print(table, trace, matcher, options, text, json, &lost, &error);
    if (status == SONDE_OK && lost > 0 && options->format == REPORT_FORMAT_CSV)
        cli_warning("records were lost: the figures are too small ('sonde info' says more)");
    return report_failure(status, &error);
}

static int report_tool(const struct sonde_trace *trace, const char *tool,
                       const struct analyze_matcher *matcher, const struct report_options *options,
                       struct report_text *text, struct report_json *json)
{
    struct sonde_error error;
    struct analyze_profile *profile;
    const struct report_table *table = report_table_of_tool(tool);
    if (table != NULL)
        return report_table(table, trace, matcher, options, text, json);
    if (analyze_profile_create(trace, tool, matcher, &profile, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return CLI_EXIT_FAILURE;
    }
    enum sonde_status status = report_profile_print(profile, options, text, json, &error);
    if (profile->lost_records > 0 && options->format == REPORT_FORMAT_CSV)
        cli_warning("%llu records were lost: the counts are too small",
                    (unsigned long long)profile->lost_records);
    analyze_profile_destroy(profile);
    return report_failure(status, &error);
}

int results_report(const struct sonde_trace *trace, const char *const *wanted,
                   const struct analyze_matcher *matcher, const struct report_options *options,
                   struct report_text *text)
{
    const char *tools[MAXIMUM_TOOLS];
    size_t count = list_tools(trace, tools);
    int status = check_wanted(wanted, tools, count);
    if (status == CLI_EXIT_OK && count == 0)
        cli_warning("the run has no counts: no kernel ran instrumented ('sonde info' says more)");
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_wanted(wanted, tools[i]))
            tools[shown++] = tools[i];
    }
    if (status == CLI_EXIT_OK && options->format == REPORT_FORMAT_CSV && shown > 1) {
        cli_error("the run has %zu tools with different columns: choose one with -t", shown);
        status = CLI_EXIT_USAGE;
    }
    struct report_json json = {.text = text};
    bool is_json = options->format == REPORT_FORMAT_JSON;
    if (is_json) {
        report_json_begin_object(&json, NULL);
        report_json_number(&json, "sonde_report", 1);
        report_run_print_json(trace, &json);
        report_json_begin_array(&json, "reports");
    }
    for (size_t i = 0; i < shown && status == CLI_EXIT_OK; i++) {
        if (i > 0 && !is_json)
            report_text_add(text, "\n");
        status = report_tool(trace, tools[i], matcher, options, text, &json);
    }
    if (is_json) {
        report_json_end_array(&json);
        report_json_end_object(&json);
    }
    return status;
}
