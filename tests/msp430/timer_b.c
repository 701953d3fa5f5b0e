/* What only Timer_B does: compare latches and a counter of 8 to 16 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sonde/msp430_sim.h"

enum { SEEN = 8 };

struct seen {
    uint64_t cycles[SEEN];
    size_t count;
};

static void on_event(void *context, const struct sonde_msp430_event *event)
{
    struct seen *seen = context;
    if (event->kind == SONDE_MSP430_EVENT_INTERRUPT_ENTER && seen->count < SEEN)
        seen->cycles[seen->count++] = event->cycle;
}

/* Interrupts of a program for F2274 whose handler for both vectors of Timer_B
 * sets TBCCR0 to 199 and reads TBIV. */
static struct seen run(uint16_t control, uint16_t channel)
{
    const uint16_t program[] = {
        0x4031, 0x0600,          /* mov #0x600, sp */
        0x40b2, 0x5a80,  0x0120, /* watchdog off */
        0x40b2, 99,      0x0192, /* TBCCR0 */
        0x40b2, channel, 0x0182, /* TBCCTL0 */
        0x40b2, control, 0x0180, /* TBCTL */
        0xd032, 0x0018,  0x3fff, /* GIE and CPUOFF; jmp . */
    };
    static const uint16_t handler[] = {0x40b2, 199, 0x0192, 0x4215, 0x011e, 0x1300};
    static const uint16_t start = 0x8000, service = 0x9000;
    struct seen seen = {.count = 0};
    struct sonde_msp430_options options = {.callbacks = {.on_event = on_event, .context = &seen}};
    struct sonde_msp430_sim *sim;
    assert_int_equal(sonde_msp430_sim_create("msp430f2274", &options, &sim, NULL), SONDE_OK);
    sonde_msp430_sim_write(sim, start, program, sizeof program);
    sonde_msp430_sim_write(sim, service, handler, sizeof handler);
    sonde_msp430_sim_write(sim, 0xfffe, &start, 2);
    sonde_msp430_sim_write(sim, 0xfffa, &service, 2);
    sonde_msp430_sim_write(sim, 0xfff8, &service, 2);
    sonde_msp430_sim_reset(sim);
    struct sonde_msp430_limits limits = {.cycles = 2000};
    assert_int_equal(sonde_msp430_sim_run(sim, &limits).reason, SONDE_MSP430_STOP_CYCLES);
    sonde_msp430_sim_destroy(sim);
    return seen;
}

static void a_new_period_waits_for_its_latch(void **unused)
{
    (void)unused;
    struct seen at_once = run(0x0214, 0x0010), at_zero = run(0x0214, 0x0210);
    assert_true(at_once.count > 3 && at_zero.count > 3);
    assert_int_equal(at_once.cycles[1] - at_once.cycles[0], 200);
    assert_int_equal(at_zero.cycles[0], at_once.cycles[0]);
    /* The counter is 0 before the handler has written. */
    assert_int_equal(at_zero.cycles[1] - at_zero.cycles[0], 100);
    assert_int_equal(at_zero.cycles[2] - at_zero.cycles[1], 200);
    /* At the latch's own value: the write comes after that, too. */
    struct seen at_value = run(0x0214, 0x0610);
    assert_int_equal(at_value.cycles[1] - at_value.cycles[0], 100);
    assert_int_equal(at_value.cycles[2] - at_value.cycles[1], 200);
}

static void the_counter_has_8_to_16_bits(void **unused)
{
    (void)unused;
    struct seen seen = run(0x0226 | 3 << 11, 0);
    assert_true(seen.count > 3);
    for (size_t i = 1; i < seen.count; i++)
        assert_int_equal(seen.cycles[i] - seen.cycles[i - 1], 256);
    seen = run(0x0226 | 2 << 11, 0);
    assert_int_equal(seen.count, 1);
    assert_int_equal(run(0x0226, 0).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_period_waits_for_its_latch),
        cmocka_unit_test(the_counter_has_8_to_16_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
