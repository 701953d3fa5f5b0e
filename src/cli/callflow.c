#include "cli/callflow.h"

#include <limits.h>
#include <string.h>

#include "report/callflow.h"

bool results_take_filter(const struct cli_arguments *arguments, struct report_filter *filter)
{
    unsigned long minimum = 0, depth = 0, from = 0, to = 0;
    if (!cli_value_number(arguments, CLI_OPTION_MINIMUM_CYCLES, ULONG_MAX, &minimum) ||
        !cli_value_number(arguments, CLI_OPTION_DEPTH, UINT32_MAX, &depth) ||
        !cli_value_number(arguments, CLI_OPTION_FROM, ULONG_MAX, &from) ||
        !cli_value_number(arguments, CLI_OPTION_TO, ULONG_MAX, &to))
        return false;
    *filter = (struct report_filter){
        .minimum = minimum, .depth = (uint32_t)depth, .from = from, .to = to};
    if (!cli_given(arguments, CLI_OPTION_TO) || to > from)
        return true;
    cli_error("--to takes a later cycle than --from");
    return false;
}

struct analyze_callflow *results_open_callflow(const struct sonde_trace *trace)
{
    struct analyze_callflow *flow;
    struct sonde_error error;
    if (analyze_callflow_create(trace, &flow, &error) == SONDE_OK)
        return flow;
    cli_error("%s", error.message);
    return NULL;
}

static const struct report_callflow_view *find_view(const char *name)
{
    struct base_suggestion suggestion;
    char list[200] = "";
    const struct report_callflow_view *view;
    base_suggestion_begin(&suggestion, name);
    for (size_t i = 0; (view = report_callflow_view_at(i)) != NULL; i++) {
        if (strcmp(view->view.name, name) == 0)
            return view;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", view->view.name);
        base_suggestion_offer(&suggestion, view->view.name);
    }
    const char *meant = base_suggestion_end(&suggestion);
    cli_error("the run of a firmware has no table '%s'%s%s%s; it has: %s", name,
              meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
              meant != NULL ? "'?" : "", list);
    return NULL;
}

static int print_views(const struct analyze_callflow *flow, const char *const *wanted,
                       const struct analyze_matcher *matcher, const struct report_options *options,
                       struct report_text *text, struct report_json *json)
{
    struct sonde_error error;
    for (; *wanted != NULL; wanted++) {
        const struct report_callflow_view *view = find_view(*wanted);
        if (view == NULL)
            return CLI_EXIT_FAILURE;
        enum sonde_status status =
            report_callflow_print(flow, view, matcher, options, text, json, &error);
        if (status != SONDE_OK) {
            cli_error("%s", error.message);
            return status == SONDE_ERROR_ARGUMENT ? CLI_EXIT_USAGE : CLI_EXIT_FAILURE;
        }
    }
    return CLI_EXIT_OK;
}

int results_report_callflow(const struct sonde_trace *trace, const char *const *wanted,
                            const struct analyze_matcher *matcher,
                            const struct report_options *options, struct report_text *text)
{
    static const char *const functions[] = {"functions", NULL};
    if (wanted == NULL || *wanted == NULL)
        wanted = functions;
    if (options->format == REPORT_FORMAT_CSV && wanted[1] != NULL) {
        cli_error("the tables have different columns: choose one with -t");
        return CLI_EXIT_USAGE;
    }
    struct analyze_callflow *flow = results_open_callflow(trace);
    if (flow == NULL)
        return CLI_EXIT_FAILURE;
    struct report_json json = {.text = text};
    bool is_json = options->format == REPORT_FORMAT_JSON;
    if (is_json) {
        report_json_begin_object(&json, NULL);
        report_json_number(&json, "sonde_report", 1);
        report_run_print_json(trace, &json);
        report_callflow_summary_json(flow, &json);
        report_json_begin_array(&json, "reports");
    } else if (options->format == REPORT_FORMAT_TEXT) {
        report_callflow_summary_text(flow, options->color, text);
    } else if (flow->lost > 0 || flow->is_cut) {
        cli_warning("the run is incomplete: the cycles are too few");
    }
    int status = print_views(flow, wanted, matcher, options, text, &json);
    if (is_json) {
        report_json_end_array(&json);
        report_json_end_object(&json);
    }
    analyze_callflow_destroy(flow);
    return status;
}
