/* Probes that need a stack, linked into the kernel once and called from several
 * places, against what the host computes. Arguments: the part, a device binary
 * of probes.cl. */
#include <math.h>
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

static const char *binary;

static struct sonde_hli_function *open_function(const char *name)
{
    struct sonde_hli_function *function;
    struct sonde_error error;
    if (sonde_hli_function_open(binary, name, &function, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    return function;
}

static struct sonde_hli_argument immediate(uint64_t value)
{
    return (struct sonde_hli_argument){.kind = SONDE_HLI_VALUE32,
                                       .value = sonde_operand_immediate(value)};
}

/* The ways in which a stack is reached and registers are found: the compiler's
 * list, those that are dead, none. */
static void open_way(struct probe *p, unsigned way)
{
    enum probe_registers registers = (enum probe_registers)(way / 2);
    if (way & 1 || registers == PROBE_SPILL)
        probe_open_pointers(p, registers);
    else
        probe_open(p, PROBE_STATELESS, registers);
}

static uint32_t array_of(uint32_t value, uint32_t index)
{
    uint32_t kept[64];
    for (uint32_t i = 0; i < 64; i++)
        kept[i ^ index] = value * i;
    return kept[value & 63];
}

static void arrays(void **unused)
{
    (void)unused;
    for (unsigned way = 0; way < 5; way++) {
        struct probe p;
        open_way(&p, way);
        struct sonde_hli_function *function = open_function("call_array");
        assert_int_not_equal(sonde_hli_function_stack_size(function), 0);
        sonde_vreg result = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        struct sonde_hli_argument arguments[] = {{.kind = SONDE_HLI_TID}, immediate(5)};
        probe_ok(&p, sonde_coder_generate_hli_call(p.coder, p.procedure, function, arguments, 2,
                                                   result, NULL, &p.error));
        assert_true(sonde_coder_thread_memory(p.coder) >= sonde_hli_function_stack_size(function));
        sonde_hli_function_destroy(function);
        probe_store(&p, p.procedure, 0, sonde_operand_vreg(result));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++)
            assert_int_equal(probe_value(&p, t, 0), array_of(probe_thread_id(t), 5));
        probe_close(&p);
    }
}

static uint32_t leaf_of(uint32_t value, uint32_t step)
{
    uint32_t kept[8];
    for (uint32_t i = 0; i < 8; i++)
        kept[i ^ (step & 7)] = value + i;
    return kept[value & 7];
}

static uint64_t middle_of(uint32_t value, uint32_t index)
{
    uint32_t table[8] = {0};
    for (uint32_t i = 0; i < 8; i++)
        table[(i * value) & 7] = leaf_of(value + i, i);
    uint64_t sum = value * (index % 40) + value;
    for (uint32_t i = 0; i < 8; i++)
        sum += table[i];
    return sum;
}

static uint64_t deep_of(uint32_t value, uint32_t index)
{
    uint64_t sum = middle_of(value, index) + 7;
    if ((value & 1) != 0)
        sum += middle_of(value + 1, index + 1) << 32;
    return sum;
}

/* Instructions that go back by a register: one a body. */
static unsigned count_returns(const struct probe *p)
{
    struct sonde_gen_instruction *code;
    size_t count;
    unsigned returns = 0;
    struct sonde_error error;
    const uint8_t *bytes = p->out.code + p->out.instrumented_entry;
    assert_int_equal(sonde_gen_decode_all(probe_platform(), bytes,
                                          p->out.size - p->out.instrumented_entry, &code, &count,
                                          &error),
                     SONDE_OK);
    for (size_t i = 0; i < count; i++)
        returns += code[i].opcode == SONDE_GEN_JMPI && !code[i].has_jip;
    free(code);
    return returns;
}

/* Three levels of calls, from three places, one of them in another procedure. */
static void calls(void **unused)
{
    (void)unused;
    for (unsigned way = 0; way < 4; way++) {
        struct probe p;
        uint8_t cells[0x20000] = {0};
        cells[CELLS + 40] = 7; /* cells[5] */
        open_way(&p, way);
        p.profile = cells;
        p.profile_size = sizeof cells;
        sonde_vreg result = sonde_vreg_make_scratch(p.coder, SONDE_VREG_QWORD);
        struct sonde_procedure *other = sonde_procedure_create(p.coder, "other");
        for (unsigned place = 0; place < 3; place++) {
            struct sonde_hli_function *function = open_function("call_deep");
            struct sonde_procedure *procedure = place == 2 ? other : p.procedure;
            struct sonde_hli_argument arguments[] = {
                {.kind = SONDE_HLI_TID},
                immediate(100 * place + 3),
                {.kind = SONDE_HLI_BUFFER, .value = sonde_operand_immediate(CELLS)}};
            probe_ok(&p, sonde_coder_generate_hli_call(p.coder, procedure, function, arguments, 3,
                                                       result, NULL, &p.error));
            sonde_hli_function_destroy(function);
            probe_store(&p, procedure, 2 * place, sonde_operand_vreg(result));
            probe_store(&p, procedure, 2 * place + 1, sonde_operand_vreg_at(result, 4));
        }
        probe_ok(&p, sonde_instrument_exits(p.instrument, other, &p.error));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++)
            for (unsigned place = 0; place < 3; place++) {
                uint64_t want = deep_of(probe_thread_id(t), 100 * place + 3);
                assert_int_equal(probe_value(&p, t, 2 * place), (uint32_t)want);
                assert_int_equal(probe_value(&p, t, 2 * place + 1), (uint32_t)(want >> 32));
            }
        unsigned returns = count_returns(&p);
        if (returns < 2 || returns > 4)
            fail_msg("%u bodies for four functions", returns);
        probe_close(&p);
    }
}

static uint64_t mixed_of(uint32_t value, uint64_t wide, int32_t sign)
{
    uint64_t sum = wide / (value + 1) + wide % (value + 3);
    int64_t quotient = (int64_t)wide / (sign - (int32_t)value);
    float root = sqrtf((float)value) + (float)sign / 3.0f;
    switch (value & 7) {
    case 0:
        sum += 11;
        break;
    case 1:
        sum ^= (uint64_t)(uint32_t)sign << 17;
        break;
    case 2:
        return sum - 5;
    case 5:
        sum = sum << 13 | sum >> 51;
        break;
    case 6:
        for (uint32_t i = 0; i < value; i++)
            sum = sum * 31 + i;
        break;
    default:
        sum += (value == 0 ? 32 : (uint32_t)__builtin_clz(value)) +
               (uint32_t)__builtin_popcountll(wide);
    }
    uint32_t spread = value * 0x01020304u;
    sum += (spread & 0xff) + (spread >> 24) * 3;
    sum += (uint16_t)((int16_t)value * -3) + (uint32_t)(uint16_t)((int16_t)sign * -3);
    return sum + (uint64_t)quotient + (uint64_t)(int64_t)lrintf(root * 1024.0f);
}

/* Divisions, roots, switches, small types. */
static void arithmetic(void **unused)
{
    (void)unused;
    for (unsigned way = 0; way < 4; way++) {
        struct probe p;
        uint64_t wide = way & 1 ? 12345678901234567 : 77777;
        int32_t sign = way & 2 ? -4099 : 5001;
        open_way(&p, way);
        struct sonde_hli_function *function = open_function("call_mixed");
        sonde_vreg result = sonde_vreg_make_scratch(p.coder, SONDE_VREG_QWORD);
        struct sonde_hli_argument arguments[] = {
            {.kind = SONDE_HLI_TID},
            {.kind = SONDE_HLI_VALUE64, .value = sonde_operand_immediate(wide)},
            immediate((uint32_t)sign)};
        probe_ok(&p, sonde_coder_generate_hli_call(p.coder, p.procedure, function, arguments, 3,
                                                   result, NULL, &p.error));
        sonde_hli_function_destroy(function);
        probe_store(&p, p.procedure, 0, sonde_operand_vreg(result));
        probe_store(&p, p.procedure, 1, sonde_operand_vreg_at(result, 4));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            uint64_t want = mixed_of(probe_thread_id(t), wide, sign);
            assert_int_equal(probe_value(&p, t, 0), (uint32_t)want);
            assert_int_equal(probe_value(&p, t, 1), (uint32_t)(want >> 32));
        }
        probe_close(&p);
    }
}

/* A probe that rounds otherwise than the kernel leaves cr0 as it was: what
 * comes after it rounds to nearest. */
static void rounding(void **unused)
{
    (void)unused;
    struct probe p;
    probe_open(&p, PROBE_STATELESS, PROBE_LIVENESS);
    struct sonde_hli_function *function = open_function("call_round");
    sonde_vreg result = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    sonde_vreg mode = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
    float value = 1.0f, small = 0.0001f;
    uint32_t bits[2];
    memcpy(&bits[0], &value, 4);
    memcpy(&bits[1], &small, 4);
    struct sonde_hli_argument arguments[] = {immediate(bits[0]), immediate(bits[1])};
    struct sonde_operand control = sonde_operand_arf(SONDE_GEN_ARF_CONTROL, 0);
    struct sonde_operand none = sonde_operand_immediate(0);
    probe_ok(&p, sonde_coder_operation(p.coder, p.procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                       sonde_operand_vreg(mode), control, none, NULL, &p.error));
    probe_store(&p, p.procedure, 0, sonde_operand_vreg(mode));
    probe_ok(&p, sonde_coder_generate_hli_call(p.coder, p.procedure, function, arguments, 2, result,
                                               NULL, &p.error));
    probe_store(&p, p.procedure, 1, sonde_operand_vreg(result));
    probe_ok(&p, sonde_coder_operation(p.coder, p.procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                       sonde_operand_vreg(mode), control, none, NULL, &p.error));
    probe_store(&p, p.procedure, 2, sonde_operand_vreg(mode));
    sonde_hli_function_destroy(function);
    probe_run(&p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++) {
        /* 1 rounded up is 1 + 2^-10, rounded down 1 - 2^-11. */
        assert_int_equal(probe_value(&p, t, 1), 0x3c01u << 16 | 0x3bff);
        assert_int_equal(probe_value(&p, t, 2), probe_value(&p, t, 0));
    }
    probe_close(&p);
}

static void refusals(void **unused)
{
    (void)unused;
    struct probe p;
    struct sonde_error error;
    struct sonde_hli_function *function = open_function("call_deep");
    assert_int_equal(sonde_hli_function_set_linkage(function, SONDE_HLI_INLINE, &error),
                     SONDE_ERROR_UNSUPPORTED);
    probe_open(&p, PROBE_STATELESS, PROBE_FREE_LIST);
    struct sonde_hli_argument arguments[] = {immediate(1), immediate(2), immediate(3)};
    arguments[2].kind = SONDE_HLI_VALUE64;
    probe_ok(&p, sonde_coder_generate_hli_call(p.coder, p.procedure, function, arguments, 3, 0,
                                               NULL, &p.error));
    probe_ok(&p, sonde_instrument_instruction(p.instrument, p.point, SONDE_BEFORE, p.procedure,
                                              &p.error));
    /* No place for the stack; a place that is none. */
    assert_int_equal(sonde_instrument_emit(p.instrument, &p.out, &p.error), SONDE_ERROR_ARGUMENT);
    assert_non_null(strstr(p.error.message, "place_thread_memory"));
    assert_int_equal(sonde_coder_place_thread_memory(p.coder, 100, &p.error), SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_coder_place_thread_memory(p.coder, 0xfffff000, &p.error),
                     SONDE_ERROR_RANGE);
    probe_ok(&p, sonde_coder_place_thread_memory(p.coder, 0x1000, &p.error));
    probe_ok(&p, sonde_instrument_emit(p.instrument, &p.out, &p.error));
    sonde_hli_function_destroy(function);
    probe_close(&p);
}

int main(int argc, char **argv)
{
    if (argc < 3 || !probe_setup_platform(argc, argv))
        return 77;
    binary = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays),   cmocka_unit_test(calls),    cmocka_unit_test(arithmetic),
        cmocka_unit_test(rounding), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
