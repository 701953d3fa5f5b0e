/* Timers and the performance monitor: elapsed time is the instructions that the
 * emulator executed between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe.h"

static struct sonde_operand imm(uint64_t value)
{
    return sonde_operand_immediate(value);
}

static void nops(struct probe *p, unsigned count)
{
    struct sonde_gen_instruction nop;
    sonde_gen_instruction_init(&nop, probe_platform(), SONDE_GEN_NOP, 1, false);
    while (count-- > 0)
        probe_ok(p, sonde_coder_append_instruction(p->coder, p->procedure, &nop, &p->error));
}

/* The emulator's timestamp counts the thread's instructions. */
static void check_timers(struct probe *p)
{
    sonde_vreg timer = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    sonde_vreg flag = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    struct sonde_predicate never, always, *predicates[3] = {NULL, &always, &never};
    probe_set_flags(p, &never, &always);
    for (unsigned i = 0; i < 3; i++) {
        probe_move(p, timer, imm(77));
        probe_ok(p,
                 sonde_coder_start_timer(p->coder, p->procedure, timer, predicates[i], &p->error));
        nops(p, 40);
        probe_ok(p,
                 sonde_coder_stop_timer(p->coder, p->procedure, timer, predicates[i], &p->error));
        probe_store(p, p->procedure, 8 * i, sonde_operand_vreg(timer));
        probe_ok(p, sonde_coder_start_timer(p->coder, p->procedure, timer, NULL, &p->error));
        nops(p, 10 * i);
        for (unsigned overflow = 0; overflow < 2; overflow++) {
            if (overflow)
                probe_move(p, timer, imm(0xfffffff0));
            probe_ok(p, sonde_coder_stop_timer_ext(p->coder, p->procedure, timer, predicates[i],
                                                   &p->error));
            probe_move(p, flag, imm(0));
            probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UW,
                                              sonde_operand_vreg(flag),
                                              sonde_operand_arf(SONDE_GEN_ARF_FLAG, 0), imm(0),
                                              NULL, &p->error));
            probe_store(p, p->procedure, 8 * i + 1 + 2 * overflow, sonde_operand_vreg(timer));
            probe_store(p, p->procedure, 8 * i + 2 + 2 * overflow, sonde_operand_vreg(flag));
        }
    }
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++) {
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(probe_value(p, t, 8 * i), 41); /* start to the read of stop */
            assert_int_equal(probe_value(p, t, 8 * i + 1), 1 + 10 * i);
            assert_int_equal(probe_value(p, t, 8 * i + 2), 0);
            assert_int_equal(probe_value(p, t, 8 * i + 3), 0);
            assert_int_equal(probe_value(p, t, 8 * i + 4), 0xffff);
        }
        assert_int_equal(probe_value(p, t, 16), 77);
        assert_true(probe_value(p, t, 17) != 21); /* still the start */
        assert_int_equal(probe_value(p, t, 18), 0);
        assert_int_equal(probe_value(p, t, 19), 0xfffffff0);
        assert_int_equal(probe_value(p, t, 20), 0);
    }
}

static void timers(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        check_timers(&p);
        probe_close(&p);
    }
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    struct sonde_predicate f0 = {.flag_number = 0};
    sonde_vreg timer = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    sonde_vreg word = sonde_vreg_make_scratch(p.coder, SONDE_VREG_WORD);
    assert_int_equal(sonde_coder_stop_timer_ext(p.coder, p.procedure, timer, &f0, &p.error),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_coder_start_timer(p.coder, p.procedure, word, NULL, &p.error),
                     SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_procedure_instruction_count(p.procedure), 0);
    probe_close(&p);
}

/* The emulated monitor counts nothing: it reads 0, unlike the timestamp. */
static void check_perfmon(struct probe *p)
{
    sonde_vreg counter = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    struct sonde_predicate never, always, *predicates[3] = {NULL, &always, &never};
    probe_set_flags(p, &never, &always);
    for (unsigned i = 0; i < 3; i++) {
        probe_move(p, counter, imm(9));
        probe_ok(p, sonde_coder_start_perfmon(p->coder, p->procedure, counter, predicates[i],
                                              &p->error));
        probe_store(p, p->procedure, 4 * i, sonde_operand_vreg(counter));
        probe_move(p, counter, imm(9));
        probe_ok(
            p, sonde_coder_stop_perfmon(p->coder, p->procedure, counter, predicates[i], &p->error));
        probe_store(p, p->procedure, 4 * i + 1, sonde_operand_vreg(counter));
        probe_move(p, counter, imm(9)); /* now < counter: not to be believed */
        probe_ok(p, sonde_coder_stop_perfmon_ext(p->coder, p->procedure, counter, predicates[i],
                                                 &p->error));
        probe_store(p, p->procedure, 4 * i + 2, sonde_operand_vreg(counter));
        probe_move(p, counter, imm(0));
        probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UW,
                                          sonde_operand_vreg(counter),
                                          sonde_operand_arf(SONDE_GEN_ARF_FLAG, 0), imm(0), NULL,
                                          &p->error));
        probe_store(p, p->procedure, 4 * i + 3, sonde_operand_vreg(counter));
    }
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++)
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(probe_value(p, t, 4 * i), i < 2 ? 0 : 9);
            assert_int_equal(probe_value(p, t, 4 * i + 1), i < 2 ? (uint32_t)-9 : 9);
            assert_int_equal(probe_value(p, t, 4 * i + 2), i < 2 ? 0 : 9);
            if (i < 2)
                assert_int_equal(probe_value(p, t, 4 * i + 3), 0xffff);
        }
}

static void perfmon(void **unused)
{
    (void)unused;
    struct probe p;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        check_perfmon(&p);
        probe_close(&p);
    }
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    struct sonde_predicate f0 = {.flag_number = 0};
    sonde_vreg counter = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    assert_int_equal(sonde_coder_stop_perfmon_ext(p.coder, p.procedure, counter, &f0, &p.error),
                     SONDE_ERROR_ARGUMENT);
    assert_non_null(strstr(p.error.message, "f0.0"));
    probe_close(&p);
}

/* Dword `index` of the timestamp register, which the emulator lets be written. */
static void write_timestamp(struct probe *p, unsigned index, uint32_t value)
{
    struct sonde_gen_instruction move;
    sonde_gen_instruction_init(&move, probe_platform(), SONDE_GEN_MOV, 1, true);
    move.source_count = 1;
    move.dst = (struct sonde_gen_operand){.file = SONDE_GEN_FILE_ARF,
                                          .type = SONDE_GEN_TYPE_UD,
                                          .number = SONDE_GEN_ARF_TIMESTAMP,
                                          .subreg = (uint8_t)(4 * index),
                                          .hstride = 1};
    move.src[0] = (struct sonde_gen_operand){
        .file = SONDE_GEN_FILE_IMMEDIATE, .type = SONDE_GEN_TYPE_UD, .immediate = value};
    probe_ok(p, sonde_coder_append_instruction(p->coder, p->procedure, &move, &p->error));
}

/* A monitor that counts, and the event for which elapsed time is not to be
 * believed. */
static void check_events(struct probe *p)
{
    sonde_vreg value = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    sonde_vreg flag = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    unsigned monitor = probe_platform() < SONDE_GEN_PLATFORM_GEN11 ? 3 : 4;
    struct sonde_operand f0 = sonde_operand_arf(SONDE_GEN_ARF_FLAG, 0);
    for (unsigned i = 0; i < 4; i++) {
        bool event = i & 1, perfmon = i & 2;
        write_timestamp(p, monitor, 100);
        probe_ok(p, perfmon
                        ? sonde_coder_start_perfmon(p->coder, p->procedure, value, NULL, &p->error)
                        : sonde_coder_start_timer(p->coder, p->procedure, value, NULL, &p->error));
        write_timestamp(p, monitor, 175);
        write_timestamp(p, 2, event);
        probe_ok(p,
                 perfmon
                     ? sonde_coder_stop_perfmon_ext(p->coder, p->procedure, value, NULL, &p->error)
                     : sonde_coder_stop_timer_ext(p->coder, p->procedure, value, NULL, &p->error));
        probe_move(p, flag, imm(0));
        probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UW,
                                          sonde_operand_vreg(flag), f0, imm(0), NULL, &p->error));
        write_timestamp(p, 2, 0);
        probe_store(p, p->procedure, 2 * i, sonde_operand_vreg(value));
        probe_store(p, p->procedure, 2 * i + 1, sonde_operand_vreg(flag));
    }
    probe_ok(p, sonde_coder_start_perfmon(p->coder, p->procedure, value, NULL, &p->error));
    write_timestamp(p, monitor, 200);
    probe_ok(p, sonde_coder_stop_perfmon(p->coder, p->procedure, value, NULL, &p->error));
    probe_store(p, p->procedure, 8, sonde_operand_vreg(value));
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++) {
        assert_in_range(probe_value(p, t, 0), 1, 10); /* instructions */
        assert_int_equal(probe_value(p, t, 1), 0);
        assert_int_equal(probe_value(p, t, 2), 0);
        assert_int_equal(probe_value(p, t, 3), 0xffff);
        assert_int_equal(probe_value(p, t, 4), 75);
        assert_int_equal(probe_value(p, t, 5), 0);
        assert_int_equal(probe_value(p, t, 6), 0);
        assert_int_equal(probe_value(p, t, 7), 0xffff);
        assert_int_equal(probe_value(p, t, 8), 25);
    }
}

static void events(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++) {
        struct probe p;
        probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
        check_events(&p);
        probe_close(&p);
    }
}

int main(int argc, char **argv)
{
    if (!probe_setup_platform(argc, argv))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers),
        cmocka_unit_test(perfmon),
        cmocka_unit_test(events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
