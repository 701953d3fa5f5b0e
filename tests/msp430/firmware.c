/* Runs a firmware and compares its result with that of the same source on the
 * host, which this program is linked with: firmware FILE [INTERVAL] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "sonde/msp430_sim.h"

struct seen {
    uint64_t interrupts, sleeps, wakes, returns, first, last;
};

static void on_event(void *context, const struct sonde_msp430_event *event)
{
    struct seen *seen = context;
    switch (event->kind) {
    case SONDE_MSP430_EVENT_INTERRUPT_ENTER:
        if (seen->interrupts++ == 0)
            seen->first = event->cycle;
        seen->last = event->cycle;
        break;
    case SONDE_MSP430_EVENT_INTERRUPT_RETURN:
        seen->returns++;
        break;
    case SONDE_MSP430_EVENT_SLEEP:
        seen->sleeps++;
        break;
    case SONDE_MSP430_EVENT_WAKE:
        seen->wakes++;
        break;
    default:
        break;
    }
}

static size_t read_file(const char *path, void *data, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    size_t n = fread(data, 1, size, file);
    fclose(file);
    return n;
}

static int check_interrupts(const struct seen *seen, uint64_t interval)
{
    if (seen->interrupts != seen->returns || seen->sleeps != seen->wakes)
        return 1;
    if (interval == 0)
        return seen->interrupts == 0 ? 0 : 1;
    return seen->sleeps > 0 && seen->last - seen->first == interval * (seen->interrupts - 1) ? 0
                                                                                             : 1;
}

int main(int argc, char **argv)
{
    static uint8_t data[1 << 20];
    struct seen seen = {.interrupts = 0};
    struct sonde_msp430_options options = {.callbacks = {.on_event = on_event, .context = &seen}};
    struct sonde_msp430_sim *sim;
    struct sonde_error error;
    if (argc < 2 || sonde_msp430_sim_create("msp430g2553", &options, &sim, &error) != SONDE_OK)
        return 1;
    size_t size = read_file(argv[1], data, sizeof data);
    if (sonde_msp430_sim_load(sim, data, size, &error) != SONDE_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        return 1;
    }
    sonde_msp430_sim_reset(sim);
    struct sonde_msp430_limits limits = {.cycles = 100000000};
    struct sonde_msp430_result result = sonde_msp430_sim_run(sim, &limits);
    struct sonde_msp430_counts counts = sonde_msp430_sim_counts(sim);
    uint16_t expected = run();
    uint32_t got = sonde_msp430_sim_register(sim, 12);
    printf("%s at 0x%04x; result %u, host %u; %" PRIu64 " cycles (%" PRIu64 " idle), %" PRIu64
           " instructions, %" PRIu64 " interrupts\n",
           sonde_msp430_stop_name(result.reason), result.address, got, expected, counts.cycles,
           counts.idle_cycles, counts.instructions, counts.interrupts);
    int status = result.reason != SONDE_MSP430_STOP_HALTED || got != expected ||
                 check_interrupts(&seen, argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
    sonde_msp430_sim_destroy(sim);
    return status;
}
