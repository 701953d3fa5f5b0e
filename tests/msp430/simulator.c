/* The simulator on small programs written as machine words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sonde/msp430_sim.h"

struct record {
    struct sonde_msp430_event events[64];
    size_t event_count;
    uint8_t sent[64];
    size_t sent_count;
};

static void on_event(void *context, const struct sonde_msp430_event *event)
{
    struct record *record = context;
    if (record->event_count < 64)
        record->events[record->event_count++] = *event;
}

static void on_uart(void *context, unsigned unit, uint8_t byte)
{
    struct record *record = context;
    assert_int_equal(unit, 0);
    if (record->sent_count < 64)
        record->sent[record->sent_count++] = byte;
}

static struct sonde_msp430_sim *start(const char *device, struct record *record, uint32_t address,
                                      const uint16_t *words, size_t count)
{
    struct sonde_msp430_options options = {
        .callbacks = {.on_event = on_event, .on_uart = on_uart, .context = record},
        .markers_enabled = true};
    struct sonde_msp430_sim *sim;
    struct sonde_error error;
    memset(record, 0, sizeof *record);
    assert_int_equal(sonde_msp430_sim_create(device, &options, &sim, &error), SONDE_OK);
    uint16_t reset = (uint16_t)address;
    sonde_msp430_sim_write(sim, 0xfffe, &reset, 2);
    sonde_msp430_sim_write(sim, address, words, 2 * count);
    sonde_msp430_sim_reset(sim);
    sonde_msp430_sim_set_register(sim, 1, 0x0400);
    return sim;
}
#define START(device, record, address, words)                                                      \
    start(device, record, address, words, sizeof(words) / sizeof *(words))

static struct sonde_msp430_result run(struct sonde_msp430_sim *sim, uint64_t cycles)
{
    struct sonde_msp430_limits limits = {.cycles = cycles};
    return sonde_msp430_sim_run(sim, &limits);
}

static void markers_cost_nothing(void **unused)
{
    (void)unused;
    static const uint16_t words[] = {
        0x12b0, 0xc006, /* call #0xc006: 5 */
        0x3fff,         /* jmp $: 2 */
        0x0001,         /* enter */
        0x5c0c, 0xd31c, /* add r12, r12; bis #1, r12: 2 */
        0x0002,         /* exit */
        0x4130,         /* ret: 3 */
    };
    struct record record;
    struct sonde_msp430_sim *sim = START("msp430g2553", &record, 0xc000, words);
    struct sonde_msp430_result result = run(sim, 1000);
    assert_int_equal(result.reason, SONDE_MSP430_STOP_HALTED);
    assert_int_equal(sonde_msp430_sim_counts(sim).cycles, 4 + 5 + 2 + 3 + 2);
    assert_int_equal(sonde_msp430_sim_counts(sim).instructions, 5);
    assert_int_equal(record.event_count, 3);
    assert_int_equal(record.events[1].kind, SONDE_MSP430_EVENT_ENTER);
    assert_int_equal(record.events[1].cycle, 9);
    assert_int_equal(record.events[1].address, 0xc006);
    assert_int_equal(record.events[1].sp, 0x3fe);
    assert_int_equal(record.events[2].kind, SONDE_MSP430_EVENT_EXIT);
    assert_int_equal(record.events[2].cycle, 11);
    assert_int_equal(sonde_msp430_sim_register(sim, 12), 1);
    sonde_msp430_sim_destroy(sim);
}

static void no_interrupt_behind_a_marker(void **unused)
{
    (void)unused;
    static const uint16_t words[] = {0xd232, 0x4303, 0x0001, 0x4303, 0x3fff};
    struct record record;
    struct sonde_msp430_sim *sim = START("msp430g2553", &record, 0xc000, words);
    static const uint16_t handler[] = {0x1300};
    uint16_t vector = 0xd000;
    sonde_msp430_sim_write(sim, 0xffe4, &vector, 2);
    sonde_msp430_sim_write(sim, 0xd000, handler, 2);
    assert_int_equal(sonde_msp430_sim_interrupt(sim, 0xffe4, NULL), SONDE_OK);
    struct sonde_msp430_limits limits = {.instructions = 6};
    sonde_msp430_sim_run(sim, &limits);
    /* EINT, one more instruction, then the interrupt, before the marker. */
    assert_int_equal(record.events[1].kind, SONDE_MSP430_EVENT_INTERRUPT_ENTER);
    assert_int_equal(record.events[1].address, 0xc004);
    assert_int_equal(record.events[1].cycle, 4 + 1 + 1);
    assert_int_equal(record.events[1].vector, 0xffe4);
    assert_int_equal(record.events[2].kind, SONDE_MSP430_EVENT_INTERRUPT_RETURN);
    assert_int_equal(record.events[2].cycle, 6 + 6 + 5);
    assert_int_equal(record.events[3].kind, SONDE_MSP430_EVENT_ENTER);
    assert_int_equal(record.events[3].cycle, 17);
    assert_int_equal(sonde_msp430_sim_interrupt(sim, 0xfffe, NULL), SONDE_ERROR_RANGE);
    sonde_msp430_sim_destroy(sim);
}

static void only_nmi_passes_without_gie(void **unused)
{
    (void)unused;
    static const uint16_t words[] = {0x40b2, 0x5a80, 0x015c, 0x4303, 0x3ffe};
    static const uint16_t handler[] = {0x5315, 0x1300}; /* inc r5; reti */
    static const uint16_t vectors[] = {0xfff8, 0xfffa, 0xfffc};
    for (unsigned i = 0; i < 3; i++) {
        struct record record;
        struct sonde_msp430_sim *sim = START("msp430f5529", &record, 0x5000, words);
        uint16_t vector = 0x6000;
        sonde_msp430_sim_write(sim, vectors[i], &vector, 2);
        sonde_msp430_sim_write(sim, vector, handler, sizeof handler);
        sonde_msp430_sim_interrupt(sim, vectors[i], NULL);
        run(sim, 100);
        assert_int_equal(sonde_msp430_sim_register(sim, 5), i == 0 ? 0 : 1);
        sonde_msp430_sim_destroy(sim);
    }
}

static void faults_name_their_reason(void **unused)
{
    (void)unused;
    static const struct {
        uint16_t words[4];
        enum sonde_msp430_stop reason;
        uint32_t address, data;
    } cases[] = {
        {{0x4215, 0x0201}, SONDE_MSP430_STOP_UNALIGNED, 0xc000, 0x0201},
        {{0x4303, 0x0003}, SONDE_MSP430_STOP_UNDEFINED, 0xc002, 0x0003},
        {{0x4030, 0x0120}, SONDE_MSP430_STOP_EXECUTION, 0x0120, 0x0120},
        {{0x4030, 0x8000}, SONDE_MSP430_STOP_EXECUTION, 0x8000, 0x8000},
        {{0x4035, 0xc101, 0x4500}, SONDE_MSP430_STOP_UNALIGNED, 0xc004, 0xc101},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record record;
        struct sonde_msp430_sim *sim = START("msp430g2553", &record, 0xc000, cases[i].words);
        struct sonde_msp430_result result = run(sim, 1000);
        assert_true(result.is_fault);
        assert_int_equal(result.reason, cases[i].reason);
        assert_int_equal(result.address, cases[i].address);
        assert_int_equal(result.data, cases[i].data);
        sonde_msp430_sim_destroy(sim);
    }
}

static void watchdog_resets_and_ticks(void **unused)
{
    (void)unused;
    static const uint16_t forever[] = {0x3c00, 0x3ffe};
    struct record record;
    struct sonde_msp430_sim *sim = START("msp430g2553", &record, 0xc000, forever);
    run(sim, 40000);
    /* It runs from power-up with 32768 cycles. */
    assert_int_equal(record.event_count, 2);
    assert_int_equal(record.events[1].kind, SONDE_MSP430_EVENT_RESET);
    assert_in_range(record.events[1].cycle, 32768, 32768 + 8);
    sonde_msp430_sim_destroy(sim);

    static const uint16_t interval[] = {
        0x40b2, 0x5a1b, 0x0120, /* WDTCTL: interval, clear, 64 cycles (IS = 3) */
        0xd3d2, 0x0000,         /* bis.b #1, &IE1 */
        0xd032, 0x0018,         /* GIE, CPUOFF */
        0x3fff,
    };
    sim = START("msp430g2553", &record, 0xc000, interval);
    static const uint16_t handler[] = {0x5315, 0x1300}; /* inc r5; reti */
    uint16_t vector = 0xd000;
    sonde_msp430_sim_write(sim, 0xfff4, &vector, 2);
    sonde_msp430_sim_write(sim, 0xd000, handler, sizeof handler);
    run(sim, 64 * 20);
    assert_in_range(sonde_msp430_sim_register(sim, 5), 18, 20);
    assert_true(sonde_msp430_sim_counts(sim).idle_cycles > 64 * 10);
    uint64_t last = 0;
    for (size_t i = 0; i < record.event_count; i++) {
        if (record.events[i].kind != SONDE_MSP430_EVENT_INTERRUPT_ENTER)
            continue;
        if (last != 0)
            assert_int_equal(record.events[i].cycle - last, 64);
        last = record.events[i].cycle;
    }
    sonde_msp430_sim_destroy(sim);

    static const uint16_t wrong[] = {0x40b2, 0x1234, 0x0120, 0x3fff};
    sim = START("msp430g2553", &record, 0xc000, wrong);
    run(sim, 50);
    assert_int_equal(record.events[1].kind, SONDE_MSP430_EVENT_RESET);
    sonde_msp430_sim_destroy(sim);
}

/* What a timer shows when it is read every 8 cycles, counted tick by tick. */
static uint16_t counted(unsigned mode, uint16_t period, uint16_t first, unsigned ticks)
{
    uint32_t counter = first;
    bool down = false;
    for (unsigned i = 0; i < ticks; i++) {
        if (mode == 2) {
            counter = (counter + 1) & 0xffff;
        } else if (mode == 1) {
            counter = counter == period ? 0 : counter + 1;
        } else {
            if (counter == period)
                down = true;
            if (counter == 0)
                down = false;
            counter = down ? counter - 1 : counter + 1;
        }
    }
    return (uint16_t)counter;
}

static void timers_count_in_every_mode(void **unused)
{
    (void)unused;
    enum { SAMPLES = 200 };
    for (unsigned mode = 1; mode <= 3; mode++) {
        for (unsigned divider = 0; divider < 4; divider++) {
            const uint16_t first = mode == 2 ? 0xff80 : 0, period = 37;
            const uint16_t words[] = {
                0x40b2, 0x5a80, 0x0120, /* watchdog off */
                0x40b2, period, 0x0172, /* TACCR0 */
                0x40b2, first,  0x0170, /* TAR */
                0x4036, 0x1000, 0x4037,
                0x0170, 0x40b2, (uint16_t)(0x0200 | divider << 6 | mode << 4),
                0x0160,         /* 5 */
                0x47a6, 0x0000, /* mov @r7, 0(r6): 5 */
                0x5326, 0x3ffc, /* incd r6; jmp: 3 */
            };
            struct record record;
            struct sonde_msp430_sim *sim = START("generic", &record, 0xc000, words);
            run(sim, 40 + 8 * SAMPLES);
            uint16_t samples[SAMPLES];
            sonde_msp430_sim_read(sim, 0x1000, samples, sizeof samples);
            for (unsigned i = 0; i + 8 < SAMPLES; i++) {
                /* The timer was started in the instruction just before. */
                unsigned ticks = (5 + 8 * i) >> divider;
                assert_int_equal(samples[i], counted(mode, period, first, ticks));
            }
            sonde_msp430_sim_destroy(sim);
        }
    }
}

static void timer_flags_reach_their_vectors(void **unused)
{
    (void)unused;
    static const uint16_t words[] = {
        0x40b2, 0x5a80, 0x0120, 0x40b2, 100,    0x0172, /* TACCR0 */
        0x40b2, 30,     0x0174, 0x40b2, 60,     0x0176, /* TACCR1, TACCR2 */
        0x40b2, 0x0010, 0x0164, 0x40b2, 0x0010, 0x0166, /* their interrupts */
        0x4036, 0x1000, 0x40b2, 0x0212, 0x0160,         /* up, overflow interrupt */
        0xd032, 0x0018, 0x3fff,
    };
    static const uint16_t handler[] = {0x4296, 0x012e, 0x0000, 0x5326, 0x1300}; /* log TAIV */
    struct record record;
    struct sonde_msp430_sim *sim = START("generic", &record, 0xc000, words);
    uint16_t vector = 0xd000, log[9];
    sonde_msp430_sim_write(sim, 0xfff0, &vector, 2);
    sonde_msp430_sim_write(sim, 0xd000, handler, sizeof handler);
    run(sim, 450);
    sonde_msp430_sim_read(sim, 0x1000, log, sizeof log);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(log[i], i % 3 == 0 ? 2 : i % 3 == 1 ? 4 : 10);
    uint64_t last[3] = {0, 0, 0};
    unsigned n = 0;
    for (size_t i = 0; i < record.event_count; i++) {
        if (record.events[i].kind != SONDE_MSP430_EVENT_INTERRUPT_ENTER)
            continue;
        if (n >= 3)
            assert_int_equal(record.events[i].cycle - last[n % 3], 101);
        last[n++ % 3] = record.events[i].cycle;
    }
    assert_true(n >= 9);
    sonde_msp430_sim_destroy(sim);
}

static void uart_sends_and_receives(void **unused)
{
    (void)unused;
    static const uint16_t echo[] = {
        0x40b2, 0x5a80, 0x0120, /* watchdog off */
        0x40f2, 0x0010, 0x0062, /* UCA0BR0 = 16 */
        0x40f2, 0x0080, 0x0061, /* UCA0CTL1: SMCLK, no reset */
        0xb3d2, 0x0003,         /* wait: bit.b #UCA0RXIFG, &IFG2 */
        0x27fd,                 /* jz wait */
        0x4255, 0x0066,         /* mov.b &UCA0RXBUF, r5 */
        0x5355,                 /* inc.b r5 */
        0x45c2, 0x0067,         /* mov.b r5, &UCA0TXBUF */
        0x3ff7,                 /* jmp wait */
    };
    struct record record;
    struct sonde_msp430_sim *sim = START("msp430g2553", &record, 0xc000, echo);
    for (const char *at = "HAL"; *at != '\0'; at++)
        assert_int_equal(sonde_msp430_sim_uart_send(sim, 0, (uint8_t)*at, NULL), SONDE_OK);
    assert_int_equal(sonde_msp430_sim_uart_send(sim, 1, 0, NULL), SONDE_ERROR_NOT_FOUND);
    run(sim, 160 * 3);
    assert_int_equal(record.sent_count, 1); /* three are in, the second is on its way out */
    run(sim, 160 * 5 + 100);
    assert_int_equal(record.sent_count, 3);
    assert_memory_equal(record.sent, "IBM", 3);
    sonde_msp430_sim_destroy(sim);
}

static void ports_raise_interrupts(void **unused)
{
    (void)unused;
    static const uint16_t words[] = {
        0x40b2, 0x5a80, 0x0120, /* watchdog off */
        0xd0f2, 0x0008, 0x0025, /* P1IE: bit 3, rising */
        0xd032, 0x0018, 0x3fff,
    };
    static const uint16_t handler[] = {0x43c2, 0x0023, 0x5315, 0x1300}; /* P1IFG = 0; inc r5 */
    struct record record;
    struct sonde_msp430_sim *sim = START("msp430g2553", &record, 0xc000, words);
    uint16_t vector = 0xd000;
    sonde_msp430_sim_write(sim, 0xffe4, &vector, 2);
    sonde_msp430_sim_write(sim, 0xd000, handler, sizeof handler);
    assert_int_equal(run(sim, 100).reason, SONDE_MSP430_STOP_CYCLES);
    assert_int_equal(sonde_msp430_sim_port_input(sim, 1, 0x08, NULL), SONDE_OK);
    run(sim, 200);
    assert_int_equal(sonde_msp430_sim_register(sim, 5), 1);
    sonde_msp430_sim_port_input(sim, 1, 0x00, NULL); /* falling: none */
    run(sim, 300);
    assert_int_equal(sonde_msp430_sim_register(sim, 5), 1);
    assert_int_equal(sonde_msp430_sim_port_input(sim, 9, 0, NULL), SONDE_ERROR_NOT_FOUND);
    sonde_msp430_sim_destroy(sim);
}

static void multiplier_agrees_with_the_host(void **unused)
{
    (void)unused;
    uint32_t state = 99;
    for (int i = 0; i < 200; i++) {
        state = state * 1664525u + 1013904223u;
        uint16_t a = (uint16_t)(state >> 16), b = (uint16_t)(state >> 3), mode = i & 1;
        const uint16_t words[] = {0x40b2, a,      (uint16_t)(0x0130 + 2 * mode), /* MPY or MPYS */
                                  0x40b2, b,      0x0138,
                                  0x4216, 0x013a, 0x4217,
                                  0x013c, 0x4218, 0x013e,
                                  0x3fff};
        struct record record;
        struct sonde_msp430_sim *sim = START("generic", &record, 0xc000, words);
        assert_int_equal(run(sim, 1000).reason, SONDE_MSP430_STOP_HALTED);
        uint32_t product =
            mode == 0 ? (uint32_t)a * b : (uint32_t)((int32_t)(int16_t)a * (int16_t)b);
        assert_int_equal(sonde_msp430_sim_register(sim, 6), product & 0xffff);
        assert_int_equal(sonde_msp430_sim_register(sim, 7), product >> 16);
        assert_int_equal(sonde_msp430_sim_register(sim, 8),
                         mode == 1 && product >> 31 ? 0xffff : 0);
        sonde_msp430_sim_destroy(sim);
    }
}

static void wide_multiplier_agrees_with_the_host(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (int i = 0; i < 200; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t a = (uint32_t)(state >> 32), b = (uint32_t)(state >> 13);
        bool is_signed = i & 1;
        uint16_t base = is_signed ? 0x04d4 : 0x04d0;
        const uint16_t words[] = {0x40b2,
                                  0x5a80,
                                  0x015c,
                                  0x40b2,
                                  (uint16_t)a,
                                  base,
                                  0x40b2,
                                  (uint16_t)(a >> 16),
                                  (uint16_t)(base + 2),
                                  0x40b2,
                                  (uint16_t)b,
                                  0x04e0,
                                  0x40b2,
                                  (uint16_t)(b >> 16),
                                  0x04e2,
                                  0x4216,
                                  0x04e4,
                                  0x4217,
                                  0x04e6,
                                  0x4218,
                                  0x04e8,
                                  0x4219,
                                  0x04ea,
                                  0x3fff};
        struct record record;
        struct sonde_msp430_sim *sim = START("msp430f5529", &record, 0x5000, words);
        assert_int_equal(run(sim, 1000).reason, SONDE_MSP430_STOP_HALTED);
        uint64_t product =
            is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(sonde_msp430_sim_register(sim, 6 + k), product >> (16 * k) & 0xffff);
        sonde_msp430_sim_destroy(sim);
    }
}

static void wide_instructions_work(void **unused)
{
    (void)unused;
    static const uint16_t words[] = {
        0x0185, 0x2345, /* mova #0x12345, r5: 2 */
        0x0fa5, 0xffff, /* adda #0xfffff, r5 (= -1): 3 */
        0x05c6,         /* mova r5, r6: 1 */
        0x1426,         /* pushm.a #3, r6 (6, 5, 4): 8 */
        0x4304,         /* clr r4: 1 */
        0x0084, 0x0000, /* mova #0, r4: 2 */
        0x1628,         /* popm.a #3, r10 (8, 9, 10): 8 */
        0x13b1, 0x0000, /* calla #0x10000: 5 */
        0x1842, 0x5606, /* rpt #3 addx.w r6, r6: 2 + 2 */
        0x0d4a,         /* rram.a #4, r10: 4 */
        0x3fff,
    };
    static const uint16_t far_function[] = {0x434c, 0x531c, 0x0110}; /* clr.b, inc r12, reta: 5 */
    struct record record;
    struct sonde_msp430_sim *sim = START("genericx", &record, 0xc000, words);
    sonde_msp430_sim_write(sim, 0x10000, far_function, sizeof far_function);
    struct sonde_msp430_result result = run(sim, 1000);
    assert_int_equal(result.reason, SONDE_MSP430_STOP_HALTED);
    assert_int_equal(sonde_msp430_sim_register(sim, 5), 0x12344);
    assert_int_equal(sonde_msp430_sim_register(sim, 8), 0);
    assert_int_equal(sonde_msp430_sim_register(sim, 9), 0x12344);
    assert_int_equal(sonde_msp430_sim_register(sim, 10), 0x1234);
    assert_int_equal(sonde_msp430_sim_register(sim, 6), (0x12344 * 8) & 0xffff);
    assert_int_equal(sonde_msp430_sim_register(sim, 12), 1);
    assert_int_equal(sonde_msp430_sim_register(sim, 1), 0x400);
    assert_int_equal(sonde_msp430_sim_counts(sim).cycles,
                     4 + 2 + 3 + 1 + 8 + 1 + 2 + 8 + 5 + 1 + 1 + 5 + 4 + 4 + 2);
    sonde_msp430_sim_destroy(sim);
}

static void code_in_memory_may_change(void **unused)
{
    (void)unused;
    static const uint16_t words[] = {
        0x5315,                 /* c000: inc r5 */
        0x40b2, 0x5325, 0xc000, /* mov #(incd r5), &0xc000 */
        0x9035, 0x0005,         /* cmp #5, r5 */
        0x3bf9,                 /* jl c000 */
        0x3fff,
    };
    struct record record;
    struct sonde_msp430_sim *sim = START("generic", &record, 0xc000, words);
    assert_int_equal(run(sim, 1000).reason, SONDE_MSP430_STOP_HALTED);
    assert_int_equal(sonde_msp430_sim_register(sim, 5), 5);
    sonde_msp430_sim_destroy(sim);
}

static void hex_and_bad_files(void **unused)
{
    (void)unused;
    static const char hex[] = ":04C00000155315536C\n:02FFFE0000C041\n:00000001FF\n";
    static const char *const bad[] = {":04C00000155315536D\n:00000001FF\n",
                                      ":04C00000155315",
                                      ":04000000155315532C\n",
                                      ":00000009F7\n",
                                      "hello",
                                      "\177ELF",
                                      ":02FFFE0000C041\n"};
    struct sonde_msp430_sim *sim;
    struct sonde_error error;
    assert_int_equal(sonde_msp430_sim_create("msp430g2553", NULL, &sim, &error), SONDE_OK);
    assert_int_equal(sonde_msp430_sim_load(sim, hex, sizeof hex - 1, &error), SONDE_OK);
    sonde_msp430_sim_reset(sim);
    struct sonde_msp430_limits limits = {.instructions = 2};
    sonde_msp430_sim_run(sim, &limits);
    assert_int_equal(sonde_msp430_sim_register(sim, 5), 2);
    assert_int_equal(sonde_msp430_sim_register(sim, 0), 0xc004);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error.message[0] = '\0';
        assert_int_not_equal(sonde_msp430_sim_load(sim, bad[i], strlen(bad[i]), &error), SONDE_OK);
        assert_true(error.message[0] != '\0');
    }
    sonde_msp430_sim_destroy(sim);
    assert_int_equal(sonde_msp430_sim_create("z80", NULL, &sim, &error), SONDE_ERROR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_cost_nothing),
        cmocka_unit_test(no_interrupt_behind_a_marker),
        cmocka_unit_test(only_nmi_passes_without_gie),
        cmocka_unit_test(faults_name_their_reason),
        cmocka_unit_test(watchdog_resets_and_ticks),
        cmocka_unit_test(timers_count_in_every_mode),
        cmocka_unit_test(timer_flags_reach_their_vectors),
        cmocka_unit_test(uart_sends_and_receives),
        cmocka_unit_test(ports_raise_interrupts),
        cmocka_unit_test(multiplier_agrees_with_the_host),
        cmocka_unit_test(wide_multiplier_agrees_with_the_host),
        cmocka_unit_test(wide_instructions_work),
        cmocka_unit_test(code_in_memory_may_change),
        cmocka_unit_test(hex_and_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
