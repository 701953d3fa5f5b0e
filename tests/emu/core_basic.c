/* Arithmetic, regions, predicates and flags of the execution core against
 * values computed here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"

static struct core_machine *machine_of(void **state)
{
    if (!*state)
        skip();
    return *state;
}

static int setup(void **state)
{
    static const struct emu_options options = {
        .host_threads = 1, .count = true, .max_instructions = 1000000};
    *state = core_machine_create(&options);
    return 0;
}

static int teardown(void **state)
{
    core_machine_destroy(*state);
    return 0;
}

static void fill_random(struct core_machine *machine)
{
    uint64_t *payload = (uint64_t *)(void *)machine->payload;
    for (size_t i = 0; i < sizeof(machine->payload) / 8; i++)
        payload[i] = core_random();
}

static void integer_arithmetic(void **state)
{
    struct core_machine *machine = machine_of(state);
    fill_random(machine);
    core_execute(machine, "(W) add (8|M0) r50.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
                          "(W) mul (8|M0) r51.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
                          "(W) shl (8|M0) r52.0<1>:d r1.0<8;8,1>:d 5:w\n"
                          "(W) shr (8|M0) r53.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud\n"
                          "(W) asr (8|M0) r54.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
                          "(W) and (8|M0) r55.0<1>:d r1.0<8;8,1>:d ~r2.0<8;8,1>:d\n"
                          "(W) add (16|M0) r56.0<1>:d r1.0<0;1,0>:d r3.0<16;16,1>:uw\n"
                          "(W) mul (8|M0) acc0.0<1>:ud r1.0<8;8,1>:ud r2.0<16;8,2>:uw\n"
                          "(W) mach (8|M0) r58.0<1>:ud r1.0<8;8,1>:ud r2.0<8;8,1>:ud {AccWrEn}\n"
                          "(W) mov (8|M0) r59.0<1>:ud acc0.0<8;8,1>:ud\n");
    const uint32_t *a = core_payload(machine, 1), *b = core_payload(machine, 2);
    const uint16_t *w = core_payload(machine, 3);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(core_d(machine, 50)[i], a[i] + b[i]);
        assert_int_equal(core_d(machine, 51)[i], a[i] * b[i]);
        assert_int_equal(core_d(machine, 52)[i], a[i] << 5);
        assert_int_equal(core_d(machine, 53)[i], a[i] >> (b[i] & 31));
        assert_int_equal(core_d(machine, 54)[i], (uint32_t)((int32_t)a[i] >> (b[i] & 31)));
        assert_int_equal(core_d(machine, 55)[i], a[i] & ~b[i]);
        assert_int_equal(core_d(machine, 58)[i], (uint64_t)a[i] * b[i] >> 32);
        assert_int_equal(core_d(machine, 59)[i], a[i] * b[i]);
    }
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(core_d(machine, 56)[i], a[0] + w[i]);
}

static void float_arithmetic(void **state)
{
    struct core_machine *machine = machine_of(state);
    float *a = core_payload(machine, 1), *b = core_payload(machine, 2);
    float *c = core_payload(machine, 3);
    for (unsigned i = 0; i < 8; i++) {
        a[i] = (float)(int32_t)core_random() * 0x1p-20f;
        b[i] = (float)(int32_t)core_random() * 0x1p-25f;
        c[i] = (float)(int32_t)core_random() * 0x1p-10f;
    }
    core_execute(machine, "(W) add (8|M0) r50.0<1>:f r1.0<8;8,1>:f -r2.0<8;8,1>:f\n"
                          "(W) mul (8|M0) r51.0<1>:f r1.0<8;8,1>:f (abs)r2.0<8;8,1>:f\n"
                          "(W) mad (8|M0) r52.0<1>:f r3.0<8;1>:f r1.0<8;1>:f r2.0<1>:f\n"
                          "(W) mad (8|M0) r53.0<1>:f -r3.0<8;1>:f r1.0<8;1>:f r2.1<0>:f\n"
                          "(W) sel (8|M0) (ge)f0.0 r54.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f\n"
                          "(W) mov (8|M0) r55.0<1>:d r1.0<8;8,1>:f\n"
                          "(W) rndd (8|M0) r56.0<1>:f r1.0<8;8,1>:f\n"
                          "(W) math.sqt (8|M0) r57.0<1>:f (abs)r1.0<8;8,1>:f\n"
                          "(W) add (8|M0) (sat)r58.0<1>:f r1.0<8;8,1>:f 0.5:f\n");
    for (unsigned i = 0; i < 8; i++) {
        assert_true(core_f(machine, 50)[i] == a[i] - b[i]);
        assert_true(core_f(machine, 51)[i] == a[i] * fabsf(b[i]));
        assert_true(core_f(machine, 52)[i] == fmaf(a[i], b[i], c[i]));
        assert_true(core_f(machine, 53)[i] == fmaf(a[i], b[1], -c[i]));
        assert_true(core_f(machine, 54)[i] == fmaxf(a[i], b[i]));
        assert_int_equal((int32_t)core_d(machine, 55)[i], (int32_t)a[i]);
        assert_true(core_f(machine, 56)[i] == floorf(a[i]));
        assert_true(core_f(machine, 57)[i] == sqrtf(fabsf(a[i])));
        assert_true(core_f(machine, 58)[i] == fminf(fmaxf(a[i] + 0.5f, 0), 1));
    }
}

/* A ternary of one channel is four channels under a write mask: the other
 * three must stay as they are. */
static void scalar_ternaries_write_one_channel(void **state)
{
    struct core_machine *machine = machine_of(state);
    float *a = core_payload(machine, 1);
    for (unsigned i = 0; i < 8; i++)
        a[i] = (float)(i + 1);
    core_execute(machine, "(W) mov (8|M0) r50.0<1>:f -1.0:f\n"
                          "(W) mov (8|M0) r52.0<1>:f -1.0:f\n"
                          "(W) mad (1|M0) r50.2<1>:f r1.0<0;0>:f r1.1<0;0>:f r1.4<0>:f\n"
                          "(W) mov (4|M0) r54.0<1>:df r1.0<4;4,1>:f\n"
                          "(W) mov (4|M0) r56.0<1>:df -1.0:df\n"
                          "(W) mad (1|M0) r56.1<1>:df r54.1<0;0>:df r54.2<0;0>:df r54.3<0>:df\n"
                          "(W) mov (4|M0) r52.0<1>:f r56.0<4;4,1>:df\n");
    for (unsigned i = 0; i < 8; i++)
        assert_true(core_f(machine, 50)[i] == (i == 2 ? 1.0f + 2.0f * 5.0f : -1.0f));
    for (unsigned i = 0; i < 4; i++)
        assert_true(core_f(machine, 52)[i] == (i == 1 ? 2.0f + 3.0f * 4.0f : -1.0f));
}

static void flags_and_predicates(void **state)
{
    struct core_machine *machine = machine_of(state);
    fill_random(machine);
    core_execute(machine, "(W) mov (8|M0) r60.0<1>:d 0:w\n"
                          "(W) mov (1|M0) f0.0<1>:ud 0:ud\n"
                          "cmp (8|M0) (lt)f0.0 r50.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
                          "(f0.0) mov (8|M0) r60.0<1>:d 7:w\n"
                          "(W&f0.0.any8h) mov (1|M0) r61.0<1>:d 1:w\n"
                          "(W&~f0.0.all8h) mov (1|M0) r61.1<1>:d 1:w\n"
                          "(W) mov (1|M0) r62.0<1>:ud f0.0<0;1,0>:uw\n"
                          "(f0.0) sel (8|M0) r63.0<1>:d r1.0<8;8,1>:d r2.0<8;8,1>:d\n"
                          "(W) and (8|M0) (nz)f1.1 null<1>:d r1.0<8;8,1>:d 1:w\n"
                          "(W) mov (1|M0) r62.1<1>:ud f1.1<0;1,0>:uw\n");
    const int32_t *a = core_payload(machine, 1), *b = core_payload(machine, 2);
    uint32_t less = 0, odd = 0;
    for (unsigned i = 0; i < 8; i++) {
        less |= (uint32_t)(a[i] < b[i]) << i;
        odd |= (uint32_t)(a[i] & 1) << i;
        assert_int_equal(core_d(machine, 50)[i], a[i] < b[i] ? UINT32_MAX : 0u);
        assert_int_equal(core_d(machine, 60)[i], a[i] < b[i] ? 7 : 0);
        assert_int_equal((int32_t)core_d(machine, 63)[i], a[i] < b[i] ? a[i] : b[i]);
    }
    assert_int_equal(core_d(machine, 62)[0], less);
    assert_int_equal(core_d(machine, 62)[1], odd);
    assert_int_equal(core_d(machine, 61)[0] & 1, less != 0);
    assert_int_equal(core_d(machine, 61)[1] & 1, less != 255);
}

/* Every channel runs its own number of turns; leaves by break or by cont. */
static void divergent_loop(void **state)
{
    struct core_machine *machine = machine_of(state);
    int32_t *n = core_payload(machine, 1);
    for (unsigned i = 0; i < 16; i++)
        n[i] = (int32_t)(core_random() % 20);
    machine->dispatch.simd = 16;
    core_execute(machine, "mov (16|M0) r10.0<1>:d 0:w\n"
                          "mov (16|M0) r20.0<1>:d 0:w\n"
                          "LOOP:\n"
                          "add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 1:w\n"
                          "cmp (16|M0) (gt)f0.0 null<1>:d r10.0<8;8,1>:d r1.0<8;8,1>:d\n"
                          "(f0.0) break (16|M0) LEND LWHILE\n"
                          "and (16|M0) (nz)f0.1 null<1>:d r10.0<8;8,1>:d 1:w\n"
                          "(f0.1) if (16|M0) LELSE LENDIF\n"
                          "add (16|M0) r20.0<1>:d r20.0<8;8,1>:d 100:w\n"
                          "cmp (16|M0) (eq)f1.0 null<1>:d r10.0<8;8,1>:d 7:w\n"
                          "(f1.0) cont (16|M0) LELSE0 LWHILE\n"
                          "add (16|M0) r20.0<1>:d r20.0<8;8,1>:d 1000:w\n"
                          "LELSE0:\n"
                          "else (16|M0) LENDIF LENDIF\n"
                          "LELSE:\n"
                          "add (16|M0) r20.0<1>:d r20.0<8;8,1>:d 1:w\n"
                          "LENDIF:\n"
                          "endif (16|M0) LEND\n"
                          "LEND:\n"
                          "LWHILE:\n"
                          "while (16|M0) LOOP\n"
                          "add (16|M0) r20.0<1>:d r20.0<8;8,1>:d 10000:w\n");
    for (unsigned i = 0; i < 16; i++) {
        int32_t sum = 0;
        for (int32_t turn = 1; turn <= n[i]; turn++) {
            if (turn & 1) {
                sum += 100;
                if (turn == 7)
                    continue;
                sum += 1000;
            } else {
                sum += 1;
            }
        }
        assert_int_equal(core_d(machine, 20)[i], sum + 10000);
    }
    machine->dispatch.simd = 8;
}

static void counts_are_exact(void **state)
{
    struct core_machine *machine = machine_of(state);
    machine->dispatch.simd = 16;
    machine->dispatch.right_mask = 0x0fff;
    core_execute(machine, "(W) mov (1|M0) r10.0<1>:d 0:w\n"
                          "LOOP:\n"
                          "(W) add (1|M0) r10.0<1>:d r10.0<0;1,0>:d 1:w\n"
                          "mov (16|M0) r20.0<1>:d 0:w\n"
                          "(W) cmp (1|M0) (lt)f0.0 null<1>:d r10.0<0;1,0>:d 10:w\n"
                          "(W&f0.0) jmpi LOOP\n");
    const struct emu_count *counts = machine->result.counts;
    assert_int_equal(machine->result.count_count, 6);
    static const uint64_t executions[6] = {1, 10, 10, 10, 10, 1};
    static const uint64_t lanes[6] = {1, 10, 120, 10, 9, 8};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(counts[i].executions, executions[i]);
        assert_int_equal(counts[i].lanes, lanes[i]);
    }
    assert_int_equal(counts[5].executions, 1);
    assert_int_equal(machine->result.instructions, 42);
    machine->dispatch.simd = 8;
    machine->dispatch.right_mask = 0;
}

static void endless_loop_is_stopped(void **state)
{
    struct core_machine *machine = machine_of(state);
    core_assemble(machine, "L0:\n(W) jmpi L0\n");
    core_run(machine);
    assert_true(machine->result.fault.occurred);
    assert_non_null(strstr(machine->result.fault.reason, "limit"));
    assert_int_equal(machine->result.fault.instruction_offset, 0);
}

/* Channel n alone, at a0.n: how a channel stores an element at its own index. */
static void scattered_move(void **state)
{
    struct core_machine *m = machine_of(state);
    for (unsigned i = 0; i < 8; i++)
        ((uint32_t *)core_payload(m, 10))[i] = 100 + i;
    core_execute(m, "(W) mov (8|M0) r20.0<1>:ud 7:ud\n"
                    "(W) mov (8|M0) r21.0<1>:ud 7:ud\n"
                    "(W) mov (1|M0) a0.1<1>:uw 0x280:uw\n"
                    "(W) mov (1|M0) a0.6<1>:uw 0x2A0:uw\n"
                    "smov (8|M0) r[a0.1]<1>:d r10.1<0;1,0>:d 0x2:uw\n"
                    "smov (8|M0) r[a0.6]<1>:d r10.6<0;1,0>:d 0x40:uw\n");
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(core_d(m, 20)[i], i == 1 ? 101 : 7);
        assert_int_equal(core_d(m, 21)[i], i == 6 ? 106 : 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_arithmetic),
        cmocka_unit_test(float_arithmetic),
        cmocka_unit_test(flags_and_predicates),
        cmocka_unit_test(scalar_ternaries_write_one_channel),
        cmocka_unit_test(divergent_loop),
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(endless_loop_is_stopped),
        cmocka_unit_test(scattered_move),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
