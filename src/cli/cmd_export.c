/* sonde export: the call flow of a recorded firmware for other programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/callflow.h"
#include "cli/commands.h"
#include "cli/results.h"
#include "report/export.h"

/* An existing file is replaced only by a whole new one. */
static int write_file(const char *path, const struct report_text *text)
{
    size_t room = strlen(path) + 5;
    char *part = malloc(room);
    if (part == NULL) {
        cli_error("out of memory");
        return CLI_EXIT_FAILURE;
    }
    snprintf(part, room, "%s.new", path);
    FILE *file = fopen(part, "wb");
    bool right = file != NULL && fwrite(text->data, 1, text->size, file) == text->size;
    right = file != NULL && fclose(file) == 0 && right;
    right = right && rename(part, path) == 0;
    if (!right) {
        cli_error("cannot write %s: %s", path, strerror(errno));
        if (file != NULL)
            remove(part);
    }
    free(part);
    return right ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

static int export(const struct cli_arguments *arguments, const struct report_exporter *exporter,
                  const struct report_filter *filter, const struct sonde_trace *trace)
{
    struct analyze_callflow *flow = results_open_callflow(trace);
    if (flow == NULL)
        return CLI_EXIT_FAILURE;
    struct report_text text = {.data = NULL};
    struct sonde_error error;
    const char *path = cli_value(arguments, CLI_OPTION_EXPORT_FILE, exporter->file);
    int status = CLI_EXIT_FAILURE;
    if (exporter->write(flow, filter, &text, &error) != SONDE_OK)
        cli_error("%s", error.message);
    else if (strcmp(path, "-") == 0)
        status =
            fwrite(text.data, 1, text.size, stdout) == text.size ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
    else if ((status = write_file(path, &text)) == CLI_EXIT_OK)
        cli_note("%s: %zu bytes, %zu calls", path, text.size, flow->span_count);
    if (flow->lost > 0 || flow->is_cut)
        cli_warning("the run is incomplete, and so is the export");
    free(text.data);
    analyze_callflow_destroy(flow);
    return status;
}

int cmd_export(const struct cli_arguments *arguments)
{
    const char *name = cli_value(arguments, CLI_OPTION_EXPORT_FORMAT, "html");
    const struct report_exporter *exporter = report_exporter_find(name);
    if (exporter == NULL) {
        cli_error("there is no export format '%s'", name);
        return CLI_EXIT_USAGE;
    }
    struct report_filter filter;
    if (!results_take_filter(arguments, &filter))
        return CLI_EXIT_USAGE;
    bool filters = filter.minimum > 0 || filter.depth > 0 || filter.from > 0 || filter.to > 0;
    if (filters && !exporter->shows_calls) {
        cli_error("--min-cycles, --depth, --from and --to choose calls, but %s has only sums",
                  exporter->name);
        return CLI_EXIT_USAGE;
    }
    struct sonde_trace *trace = results_open(arguments);
    int status = trace != NULL ? export(arguments, exporter, &filter, trace) : CLI_EXIT_FAILURE;
    sonde_trace_close(trace);
    return status;
}
