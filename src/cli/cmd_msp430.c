/* sonde msp430 run: a firmware in the simulator. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/recording.h"
#include "sonde/msp430_sim.h"

enum { FILE_LIMIT = 16 << 20, CALL_STACK_DEPTH = 32 };

#define DEFAULT_MCU "msp430g2553"

/* What the simulator's callbacks need. */
struct firmware_run {
    struct sonde_msp430_sim *sim;
    bool prints_events;
    struct recording *recording; /* NULL = none */
};

static const char *place_of(const struct sonde_msp430_sim *sim, uint32_t address, char text[128])
{
    uint32_t offset;
    const char *name = sonde_msp430_sim_function_at(sim, address, &offset);
    if (name == NULL)
        snprintf(text, 128, "0x%04x", address);
    else if (offset == 0)
        snprintf(text, 128, "0x%04x <%.100s>", address, name);
    else
        snprintf(text, 128, "0x%04x <%.100s+0x%x>", address, name, offset);
    return text;
}

static void print_event(const struct sonde_msp430_sim *sim, const struct sonde_msp430_event *event)
{
    static const char *const names[] = {"enter", "exit", "interrupt", "interrupt-return",
                                        "sleep", "wake", "reset"};
    char place[128];
    fprintf(stderr, "%12" PRIu64 "  %-16s  %s  sp 0x%04x", event->cycle, names[event->kind],
            place_of(sim, event->address, place), event->sp);
    if (event->kind == SONDE_MSP430_EVENT_INTERRUPT_ENTER)
        fprintf(stderr, "  vector 0x%04x", event->vector);
    fputc('\n', stderr);
}

static void take_event(void *context, const struct sonde_msp430_event *event)
{
    const struct firmware_run *run = context;
    if (run->prints_events)
        print_event(run->sim, event);
    if (run->recording != NULL)
        recording_add(run->recording, event);
}

static void print_uart(void *context, unsigned unit, uint8_t byte)
{
    (void)context;
    if (unit == 0) {
        putchar(byte);
        fflush(stdout);
    }
}

static uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = file != NULL ? malloc(FILE_LIMIT) : NULL;
    if (data == NULL) {
        cli_error("%s: %s", path, strerror(errno));
    } else {
        *size = fread(data, 1, FILE_LIMIT, file);
        if (ferror(file) || fgetc(file) != EOF) {
            cli_error("%s: cannot be read, or larger than 16 MB", path);
            free(data);
            data = NULL;
        }
    }
    if (file != NULL)
        fclose(file);
    return data;
}

static bool create(const struct cli_arguments *arguments, struct firmware_run *run)
{
    const char *device = cli_value(arguments, CLI_OPTION_MCU, DEFAULT_MCU);
    struct sonde_msp430_options options = {.callbacks = {.on_uart = print_uart, .context = run},
                                           .markers_enabled = true};
    run->prints_events = cli_given(arguments, CLI_OPTION_EVENTS);
    if (run->prints_events || cli_given(arguments, CLI_OPTION_RECORD))
        options.callbacks.on_event = take_event;
    struct sonde_error error;
    if (sonde_msp430_sim_create(device, &options, &run->sim, &error) == SONDE_OK)
        return true;
    cli_error("%s", error.message);
    fprintf(stderr, "known are:");
    for (size_t i = 0; sonde_msp430_device_name(i) != NULL; i++)
        fprintf(stderr, " %s", sonde_msp430_device_name(i));
    fputc('\n', stderr);
    return false;
}

static bool load(struct sonde_msp430_sim *sim, const char *path)
{
    size_t size;
    uint8_t *data = read_whole(path, &size);
    if (data == NULL)
        return false;
    struct sonde_error error;
    enum sonde_status status = sonde_msp430_sim_load(sim, data, size, &error);
    free(data);
    if (status != SONDE_OK)
        cli_error("%s: %s", path, error.message);
    return status == SONDE_OK;
}

/* --until: a number of cycles, else a symbol. */
static bool parse_until(const struct cli_arguments *arguments, const struct sonde_msp430_sim *sim,
                        struct sonde_msp430_limits *limits)
{
    const char *until = cli_value(arguments, CLI_OPTION_UNTIL, NULL);
    if (until == NULL)
        return true;
    char *end;
    if (*until >= '0' && *until <= '9') {
        errno = 0;
        limits->cycles = strtoull(until, &end, 10);
        if (*end == '\0' && errno == 0 && limits->cycles > 0)
            return true;
        cli_error("--until takes a positive number of cycles or a symbol, not '%s'", until);
        return false;
    }
    struct sonde_error error;
    limits->has_stop_address = true;
    if (sonde_msp430_sim_symbol(sim, until, &limits->stop_address, &error) == SONDE_OK)
        return true;
    cli_error("--until: %s", error.message);
    return false;
}

static uint32_t word_at(const struct sonde_msp430_sim *sim, uint32_t address)
{
    uint8_t bytes[2];
    sonde_msp430_sim_read(sim, address, bytes, 2);
    return (uint32_t)(bytes[0] | bytes[1] << 8);
}

/* A word of the stack that a call may have left there: the instruction before
 * the place is a call. */
static bool is_return_address(const struct sonde_msp430_sim *sim, uint32_t address)
{
    uint32_t offset;
    if ((address & 1) != 0 || address < 4 ||
        sonde_msp430_sim_function_at(sim, address, &offset) == NULL)
        return false;
    uint32_t two_words = word_at(sim, address - 4), one_word = word_at(sim, address - 2);
    bool long_call = (two_words & 0xffc0) == 0x1280 && (two_words & 0x30) != 0;
    bool short_call = (one_word & 0xffc0) == 0x1280 && (one_word & 0x30) != 0x10;
    return long_call || short_call;
}

static void print_call_stack(const struct sonde_msp430_sim *sim)
{
    char place[128];
    unsigned shown = 0;
    fprintf(stderr, "call stack (return addresses found on the stack):\n");
    fprintf(stderr, "  %s\n", place_of(sim, sonde_msp430_sim_register(sim, 0), place));
    uint32_t sp = sonde_msp430_sim_register(sim, 1) & ~1u;
    for (uint32_t at = sp; at < sp + 2048 && shown < CALL_STACK_DEPTH; at += 2) {
        uint32_t word = word_at(sim, at);
        if (is_return_address(sim, word)) {
            fprintf(stderr, "  %s\n", place_of(sim, word, place));
            shown++;
        }
    }
}

static void print_fault(const struct sonde_msp430_sim *sim,
                        const struct sonde_msp430_result *result)
{
    char place[128], text[128];
    cli_error("%s: 0x%04x, at %s", sonde_msp430_stop_name(result->reason), result->data,
              place_of(sim, result->address, place));
    uint16_t words[4];
    for (uint32_t i = 0; i < 4; i++)
        words[i] = (uint16_t)word_at(sim, result->address + 2 * i);
    struct sonde_msp430_instruction instruction;
    if (sonde_msp430_decode(sonde_msp430_sim_core(sim), result->address, words, 4, &instruction,
                            NULL) == SONDE_OK) {
        sonde_msp430_print(&instruction, text, sizeof text);
        fprintf(stderr, "  %04x: %s\n", result->address, text);
    }
    for (unsigned i = 0; i < 16; i++)
        fprintf(stderr, "%s r%-2u %05x", i % 8 == 0 ? " " : "", i,
                sonde_msp430_sim_register(sim, i)),
            fputs(i % 8 == 7 ? "\n" : "", stderr);
    print_call_stack(sim);
}

static void print_end(const struct cli_arguments *arguments, const struct sonde_msp430_sim *sim,
                      const struct sonde_msp430_result *result)
{
    struct sonde_msp430_counts counts = sonde_msp430_sim_counts(sim);
    if (result->is_fault)
        print_fault(sim, result);
    if (cli_given(arguments, CLI_OPTION_QUIET))
        return;
    char place[128];
    fprintf(stderr,
            "sonde: %s at %s; %" PRIu64 " cycles (%" PRIu64 " idle), %" PRIu64
            " instructions, %" PRIu64 " interrupts, r12 = %u\n",
            sonde_msp430_stop_name(result->reason), place_of(sim, result->address, place),
            counts.cycles, counts.idle_cycles, counts.instructions, counts.interrupts,
            sonde_msp430_sim_register(sim, 12));
}

static int run_firmware(const struct cli_arguments *arguments, struct firmware_run *run)
{
    struct sonde_msp430_sim *sim = run->sim;
    struct sonde_msp430_limits limits = {.cycles = 0};
    if (!parse_until(arguments, sim, &limits))
        return CLI_EXIT_USAGE;
    const char *directory = cli_value(arguments, CLI_OPTION_RECORD, NULL);
    if (directory != NULL) {
        run->recording = recording_begin(directory, arguments->operands[0],
                                         cli_value(arguments, CLI_OPTION_MCU, DEFAULT_MCU), sim);
        if (run->recording == NULL)
            return CLI_EXIT_FAILURE;
    }
    sonde_msp430_sim_reset(sim);
    struct sonde_msp430_result result = sonde_msp430_sim_run(sim, &limits);
    fflush(stdout);
    print_end(arguments, sim, &result);
    bool recorded = true;
    if (run->recording != NULL)
        recorded =
            recording_end(run->recording, sim, &result, cli_given(arguments, CLI_OPTION_QUIET));
    return result.is_fault || !recorded ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
}

int cmd_msp430(const struct cli_arguments *arguments)
{
    struct firmware_run run = {.sim = NULL};
    if (!create(arguments, &run))
        return CLI_EXIT_USAGE;
    int status =
        load(run.sim, arguments->operands[0]) ? run_firmware(arguments, &run) : CLI_EXIT_FAILURE;
    sonde_msp430_sim_destroy(run.sim);
    return status;
}
