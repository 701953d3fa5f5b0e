/* Every kind of argument of a probe, and predicates that differ by channel.
 * The probe adds its argument to a cell of the thread: what comes to stand there
 * is what the emulator knows. Arguments: the part, a device binary of probes.cl. */
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

static uint32_t word_at(struct probe *p, uint32_t offset)
{
    uint32_t got;
    memcpy(&got, machine_surface(p->machine, MACHINE_PROFILE) + offset, sizeof got);
    return got;
}

static void open_way(struct probe *p, unsigned way)
{
    enum probe_registers registers = (enum probe_registers)(way / 2);
    if (way & 1 || registers == PROBE_SPILL)
        probe_open_pointers(p, registers);
    else
        probe_open(p, PROBE_STATELESS, registers);
}

static void operate(struct probe *p, enum sonde_operation operation, sonde_vreg dst,
                    struct sonde_operand a, struct sonde_operand b)
{
    probe_ok(p, sonde_coder_operation(p->coder, p->procedure, operation, SONDE_GEN_TYPE_UD,
                                      sonde_operand_vreg(dst), a, b, NULL, &p->error));
}

/* A pointer to the cell of the thread. */
static struct sonde_hli_argument own_cell(struct probe *p)
{
    sonde_vreg offset = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    probe_ok(p, sonde_coder_get_tid(p->coder, p->procedure, offset, NULL, &p->error));
    operate(p, SONDE_SHL, offset, sonde_operand_vreg(offset), sonde_operand_immediate(2));
    operate(p, SONDE_ADD, offset, sonde_operand_vreg(offset), sonde_operand_immediate(CELLS));
    return (struct sonde_hli_argument){.kind = SONDE_HLI_BUFFER,
                                       .value = sonde_operand_vreg(offset)};
}

static void call(struct probe *p, const char *name, const struct sonde_hli_argument *arguments,
                 size_t count, sonde_vreg result, const struct sonde_predicate *predicate,
                 enum sonde_hli_linkage linkage)
{
    struct sonde_hli_function *function = open_function(name);
    probe_ok(p, sonde_hli_function_set_linkage(function, linkage, &p->error));
    probe_ok(p, sonde_coder_generate_hli_call(p->coder, p->procedure, function, arguments, count,
                                              result, predicate, &p->error));
    sonde_hli_function_destroy(function);
}

enum expected {
    CONSTANT,
    THREAD,
    FIXED_THREAD,
    MASK,
    MASK_HIGH, /* of channels from 8 on */
};

static uint32_t expected_value(const struct probe *p, enum expected what, uint32_t thread)
{
    switch (what) {
    case THREAD:
        return probe_thread_id(thread);
    case FIXED_THREAD:
        return thread;
    case MASK:
        return probe_enabled(p, thread);
    case MASK_HIGH:
        return probe_enabled(p, thread) >> 8;
    default:
        return 0x12345;
    }
}

static void values(void **unused)
{
    (void)unused;
    struct sonde_gen_instruction add;
    sonde_gen_instruction_init(&add, probe_platform(), SONDE_GEN_ADD, 8, false);
    add.channel_offset = 8;
    add.predicate = SONDE_GEN_PREDICATE_CHANNEL;
    add.flag_number = 0;
    add.flag_subreg = 1;
    const struct {
        struct sonde_hli_argument argument;
        enum expected expected;
    } kinds[] = {
        {{.kind = SONDE_HLI_VALUE32, .value = sonde_operand_immediate(0x12345)}, CONSTANT},
        {{.kind = SONDE_HLI_BUFFER_OFFSET, .value = sonde_operand_immediate(0x12345)}, CONSTANT},
        {{.kind = SONDE_HLI_VALUE32}, CONSTANT}, /* in a register */
        {{.kind = SONDE_HLI_TID}, THREAD},
        {{.kind = SONDE_HLI_FF_TID}, FIXED_THREAD},
        {{.kind = SONDE_HLI_SIMD_MASK}, MASK},
        {{.kind = SONDE_HLI_OPERAND_MASK, .instruction = &add}, MASK_HIGH},
    };
    for (unsigned way = 0; way < 5; way++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct probe p;
            if (kinds[k].argument.kind == SONDE_HLI_FF_TID && way == 4)
                continue; /* is held through the kernel, which leaves no register */
            open_way(&p, way);
            struct sonde_hli_argument arguments[] = {own_cell(&p), kinds[k].argument};
            if (k == 2) {
                sonde_vreg held = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
                operate(&p, SONDE_MOV, held, sonde_operand_immediate(0x12345),
                        sonde_operand_immediate(0));
                arguments[1].value = sonde_operand_vreg(held);
            }
            call(&p, "call_touch", arguments, 2, 0, NULL,
                 k & 1 ? SONDE_HLI_CALL : SONDE_HLI_INLINE);
            probe_run(&p);
            for (uint32_t t = 0; t < PROBE_THREADS; t++)
                assert_int_equal(word_at(&p, CELLS + 4 * probe_thread_id(t)),
                                 expected_value(&p, kinds[k].expected, t));
            probe_close(&p);
        }
    }
}

/* Pointers of each origin to one cell; the probe's result is what stood there. */
static void pointers(void **unused)
{
    (void)unused;
    static uint32_t host[64];
    enum { BUFFER, DEVICE, REGISTER, HOST, COUNT };
    for (unsigned way = 0; way < 4; way++) {
        for (unsigned kind = 0; kind < COUNT; kind++) {
            struct probe p;
            open_way(&p, way);
            uint32_t at = kind == REGISTER ? 0x1e0 : CELLS + 0x108;
            struct sonde_hli_argument arguments[] = {
                {.kind = SONDE_HLI_BUFFER, .value = sonde_operand_immediate(at)},
                {.kind = SONDE_HLI_VALUE32, .value = sonde_operand_immediate(5)}};
            if (kind == DEVICE) {
                arguments[0].kind = SONDE_HLI_DEVICE_POINTER;
                arguments[0].value.immediate = machine_surface_address(MACHINE_PROFILE) + at;
            } else if (kind == REGISTER) { /* the kernel's argument */
                arguments[0].kind = SONDE_HLI_DEVICE_POINTER;
                arguments[0].value = sonde_operand_grf(4, 8, 32);
                at = 0;
            } else if (kind == HOST) {
                arguments[0].kind = SONDE_HLI_HOST_POINTER;
                arguments[0].value.immediate = (uintptr_t)&host[2];
                struct sonde_hli_function *function = open_function("call_touch");
                assert_int_equal(sonde_coder_generate_hli_call(p.coder, p.procedure, function,
                                                               arguments, 2, 0, NULL, &p.error),
                                 SONDE_ERROR_ARGUMENT);
                sonde_hli_function_destroy(function);
                assert_non_null(strstr(p.error.message, "not mapped"));
                probe_ok(&p,
                         sonde_coder_map_host(p.coder, host, sizeof host, CELLS + 0x100, &p.error));
            }
            call(&p, "call_touch", arguments, 2, 0, NULL, SONDE_HLI_AUTO);
            probe_run(&p);
            assert_int_equal(word_at(&p, at), 5 * PROBE_THREADS);
            probe_close(&p);
        }
    }
}

static void group_memory(void **unused)
{
    (void)unused;
    for (unsigned way = 0; way < 4; way++) {
        struct probe p;
        open_way(&p, way);
        sonde_vreg result = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        struct sonde_hli_argument arguments[] = {
            {.kind = SONDE_HLI_SLM_OFFSET, .value = sonde_operand_immediate(0x1000)},
            {.kind = SONDE_HLI_TID}};
        for (unsigned n = 0; n < 2; n++)
            call(&p, "call_share", arguments, 2, result, NULL, SONDE_HLI_AUTO);
        probe_store(&p, p.procedure, 0, sonde_operand_vreg(result));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++)
            assert_int_equal(probe_value(&p, t, 0), 2 * (probe_thread_id(t) + 1));
        probe_close(&p);
    }
}

/* All arguments in one structure: uint, ulong, uint, pointer. */
static void combination(void **unused)
{
    (void)unused;
    for (unsigned way = 0; way < 4; way++) {
        struct probe p;
        uint8_t profile[CELLS + 4] = {0};
        profile[CELLS] = 9;
        open_way(&p, way);
        p.profile = profile;
        p.profile_size = sizeof profile;
        struct sonde_hli_function *function = open_function("call_combine");
        sonde_hli_function_set_combined(function, true);
        sonde_vreg result = sonde_vreg_make_scratch(p.coder, SONDE_VREG_QWORD);
        struct sonde_hli_argument arguments[] = {
            {.kind = SONDE_HLI_TID},
            {.kind = SONDE_HLI_VALUE64, .value = sonde_operand_immediate(0x123456789)},
            {.kind = SONDE_HLI_VALUE32, .value = sonde_operand_immediate(11)},
            {.kind = SONDE_HLI_BUFFER, .value = sonde_operand_immediate(CELLS)}};
        probe_ok(&p, sonde_coder_generate_hli_call(p.coder, p.procedure, function, arguments, 4,
                                                   result, NULL, &p.error));
        assert_int_equal(sonde_coder_generate_hli_call(p.coder, p.procedure, function, arguments, 0,
                                                       result, NULL, &p.error),
                         SONDE_ERROR_RANGE);
        sonde_hli_function_destroy(function);
        probe_store(&p, p.procedure, 0, sonde_operand_vreg(result));
        probe_store(&p, p.procedure, 1, sonde_operand_vreg_at(result, 4));
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            uint64_t want = probe_thread_id(t) + UINT64_C(0x123456789) * 11 + 9;
            assert_int_equal(probe_value(&p, t, 0), (uint32_t)want);
            assert_int_equal(probe_value(&p, t, 1), (uint32_t)(want >> 32));
        }
        probe_close(&p);
    }
}

/* The kernel's flags at the point: f0.0 a5c3, f0.1 as the channels are enabled
 * (aaaa), f1.0 5678, f1.1 1234. */
static void predicates(void **unused)
{
    (void)unused;
    static const struct {
        struct sonde_predicate predicate;
        bool called;
    } cases[] = {
        {{.flag_number = 0, .flag_subreg = 0, .varies = true}, true},
        {{.flag_number = 0, .flag_subreg = 0, .inverse = true, .varies = true}, true},
        {{.flag_number = 0, .flag_subreg = 1, .varies = true}, true},
        {{.flag_number = 0, .flag_subreg = 1, .inverse = true, .varies = true}, false},
        {{.flag_number = 1, .flag_subreg = 1, .varies = true}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct probe p;
        open_way(&p, (unsigned)i & 3);
        sonde_vreg flags = sonde_vreg_make_scratch(p.coder, SONDE_VREG_DWORD);
        struct sonde_hli_argument arguments[] = {
            own_cell(&p), {.kind = SONDE_HLI_VALUE32, .value = sonde_operand_immediate(3)}};
        call(&p, "call_touch", arguments, 2, 0, &cases[i].predicate, SONDE_HLI_AUTO);
        /* What the call looked at is as before. */
        operate(&p, SONDE_MOV, flags,
                sonde_operand_arf(SONDE_GEN_ARF_FLAG | cases[i].predicate.flag_number, 0),
                sonde_operand_immediate(0));
        probe_store(&p, p.procedure, 0, sonde_operand_vreg(flags));
        assert_int_equal(
            sonde_coder_get_tid(p.coder, p.procedure, flags, &cases[i].predicate, &p.error),
            SONDE_ERROR_ARGUMENT);
        probe_run(&p);
        for (uint32_t t = 0; t < PROBE_THREADS; t++) {
            assert_int_equal(word_at(&p, CELLS + 4 * probe_thread_id(t)), cases[i].called ? 3 : 0);
            assert_int_equal(probe_value(&p, t, 0) & 0xffff,
                             cases[i].predicate.flag_number == 0 ? 0xa5c3 : 0x5678);
        }
        probe_close(&p);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3 || !probe_setup_platform(argc, argv))
        return 77;
    binary = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),      cmocka_unit_test(pointers),   cmocka_unit_test(group_memory),
        cmocka_unit_test(combination), cmocka_unit_test(predicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
