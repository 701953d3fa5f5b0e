/* Cut and damaged text is handled at every length, and a jump's reach is exact
 * to the word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sonde/msp430_as.h"

static enum sonde_status run(const char *text, size_t size, bool automatic,
                             struct sonde_msp430_as_result *result)
{
    struct sonde_msp430_as_options options = {
        .markers = sonde_msp430_default_markers(SONDE_MSP430_CORE_CPU), .automatic = automatic};
    struct sonde_error error;
    return sonde_msp430_as("test.s", text, size, &options, result, &error);
}

static const char sample[] =
    "\t.type f,@function\nf: ; @f\n\t/* c */ mov #';', 2(r4) ; x\n\t.pushsection .rodata,\"a\"\n"
    "\t.ascii \"a\\\"b\\012\"\n\t.popsection\n1:\tjn 1b { jne g\n\t.rept 3\n\tnop\n\t.endr\n"
    "\t.macro m x\n\tret\n\t.endm\n\t.profile_exit\n\t.p2align 4\n\tbr .LJTI0_0(r12)\n\tret\n"
    "\t.size f, .-f\n";

static void cut(void **state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof sample - 1; size++) {
        /* Its own block, so that a sanitizer sees what is read behind it. */
        char *text = malloc(size + (size == 0));
        memcpy(text, sample, size);
        for (int automatic = 0; automatic < 2; automatic++) {
            struct sonde_msp430_as_result result;
            if (run(text, size, automatic != 0, &result) == SONDE_OK)
                assert_true(result.size >= size / 2);
            sonde_msp430_as_clear(&result);
        }
        free(text);
    }
}

/* jmp over `words` words of code, and back over as many. */
static size_t widened(const char *format, unsigned words)
{
    char text[256];
    int length = snprintf(text, sizeof text, format, 2 * words);
    struct sonde_msp430_as_result result;
    assert_int_equal(run(text, (size_t)length, false, &result), SONDE_OK);
    size_t count = result.widened_count;
    sonde_msp430_as_clear(&result);
    return count;
}

static void reach(void **state)
{
    (void)state;
    assert_int_equal(widened("\tjmp a\n\t.space %u\na:\n", 511), 0);
    assert_int_equal(widened("\tjmp a\n\t.space %u\na:\n", 512), 1);
    assert_int_equal(widened("a:\t.space %u\n\tjeq a\n", 511), 0);
    assert_int_equal(widened("a:\t.space %u\n\tjeq a\n", 512), 1);
    assert_int_equal(widened("\tjmp a\n\tjmp b\n\t.space %u\na:\t.space 4\nb:\n", 510), 2);
    assert_int_equal(widened("\tjmp a\n\t.section x\n\t.space %u\n\t.text\na:\n", 600), 0);
}

static void refusals(void **state)
{
    (void)state;
    struct sonde_msp430_as_result result;
    const char comment[] = "/* ";
    assert_int_equal(run(comment, 3, false, &result), SONDE_ERROR_FORMAT);
    assert_null(result.text);
    assert_int_equal(run(".macro x\n", 9, false, &result), SONDE_ERROR_FORMAT);
    assert_int_equal(run(".popsection\n", 12, false, &result), SONDE_ERROR_FORMAT);
    assert_int_equal(run("", 0, true, &result), SONDE_OK);
    assert_int_equal(result.size, 0);
    sonde_msp430_as_clear(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut), cmocka_unit_test(reach),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
