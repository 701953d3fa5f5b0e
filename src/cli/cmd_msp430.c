/* sonde msp430 run: a firmware in the simulator. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/msp430_fault.h"
#include "cli/msp430_setup.h"
#include "cli/recording.h"

#define DEFAULT_MCU "msp430g2553"

static void print_event(const struct msp430_run *run, const struct sonde_msp430_event *event)
{
    static const char *const names[] = {"enter", "exit", "interrupt", "interrupt-return",
                                        "sleep", "wake", "reset"};
    char place[128];
    fprintf(stderr, "%12" PRIu64 "  %-16s  %s  sp 0x%04x", event->cycle, names[event->kind],
            msp430_place(run->sim, event->address, place), event->sp);
    if (event->kind == SONDE_MSP430_EVENT_INTERRUPT_ENTER)
        fprintf(stderr, "  vector 0x%04x", event->vector);
    fputc('\n', stderr);
}

static void on_event(void *context, const struct sonde_msp430_event *event)
{
    const struct msp430_run *run = context;
    if (run->shows_events)
        print_event(run, event);
    if (run->recording != NULL)
        recording_add(run->recording, event);
}

static void on_stack(void *context, const struct sonde_msp430_event *event)
{
    const struct msp430_run *run = context;
    if (run->recording != NULL)
        recording_add(run->recording, event);
}

static void on_port(void *context, unsigned port, uint8_t value)
{
    const struct msp430_run *run = context;
    fprintf(stderr, "%12" PRIu64 "  %-16s  P%uOUT 0x%02x\n",
            sonde_msp430_sim_counts(run->sim).cycles, "port", port, value);
}

static void on_uart(void *context, unsigned unit, uint8_t byte)
{
    if (unit == 0)
        msp430_output(context, byte);
}

static bool create(const struct cli_arguments *arguments, struct msp430_run *run)
{
    const char *device = cli_value(arguments, CLI_OPTION_MCU, DEFAULT_MCU);
    struct sonde_msp430_options options = {.callbacks = {.on_uart = on_uart, .context = run},
                                           .markers_enabled = true};
    if (cli_given(arguments, CLI_OPTION_RECORD))
        options.callbacks.on_stack = on_stack;
    if (!msp430_take_markers(arguments, &options.markers))
        return false;
    run->shows_events = cli_given(arguments, CLI_OPTION_EVENTS);
    if (run->shows_events)
        options.callbacks.on_port = on_port;
    if (run->shows_events || cli_given(arguments, CLI_OPTION_RECORD))
        options.callbacks.on_event = on_event;
    struct sonde_error error;
    enum sonde_status status = sonde_msp430_sim_create(device, &options, &run->sim, &error);
    if (status == SONDE_OK)
        return true;
    cli_error("%s", error.message);
    if (status != SONDE_ERROR_NOT_FOUND)
        return false;
    fprintf(stderr, "known are:");
    for (size_t i = 0; sonde_msp430_device_name(i) != NULL; i++)
        fprintf(stderr, " %s", sonde_msp430_device_name(i));
    fputc('\n', stderr);
    return false;
}

static bool load(const struct cli_arguments *arguments, struct sonde_msp430_sim *sim)
{
    const char *path = arguments->operands[0];
    size_t size;
    uint8_t *data;
    if (!msp430_read_file(path, &data, &size))
        return false;
    struct sonde_error error;
    enum sonde_status status = sonde_msp430_sim_load(sim, data, size, &error);
    if (status != SONDE_OK)
        cli_error("%s: %s", path, error.message);
    bool right = status == SONDE_OK && msp430_take_side_table(arguments, sim, data, size);
    free(data);
    return right;
}

static void print_summary(const struct sonde_msp430_sim *sim,
                          const struct sonde_msp430_result *result)
{
    struct sonde_msp430_counts counts = sonde_msp430_sim_counts(sim);
    char place[128];
    fprintf(stderr,
            "sonde: %s at %s; %" PRIu64 " cycles (%" PRIu64 " idle), %" PRIu64
            " instructions, %" PRIu64 " interrupts, r12 = %u\n",
            sonde_msp430_stop_name(result->reason), msp430_place(sim, result->address, place),
            counts.cycles, counts.idle_cycles, counts.instructions, counts.interrupts,
            sonde_msp430_sim_register(sim, 12));
}

static int run_loaded(const struct cli_arguments *arguments, struct msp430_run *run)
{
    struct sonde_msp430_limits limits = {.cycles = 0};
    if (!msp430_take_until(arguments, run, &limits) || !msp430_take_interrupts(arguments, run->sim))
        return CLI_EXIT_USAGE;
    if (!msp430_take_uart(arguments, run->sim))
        return CLI_EXIT_FAILURE;
    const char *directory = cli_value(arguments, CLI_OPTION_RECORD, NULL);
    if (directory != NULL) {
        run->recording =
            recording_begin(directory, arguments->operands[0],
                            cli_value(arguments, CLI_OPTION_MCU, DEFAULT_MCU), run->sim);
        if (run->recording == NULL)
            return CLI_EXIT_FAILURE;
    }
    sonde_msp430_sim_reset(run->sim);
    struct sonde_msp430_result result = sonde_msp430_sim_run(run->sim, &limits);
    fflush(stdout);
    if (result.is_fault)
        msp430_print_fault(run->sim, &result);
    if (!cli_given(arguments, CLI_OPTION_QUIET))
        print_summary(run->sim, &result);
    bool recorded = true;
    if (run->recording != NULL)
        recorded = recording_end(run->recording, run->sim, &result,
                                 cli_given(arguments, CLI_OPTION_QUIET));
    return result.is_fault || !recorded ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

int cmd_msp430(const struct cli_arguments *arguments)
{
    struct msp430_run run = {.sim = NULL};
    if (!create(arguments, &run))
        return CLI_EXIT_USAGE;
    int status = load(arguments, run.sim) ? run_loaded(arguments, &run) : CLI_EXIT_FAILURE;
    sonde_msp430_sim_destroy(run.sim);
    return status;
}
