/* dpas over all of its types against a model of matrix multiplication, and what
 * the emulator refuses. dpasw needs two threads: driver_systolic.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"
#include "systolic_model.h"

static struct core_machine *machine;

enum { A = 10, B = 20, SUM = 30, RESULT = 60 };

static void use(void)
{
    if (machine == NULL || !core_use_platform(machine, SONDE_GEN_PLATFORM_XEHPG))
        skip();
}

/* Halves and bfloats of few bits and alike size, so that sums are exact. */
static void fill_floats(unsigned reg, unsigned count, const struct model_type *type)
{
    for (unsigned i = 0; i < count * 16; i++) {
        uint32_t random = (uint32_t)(core_random() >> 40);
        uint16_t word = (uint16_t)((random & 1) << 15 | (random >> 1 & 3) << (type->brain ? 5 : 8));
        word = (uint16_t)(word + ((type->brain ? 126 : 14) + (random >> 3 & 1)) *
                                     (type->brain ? 128 : 1024));
        memcpy((uint8_t *)core_payload(machine, reg) + 2 * (size_t)i, &word, 2);
    }
}

static void randomize(const struct model_type *a, const struct model_type *b)
{
    for (unsigned i = 0; i < CORE_GRF_BYTES / 4; i++) {
        uint32_t value = (uint32_t)(core_random() >> 32);
        memcpy(machine->payload + 4 * (size_t)i, &value, 4);
    }
    if (a->is_float) {
        fill_floats(A, 8, a);
        fill_floats(B, 8, b);
        float *sum = core_payload(machine, SUM);
        for (unsigned i = 0; i < 64; i++)
            sum[i] = (float)(int)(core_random() >> 56) * 0.25f;
    }
}

static void expect_product(const struct model_type *a, const struct model_type *b, unsigned rows,
                           bool with_sum)
{
    char code[200];
    const char *result = a->is_float ? "f" : "d";
    randomize(a, b);
    snprintf(code, sizeof code, "(W) dpas.8x%u (8|M0) r%u:%s %s%s r%u:%s r%u.0:%s {$1}\n", rows,
             RESULT, result, with_sum ? "r30:" : "null:", result, B, b->name, A, a->name);
    core_execute(machine, code);
    for (unsigned row = 0; row < rows; row++)
        for (unsigned channel = 0; channel < MODEL_CHANNELS; channel++) {
            double want = model_product(core_payload(machine, A), a, core_payload(machine, B), b,
                                        row, channel);
            const void *sum = (uint8_t *)core_payload(machine, SUM + row) + 4 * (size_t)channel;
            float real;
            int32_t whole;
            memcpy(&real, sum, 4);
            memcpy(&whole, sum, 4);
            if (with_sum)
                want += a->is_float ? (double)real : whole;
            double got = a->is_float ? (double)core_f(machine, RESULT + row)[channel]
                                     : (int32_t)core_d(machine, RESULT + row)[channel];
            if (!a->is_float)
                want = (int32_t)(uint32_t)(int64_t)want;
            if (got != want)
                fail_msg("row %u, channel %u: %f, expected %f\n%s", row, channel, got, want, code);
        }
    for (unsigned i = 0; i < 8 && rows < 8; i++) /* the rows after the last stay */
        assert_int_equal(core_d(machine, RESULT + rows)[i],
                         ((uint32_t *)core_payload(machine, RESULT + rows))[i]);
}

static void integers(void **state)
{
    (void)state;
    use();
    for (unsigned a = 0; a < 6; a++)
        for (unsigned b = 0; b < 6; b++)
            for (unsigned rows = 1; rows <= 8; rows++)
                expect_product(&model_types[a], &model_types[b], rows, rows % 3 != 0);
}

static void floats(void **state)
{
    (void)state;
    use();
    for (unsigned rows = 1; rows <= 8; rows++) {
        expect_product(model_type("hf"), model_type("hf"), rows, rows % 3 != 0);
        expect_product(model_type("bf"), model_type("bf"), rows, rows % 3 != 0);
    }
}

/* Results no wider than the sources, rounded to them. */
static void narrow_results(void **state)
{
    static const char *const names[] = {"hf", "bf"};
    (void)state;
    use();
    for (unsigned t = 0; t < 2; t++) {
        const struct model_type *type = model_type(names[t]);
        char code[200];
        randomize(type, type);
        fill_floats(SUM, 4, type);
        snprintf(code, sizeof code, "(W) dpas.8x4 (8|M0) r60:%s r30:%s r20:%s r10.0:%s {$1}\n",
                 names[t], names[t], names[t], names[t]);
        core_execute(machine, code);
        for (unsigned i = 0; i < 32; i++) {
            double sum = model_element(core_payload(machine, SUM), 16 * i, type);
            double want = sum + model_product(core_payload(machine, A), type,
                                              core_payload(machine, B), type, i / 8, i % 8);
            double got = model_element(machine->grf + 32 * RESULT, 16 * i, type);
            double step = ldexp(fabs(want), type->brain ? -8 : -11);
            if (fabs(got - want) > step)
                fail_msg("%s %u: %f, expected %f", names[t], i, got, want);
        }
    }
}

static void saturation_and_channels(void **state)
{
    (void)state;
    use();
    memset(machine->payload, 0x7f, sizeof machine->payload);
    core_assemble(machine, "(W) mov (8|M0) r30.0<1>:d 0x7fffff00:d\n"
                           "(W) dpas.8x1 (8|M0) r60:d r30:d r20:b r10.0:b {I@1}\n"
                           "(W) dpas.8x1 (8|M0) r61:d r30:d r20:b r10.0:b {$2}\n"
                           "dpas.8x1 (8|M0) r62:d null:d r20:b r10.0:b {$3}\n");
    machine->dispatch.right_mask = 5;
    machine->code[16 + 4] |= 1 << 2; /* saturation, which libiga64 does not assemble */
    core_run(machine);
    machine->dispatch.right_mask = 0;
    assert_int_equal(machine->result.fault.instruction_offset, machine->code_size);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(core_d(machine, 60)[i], 0x7fffffff);
        assert_int_equal(core_d(machine, 61)[i], 0x7fffff00u + 32 * 127 * 127);
        assert_int_equal(core_d(machine, 62)[i], i == 0 || i == 2 ? 32 * 127 * 127 : 0x7f7f7f7f);
    }
}

static void expect_refused(const char *code, const char *reason)
{
    core_assemble(machine, code);
    core_run(machine);
    assert_true(machine->result.fault.occurred);
    if (strstr(machine->result.fault.reason, reason) == NULL)
        fail_msg("%s, expected %s", machine->result.fault.reason, reason);
}

static void refused(void **state)
{
    (void)state;
    use();
    expect_refused("(W) dpas.8x8 (8|M0) r124:d r30:d r20:b r10.0:b {$1}\n", "register file");
    expect_refused("(W) dpasw.8x8 (8|M0) r60:d r30:d r20:b r10.0:b {$1}\n",
                   "without a second thread");
}

static int setup(void **state)
{
    static const struct emu_options options = {.host_threads = 1, .max_instructions = 100000};
    (void)state;
    machine = core_machine_create(&options);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    core_machine_destroy(machine);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),       cmocka_unit_test(floats),
        cmocka_unit_test(narrow_results), cmocka_unit_test(saturation_and_channels),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
