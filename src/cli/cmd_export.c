/* sonde export: a recorded run for other programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/callflow.h"
#include "cli/commands.h"
#include "cli/results.h"
#include "report/export.h"

/* Where an export goes: a new file that replaces an existing one when it is
 * whole, or stdout. */
struct output {
    const char *path;
    char *part; /* the new file's name */
    FILE *file;
    size_t size;
};

static bool put_output(void *context, const char *data, size_t size)
{
    struct output *output = context;
    output->size += size;
    return size == 0 || fwrite(data, 1, size, output->file) == size;
}

static bool open_output(struct output *output)
{
    size_t room = strlen(output->path) + 5;
    output->file = stdout;
    if (strcmp(output->path, "-") == 0)
        return true;
    output->part = malloc(room);
    if (output->part == NULL) {
        cli_error("out of memory");
        return false;
    }
    snprintf(output->part, room, "%s.new", output->path);
    output->file = fopen(output->part, "wb");
    if (output->file == NULL)
        cli_error("cannot write %s: %s", output->path, strerror(errno));
    return output->file != NULL;
}

static int close_output(struct output *output, bool good)
{
    bool is_file = output->part != NULL;
    bool written = (is_file ? fclose(output->file) : fflush(output->file)) == 0;
    if (good && (!written || (is_file && rename(output->part, output->path) != 0))) {
        if (is_file || errno != EPIPE)
            cli_error("cannot write %s: %s", output->path, strerror(errno));
        good = false;
    }
    if (!good && is_file)
        remove(output->part);
    free(output->part);
    return good ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

/* --- the call flow of a firmware -------------------------------------------------- */

static int export_callflow(const struct cli_arguments *arguments,
                           const struct report_exporter *exporter,
                           const struct report_filter *filter, const struct sonde_trace *trace)
{
    struct analyze_callflow *flow = results_open_callflow(trace);
    if (flow == NULL)
        return CLI_EXIT_FAILURE;
    struct output output = {.path = cli_value(arguments, CLI_OPTION_EXPORT_FILE, exporter->file)};
    struct report_text text = {.data = NULL};
    struct sonde_error error;
    int status = CLI_EXIT_FAILURE;
    if (exporter->write(flow, filter, &text, &error) != SONDE_OK) {
        cli_error("%s", error.message);
    } else if (open_output(&output)) {
        status = close_output(&output, put_output(&output, text.data, text.size));
        if (status == CLI_EXIT_OK && strcmp(output.path, "-") != 0)
            cli_note("%s: %zu bytes, %zu calls", output.path, text.size, flow->span_count);
    }
    if (flow->lost > 0 || flow->is_cut)
        cli_warning("the run is incomplete, and so is the export");
    free(text.data);
    analyze_callflow_destroy(flow);
    return status;
}

/* --- a run on a GPU --------------------------------------------------------------- */

static int say_failure(enum sonde_status status, const struct sonde_error *error)
{
    if (status != SONDE_OK)
        cli_error("%s", error->message);
    return status == SONDE_OK               ? CLI_EXIT_OK
           : status == SONDE_ERROR_ARGUMENT ? CLI_EXIT_USAGE
                                            : CLI_EXIT_FAILURE;
}

static int export_text(const struct report_exporter *exporter, const struct report_run_export *run,
                       const char *path)
{
    struct output output = {.path = path};
    struct sonde_error error;
    if (!open_output(&output))
        return CLI_EXIT_FAILURE;
    struct report_text text = {.flush = put_output, .context = &output};
    int status = say_failure(exporter->write_run(run, &text, &error), &error);
    if (status == CLI_EXIT_OK && text.failed) {
        cli_error("cannot write %s, or out of memory", path);
        status = CLI_EXIT_FAILURE;
    }
    bool good = status == CLI_EXIT_OK && put_output(&output, text.data, text.size);
    free(text.data);
    int closed = close_output(&output, good);
    status = status != CLI_EXIT_OK ? status : closed;
    if (status == CLI_EXIT_OK && strcmp(path, "-") != 0)
        cli_note("%s: %zu bytes", path, output.size);
    return status;
}

/* A format that makes a file or directory of its own. */
static int export_place(const struct report_exporter *exporter, const struct report_run_export *run,
                        const char *path)
{
    struct sonde_error error;
    size_t room = strlen(path) + 5;
    char *part = malloc(room);
    if (part == NULL)
        return say_failure(sonde_error_set(&error, SONDE_ERROR_MEMORY, 0, "out of memory"), &error);
    /* A directory keeps what else is in it. */
    bool replaces = exporter->write_run == NULL;
    snprintf(part, room, "%s%s", path, replaces ? ".new" : "");
    if (replaces)
        remove(part);
    int status = say_failure(exporter->write_place(run, part, &error), &error);
    if (replaces && status == CLI_EXIT_OK && rename(part, path) != 0) {
        cli_error("cannot write %s: %s", path, strerror(errno));
        status = CLI_EXIT_FAILURE;
    }
    if (replaces && status != CLI_EXIT_OK)
        remove(part);
    if (status == CLI_EXIT_OK)
        cli_note("%s is written", path);
    free(part);
    return status;
}

static int export_run(const struct cli_arguments *arguments, const struct report_exporter *exporter,
                      const struct analyze_matcher *matcher, const struct sonde_trace *trace)
{
    struct report_run_export run = {
        .trace = trace, .matcher = matcher, .table = cli_value(arguments, CLI_OPTION_TOOL, NULL)};
    const char *path = cli_value(arguments, CLI_OPTION_EXPORT_FILE, exporter->run_file);
    bool one = run.table != NULL || strcmp(path, "-") == 0;
    if (run.table != NULL && !exporter->has_tables) {
        cli_error("-t chooses a table, but %s has a timeline", exporter->name);
        return CLI_EXIT_USAGE;
    }
    if (!results_matches(trace, matcher))
        return CLI_EXIT_FAILURE;
    uint64_t lost = 0;
    for (size_t i = 0; i < sonde_trace_loss_count(trace); i++)
        lost += sonde_trace_loss(trace, i)->records;
    if (lost > 0)
        cli_warning("%llu records were lost: the export is incomplete", (unsigned long long)lost);
    if (exporter->write_place != NULL && (exporter->write_run == NULL || !one)) {
        if (strcmp(path, "-") != 0)
            return export_place(exporter, &run, path);
        cli_error("%s cannot be written to stdout", exporter->name);
        return CLI_EXIT_USAGE;
    }
    char name[160];
    if (exporter->write_place != NULL && !cli_given(arguments, CLI_OPTION_EXPORT_FILE)) {
        snprintf(name, sizeof name, "%.150s.csv", run.table);
        path = name;
    }
    return export_text(exporter, &run, path);
}

/* --- the command ---------------------------------------------------------------------- */

static bool fits(const struct report_exporter *exporter, bool is_firmware)
{
    return is_firmware ? exporter->write != NULL
                       : exporter->write_run != NULL || exporter->write_place != NULL;
}

static int export(const struct cli_arguments *arguments, const struct report_filter *filter,
                  const struct analyze_matcher *matcher, const struct sonde_trace *trace)
{
    bool is_firmware = sonde_trace_firmware(trace) != NULL;
    const char *name =
        cli_value(arguments, CLI_OPTION_EXPORT_FORMAT, is_firmware ? "html" : "perfetto");
    const struct report_exporter *exporter = report_exporter_find(name);
    if (!fits(exporter, is_firmware)) {
        char list[200] = "";
        const struct report_exporter *other;
        for (size_t i = 0; (other = report_exporter_at(i)) != NULL; i++) {
            size_t used = strlen(list);
            if (fits(other, is_firmware))
                snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                         other->name);
        }
        cli_error("%s is not for the run of a %s; these are: %s", name,
                  is_firmware ? "firmware" : "program on a GPU", list);
        return CLI_EXIT_USAGE;
    }
    bool filters = filter->minimum > 0 || filter->depth > 0 || filter->from > 0 || filter->to > 0;
    if (filters && (!exporter->shows_calls || !is_firmware)) {
        cli_error("--min-cycles, --depth, --from and --to choose calls, but %s has %s",
                  exporter->name, is_firmware ? "only sums" : "none of a GPU");
        return CLI_EXIT_USAGE;
    }
    if (is_firmware)
        return export_callflow(arguments, exporter, filter, trace);
    return export_run(arguments, exporter, matcher, trace);
}

int cmd_export(const struct cli_arguments *arguments)
{
    const char *name = cli_value(arguments, CLI_OPTION_EXPORT_FORMAT, "html");
    if (report_exporter_find(name) == NULL) {
        cli_error("there is no export format '%s'", name);
        return CLI_EXIT_USAGE;
    }
    struct report_filter filter;
    if (!results_take_filter(arguments, &filter))
        return CLI_EXIT_USAGE;
    struct analyze_matcher *matcher = NULL;
    if (!results_matcher(arguments, &matcher))
        return CLI_EXIT_USAGE;
    struct sonde_trace *trace = results_open(arguments);
    int status = trace != NULL ? export(arguments, &filter, matcher, trace) : CLI_EXIT_FAILURE;
    sonde_trace_close(trace);
    analyze_matcher_destroy(matcher);
    return status;
}
