#include "cli/recording.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "sonde/trace.h"

/* So many events are lost at most when the simulator is killed. */
enum { EVENTS_AT_ONCE = 4096 };

struct recording {
    struct sonde_trace_writer *writer;
    struct sonde_trace_call calls[EVENTS_AT_ONCE];
    size_t count;
    uint64_t total, entered;
    bool failed;
    struct sonde_error error; /* the first */
    const char *directory;
};

_Static_assert((int)SONDE_MSP430_EVENT_ENTER == (int)SONDE_TRACE_CALL_ENTER &&
                   (int)SONDE_MSP430_EVENT_EXIT == (int)SONDE_TRACE_CALL_EXIT &&
                   (int)SONDE_MSP430_EVENT_INTERRUPT_ENTER == (int)SONDE_TRACE_CALL_INTERRUPT &&
                   (int)SONDE_MSP430_EVENT_INTERRUPT_RETURN ==
                       (int)SONDE_TRACE_CALL_INTERRUPT_RETURN &&
                   (int)SONDE_MSP430_EVENT_SLEEP == (int)SONDE_TRACE_CALL_SLEEP &&
                   (int)SONDE_MSP430_EVENT_WAKE == (int)SONDE_TRACE_CALL_WAKE &&
                   (int)SONDE_MSP430_EVENT_RESET == (int)SONDE_TRACE_CALL_RESET &&
                   (int)SONDE_MSP430_EVENT_STACK == (int)SONDE_TRACE_CALL_STACK,
               "events of the simulator keep their numbers in the trace");

static void note(struct recording *recording, enum sonde_status status,
                 const struct sonde_error *error)
{
    if (status == SONDE_OK || recording->failed)
        return;
    recording->failed = true;
    recording->error = *error;
}

static void flush(struct recording *recording)
{
    struct sonde_error error;
    if (recording->count == 0)
        return;
    note(recording,
         sonde_trace_write_calls(recording->writer, recording->calls, recording->count, &error),
         &error);
    recording->count = 0;
}

/* Functions and objects of the program; the names are the simulator's. */
static bool collect_symbols(const struct sonde_msp430_sim *sim, struct sonde_trace_symbol **symbols,
                            size_t *count)
{
    struct sonde_msp430_symbol symbol;
    size_t capacity = 0;
    *symbols = NULL;
    *count = 0;
    for (size_t i = 0; sonde_msp430_sim_symbol_at(sim, i, &symbol); i++) {
        if (!symbol.is_function && symbol.size == 0)
            continue;
        if (base_array_reserve((void **)symbols, &capacity, *count + 1, sizeof **symbols) !=
            SONDE_OK)
            return false;
        (*symbols)[(*count)++] = (struct sonde_trace_symbol){.name = symbol.name,
                                                             .address = symbol.address,
                                                             .size = symbol.size,
                                                             .is_function = symbol.is_function};
    }
    return true;
}

static enum sonde_status write_firmware(struct recording *recording,
                                        const struct sonde_msp430_sim *sim,
                                        struct sonde_error *error)
{
    enum sonde_msp430_core core = sonde_msp430_sim_core(sim);
    struct sonde_msp430_markers markers = sonde_msp430_sim_markers(sim);
    struct sonde_trace_symbol *symbols;
    struct sonde_trace_firmware firmware = {
        .is_extended = core == SONDE_MSP430_CORE_CPUX,
        .enter_word = markers.enter,
        .exit_word = markers.exit,
        .return_cycles = core == SONDE_MSP430_CORE_CPUX ? 4 : 3,
        .interrupt_return_cycles = 5,
    };
    if (sonde_msp430_sim_symbol(sim, "_end", &firmware.data_end, error) != SONDE_OK &&
        sonde_msp430_sim_symbol(sim, "end", &firmware.data_end, error) != SONDE_OK)
        firmware.data_end = 0;
    enum sonde_status status = SONDE_ERROR_MEMORY;
    if (collect_symbols(sim, &symbols, &firmware.symbol_count)) {
        firmware.symbols = symbols;
        status = sonde_trace_write_firmware(recording->writer, &firmware, error);
    } else {
        sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    free(symbols);
    return status;
}

static enum sonde_status open_run(struct recording *recording, const char *firmware,
                                  const char *device, const struct sonde_msp430_sim *sim,
                                  struct sonde_error *error)
{
    char path[PATH_MAX], command[PATH_MAX + 32];
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (realpath(firmware, path) == NULL)
        snprintf(path, sizeof path, "%s", firmware);
    snprintf(command, sizeof command, "sonde msp430 run %s", firmware);
    struct sonde_trace_header header = {
        .command_line = command,
        .device = device,
        .driver = "MSP430 simulator",
        .tools = "callflow",
        .start_time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
        .process = (uint32_t)getpid(),
        .mode = "simulate",
        .program = path,
    };
    enum sonde_status status = sonde_trace_directory_create(recording->directory, error);
    if (status == SONDE_OK)
        status =
            sonde_trace_writer_create(recording->directory, &header, &recording->writer, error);
    if (status == SONDE_OK)
        status = write_firmware(recording, sim, error);
    return status;
}

struct recording *recording_begin(const char *directory, const char *firmware, const char *device,
                                  const struct sonde_msp430_sim *sim)
{
    struct recording *recording = calloc(1, sizeof *recording);
    struct sonde_error error = {0};
    if (recording == NULL) {
        cli_error("out of memory");
        return NULL;
    }
    recording->directory = directory;
    if (open_run(recording, firmware, device, sim, &error) == SONDE_OK)
        return recording;
    cli_error("%s", error.message);
    sonde_trace_writer_close(recording->writer, &error);
    free(recording);
    return NULL;
}

void recording_add(struct recording *recording, const struct sonde_msp430_event *event)
{
    recording->calls[recording->count++] = (struct sonde_trace_call){
        .cycle = event->cycle,
        .address = event->address,
        .sp = event->sp,
        .vector = (uint16_t)event->vector,
        .kind = (uint8_t)event->kind,
    };
    recording->total++;
    recording->entered += event->kind == SONDE_MSP430_EVENT_ENTER;
    if (recording->count == EVENTS_AT_ONCE)
        flush(recording);
}

bool recording_end(struct recording *recording, const struct sonde_msp430_sim *sim,
                   const struct sonde_msp430_result *result, bool quiet)
{
    struct sonde_error error;
    struct sonde_msp430_counts counts = sonde_msp430_sim_counts(sim);
    struct sonde_trace_firmware_end end = {
        .cycles = counts.cycles,
        .idle_cycles = counts.idle_cycles,
        .instructions = counts.instructions,
        .interrupts = counts.interrupts,
        .address = sonde_msp430_sim_register(sim, 0),
        .sp = sonde_msp430_sim_register(sim, 1),
        .is_fault = result->is_fault,
        .reason = sonde_msp430_stop_name(result->reason),
    };
    flush(recording);
    note(recording, sonde_trace_write_firmware_end(recording->writer, &end, &error), &error);
    note(recording, sonde_trace_writer_close(recording->writer, &error), &error);
    bool written = !recording->failed;
    if (!written)
        cli_error("%s: events are missing: %s", recording->directory, recording->error.message);
    else if (!quiet)
        cli_note("%" PRIu64 " events in %s; next: sonde report -i %s", recording->total,
                 recording->directory, recording->directory);
    if (written && recording->entered == 0)
        cli_warning("no function was entered by a marker; 'sonde msp430 as --auto' marks assembler "
                    "text");
    free(recording);
    return written;
}
