/* Timers of tools on the emulator: what they add up, and that a time is not taken when the clock
 * went round in between. Argument: the part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "probe.h"
#include "tools/counters.h"
#include "tools/host.h"

enum { GOOD, ROUND, TIMERS };

/* start; stop; start; the register now says that the start lies ahead; stop. */
static void append(struct probe *p, const struct tools_counters *counters,
                   const struct tools_timer *timers)
{
    const struct sonde_operand ahead = sonde_operand_immediate(0xfffffff0);
    for (unsigned n = 0; n < TIMERS; n++) {
        probe_ok(p, tools_timer_start(timers[n].place, p->coder, p->procedure, &p->error));
        if (n == ROUND)
            probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                              sonde_operand_vreg(timers[n].place->vreg), ahead,
                                              ahead, NULL, &p->error));
        probe_ok(p, tools_timer_stop(&timers[n], counters, p->coder, p->procedure, &p->error));
    }
}

static void skipped(void **unused)
{
    (void)unused;
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    struct sonde_tool_build build = {.instrument = p.instrument, .buckets = 4};
    struct tools_counters *counters = tools_counters_create(&build, 3 * TIMERS);
    struct tools_timer_place place;
    assert_non_null(counters);
    probe_ok(&p, tools_timer_place_choose(&place, &build, p.coder, &p.error));
    assert_false(place.in_memory);
    struct tools_timer timers[TIMERS];
    for (unsigned n = 0; n < TIMERS; n++)
        timers[n] = tools_timer_make(counters, 0, &place);
    probe_ok(&p, tools_counters_allocate(counters, &build, &p.error));
    append(&p, counters, timers);
    probe_run(&p);
    const uint8_t *buffer = machine_surface(p.machine, MACHINE_PROFILE);
    for (unsigned n = 0; n < TIMERS; n++) {
        uint64_t executions = sonde_profile_array_sum(
            &counters->array, buffer, MACHINE_SURFACE_BYTES, timers[n].executions, 0);
        uint64_t cycles = sonde_profile_array_sum(&counters->array, buffer, MACHINE_SURFACE_BYTES,
                                                  timers[n].cycles, 0);
        uint64_t skips = sonde_profile_array_sum(&counters->array, buffer, MACHINE_SURFACE_BYTES,
                                                 timers[n].skipped, 0);
        assert_int_equal(executions, PROBE_THREADS);
        assert_int_equal(skips, n == ROUND ? PROBE_THREADS : 0);
        /* The clock of a thread counts its instructions here. */
        assert_true(n == ROUND ? cycles == 0 : cycles >= PROBE_THREADS);
    }
    free(counters);
    probe_close(&p);
}

int main(int argc, char **argv)
{
    if (!probe_setup_platform(argc, argv))
        return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(skipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
