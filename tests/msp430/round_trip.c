/* Decode then encode gives the same words, for every first word of both cores
 * and random operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sonde/msp430.h"

static uint32_t state = 12345;

static uint16_t random_word(void)
{
    state = state * 1664525u + 1013904223u;
    return (uint16_t)(state >> 16);
}

static void check(enum sonde_msp430_core core, uint32_t address, const uint16_t words[4],
                  size_t *legal)
{
    struct sonde_msp430_instruction in;
    assert_int_equal(sonde_msp430_decode(core, address, words, 4, &in, NULL), SONDE_OK);
    if (in.opcode == SONDE_MSP430_ILLEGAL)
        return;
    ++*legal;
    assert_true(in.size >= 2 && in.size <= 8 && in.size % 2 == 0);
    assert_true(in.cycles > 0);
    uint16_t out[4];
    size_t count;
    struct sonde_error error;
    if (sonde_msp430_encode(core, &in, out, &count, &error) != SONDE_OK) {
        print_error("%04x %04x: %s\n", words[0], words[1], error.message);
        fail();
    }
    assert_int_equal(count, in.size / 2);
    assert_memory_equal(out, words, in.size);
    struct sonde_msp430_instruction cut;
    if (count > 1)
        assert_int_equal(sonde_msp430_decode(core, address, words, count - 1, &cut, NULL),
                         SONDE_ERROR_TRUNCATED);
    char text[128];
    int length = sonde_msp430_print(&in, text, sizeof text);
    assert_true(length > 0 && (size_t)length < sizeof text);
    assert_int_equal(strlen(text), length);
}

static void every_word_round_trips(void **unused)
{
    (void)unused;
    size_t legal[2] = {0, 0};
    for (int core = 0; core < 2; core++) {
        for (uint32_t word = 0; word < 0x10000; word++) {
            uint16_t words[4] = {(uint16_t)word, random_word(), random_word(), random_word()};
            uint32_t address =
                core == 0 ? random_word() & 0xfffeu : ((uint32_t)random_word() << 4 & 0xffffe);
            check((enum sonde_msp430_core)core, address, words, &legal[core]);
        }
    }
    /* Format I and jumps are whole; format II has 7 operations. */
    assert_true(legal[0] > 0xe000 - 0x2000 && legal[1] > legal[0]);
}

static void extended_words_round_trip(void **unused)
{
    (void)unused;
    size_t legal = 0;
    for (int i = 0; i < 300000; i++) {
        uint16_t words[4] = {(uint16_t)(0x1800 | (random_word() & 0x07cf)), random_word(),
                             random_word(), random_word()};
        check(SONDE_MSP430_CORE_CPUX, (uint32_t)random_word() << 4 & 0xffffe, words, &legal);
    }
    assert_true(legal > 20000);
}

static void an_enlarged_jump_is_refused(void **unused)
{
    (void)unused;
    struct sonde_msp430_instruction in = {
        .address = 0xc000, .opcode = SONDE_MSP430_JNE, .width = 16, .target = 0xc000 + 1026};
    uint16_t words[4];
    size_t count;
    struct sonde_error error;
    assert_int_equal(sonde_msp430_encode(SONDE_MSP430_CORE_CPU, &in, words, &count, &error),
                     SONDE_ERROR_RANGE);
    in.target = 0xc000 + 1024;
    assert_int_equal(sonde_msp430_encode(SONDE_MSP430_CORE_CPU, &in, words, &count, &error),
                     SONDE_OK);
    assert_int_equal(words[0], 0x21ff);
}

static void markers_are_no_instructions(void **unused)
{
    (void)unused;
    for (int core = 0; core < SONDE_MSP430_CORE_COUNT; core++) {
        struct sonde_msp430_markers m = sonde_msp430_default_markers((enum sonde_msp430_core)core);
        assert_int_equal(sonde_msp430_markers_check((enum sonde_msp430_core)core, m, NULL),
                         SONDE_OK);
    }
    struct sonde_msp430_markers seed = {.enter = 1, .exit = 2};
    struct sonde_error error;
    assert_int_equal(sonde_msp430_markers_check(SONDE_MSP430_CORE_CPUX, seed, &error),
                     SONDE_ERROR_ARGUMENT);
    struct sonde_msp430_markers same = {.enter = 1, .exit = 1};
    assert_int_equal(sonde_msp430_markers_check(SONDE_MSP430_CORE_CPU, same, &error),
                     SONDE_ERROR_ARGUMENT);
}

/* Rows of TI's tables, written down again from the manual, not from ours. */
static void cycles_are_those_of_the_manual(void **unused)
{
    (void)unused;
    static const struct {
        enum sonde_msp430_core core;
        uint16_t words[4];
        unsigned cycles;
        const char *text;
    } rows[] = {
        {SONDE_MSP430_CORE_CPU, {0x4506}, 1, "mov r5, r6"},
        {SONDE_MSP430_CORE_CPU, {0x4900}, 2, "br r9"},
        {SONDE_MSP430_CORE_CPU, {0x4130}, 3, "ret"},
        {SONDE_MSP430_CORE_CPUX, {0x4130}, 4, "ret"},
        {SONDE_MSP430_CORE_CPU, {0x1300}, 5, "reti"},
        {SONDE_MSP430_CORE_CPU, {0x5316}, 1, "inc r6"},
        {SONDE_MSP430_CORE_CPU, {0x4215, 0x200}, 3, "mov &0x0200, r5"},
        {SONDE_MSP430_CORE_CPU, {0x4292, 0x200, 0x202}, 6, "mov &0x0200, &0x0202"},
        {SONDE_MSP430_CORE_CPUX, {0x4292, 0x200, 0x202}, 5, "mov &0x0200, &0x0202"},
        {SONDE_MSP430_CORE_CPUX, {0x5292, 0x200, 0x202}, 6, "add &0x0200, &0x0202"},
        {SONDE_MSP430_CORE_CPU, {0x12b0, 0xc000}, 5, "call #0xc000"},
        {SONDE_MSP430_CORE_CPUX, {0x12b0, 0xc000}, 4, "call #0xc000"},
        {SONDE_MSP430_CORE_CPUX, {0x1292, 0xc000}, 6, "call &0xc000"},
        {SONDE_MSP430_CORE_CPU, {0x1235}, 5, "push @r5+"},
        {SONDE_MSP430_CORE_CPU, {0x1213}, 3, "push #1"},
        {SONDE_MSP430_CORE_CPU, {0x1165}, 3, "rra.b @r5"},
        {SONDE_MSP430_CORE_CPUX, {0x0110}, 5, "reta"},
        {SONDE_MSP430_CORE_CPUX, {0x008c, 0x1234}, 2, "mova #0x1234, r12"},
        {SONDE_MSP430_CORE_CPUX, {0x1443}, 2 + 2 * 5, "pushm.a #5, r3"},
        {SONDE_MSP430_CORE_CPUX, {0x1535}, 2 + 4, "pushm #4, r5"},
        {SONDE_MSP430_CORE_CPUX, {0x0d4c}, 4, "rram.a #4, r12"},
        {SONDE_MSP430_CORE_CPUX, {0x13b1, 0x0000}, 5, "calla #0x10000"},
        {SONDE_MSP430_CORE_CPUX, {0x1800, 0x5546}, 2, "addx.a r5, r6"},
        {SONDE_MSP430_CORE_CPUX, {0x1800, 0x55d6, 2, 4}, 10, "addx.a 2(r5), 4(r6)"},
        {SONDE_MSP430_CORE_CPUX, {0x1840, 0x4596, 2, 4}, 6, "movx 2(r5), 4(r6)"},
        {SONDE_MSP430_CORE_CPUX, {0x1942, 0x1006}, 2, "rpt #3 rrux r6"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sonde_msp430_instruction in;
        char text[64];
        assert_int_equal(sonde_msp430_decode(rows[i].core, 0xc000, rows[i].words, 4, &in, NULL),
                         SONDE_OK);
        sonde_msp430_print(&in, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(in.cycles, rows[i].cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_round_trips),
        cmocka_unit_test(extended_words_round_trip),
        cmocka_unit_test(an_enlarged_jump_is_refused),
        cmocka_unit_test(markers_are_no_instructions),
        cmocka_unit_test(cycles_are_those_of_the_manual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
