#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "attach/neo/protocol.h"
#include "cli/commands.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/summary.h"

/* The reports of every tool on stderr, or where --report says. */
static int print_reports(const struct cli_arguments *arguments, const struct sonde_trace *trace)
{
    const char *path = cli_value(arguments, CLI_OPTION_REPORT, NULL);
    size_t results = sonde_trace_block_counts_count(trace) + sonde_trace_counters_count(trace) +
                     sonde_trace_record_totals_count(trace);
    if (results == 0 || (path == NULL && cli_given(arguments, CLI_OPTION_QUIET)))
        return CLI_EXIT_OK;
    FILE *out = stderr;
    if (path != NULL)
        out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (out == NULL) {
        cli_error("cannot write %s: %s", path, strerror(errno));
        return CLI_EXIT_SONDE;
    }
    struct report_options options = {.format = REPORT_FORMAT_TEXT,
                                     .color = cli_message_uses_color(out)};
    struct report_text text = {.data = NULL};
    int status = results_report(trace, NULL, NULL, &options, &text);
    report_text_add(&text, "%s", out == stderr ? "\n" : "");
    int printed = results_print(&text, out);
    if (out != stderr && out != stdout && fclose(out) != 0) {
        cli_error("cannot write %s: %s", path, strerror(errno));
        printed = CLI_EXIT_FAILURE;
    }
    return status == CLI_EXIT_OK ? printed : status;
}

/* Reports and summary of the run in `directory`; -1 or our exit status. */
static int show_results(const struct cli_arguments *arguments, struct summary *summary)
{
    struct sonde_trace *trace;
    struct sonde_error error;
    if (sonde_trace_open(summary->directory, &trace, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return CLI_EXIT_SONDE;
    }
    int status = print_reports(arguments, trace);
    summary->trace = trace;
    summary_print(summary);
    sonde_trace_close(trace);
    return status == CLI_EXIT_OK ? -1 : CLI_EXIT_SONDE;
}

/* Mark `directory` as in use for as long as the descriptor is open. Returns
 * it, -1 when there is no such directory, -2 when another run has it. */
static int lock_directory(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd < 0 ? -1 : fd;
    close(fd);
    return -2;
}

/* A new directory, locked until we end; false when that fails, said. */
static bool make_directory(const char *directory)
{
    int fd = lock_directory(directory);
    if (fd == -2) {
        cli_error("another run is being recorded in %s; choose another place with -o", directory);
        return false;
    }
    struct sonde_error error;
    enum sonde_status status = sonde_trace_directory_create(directory, &error);
    if (fd >= 0)
        close(fd);
    if (status != SONDE_OK)
        cli_error("%s", error.message);
    else
        lock_directory(directory);
    return status == SONDE_OK;
}

static int run(const struct cli_arguments *arguments, const struct session *session)
{
    const char *directory = cli_value(arguments, CLI_OPTION_OUTPUT, RESULTS_DIRECTORY);
    if (!make_directory(directory))
        return CLI_EXIT_SONDE;
    char absolute[PATH_MAX];
    if (realpath(directory, absolute) == NULL) {
        cli_error("%s: %s", directory, strerror(errno));
        return CLI_EXIT_SONDE;
    }
    struct server server;
    int status = session_start_server(session, NULL, &server);
    if (status >= 0)
        return status;
    struct program_plan plan = session_plan(session, arguments->operands, absolute);
    plan.mode = ATTACH_MODE_INSTRUMENT;
    plan.port = server.port;
    struct program_end end;
    status = program_run(&plan, &server, &end);
    server_stop(&server);
    if (status >= 0)
        return status;
    struct summary summary = {
        .target = &session->target,
        .server = &server,
        .end = &end,
        .program = arguments->operands[0],
        .directory = directory,
    };
    status = show_results(arguments, &summary);
    /* A program may not look at the error that it got when a kernel of its was
     * stopped, and take what is in its buffers for the result: its own success
     * must not be passed on. */
    bool faulted = server.has_totals && server.totals.faults > 0;
    if (end.server_died || ((status >= 0 || faulted) && end.exit_status == 0))
        return CLI_EXIT_SONDE;
    return end.exit_status;
}

int cmd_run(const struct cli_arguments *arguments)
{
    struct session session;
    int status = session_prepare(arguments, &session);
    if (status < 0)
        status = run(arguments, &session);
    session_clear(&session);
    return status;
}
