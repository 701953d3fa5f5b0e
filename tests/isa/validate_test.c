/* The legality check: rules one by one, and region rules on random regions
 * against the warnings of iga64's assembler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "codec_iga.h"
#include "sonde/gen.h"

static struct iga *iga;
static enum sonde_gen_platform platform; /* of iga */

static struct sonde_gen_instruction assemble(const char *text)
{
    size_t size = 0;
    char line[256];
    snprintf(line, sizeof line, "%s\n", text);
    const uint8_t *code = iga_assemble(iga, line, IGA_ENCODE_NO_COMPACT, &size);
    if (code == NULL)
        fail_msg("iga64 does not assemble %s", text);
    struct sonde_gen_instruction i;
    assert_int_equal(sonde_gen_decode(platform, code, size, 0, &i, NULL), SONDE_OK);
    assert_false(i.illegal);
    return i;
}

/* A part of the message of the rule that the text breaks; NULL when none. */
struct rule_case {
    const char *text;
    const char *rule;
};

static const struct rule_case cases[] = {
    {"add (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<0;1,0>:f", NULL},
    {"add (16|M16) r10.0<1>:f r20.0<8;8,1>:f 0x0:f", NULL},
    {"mov (4|M0) r10.0<1>:d r20.0<8;8,1>:d", "wider than the execution size"},
    {"mov (8|M0) r10.0<1>:d r20.0<16;8,1>:d", "one row"},
    {"mov (1|M0) r10.0<1>:d r20.0<2;1,0>:d", "scalar"},
    {"mov (8|M0) r10.0<1>:d r20.0<0;8,0>:d", "width 1"},
    {"add (16|M0) r10.0<1>:q r20.0<4;4,1>:q r30.0<0;1,0>:q", "exceeds two registers"},
    {"mov (16|M0) r10.0<2>:d r20.0<8;8,1>:d", "destination: the operand reaches beyond two"},
    {"mov (8|M0) r20.0<1>:d r20.4<8;8,1>:d", "row of the region crosses"},
    {"mov (16|M0) r127.0<1>:d r20.0<8;8,1>:d", "last register"},
    {"mov (8|M8) r10.0<1>:d 0x0:d", NULL},
    {"mov (8|M4) r10.0<1>:d 0x0:d", "first channel"},
    {"mov (16|M8) r10.0<1>:d 0x0:d", "first channel"},
    {"(W) send (8|M0) null r127 0x27 0x02000010", NULL},
    {"(W) send (8|M0) null r100 0x27 0x02000010", "r112"},
    {"send (16|M0) r10:ud r127 0xC 0x04205E00", "payload reaches"},
    {"send (16|M0) r127:ud r10 0xC 0x04205E00", "response reaches"},
    {"sends (16|M0) null:ud r20 r127 0x8C 0x04025EFE", "source 1"},
    {"mad (8|M0) r10.0<1>:f r20.0<2;1>:f r30.3<0;0>:f r40.0<1>:f", NULL},
    {"mad (16|M0) r127.0<1>:f r20.0<2;1>:f r30.3<0;0>:f r40.0<1>:f", "last register"},
    {"math.inv (16|M0) r10.0<1>:f r20.0<8;8,1>:f", NULL},
    {"math.log (4|M0) r10.0<1>:df r20.0<4;4,1>:df", "no such type"},
    {"math.iqot (16|M0) r10.0<1>:d r20.0<8;8,1>:d r30.0<8;8,1>:d", "at most 8"},
    {"math.invm (4|M0) r10.mme0:df r20.nomme:df r24.nomme:df", NULL},
    {"jmpi r2.0<0;1,0>:d", NULL},
    {"nop", NULL},
    {"wait n0.0:ud", NULL},
};

static const struct rule_case gen11_cases[] = {
    {"mad (8|M0) r10.0<1>:f r20.0<8;1>:f r30.3<0;0>:f r40.0<1>:f", NULL},
    {"mad (16|M0) r10.0<1>:d r20.0<8;1>:d r30.0<8;1>:w r40.0<2>:uw", NULL},
    {"mad (8|M0) r10.0<1>:d 0x12:w r30.0<8;1>:d 0x34:w", NULL},
    {"mad (8|M0) acc0.0<1>:f r20.0<8;1>:f acc0.0<8;1>:f r40.0<1>:f", NULL},
    {"mad (16|M0) r10.0<1>:f r20.0<8;1>:f r30.0<8;1>:f r40.0<4>:f",
     "source 2: the operand reaches"},
    {"mad (4|M0) r10.0<1>:f r20.0<8;1>:f r30.0<4;1>:f r40.0<1>:f", "wider than the execution"},
    {"mad (4|M0) r10.0<1>:df r20.0<4;1>:df r30.0<4;1>:df r40.0<1>:df", "no 64-bit types"},
    {"csel (8|M0) (gt)f0.0 r10.0<1>:w r20.0<8;1>:w r30.0<8;1>:w r40.0<1>:w", NULL},
    {"bfe (8|M0) r10.0<1>:d r20.0<8;1>:d r30.0<8;1>:d r40.0<1>:d", NULL},
    {"madm (8|M0) r10.mme0:f r20.nomme:f r24.nomme:f r26.nomme:f", NULL},
    {"math.invm (8|M0) r10.mme0:f r20.nomme:f r24.nomme:f", NULL},
    {"rol (8|M0) r10.0<1>:ud r20.0<8;8,1>:ud 0x5:uw", NULL},
    {"mov (8|M0) r10.0<1>:q r20.0<8;8,1>:d", "no 64-bit types"},
    {"mov (8|M0) r10.0<1>:f 1.0:df", "no 64-bit types"},
    {"movi (8|M0) r10.0<1>:uw r[a0.0]<8;8,1>:uw null<0;1,0>:ud", NULL},
    {"(W) send (8|M0) null r100 0x27 0x02000010", "r112"},
};

static void check_rules(const struct rule_case *all, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        struct sonde_gen_instruction i = assemble(all[n].text);
        struct sonde_error error = {0};
        enum sonde_status status = sonde_gen_instruction_validate(&i, &error);
        if (all[n].rule == NULL && status != SONDE_OK)
            fail_msg("%s: %s", all[n].text, error.message);
        if (all[n].rule != NULL &&
            (status != SONDE_ERROR_ILLEGAL || strstr(error.message, all[n].rule) == NULL))
            fail_msg("%s: status %d \"%s\"", all[n].text, status, error.message);
    }
}

static void test_rules(void **state)
{
    (void)state;
    check_rules(cases, sizeof cases / sizeof *cases);
}

static void test_gen11_rules(void **state)
{
    (void)state;
    check_rules(gen11_cases, sizeof gen11_cases / sizeof *gen11_cases);
}

/* iga64 neither assembles nor decodes an architecture register as source 1. */
static void test_second_source(void **state)
{
    (void)state;
    struct sonde_gen_instruction i =
        assemble("add (8|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f");
    struct sonde_error error;
    uint8_t word[16];
    assert_int_equal(sonde_gen_instruction_validate(&i, &error), SONDE_OK);
    i.src[1].file = SONDE_GEN_FILE_ARF;
    i.src[1].number = SONDE_GEN_ARF_ACCUMULATOR;
    assert_int_equal(sonde_gen_encode(&i, word, &error), SONDE_ERROR_RANGE);
    assert_int_equal(sonde_gen_instruction_validate(&i, &error), SONDE_ERROR_RANGE);
    assert_non_null(strstr(error.message, "architecture register"));
}

static void test_not_encodable(void **state)
{
    (void)state;
    struct sonde_error error;
    struct sonde_gen_instruction i = assemble("add (8|M0) r10.0<1>:f r20.0<8;8,1>:f 0x0:f");
    i.exec_size = 5;
    assert_int_equal(sonde_gen_instruction_validate(&i, &error), SONDE_ERROR_RANGE);
    i = assemble("(W) jmpi r2.0<0;1,0>:d");
    i.no_mask = false;
    assert_int_equal(sonde_gen_instruction_validate(&i, &error), SONDE_ERROR_RANGE);
    uint8_t zeros[16] = {0};
    sonde_gen_decode(platform, zeros, 16, 0, &i, &error);
    assert_int_equal(sonde_gen_instruction_validate(&i, &error), SONDE_ERROR_ILLEGAL);
}

static uint64_t seed = UINT64_C(0xda3e39cb94b95bdb);

static unsigned below(unsigned limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % limit;
}

/* Rules that iga64 has no warning for. */
static bool is_ours_alone(const char *message)
{
    return strstr(message, "beyond two registers") != NULL ||
           strstr(message, "width 1 needs horizontal stride 0") != NULL ||
           strstr(message, "crosses a register boundary") != NULL;
}

static void test_random_regions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned size;
    } types[] = {{"ub", 1}, {"w", 2}, {"hf", 2}, {"d", 4}, {"f", 4}, {"df", 8}};
    static const unsigned strides[] = {0, 1, 2, 4, 8, 16, 32};
    unsigned legal = 0, illegal = 0, alone = 0;
    for (unsigned n = 0; n < 40000; n++) {
        /* Gen11 has no df. */
        unsigned kinds = platform == SONDE_GEN_PLATFORM_GEN9 ? 6 : 5;
        unsigned exec = 1u << below(6), type = below(kinds), width = 1u << below(5);
        unsigned horizontal = strides[below(4)];
        unsigned vertical = below(2) ? width * horizontal : strides[below(7)];
        if (vertical > 32)
            vertical = 32;
        char text[200];
        snprintf(text, sizeof text, "mov (%u|M0) null<1>:ud r%u.%u<%u;%u,%u>:%s\n", exec,
                 below(120), below(3) ? 0 : below(32 / types[type].size), vertical, width,
                 horizontal, types[type].name);
        const char *warning = "";
        int warnings = iga_warnings(iga, text, &warning);
        assert_true(warnings >= 0);
        struct sonde_gen_instruction i = assemble(text);
        struct sonde_error error = {0};
        bool good = sonde_gen_instruction_validate(&i, &error) == SONDE_OK;
        if (good && warnings > 0)
            fail_msg("%s passes, iga64 says %s", text, warning);
        if (!good && warnings == 0 && !is_ours_alone(error.message))
            fail_msg("%s fails: %s; iga64 takes it", text, error.message);
        legal += good;
        illegal += !good && warnings > 0;
        alone += !good && warnings == 0;
    }
    print_message("%u legal, %u illegal, %u illegal to us alone\n", legal, illegal, alone);
    assert_true(legal > 4000 && illegal > 4000);
}

int main(void)
{
    iga = iga_open();
    if (iga == NULL)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_second_source),
        cmocka_unit_test(test_not_encodable),
        cmocka_unit_test(test_random_regions),
    };
    const struct CMUnitTest gen11_tests[] = {
        cmocka_unit_test(test_gen11_rules),
        cmocka_unit_test(test_second_source),
        cmocka_unit_test(test_random_regions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    iga_close(iga);
    platform = SONDE_GEN_PLATFORM_GEN11;
    iga = iga_open_platform(platform);
    failed += cmocka_run_group_tests(gen11_tests, NULL, NULL);
    iga_close(iga);
    return failed;
}
