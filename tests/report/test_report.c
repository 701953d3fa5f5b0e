/* Reports of a run whose figures were computed by hand. Block executions of
 * "alpha" over its three dispatches are 13, 5, 13, 13. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"
#include "sample_run.h"

static struct sonde_trace *trace;
static char directory[] = "/tmp/sonde-test-report-XXXXXX";

static int open_sample(void **state)
{
    (void)state;
    struct sonde_error error;
    char command[128];
    if (mkdtemp(directory) == NULL || sample_run_write(directory, false, &error) != SONDE_OK ||
        sonde_trace_open(directory, &trace, &error) != SONDE_OK)
        return -1;
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

static int close_sample(void **state)
{
    (void)state;
    sonde_trace_close(trace);
    return 0;
}

static char *print(const char *tool, const struct analyze_matcher *matcher,
                   const struct report_options *options)
{
    struct analyze_profile *profile;
    struct sonde_error error = {.message = ""};
    struct report_text text = {.data = NULL};
    struct report_json json = {.text = &text};
    if (analyze_profile_create(trace, tool, matcher, &profile, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    if (report_profile_print(profile, options, &text, &json, &error) != SONDE_OK)
        fail_msg("%s", error.message);
    analyze_profile_destroy(profile);
    return text.data;
}

static void check(const char *tool, const struct analyze_matcher *matcher,
                  const struct report_options *options, const char *expected)
{
    char *text = print(tool, matcher, options);
    assert_string_equal(text, expected);
    free(text);
}

static void opcodeprof_text(void **state)
{
    (void)state;
    struct report_options options = {.format = REPORT_FORMAT_TEXT};
    check("opcodeprof", NULL, &options,
          "opcodeprof: instructions by opcode, SIMD width and data type\n"
          "\n"
          "alpha: SIMD16, hash 0000000000001111, 3 dispatches, 10 instructions, 114 executed\n"
          "  OPCODE  SIMD  TYPE  STATIC  STATIC%  DYNAMIC  DYNAMIC%\n"
          "  mov        8  ud         3    30.00       31     27.19\n"
          "  add       16  d          2    20.00       18     15.79\n"
          "  cmp       16  d          1    10.00       13     11.40\n"
          "  jmpi       1  ud         1    10.00       13     11.40\n"
          "  mov       16  f          1    10.00       13     11.40\n"
          "  mul       16  f          1    10.00       13     11.40\n"
          "  send       8  ud         1    10.00       13     11.40\n"
          "\n"
          "beta,\"2\": SIMD8, hash 0000000000002222, 1 dispatch, 2 instructions, 12 executed\n"
          "  OPCODE  SIMD  TYPE  STATIC  STATIC%  DYNAMIC  DYNAMIC%\n"
          "  mov        8  ud         1    50.00        6     50.00\n"
          "  send       8  ud         1    50.00        6     50.00\n"
          "\n"
          "all kernels: 2 kernels, 12 instructions, 126 executed\n"
          "  OPCODE  SIMD  TYPE  STATIC  STATIC%  DYNAMIC  DYNAMIC%\n"
          "  mov        8  ud         4    33.33       37     29.37\n"
          "  send       8  ud         2    16.67       19     15.08\n"
          "  add       16  d          2    16.67       18     14.29\n"
          "  cmp       16  d          1     8.33       13     10.32\n"
          "  jmpi       1  ud         1     8.33       13     10.32\n"
          "  mov       16  f          1     8.33       13     10.32\n"
          "  mul       16  f          1     8.33       13     10.32\n");
}

static void opcodeprof_csv(void **state)
{
    (void)state;
    struct report_options options = {.format = REPORT_FORMAT_CSV, .limit = 2};
    check("opcodeprof", NULL, &options,
          "kernel,hash,opcode,simd,type,static,static-share,dynamic,dynamic-share\n"
          "alpha,0000000000001111,mov,8,ud,3,30.00,31,27.19\n"
          "alpha,0000000000001111,add,16,d,2,20.00,18,15.79\n"
          "\"beta,\"\"2\"\"\",0000000000002222,mov,8,ud,1,50.00,6,50.00\n"
          "\"beta,\"\"2\"\"\",0000000000002222,send,8,ud,1,50.00,6,50.00\n"
          "(total),,mov,8,ud,4,33.33,37,29.37\n"
          "(total),,send,8,ud,2,16.67,19,15.08\n");
}

static void opcodeprof_json(void **state)
{
    (void)state;
    struct report_options options = {
        .format = REPORT_FORMAT_JSON, .limit = 1, .columns = "opcode,dynamic,dynamic-share"};
    check("opcodeprof", NULL, &options,
          "{\n \"tool\":\"opcodeprof\",\n \"kernels\":[\n  {\n   \"kernel\":\"alpha\",\n"
          "   \"hash\":\"0000000000001111\",\n   \"simd\":16,\n   \"dispatches\":3,\n"
          "   \"static\":10,\n   \"dynamic\":114,\n   \"rows\":[\n    {\n"
          "     \"opcode\":\"mov\",\n     \"dynamic\":31,\n     \"dynamic-share\":27.19\n"
          "    }\n   ]\n  },\n  {\n   \"kernel\":\"beta,\\\"2\\\"\",\n"
          "   \"hash\":\"0000000000002222\",\n   \"simd\":8,\n   \"dispatches\":1,\n"
          "   \"static\":2,\n   \"dynamic\":12,\n   \"rows\":[\n    {\n"
          "     \"opcode\":\"mov\",\n     \"dynamic\":6,\n     \"dynamic-share\":50.00\n"
          "    }\n   ]\n  }\n ],\n \"total\":{\n  \"static\":12,\n  \"dynamic\":126,\n"
          "  \"rows\":[\n   {\n    \"opcode\":\"mov\",\n    \"dynamic\":37,\n"
          "    \"dynamic-share\":29.37\n   }\n  ]\n }\n}\n");
}

static void bblprof_text(void **state)
{
    (void)state;
    struct analyze_matcher *matcher;
    const char *patterns[] = {"re:^al"};
    struct report_options options = {.format = REPORT_FORMAT_TEXT, .sort = "-share,-block"};
    assert_int_equal(analyze_matcher_create(patterns, 1, &matcher, NULL), SONDE_OK);
    check("bblprof", matcher, &options,
          "bblprof: basic blocks and their executions\n"
          "\n"
          "alpha: SIMD16, hash 0000000000001111, 3 dispatches, 10 instructions, 114 executed\n"
          "  BLOCK  OFFSET  INSTRUCTIONS  EXECUTIONS  SHARE%\n"
          "      1    0x50             2           5    8.77\n"
          "      3    0x90             1          13   11.40\n"
          "      2    0x70             2          13   22.81\n"
          "      0     0x0             5          13   57.02\n");
    analyze_matcher_destroy(matcher);
}

static void columns_are_added(void **state)
{
    (void)state;
    struct report_options options = {
        .format = REPORT_FORMAT_CSV, .columns = "+dynamic", .limit = 1};
    check("bblprof", NULL, &options,
          "kernel,hash,block,offset,instructions,executions,share,dynamic\n"
          "alpha,0000000000001111,0,0x0,5,13,57.02,65\n"
          "\"beta,\"\"2\"\"\",0000000000002222,0,0x0,1,6,50.00,6\n");
}

static void unknown_column(void **state)
{
    (void)state;
    struct analyze_profile *profile;
    struct sonde_error error;
    struct report_text text = {.data = NULL};
    struct report_options options = {.columns = "opcode,nonsense"};
    assert_int_equal(analyze_profile_create(trace, "opcodeprof", NULL, &profile, &error), SONDE_OK);
    assert_int_equal(report_profile_print(profile, &options, &text, NULL, &error),
                     SONDE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "'nonsense'"));
    assert_non_null(strstr(error.message, "dynamic-share"));
    analyze_profile_destroy(profile);
    free(text.data);
}

static void executions_of_instructions(void **state)
{
    (void)state;
    static const uint64_t expected[10] = {13, 13, 13, 13, 13, 5, 5, 13, 13, 13};
    struct analyze_profile *profile;
    assert_int_equal(analyze_profile_create(trace, "bblprof", NULL, &profile, NULL), SONDE_OK);
    assert_int_equal(profile->kernel_count, 2);
    assert_int_equal(profile->kernels[0].instruction_count, 10);
    assert_memory_equal(profile->kernels[0].instruction_executions, expected, sizeof expected);
    analyze_profile_destroy(profile);
}

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name;
        bool accepted;
    } cases[] = {
        {"alpha", "alpha", true},    {"alpha", "alpha2", false}, {"al*", "alpha2", true},
        {"?lpha", "alpha", true},    {"re:ph", "alpha", true},   {"re:^ph", "alpha", false},
        {"re:(a|b)$", "beta", true}, {"", "alpha", false},
    };
    struct sonde_error error;
    struct analyze_matcher *matcher;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(analyze_matcher_create(&cases[i].pattern, 1, &matcher, &error), SONDE_OK);
        assert_int_equal(analyze_matcher_accepts(matcher, cases[i].name), cases[i].accepted);
        analyze_matcher_destroy(matcher);
    }
    const char *bad = "re:(";
    assert_int_equal(analyze_matcher_create(&bad, 1, &matcher, &error), SONDE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "'('"));
}

static void json_strings(void **state)
{
    (void)state;
    struct report_text text = {.data = NULL};
    struct report_json json = {.text = &text};
    report_json_begin_array(&json, NULL);
    report_json_string(&json, NULL, "a\"b\\c\n\x01");
    report_json_string(&json, NULL, "\xc3\xa9 \xe2\x82\xac");
    report_json_string(&json, NULL, "\xff\xc3(");
    report_json_string(&json, NULL, NULL);
    report_json_end_array(&json);
    assert_string_equal(text.data, "[\n \"a\\\"b\\\\c\\u000a\\u0001\",\n \"\xc3\xa9 \xe2\x82\xac\","
                                   "\n \"\\ufffd\\ufffd(\",\n null\n]\n");
    free(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodeprof_text),
        cmocka_unit_test(opcodeprof_csv),
        cmocka_unit_test(opcodeprof_json),
        cmocka_unit_test(bblprof_text),
        cmocka_unit_test(columns_are_added),
        cmocka_unit_test(unknown_column),
        cmocka_unit_test(executions_of_instructions),
        cmocka_unit_test(patterns),
        cmocka_unit_test(json_strings),
    };
    return cmocka_run_group_tests_name("report", tests, open_sample, close_sample);
}
