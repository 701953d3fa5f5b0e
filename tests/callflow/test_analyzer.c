/* Call flows worked out by hand: the cases in which the order of the events
 * alone would mislead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "flow_fixture.h"

enum { MAIN = 0xc000, F = 0xc020, G = 0xc040, H = 0xc060, ISR = 0xc080 };

static const struct sonde_trace_symbol symbols[] = {
    {"main", MAIN, 0x20, true}, {"f", F, 0x20, true},     {"g", G, 0x20, true},
    {"h", H, 0x20, true},       {"isr", ISR, 0x20, true}, {"stacks", 0x200, 0x80, false},
};

#define ENTER(cycle, function, sp)                                                                 \
    {                                                                                              \
        cycle, function, sp, 0, SONDE_TRACE_CALL_ENTER                                             \
    }
#define EXIT(cycle, function, sp)                                                                  \
    {                                                                                              \
        cycle, (function) + 8, sp, 0, SONDE_TRACE_CALL_EXIT                                        \
    }
#define INTERRUPT(cycle, vector, sp)                                                               \
    {                                                                                              \
        cycle, MAIN, sp, vector, SONDE_TRACE_CALL_INTERRUPT                                        \
    }
#define RETURN(cycle, sp)                                                                          \
    {                                                                                              \
        cycle, MAIN, sp, 0, SONDE_TRACE_CALL_INTERRUPT_RETURN                                      \
    }
#define SLEEP(cycle, sp)                                                                           \
    {                                                                                              \
        cycle, MAIN, sp, 0, SONDE_TRACE_CALL_SLEEP                                                 \
    }
#define WAKE(cycle, sp)                                                                            \
    {                                                                                              \
        cycle, MAIN, sp, 0, SONDE_TRACE_CALL_WAKE                                                  \
    }
#define STACK(cycle, function, sp)                                                                 \
    {                                                                                              \
        cycle, (function) + 4, sp, 0, SONDE_TRACE_CALL_STACK                                       \
    }
#define RESET(cycle)                                                                               \
    {                                                                                              \
        cycle, MAIN, 0, 0xfffe, SONDE_TRACE_CALL_RESET                                             \
    }
#define LOST(cycle, count)                                                                         \
    {                                                                                              \
        cycle, count, 0, 0, SONDE_TRACE_CALL_LOST                                                  \
    }

static struct analyze_callflow *build(const struct sonde_trace_call *calls, size_t count,
                                      uint64_t cycles, uint64_t idle, enum sonde_status expected)
{
    struct sonde_trace_firmware firmware = {.return_cycles = 3,
                                            .interrupt_return_cycles = 5,
                                            .data_end = 0x280,
                                            .symbols = symbols,
                                            .symbol_count = sizeof symbols / sizeof *symbols};
    struct sonde_trace_firmware_end end = {.cycles = cycles, .idle_cycles = idle, .reason = "end"};
    for (size_t i = 0; i < count; i++)
        end.interrupts += calls[i].kind == SONDE_TRACE_CALL_INTERRUPT;
    struct analyze_callflow_input input = {&firmware, calls, count, &end};
    struct analyze_callflow *flow;
    struct sonde_error error;
    assert_int_equal(analyze_callflow_build(&input, &flow, &error), expected);
    if (flow != NULL)
        flow_check(flow);
    return flow;
}

/* A line a span: depth as indentation, name, begin-end, self/total, stack, notes. */
static void print_flow(const struct analyze_callflow *flow, char *text, size_t size)
{
    static const char *const notes[] = {"tail", "jumped", "unwound", "open", "recursive"};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < flow->span_count; i++) {
        const struct analyze_span *span = &flow->spans[i];
        used += (size_t)snprintf(text + used, size - used, "%*s%s %llu-%llu %llu/%llu",
                                 (int)span->depth, "", flow->functions[span->function].name,
                                 (unsigned long long)span->begin, (unsigned long long)span->end,
                                 (unsigned long long)span->self, (unsigned long long)span->total);
        if (span->stack > 0)
            used += (size_t)snprintf(text + used, size - used, " stack%u", span->stack);
        for (unsigned n = 0; n < 5; n++) {
            if ((span->flags & 1u << n) != 0)
                used += (size_t)snprintf(text + used, size - used, " %s", notes[n]);
        }
        used += (size_t)snprintf(text + used, size - used, "\n");
    }
}

static void expect_flow(const struct sonde_trace_call *calls, size_t count, uint64_t cycles,
                        uint64_t idle, const char *expected)
{
    char text[4096];
    struct analyze_callflow *flow = build(calls, count, cycles, idle, SONDE_OK);
    print_flow(flow, text, sizeof text);
    assert_string_equal(text, expected);
    analyze_callflow_destroy(flow);
}

#define EXPECT(calls, cycles, idle, ...)                                                           \
    expect_flow(calls, sizeof(calls) / sizeof *(calls), cycles, idle, __VA_ARGS__)

static void test_tail_call(void **state)
{
    (void)state;
    const struct sonde_trace_call calls[] = {ENTER(10, MAIN, 0x3fc), ENTER(20, F, 0x3f8),
                                             EXIT(30, F, 0x3f8),     ENTER(32, G, 0x3f8),
                                             EXIT(40, G, 0x3f8),     EXIT(50, MAIN, 0x3fc)};
    EXPECT(calls, 60, 0,
           "(unmarked) 0-60 17/60 open\n"
           " main 10-53 20/43\n"
           "  f 20-32 12/12 jumped\n"
           "  g 32-43 11/11 tail\n");
}

static void test_call_after_return(void **state)
{
    (void)state;
    /* The same stack pointers; a return and a call take seven cycles. */
    const struct sonde_trace_call calls[] = {ENTER(10, MAIN, 0x3fc), ENTER(20, F, 0x3f8),
                                             EXIT(30, F, 0x3f8),     ENTER(37, G, 0x3f8),
                                             EXIT(40, G, 0x3f8),     EXIT(50, MAIN, 0x3fc)};
    EXPECT(calls, 60, 0,
           "(unmarked) 0-60 17/60 open\n"
           " main 10-53 24/43\n"
           "  f 20-33 13/13\n"
           "  g 37-43 6/6\n");
}

static void test_missing_exits(void **state)
{
    (void)state;
    const struct sonde_trace_call calls[] = {ENTER(10, MAIN, 0x3fc), ENTER(20, F, 0x3f8),
                                             ENTER(40, G, 0x3f8),    ENTER(50, H, 0x3f4),
                                             ENTER(60, F, 0x3f0),    EXIT(80, MAIN, 0x3fc)};
    EXPECT(calls, 90, 0,
           "(unmarked) 0-90 17/90 open\n"
           " main 10-83 13/73\n"
           "  f 20-40 20/20 unwound\n"
           "  g 40-80 10/40 unwound\n"
           "   h 50-80 10/30 unwound\n"
           "    f 60-80 20/20 unwound\n");
}

static void test_nested_interrupts(void **state)
{
    (void)state;
    const struct sonde_trace_call calls[] = {ENTER(10, MAIN, 0x3fc), INTERRUPT(20, 0xfff2, 0x3fc),
                                             ENTER(26, ISR, 0x3f8),  INTERRUPT(30, 0xffe4, 0x3f4),
                                             ENTER(36, H, 0x3f0),    EXIT(40, H, 0x3f0),
                                             RETURN(45, 0x3f4),      EXIT(50, ISR, 0x3f8),
                                             RETURN(55, 0x3fc),      EXIT(60, MAIN, 0x3fc)};
    EXPECT(calls, 70, 0,
           "(unmarked) 0-70 17/35 open\n"
           " main 10-63 18/18\n"
           "  (interrupt 0xfff2) 20-55 6/20\n"
           "   isr 26-55 14/14\n"
           "    (interrupt 0xffe4) 30-45 6/15\n"
           "     h 36-45 9/9\n");
}

static void test_longjmp_out_of_interrupts(void **state)
{
    (void)state;
    const struct sonde_trace_call calls[] = {ENTER(10, MAIN, 0x3fc), INTERRUPT(20, 0xfff2, 0x3fc),
                                             ENTER(26, ISR, 0x3f8),  INTERRUPT(30, 0xffe4, 0x3f8),
                                             ENTER(36, H, 0x3f4),    EXIT(50, MAIN, 0x3fc)};
    EXPECT(calls, 60, 0,
           "(unmarked) 0-60 17/30 open\n"
           " main 10-53 13/13\n"
           "  (interrupt 0xfff2) 20-50 6/10 unwound\n"
           "   isr 26-50 4/4 unwound\n"
           "    (interrupt 0xffe4) 30-50 6/20 unwound\n"
           "     h 36-50 14/14 unwound\n");
}

static void test_switch_in_interrupt(void **state)
{
    (void)state;
    /* The handler leaves by RETI on the stack of a task that never ran, and
     * later on that of main again. */
    const struct sonde_trace_call calls[] = {
        ENTER(10, MAIN, 0x3fc), INTERRUPT(20, 0xfff2, 0x3f8), RETURN(40, 0x27e),
        ENTER(45, F, 0x27c),    INTERRUPT(60, 0xfff2, 0x278), RETURN(80, 0x3f8),
        EXIT(90, MAIN, 0x3fc)};
    EXPECT(calls, 93, 0,
           "(unmarked) 0-93 10/33 open\n"
           " main 10-93 23/23\n"
           "  (interrupt 0xfff2) 20-80 20/20\n"
           "(unmarked) 40-93 5/20 stack1 open\n"
           " f 45-93 15/15 stack1 open\n"
           "  (interrupt 0xfff2) 60-93 20/20 stack1 open\n");
}

static void test_marked_switch_function(void **state)
{
    (void)state;
    /* g saves one stack pointer and loads another, and is entered and left
     * on different stacks. */
    const struct sonde_trace_call calls[] = {
        ENTER(10, MAIN, 0x3fc), ENTER(20, G, 0x3f8), EXIT(30, G, 0x23e),
        ENTER(33, F, 0x240),    ENTER(40, G, 0x23c), EXIT(50, G, 0x3f8),
        ENTER(60, G, 0x3f8),    EXIT(70, G, 0x23c),  EXIT(80, F, 0x240)};
    char text[2048];
    struct analyze_callflow *flow = build(calls, 9, 90, 0, SONDE_OK);
    print_flow(flow, text, sizeof text);
    assert_string_equal(text, "(unmarked) 0-90 10/50 open\n"
                              " main 10-90 17/40 open\n"
                              "  g 20-53 13/13\n"
                              "(unmarked) 30-90 10/40 stack1 open\n"
                              " f 33-83 17/30 stack1\n"
                              "  g 40-73 13/13 stack1\n"
                              "  g 60-90 10/10 open\n");
    assert_int_equal(flow->stack_count, 2);
    analyze_callflow_destroy(flow);
}

static void test_task_in_heap(void **state)
{
    (void)state;
    /* Unmarked code at h switches to a stack that no symbol tells of, below
     * that of main, and back; then to it once more. */
    const struct sonde_trace_call calls[] = {
        ENTER(10, MAIN, 0x3fc), STACK(20, H, 0x2f0),  ENTER(30, F, 0x300), ENTER(40, G, 0x2fc),
        EXIT(50, G, 0x2fc),     STACK(60, H, 0x3ee),  ENTER(70, G, 0x3f8), EXIT(80, G, 0x3f8),
        STACK(90, H, 0x2f0),    ENTER(100, G, 0x2fc), EXIT(110, G, 0x2fc), EXIT(120, F, 0x300)};
    EXPECT(calls, 130, 0,
           "(unmarked) 0-130 10/60 open\n"
           " main 10-130 37/50 open\n"
           "(unmarked) 30-130 7/70 stack1 open\n"
           " f 30-123 37/63 stack1\n"
           "  g 40-53 13/13 stack1\n"
           "  g 70-83 13/13\n"
           "  g 100-113 13/13 stack1\n");
}

static void test_tasks_in_one_object(void **state)
{
    (void)state;
    /* The one with the higher stack starts first, and both are entered by the
     * return of a marked switch function, g. */
    const struct sonde_trace_call calls[] = {
        ENTER(10, MAIN, 0x3fc), ENTER(20, G, 0x3f8), STACK(25, G, 0x270),
        EXIT(30, G, 0x27e),     ENTER(33, F, 0x280), ENTER(40, G, 0x27c),
        STACK(45, G, 0x22c),    EXIT(50, G, 0x23a),  ENTER(53, H, 0x23c)};
    EXPECT(calls, 60, 0,
           "(unmarked) 0-60 10/30 open\n"
           " main 10-60 10/20 open\n"
           "  g 20-60 10/10 open\n"
           "(unmarked) 30-60 3/20 stack1 open\n"
           " f 33-60 7/17 stack1 open\n"
           "  g 40-60 10/10 stack1 open\n"
           "(unmarked) 50-60 3/10 stack2 open\n"
           " h 53-60 7/7 stack2 open\n");
}

static void test_variable_frame(void **state)
{
    (void)state;
    /* f makes room for 128 bytes by MOV and gives some back by ADD. */
    const struct sonde_trace_call calls[] = {
        ENTER(10, MAIN, 0x3fc), ENTER(20, F, 0x3f8), STACK(30, F, 0x370),  ENTER(40, G, 0x3a0),
        EXIT(50, G, 0x3a0),     EXIT(60, F, 0x3f8),  EXIT(70, MAIN, 0x3fc)};
    EXPECT(calls, 80, 0,
           "(unmarked) 0-80 17/80 open\n"
           " main 10-73 20/63\n"
           "  f 20-63 30/43\n"
           "   g 40-53 13/13\n");
}

static void test_sleep(void **state)
{
    (void)state;
    const struct sonde_trace_call calls[] = {ENTER(10, MAIN, 0x3fc), SLEEP(20, 0x3fc),
                                             WAKE(70, 0x3fc),        INTERRUPT(70, 0xfff2, 0x3fc),
                                             RETURN(90, 0x3fc),      SLEEP(90, 0x3fc)};
    EXPECT(calls, 100, 60,
           "(unmarked) 0-100 10/20 open\n"
           " main 10-100 10/10 open\n"
           "  (sleep) 20-70 50/50\n"
           "  (interrupt 0xfff2) 70-90 20/20\n"
           "  (sleep) 90-100 10/10\n");
    /* The simulator counted something else. */
    assert_null(build(calls, 6, 100, 59, SONDE_ERROR_FORMAT));
}

static void test_reset(void **state)
{
    (void)state;
    const struct sonde_trace_call calls[] = {RESET(0), ENTER(10, MAIN, 0x3fc), ENTER(20, F, 0x3f8),
                                             RESET(30), ENTER(40, MAIN, 0x3fc)};
    EXPECT(calls, 50, 0,
           "(unmarked) 0-30 10/30 open\n"
           " main 10-30 10/20 open\n"
           "  f 20-30 10/10 open\n"
           "(unmarked) 30-50 10/20 open\n"
           " main 40-50 10/10 open\n");
}

static void test_marked_start(void **state)
{
    (void)state;
    /* Start-up code is a function, too: it is entered before it sets the stack
     * pointer, and calls main. */
    const struct sonde_trace_call calls[] = {RESET(0),
                                             ENTER(4, H, 0),
                                             STACK(6, H, 0x400),
                                             ENTER(20, MAIN, 0x3fe),
                                             ENTER(30, F, 0x3fa),
                                             EXIT(40, F, 0x3fa),
                                             EXIT(50, MAIN, 0x3fe)};
    EXPECT(calls, 60, 0,
           "(unmarked) 0-60 4/60 open\n"
           " h 4-60 23/56 open\n"
           "  main 20-53 20/33\n"
           "   f 30-43 13/13\n");
}

static void test_loss(void **state)
{
    (void)state;
    const struct sonde_trace_call calls[] = {ENTER(10, MAIN, 0x3fc), ENTER(20, F, 0x3f8),
                                             LOST(100, 5), EXIT(120, F, 0x3f8),
                                             EXIT(130, MAIN, 0x3fc)};
    char text[2048];
    struct analyze_callflow *flow = build(calls, 5, 140, 0, SONDE_OK);
    print_flow(flow, text, sizeof text);
    assert_string_equal(text, "(unmarked) 0-140 17/60 open\n"
                              " main 10-133 20/43\n"
                              "  f 20-123 23/23\n"
                              "   (lost) 20-100 80/80\n");
    assert_int_equal(flow->lost, 5);
    analyze_callflow_destroy(flow);
}

static void test_exits_of_others(void **state)
{
    (void)state;
    /* f is left by a jump into g's epilogue; h was never entered by a marker;
     * main's exit is marked before its epilogue. */
    const struct sonde_trace_call calls[] = {ENTER(10, MAIN, 0x3fc), ENTER(20, F, 0x3f8),
                                             EXIT(30, G, 0x3f8), EXIT(50, H, 0x3f0),
                                             EXIT(60, MAIN, 0x3f8)};
    char text[2048];
    struct analyze_callflow *flow = build(calls, 5, 70, 0, SONDE_OK);
    print_flow(flow, text, sizeof text);
    assert_string_equal(text, "(unmarked) 0-70 17/70 open\n"
                              " main 10-63 40/53\n"
                              "  f 20-33 13/13 jumped\n");
    assert_int_equal(flow->orphans, 1);
    analyze_callflow_destroy(flow);
}

static const struct analyze_function *find(const struct analyze_callflow *flow, const char *name)
{
    for (size_t i = 0; i < flow->function_count; i++) {
        if (strcmp(flow->functions[i].name, name) == 0)
            return &flow->functions[i];
    }
    return NULL;
}

static void test_recursion(void **state)
{
    (void)state;
    const struct sonde_trace_call calls[] = {
        ENTER(10, F, 0x3fc), ENTER(20, F, 0x3f0), ENTER(30, G, 0x3e8), ENTER(40, F, 0x3e0),
        EXIT(50, F, 0x3e0),  EXIT(60, G, 0x3e8),  EXIT(70, F, 0x3f0),  EXIT(80, F, 0x3fc)};
    struct analyze_callflow *flow = build(calls, 8, 100, 0, SONDE_OK);
    const struct analyze_function *f = find(flow, "f"), *g = find(flow, "g");
    assert_int_equal(f->calls, 3);
    assert_int_equal(f->self, 53);
    assert_int_equal(f->total, 73);
    assert_int_equal(f->sum, 73 + 53 + 13);
    assert_int_equal(f->minimum, 13);
    assert_int_equal(f->maximum, 73);
    assert_int_equal(f->peak_stack, 0x3fc - 0x3e0);
    assert_int_equal(g->self, 20);
    assert_int_equal(g->total, 33);
    assert_int_equal(flow->peak_stack, 0x3fc - 0x3e0);
    analyze_callflow_destroy(flow);
}

static void test_percentile(void **state)
{
    (void)state;
    struct sonde_trace_call calls[200];
    uint64_t cycle = 0;
    for (unsigned i = 0; i < 100; i++) {
        /* 4 to 103 cycles with the return, in mixed order. */
        unsigned length = 1 + i * 37 % 100;
        calls[2 * i] = (struct sonde_trace_call)ENTER(cycle, F, 0x3fc);
        calls[2 * i + 1] = (struct sonde_trace_call)EXIT(cycle + length, F, 0x3fc);
        cycle += length + 10;
    }
    struct analyze_callflow *flow = build(calls, 200, cycle, 0, SONDE_OK);
    const struct analyze_function *f = find(flow, "f");
    assert_int_equal(f->calls, 100);
    assert_int_equal(f->minimum, 4);
    assert_int_equal(f->percentile_95, 98);
    assert_int_equal(f->maximum, 103);
    assert_int_equal(f->sum, 5350);
    analyze_callflow_destroy(flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tail_call),
        cmocka_unit_test(test_call_after_return),
        cmocka_unit_test(test_missing_exits),
        cmocka_unit_test(test_nested_interrupts),
        cmocka_unit_test(test_longjmp_out_of_interrupts),
        cmocka_unit_test(test_switch_in_interrupt),
        cmocka_unit_test(test_marked_switch_function),
        cmocka_unit_test(test_task_in_heap),
        cmocka_unit_test(test_tasks_in_one_object),
        cmocka_unit_test(test_variable_frame),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_marked_start),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_exits_of_others),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_percentile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
