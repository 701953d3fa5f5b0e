/* Channel masks: what a thread computes is what the emulator dispatched and
 * control flow enables, with 16 channels a thread and with 32. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe.h"

#define ALL UINT32_MAX

static const struct sonde_predicate never = {.flag_number = 1, .flag_subreg = 1};

static void set_never(struct probe *p)
{
    sonde_vreg zero = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    struct sonde_operand none = sonde_operand_immediate(0);
    probe_ok(p, sonde_coder_operation(p->coder, p->procedure, SONDE_MOV, SONDE_GEN_TYPE_UD,
                                      sonde_operand_vreg(zero), none, none, NULL, &p->error));
    probe_ok(p, sonde_coder_cmp(p->coder, p->procedure, &never, SONDE_GEN_CONDITION_NZ,
                                SONDE_GEN_TYPE_UD, sonde_operand_vreg(zero), none, &p->error));
}

struct mask_case {
    bool ignore_enable;
    uint32_t execution;
    uint8_t predicate, flag_subreg;
    bool inverse;
};

static unsigned group_of(uint8_t predicate)
{
    return 1u << (predicate / 2 - 1); /* ANY2H is 4, ALL32H 13 */
}

/* f0.0 is 0xa5c3; f0.1 the odd channels, for those beyond the last too: as the
 * flag of 32 channels they are the upper ones'. */
static uint32_t mask_of(const struct probe *p, const struct mask_case *item, uint32_t thread)
{
    uint32_t flag = item->flag_subreg == 0 ? 0xaaaaa5c3 : 0xaaaa, result = 0;
    uint32_t mask = item->execution & probe_dispatched(p, thread);
    if (!item->ignore_enable)
        mask &= probe_enabled(p, thread);
    for (unsigned c = 0; c < 32; c++) {
        bool pass = true;
        if (item->predicate == SONDE_GEN_PREDICATE_CHANNEL) {
            pass = (flag >> c & 1) != 0;
        } else if (item->predicate != SONDE_GEN_PREDICATE_NONE) {
            unsigned group = group_of(item->predicate), first = c / group * group;
            uint32_t all = group == 32 ? ALL : (1u << group) - 1, part = flag >> first & all;
            pass = item->predicate % 2 == 0 ? part != 0 : part == all;
        }
        result |= (uint32_t)(pass != (item->inverse && item->predicate != 0)) << c;
    }
    return mask & result;
}

static const struct mask_case plain[] = {
    {false, ALL, 0, 0, false},
    {true, ALL, 0, 0, false},
    {false, 0xff00, 0, 0, false},
    {true, 0x00ff, SONDE_GEN_PREDICATE_CHANNEL, 0, false},
    {true, 0xffff, SONDE_GEN_PREDICATE_CHANNEL, 0, true},
    {true, 0xffff, SONDE_GEN_PREDICATE_CHANNEL, 1, true},
    {false, 0xffff, SONDE_GEN_PREDICATE_CHANNEL, 0, false},
    {false, 0xffff0000, 0, 0, false},
    {true, ALL, SONDE_GEN_PREDICATE_CHANNEL, 0, true},
    {false, 0xff000000, SONDE_GEN_PREDICATE_CHANNEL, 0, false},
};

/* They clobber f0, so only one of them a procedure. */
static const struct mask_case groups[] = {
    {true, 0xffff, SONDE_GEN_PREDICATE_ANY2H, 0, false},
    {true, 0xffff, SONDE_GEN_PREDICATE_ALL2H, 0, true},
    {true, 0xffff, SONDE_GEN_PREDICATE_ANY4H, 0, false},
    {true, 0xffff, SONDE_GEN_PREDICATE_ANY4H, 0, true},
    {false, 0xffff, SONDE_GEN_PREDICATE_ALL4H, 1, true},
    {true, 0xffff, SONDE_GEN_PREDICATE_ANY8H, 1, false},
    {false, 0xffff, SONDE_GEN_PREDICATE_ALL8H, 0, true},
    {true, 0xffff, SONDE_GEN_PREDICATE_ANY16H, 0, false},
};

static const struct mask_case wide_groups[] = {
    {true, ALL, SONDE_GEN_PREDICATE_ANY4H, 0, true},
    {false, ALL, SONDE_GEN_PREDICATE_ALL2H, 0, true},
    {true, 0xffff0000, SONDE_GEN_PREDICATE_ALL4H, 0, true},
    {true, ALL, SONDE_GEN_PREDICATE_ANY16H, 0, false},
    {false, ALL, SONDE_GEN_PREDICATE_ALL16H, 0, true},
    {true, ALL, SONDE_GEN_PREDICATE_ANY32H, 0, false},
    {true, ALL, SONDE_GEN_PREDICATE_ALL32H, 0, true},
};

static void compute_mask(struct probe *p, sonde_vreg mask, const struct mask_case *item,
                         const struct sonde_predicate *predicate)
{
    struct sonde_gen_instruction instruction;
    sonde_gen_instruction_init(&instruction, probe_platform(), SONDE_GEN_ADD,
                               item->execution >> 16 != 0 ? 32 : 16, false);
    instruction.predicate = item->predicate;
    instruction.predicate_inverse = item->inverse;
    instruction.flag_subreg = item->flag_subreg;
    probe_ok(p, sonde_coder_compute_simd_mask(p->coder, p->procedure, mask, item->ignore_enable,
                                              item->execution, &instruction, predicate, &p->error));
}

static void check_masks(struct probe *p, const struct mask_case *group)
{
    sonde_vreg mask = sonde_vreg_make_scratch(p->coder, SONDE_VREG_DWORD);
    unsigned count = sizeof plain / sizeof *plain;
    set_never(p);
    for (unsigned i = 0; i < count; i++) {
        compute_mask(p, mask, &plain[i], NULL);
        compute_mask(p, mask, &plain[1], &never);
        probe_store(p, p->procedure, i, sonde_operand_vreg(mask));
    }
    compute_mask(p, mask, group, NULL);
    probe_store(p, p->procedure, count, sonde_operand_vreg(mask));
    probe_run(p);
    for (uint32_t t = 0; t < PROBE_THREADS; t++) {
        for (unsigned i = 0; i < count; i++)
            assert_int_equal(probe_value(p, t, i), mask_of(p, &plain[i], t));
        assert_int_equal(probe_value(p, t, count), mask_of(p, group, t));
    }
}

static void masks(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++)
        for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++) {
            struct probe p;
            probe_open(&p, probe_modes[m].buffer, probe_modes[m].registers);
            check_masks(&p, &groups[g]);
            probe_close(&p);
        }
}

static void masks_of_32_channels(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < PROBE_MODE_COUNT; m++)
        for (unsigned g = 0; g < sizeof wide_groups / sizeof *wide_groups; g++) {
            struct probe p;
            probe_open_wide(&p, probe_modes[m].buffer, probe_modes[m].registers);
            check_masks(&p, &wide_groups[g]);
            probe_close(&p);
        }
}

static void refusals(void **unused)
{
    (void)unused;
    struct sonde_gen_instruction instruction;
    struct probe p;
    probe_open(&p, PROBE_SURFACE, PROBE_FREE_LIST);
    sonde_gen_instruction_init(&instruction, probe_platform(), SONDE_GEN_ADD, 16, false);
    instruction.channel_offset = 16;
    assert_int_equal(sonde_coder_execution_mask(&instruction), 0xffff0000);
    instruction.predicate = SONDE_GEN_PREDICATE_CHANNEL;
    instruction.flag_subreg = 1;
    assert_int_equal(sonde_coder_compute_simd_mask(p.coder, p.procedure, p.address, true,
                                                   0xffff0000, &instruction, NULL, &p.error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(p.error.message, "f0.1"));
    instruction.predicate = SONDE_GEN_PREDICATE_ANY4H;
    instruction.flag_subreg = 0;
    assert_int_equal(sonde_coder_compute_simd_mask(p.coder, p.procedure, p.address, true, ALL,
                                                   &instruction, &never, &p.error),
                     SONDE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(p.error.message, "groups"));
    sonde_vreg word = sonde_vreg_make_scratch(p.coder, SONDE_VREG_WORD);
    assert_int_equal(
        sonde_coder_compute_simd_mask(p.coder, p.procedure, word, true, ALL, NULL, NULL, &p.error),
        SONDE_ERROR_ARGUMENT);
    assert_int_equal(sonde_procedure_instruction_count(p.procedure), 0);
    probe_close(&p);
}

int main(int argc, char **argv)
{
    if (!probe_setup_platform(argc, argv))
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks),
        cmocka_unit_test(masks_of_32_channels),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
