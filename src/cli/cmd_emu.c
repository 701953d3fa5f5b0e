#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/target.h"

static struct device_server *serving;

static void on_stop(int number)
{
    (void)number;
    device_server_stop(serving);
}

static void print_environment(const struct device_model *model, unsigned port)
{
    printf("emu:%s listens on 127.0.0.1:%u\n", model->name, port);
    for (const char *const *entry = model->environment; *entry != NULL; entry++)
        printf("export %s\n", *entry);
    printf("export TbxPort=%u\n", port);
    fflush(stdout);
}

static int serve(const struct device_server_options *options)
{
    struct sonde_error error;
    uint16_t port;
    if (device_server_create(options, &serving, &port, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        if (options->port != 0)
            cli_hint("without --port any free port is taken");
        return CLI_EXIT_FAILURE;
    }
    struct sigaction action = {.sa_handler = on_stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    print_environment(options->model, port);
    enum sonde_status status = device_server_run(serving, &error);
    struct device_server_totals totals;
    device_server_read_totals(serving, &totals);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    device_server_destroy(serving);
    if (status != SONDE_OK)
        cli_error("%s", error.message);
    cli_note("%llu dispatches, %llu instructions, %llu faults",
             (unsigned long long)totals.dispatches, (unsigned long long)totals.instructions,
             (unsigned long long)totals.faults);
    return status == SONDE_OK ? CLI_EXIT_OK : CLI_EXIT_FAILURE;
}

int cmd_emu(const struct cli_arguments *arguments)
{
    unsigned long port = 0, threads = 0, max_instructions = 0;
    struct target target;
    if (!cli_value_number(arguments, CLI_OPTION_PORT, 65535, &port) ||
        !cli_value_number(arguments, CLI_OPTION_THREADS, 1024, &threads) ||
        !cli_value_number(arguments, CLI_OPTION_MAX_INSTRUCTIONS, ULONG_MAX, &max_instructions))
        return CLI_EXIT_USAGE;
    const char *device = cli_value(arguments, CLI_OPTION_DEVICE, NULL);
    char first[64];
    if (device == NULL) {
        snprintf(first, sizeof first, "emu:%s", device_model_at(0)->name);
        device = first;
    }
    if (!target_choose(device, &target))
        return CLI_EXIT_USAGE;
    if (target.model == NULL) {
        cli_error("sonde emu serves emulated devices, not %s", target.name);
        return CLI_EXIT_USAGE;
    }
    struct device_server_options options = {
        .model = target.model,
        .port = (uint16_t)port,
        .host_threads = (uint32_t)threads,
        .max_instructions = max_instructions,
        .timing = cli_given(arguments, CLI_OPTION_TIMING),
        .check = cli_given(arguments, CLI_OPTION_CHECK),
        .truth_path = cli_value(arguments, CLI_OPTION_TRUTH, NULL),
        .log_fd = STDERR_FILENO,
    };
    return serve(&options);
}
