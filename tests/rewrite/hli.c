/* Probes in OpenCL C, called from divergent code with live registers, against
 * what the host computes. Arguments: the part, a device binary of probes.cl. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe.h"
#include "sonde/hli.h"

#define CELLS 0x1f000u /* byte of the profile buffer */
#define LIMIT 2u

static const char *binary;

static struct sonde_hli_function *open_probe(const char *name)
{
    static struct sonde_hli_function *function;
    struct sonde_error error;
    sonde_hli_function_destroy(function);
    if (sonde_hli_function_open(binary, name, &function, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    return function;
}

static struct sonde_hli_argument value(enum sonde_hli_kind kind, uint64_t immediate)
{
    return (struct sonde_hli_argument){.kind = kind, .value = sonde_operand_immediate(immediate)};
}

static uint32_t steps_of(uint32_t x)
{
    uint32_t steps = 0;
    for (; x > LIMIT; x = x / 2 + 1)
        if (++steps == 3)
            break;
    return steps;
}

static uint64_t cell(struct probe *p, unsigned index)
{
    uint64_t got;
    memcpy(&got, machine_surface(p->machine, MACHINE_PROFILE) + CELLS + 8 * index, sizeof got);
    return got;
}

/* Where registers come from, by test case. */
static enum probe_registers registers_of(unsigned number)
{
    static const enum probe_registers all[] = {PROBE_FREE_LIST, PROBE_LIVENESS, PROBE_SPILL_BUFFER};
    return all[number % 3];
}

/* Arguments of all widths, a loop, branches, an atomic, 64-bit values; under a
 * predicate that holds and one that does not. */
static void values(void **unused)
{
    (void)unused;
    for (unsigned n = 0; n < 24; n++) {
        unsigned m = n % 4;
        struct probe p;
        bool called = m < 3;
        probe_open(&p, n < 12 ? PROBE_STATELESS : PROBE_FETCHED, registers_of(n / 4));
        struct sonde_predicate flag = {.flag_number = 0, .flag_subreg = 1, .inverse = m == 2};
        sonde_vreg result = sonde_vreg_make_scratch(p.coder, SONDE_VREG_QWORD);
        sonde_vreg zero = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        struct sonde_operand none = sonde_operand_immediate(0);
        probe_ok(&p, sonde_coder_operation(p.coder, p.procedure, SONDE_MOV, SONDE_GEN_TYPE_UQ,
                                           sonde_operand_vreg(result),
                                           sonde_operand_immediate(0x123456789a), none, NULL,
                                           &p.error));
        probe_ok(&p, sonde_coder_operation(p.coder, p.procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                           sonde_operand_vreg(zero), none, none, NULL, &p.error));
        probe_ok(&p, sonde_coder_cmp(p.coder, p.procedure,
                                     &(struct sonde_predicate){.flag_number = 0, .flag_subreg = 1},
                                     SONDE_GEN_CONDITION_NZ, SONDE_GEN_TYPE_UD,
                                     sonde_operand_vreg(zero), none, &p.error));
        struct sonde_hli_argument arguments[] = {{.kind = SONDE_HLI_TID},
                                                 value(SONDE_HLI_BUFFER, CELLS),
                                                 value(SONDE_HLI_VALUE32, LIMIT),
                                                 value(SONDE_HLI_VALUE64, 0x10000000a)};
        if (m & 1)
            arguments[3].value.immediate = 5;
        struct sonde_hli_function *function = open_probe("call_note");
        probe_ok(&p, sonde_hli_function_set_linkage(
                         function, m & 1 ? SONDE_HLI_INLINE : SONDE_HLI_CALL, &p.error));
        probe_ok(&p, sonde_coder_generate_hli_call(p.coder, p.procedure, function, arguments, 4,
                                                   result, m < 2 ? NULL : &flag, &p.error));
        probe_store(&p, p.procedure, 0, sonde_operand_vreg(result));
        probe_store(&p, p.procedure, 1, sonde_operand_vreg_at(result, 4));
        probe_run(&p);
        uint32_t count = 0;
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            uint32_t tid = probe_thread_id(t);
            count += steps_of(tid) + 1;
            assert_int_equal(probe_value(&p, t, 0), called ? tid : 0x3456789a);
            assert_int_equal(probe_value(&p, t, 1), called ? steps_of(tid) : 0x12);
        }
        uint64_t weight = arguments[3].value.immediate;
        assert_int_equal(cell(&p, 1), called ? count : 0);
        assert_int_equal(cell(&p, 2), called ? weight * 3 : 0);
        assert_int_equal(cell(&p, 3), called && weight == 5 ? weight + 1 : 0);
        struct sonde_procedure_cost cost;
        sonde_procedure_cost(p.procedure, &cost);
        assert_true(cost.instructions > (m & 1 ? sonde_hli_function_size(function) : 0));
        probe_close(&p);
    }
}

/* Two registers of the kernel by pointer, the second one written by the probe;
 * a mask; a constant offset. */
static void ranges(void **unused)
{
    (void)unused;
    for (unsigned n = 0; n < 24; n++) {
        unsigned m = n % 4;
        struct probe p;
        bool mutable = m >= 2;
        probe_open(&p, n < 12 ? PROBE_STATELESS : PROBE_FETCHED, registers_of(n / 4));
        struct sonde_gen_instruction add;
        sonde_gen_instruction_init(&add, probe_platform(), SONDE_GEN_ADD, 8, false);
        add.channel_offset = 8;
        sonde_vreg result = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        struct sonde_hli_argument arguments[] = {
            {.kind = mutable ? SONDE_HLI_GRF_RANGE_MUTABLE : SONDE_HLI_GRF_RANGE,
             .value = sonde_operand_immediate(0x10000),
             .first = 10,
             .count = 2,
             .buckets = 128},
            {.kind = m & 1 ? SONDE_HLI_OPERAND_MASK : SONDE_HLI_SIMD_MASK, .instruction = &add},
            value(SONDE_HLI_BUFFER_OFFSET, 1000)};
        probe_ok(&p, sonde_coder_generate_hli_call(p.coder, p.procedure, open_probe("call_look"),
                                                   arguments, 3, result, NULL, &p.error));
        probe_store(&p, p.procedure, 0, sonde_operand_vreg(result));
        if (mutable) { /* r11.0, and back to what the kernel has there */
            probe_store(&p, p.procedure, 1, sonde_operand_grf(11, 0, 32));
            probe_store(&p, p.procedure, 2, sonde_operand_grf(11, 4, 32));
            probe_ok(&p, sonde_coder_operation(p.coder, p.procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                               sonde_operand_grf(11, 0, 32),
                                               sonde_operand_grf(3, 0, 32),
                                               sonde_operand_immediate(0), NULL, &p.error));
        }
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            uint32_t mask = m & 1 ? probe_enabled(&p, t) >> 8 & 0xff : probe_enabled(&p, t);
            uint32_t want = 8u * 0x11223344u;
            assert_int_equal(probe_value(&p, t, 0),
                             want + 1000u * (uint32_t)__builtin_popcount(mask));
            if (mutable)
                assert_int_equal(probe_value(&p, t, 1), want);
        }
        probe_close(&p);
    }
}

static void refusals(void **unused)
{
    (void)unused;
    struct sonde_hli_function *function;
    struct sonde_error error;
    assert_int_equal(sonde_hli_function_open(binary, "calls_nothing", &function, &error),
                     SONDE_ERROR_FORMAT);
    assert_int_equal(sonde_hli_function_open(binary, "absent", &function, &error),
                     SONDE_ERROR_NOT_FOUND);
    assert_null(function);
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    struct sonde_hli_argument arguments[20] = {value(SONDE_HLI_BUFFER, CELLS)};
    assert_int_equal(sonde_coder_generate_hli_call(p.coder, p.procedure, open_probe("call_look"),
                                                   arguments, 1, 0, NULL, &p.error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_int_equal(sonde_coder_generate_hli_call(p.coder, p.procedure, open_probe("call_look"),
                                                   arguments, 20, 0, NULL, &p.error),
                     SONDE_ERROR_RANGE);
    assert_int_equal(
        sonde_coder_generate_hli_call(p.coder, p.procedure, NULL, NULL, 0, 0, NULL, &p.error),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_procedure_instruction_count(p.procedure), 0);
    /* A stack takes an address. */
    struct sonde_hli_argument two[] = {value(SONDE_HLI_VALUE32, 3), value(SONDE_HLI_VALUE32, 4)};
    assert_int_equal(sonde_coder_generate_hli_call(p.coder, p.procedure, open_probe("call_array"),
                                                   two, 2, 0, NULL, &p.error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(p.error.message, "call_array"));
    /* A call cannot be put under a condition afterwards. */
    struct sonde_hli_argument plain[] = {value(SONDE_HLI_VALUE64, 0), value(SONDE_HLI_VALUE32, 1),
                                         value(SONDE_HLI_SLM_OFFSET, 16)};
    probe_ok(&p, sonde_coder_generate_hli_call(p.coder, p.procedure, open_probe("call_look"), plain,
                                               3, 0, NULL, &p.error));
    struct sonde_procedure *conditional = sonde_procedure_create(p.coder, "conditional");
    sonde_vreg word = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    assert_int_equal(sonde_coder_convert_to_conditional_procedure(p.coder, p.procedure, conditional,
                                                                  word, &p.error),
                     SONDE_ERROR_UNSUPPORTED);
    probe_close(&p);
}

int main(int argc, char **argv)
{
    if (argc < 3 || !probe_setup_platform(argc, argv))
        return 77;
    binary = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(ranges),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
