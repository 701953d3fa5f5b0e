#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/neo/protocol.h"
#include "cli/commands.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/verify.h"

typedef unsigned long long ull;

/* The files of one of the two runs in the working directory of a
 * verification. */
struct files {
    char trace[PATH_MAX], truth[PATH_MAX], output[PATH_MAX], status[PATH_MAX];
};

static void name_files(const char *directory, const char *name, struct files *files)
{
    snprintf(files->trace, sizeof files->trace, "%s/%s.data", directory, name);
    snprintf(files->truth, sizeof files->truth, "%s/%s.truth", directory, name);
    snprintf(files->output, sizeof files->output, "%s/%s.output", directory, name);
    snprintf(files->status, sizeof files->status, "%s/%s.status", directory, name);
}

static bool write_status(const char *path, int status)
{
    FILE *file = fopen(path, "we");
    bool written = file != NULL && fprintf(file, "%d\n", status) > 0;
    return file != NULL && fclose(file) == 0 && written;
}

static bool read_status(const char *path, int *status)
{
    FILE *file = fopen(path, "re");
    bool read = file != NULL && fscanf(file, "%d", status) == 1;
    if (file != NULL)
        fclose(file);
    return read;
}

/* Run the program once; -1 or an exit status, said. */
static int run_once(const struct cli_arguments *arguments, const struct session *session,
                    const char *directory, const char *name, const char *mode)
{
    struct files files;
    struct sonde_error error;
    name_files(directory, name, &files);
    if (sonde_trace_directory_create(files.trace, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return CLI_EXIT_SONDE;
    }
    struct server server;
    int status = session_start_server(session, files.truth, &server);
    if (status >= 0)
        return status;
    struct program_plan plan = session_plan(session, arguments->operands, files.trace);
    plan.mode = mode;
    plan.port = server.port;
    plan.standard_input = "/dev/null";
    plan.standard_output = files.output;
    plan.fixed_addresses = true;
    struct program_end end;
    status = program_run(&plan, &server, &end);
    server_stop(&server);
    if (status >= 0)
        return status;
    if (end.server_died) {
        cli_error("the emulated GPU ended unexpectedly in the %s run", name);
        return CLI_EXIT_SONDE;
    }
    if (!write_status(files.status, end.exit_status)) {
        cli_error("cannot write %s: %s", files.status, strerror(errno));
        return CLI_EXIT_SONDE;
    }
    return -1;
}

/* `files` must outlive the run, which refers to its output. */
static bool open_run(const char *directory, const char *name, struct files *files,
                     struct verify_run *run)
{
    struct sonde_error error;
    name_files(directory, name, files);
    *run = (struct verify_run){.name = name, .output = files->output};
    if (sonde_trace_open(files->trace, &run->trace, &error) != SONDE_OK ||
        truth_file_read(files->truth, &run->truth, &error) != SONDE_OK ||
        verify_run_match(run, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return false;
    }
    if (!read_status(files->status, &run->exit_status)) {
        cli_error("cannot read %s", files->status);
        return false;
    }
    if (sonde_trace_warning(run->trace) != NULL)
        cli_warning("%s run: %s", name, sonde_trace_warning(run->trace));
    return true;
}

static void print_refusals(const struct sonde_trace *trace)
{
    for (size_t i = 0; i < sonde_trace_kernel_count(trace); i++) {
        const struct sonde_trace_kernel *kernel = sonde_trace_kernel(trace, i);
        if (kernel->refusal != NULL)
            printf("  not instrumented  %s: %s\n", kernel->name, kernel->refusal);
    }
}

static void print_figures(const struct verify_result *result, int exit_status)
{
    printf("  dispatches        %llu compared, %llu of them instrumented", (ull)result->dispatches,
           (ull)result->instrumented);
    if (result->other_dispatches > 0)
        printf(", and %llu of the driver's own", (ull)result->other_dispatches);
    printf("\n  changed           %llu bytes in %llu buffer%s\n", (ull)result->bytes,
           (ull)result->buffers, result->buffers == 1 ? "" : "s");
    printf("  output            %llu bytes, exit status %d\n", (ull)result->output_bytes,
           exit_status);
    printf("  block counts      %llu against the device's own\n", (ull)result->counts);
    if (result->records > 0)
        printf("  records           %llu against the device's own events\n", (ull)result->records);
    printf("  instructions      %llu with the same executions and lanes in both runs\n",
           (ull)result->instructions);
    printf("  executed          %llu original, %llu instrumented", (ull)result->original_executed,
           (ull)result->instrumented_executed);
    if (result->original_executed > 0)
        printf(" (%.2fx)",
               (double)result->instrumented_executed / (double)result->original_executed);
    putchar('\n');
}

static void print_json(const struct verify_result *result, const struct verify_run *instrumented)
{
    struct report_text text = {.data = NULL};
    struct report_json json = {.text = &text};
    report_json_begin_object(&json, NULL);
    report_json_number(&json, "sonde_verify", 1);
    report_json_string(&json, "tools", sonde_trace_header(instrumented->trace)->tools);
    report_json_bool(&json, "identical", result->differences == 0);
    report_json_number(&json, "differences", result->differences);
    report_json_string(&json, "details", result->details.data != NULL ? result->details.data : "");
    report_json_number(&json, "dispatches", result->dispatches);
    report_json_number(&json, "instrumented_dispatches", result->instrumented);
    report_json_number(&json, "driver_dispatches", result->other_dispatches);
    report_json_number(&json, "changed_buffers", result->buffers);
    report_json_number(&json, "changed_bytes", result->bytes);
    report_json_number(&json, "output_bytes", result->output_bytes);
    report_json_number(&json, "exit_status", (uint64_t)instrumented->exit_status);
    report_json_number(&json, "block_counts", result->counts);
    report_json_number(&json, "compared_records", result->records);
    report_json_number(&json, "compared_instructions", result->instructions);
    report_json_number(&json, "original_instructions", result->original_executed);
    report_json_number(&json, "instrumented_instructions", result->instrumented_executed);
    report_json_end_object(&json);
    results_print(&text, stdout);
}

static void print_text(const struct verify_result *result, const struct verify_run *instrumented,
                       bool quiet)
{
    const char *tools = sonde_trace_header(instrumented->trace)->tools;
    if (result->differences > 0) {
        printf("different: %llu difference%s with %s\n", (ull)result->differences,
               result->differences == 1 ? "" : "s", tools);
        fwrite(result->details.data, 1, result->details.size, stdout);
    } else {
        printf("identical: %s changes nothing and counts right\n", tools);
        if (!quiet)
            print_figures(result, instrumented->exit_status);
    }
    if (!quiet)
        print_refusals(instrumented->trace);
}

static int print_result(const struct cli_arguments *arguments, const struct verify_result *result,
                        const struct verify_run *instrumented)
{
    if (result->differences == 0 && result->instrumented == 0) {
        cli_error("nothing was verified: no dispatch ran instrumented (%zu kernels, %llu "
                  "dispatches)",
                  sonde_trace_kernel_count(instrumented->trace), (ull)result->dispatches);
        print_refusals(instrumented->trace);
        return CLI_EXIT_SONDE;
    }
    if (strcmp(cli_value(arguments, CLI_OPTION_FORMAT, "text"), "json") == 0)
        print_json(result, instrumented);
    else
        print_text(result, instrumented, cli_given(arguments, CLI_OPTION_QUIET));
    return result->differences == 0 ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

static int compare(const struct cli_arguments *arguments, const char *directory)
{
    struct verify_run original, instrumented = {.name = NULL};
    struct files original_files, instrumented_files;
    struct verify_result result = {.differences = 0};
    int status = CLI_EXIT_SONDE;
    if (open_run(directory, "original", &original_files, &original) &&
        open_run(directory, "instrumented", &instrumented_files, &instrumented)) {
        struct sonde_error error;
        if (verify_compare(&original, &instrumented, &result, &error) == SONDE_OK)
            status = print_result(arguments, &result, &instrumented);
        else
            cli_error("%s", error.message);
    }
    free(result.details.data);
    verify_run_clear(&original);
    verify_run_clear(&instrumented);
    return status;
}

static int run_both(const struct cli_arguments *arguments, const char *directory)
{
    struct session session;
    int status = session_prepare(arguments, &session);
    if (status < 0 && session.target.model == NULL) {
        cli_error("only an emulated device records what kernels write: use --device emu:MODEL");
        status = CLI_EXIT_SONDE;
    }
    if (status < 0)
        status = run_once(arguments, &session, directory, "original", ATTACH_MODE_ORIGINAL);
    session.events = true;
    if (status < 0)
        status = run_once(arguments, &session, directory, "instrumented", ATTACH_MODE_INSTRUMENT);
    session_clear(&session);
    return status >= 0 ? status : compare(arguments, directory);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

/* What an earlier verification kept there becomes DIR.old; anything else that
 * goes by that name is left alone, and making the directory fails. */
static void move_earlier(const char *keep)
{
    char path[PATH_MAX + 32], old[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/instrumented.truth", keep);
    if (access(path, F_OK) != 0)
        return;
    snprintf(old, sizeof old, "%s.old", keep);
    snprintf(path, sizeof path, "%s/instrumented.truth", old);
    if (access(path, F_OK) == 0)
        nftw(old, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    rename(keep, old);
}

/* Absolute path of the working directory: DIR of --output, else a temporary
 * one. */
static bool make_directory(const char *keep, char *directory)
{
    char wanted[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    snprintf(wanted, sizeof wanted, "%s/sonde-verify-XXXXXX",
             temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    if (keep != NULL) {
        snprintf(wanted, sizeof wanted, "%s", keep);
        move_earlier(keep);
    }
    bool made = keep != NULL ? mkdir(wanted, 0777) == 0 : mkdtemp(wanted) != NULL;
    if (made && realpath(wanted, directory) != NULL)
        return true;
    cli_error("cannot make the directory %s: %s", wanted, strerror(errno));
    return false;
}

int cmd_verify(const struct cli_arguments *arguments)
{
    if (strcmp(cli_value(arguments, CLI_OPTION_FORMAT, "text"), "csv") == 0) {
        cli_error("sonde verify writes text or json");
        return CLI_EXIT_SONDE;
    }
    const char *again = cli_value(arguments, CLI_OPTION_COMPARE, NULL);
    if (again != NULL)
        return compare(arguments, again);
    if (arguments->operand_count == 0) {
        cli_error("sonde verify needs %s", arguments->command->operands);
        cli_hint("try 'sonde verify --help'");
        return CLI_EXIT_SONDE;
    }
    const char *keep = cli_value(arguments, CLI_OPTION_OUTPUT, NULL);
    char directory[PATH_MAX];
    if (!make_directory(keep, directory))
        return CLI_EXIT_SONDE;
    int status = run_both(arguments, directory);
    if (keep == NULL)
        nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    else
        cli_note("both runs are in %s", keep);
    return status;
}
