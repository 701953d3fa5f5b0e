/* Random code with random interrupt requests on our simulator, one line a step
 * of mspdebug, for interrupt_lockstep.py:
 *   interrupt_expect SEED COUNT IMAGE
 * writes the memory from 0x1000 on, before the run, to IMAGE. Lines:
 *   trigger N   the interrupt of vector 0xffe0 + 2 N is requested
 *   event KIND ADDRESS CYCLE   (for interrupt_lockstep.py to derive by itself)
 *   PC SP SR R4 ... R15 CYCLES  after an instruction or an acceptance
 * Constants stand in words, because mspdebug charges the constant generator
 * wrongly. Acceptance clears all of SR but SCG0 (SLAU144 2.2.3); mspdebug clears
 * GIE and CPUOFF only, and the line says what it has. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "random_code.h"

enum {
    DATA_FIRST = 0x1000,
    STACK_FIRST = 0x4000, /* which the program does not write otherwise */
    DATA_LAST = 0x5ffe,
    CODE_FIRST = 0x6000,
    CODE_LAST = 0xf000,
    HANDLER_FIRST = 0xf800,
    VECTORS = 0xffe0,
    GIE = 8,
    CPUOFF = 16,
};

static uint32_t data_address(void)
{
    return (DATA_FIRST + below(STACK_FIRST - DATA_FIRST)) & ~1u;
}

/* Something that needs no knowledge of the state that it meets. */
static void put_work(void)
{
    uint32_t opcode = (4 + below(12)) << 12, byte = below(3) == 0 ? 0x40 : 0;
    uint32_t source = 4 + below(12), target = 4 + below(12);
    switch (below(4)) {
    case 0:
        put(opcode | byte | 2u << 8 | 1 << 4 | target);
        put(data_address());
        break;
    case 1:
        put(opcode | byte | source << 8 | 0x82);
        put(data_address());
        break;
    case 2:
        put(opcode | byte | 3 << 4 | target);
        put(below(0x10000));
        break;
    default:
        put(opcode | byte | source << 8 | target);
    }
}

static void put_code(void)
{
    switch (below(12)) {
    case 0:
    case 1: /* bis #GIE, sr */
        put(0xd032);
        put(GIE);
        put_work();
        break;
    case 2: /* bic #GIE, sr */
        if (below(2))
            break;
        put(0xc032);
        put(GIE);
        put_work();
        break;
    case 3: /* call #next; its return address stays on the stack */
        put(0x12b0);
        put(put_at + 2);
        break;
    case 4:
        if (reg(1) < DATA_LAST - 0x400)
            put(0x4130 | (4 + below(12))); /* pop */
        break;
    case 5:
        put(0x2000 | below(8) << 10); /* a jump to the next */
        break;
    default:
        put_work();
    }
    put_work();
}

/* Handlers: some let others interrupt them. */
static void put_handlers(void)
{
    for (unsigned i = 0; i < 14; i++) {
        put_at = HANDLER_FIRST + 0x40 * i;
        uint16_t start = (uint16_t)put_at;
        sonde_msp430_sim_write(sim, VECTORS + 2 * i, &start, 2);
        put(0x4032); /* mov #0, sr */
        put(0);
        put_work();
        if (i % 3 == 0) {
            put(0xd032);
            put(GIE);
            put_work();
            put_work();
        }
        put_work();
        put(0x1300);
    }
}

static void print_state(uint32_t sr)
{
    for (unsigned i = 0; i < 16; i++) {
        if (i != 3)
            printf("%04x ", i == 2 ? sr : reg(i));
    }
    printf("%" PRIu64 "\n", sonde_msp430_sim_counts(sim).cycles);
}

static void on_event(void *context, const struct sonde_msp430_event *event)
{
    (void)context;
    if (event->kind == SONDE_MSP430_EVENT_INTERRUPT_ENTER)
        printf("event interrupt %04x %" PRIu64 "\n", event->vector, event->cycle);
    if (event->kind == SONDE_MSP430_EVENT_INTERRUPT_RETURN)
        printf("event return %04x %" PRIu64 "\n", event->address, event->cycle);
}

/* Accept the interrupt and stop in front of its handler. */
static void trigger(unsigned vector)
{
    uint32_t sr = reg(2) & ~(uint32_t)(GIE | CPUOFF);
    printf("trigger %u\n", vector);
    sonde_msp430_sim_interrupt(sim, VECTORS + 2 * vector, NULL);
    struct sonde_msp430_limits limits = {.cycles = sonde_msp430_sim_counts(sim).cycles + 1};
    sonde_msp430_sim_run(sim, &limits);
    print_state(sr);
}

static bool step(void)
{
    struct sonde_msp430_limits limits = {.instructions = 1};
    struct sonde_msp430_result result = sonde_msp430_sim_run(sim, &limits);
    print_state(reg(2));
    if (result.reason != SONDE_MSP430_STOP_INSTRUCTIONS)
        fprintf(stderr, "%s at 0x%04x\n", sonde_msp430_stop_name(result.reason), result.address);
    return result.reason == SONDE_MSP430_STOP_INSTRUCTIONS;
}

static bool write_image(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    for (uint32_t at = DATA_FIRST; at < 0x10000; at++) {
        uint8_t byte = 0;
        sonde_msp430_sim_read(sim, at, &byte, 1);
        fputc(byte, file);
    }
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    struct sonde_msp430_options options = {.callbacks = {.on_event = on_event}};
    struct sonde_error error;
    if (argc < 4 || sonde_msp430_sim_create("generic", &options, &sim, &error) != SONDE_OK)
        return 1;
    state = strtoull(argv[1], NULL, 10);
    for (put_at = DATA_FIRST; put_at <= DATA_LAST;)
        put(below(0x10000));
    put_handlers();
    sonde_msp430_sim_set_register(sim, 0, CODE_FIRST);
    sonde_msp430_sim_set_register(sim, 1, 0x5000);
    put_at = CODE_FIRST;
    while (put_at < CODE_LAST) {
        if (put_at > CODE_FIRST + 0x8000)
            break;
        put_code();
    }
    if (!write_image(argv[3]))
        return 1;
    unsigned long count = strtoul(argv[2], NULL, 10);
    bool could = false;
    for (unsigned long i = 0; i < count && reg(0) != put_at; i++) {
        /* Right behind EINT the two differ in when they accept. */
        if (could && (reg(2) & GIE) != 0 && below(6) == 0)
            trigger(below(14));
        could = (reg(2) & GIE) != 0;
        if (!step())
            return 1;
        could = could && (reg(2) & GIE) != 0;
    }
    sonde_msp430_sim_destroy(sim);
    return 0;
}
