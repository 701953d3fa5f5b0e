/* Run each scenario under the attach library, and look at the trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/neo/protocol.h"
#include "fake_driver.h"
#include "loop_isa.h"
#include "sonde/kernel.h"
#include "sonde/trace.h"

static char base[64];
static const char *library, *driver, *scenarios;

static int make_base(void **state)
{
    (void)state;
    strcpy(base, "/tmp/sonde-test-attach-XXXXXX");
    return mkdtemp(base) == NULL;
}

static int remove_base(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", base);
    return system(command);
}

struct run {
    int status;
    struct sonde_trace *trace;
};

/* `extra`: NAME=VALUE strings, NULL at the end, after the standard ones. */
static struct run run_program(char *const *argv, const char *const *extra)
{
    static unsigned number;
    char directory[128];
    snprintf(directory, sizeof directory, "%s/run%u", base, number++);
    assert_int_equal(sonde_trace_directory_create(directory, NULL), SONDE_OK);
    pid_t child = fork();
    if (child == 0) {
        setenv("LD_PRELOAD", library, 1);
        setenv(ATTACH_ENV_ATTACH, "1", 1);
        setenv(ATTACH_ENV_OUTPUT, directory, 1);
        setenv(ATTACH_ENV_TOOLS, "opcodeprof", 1);
        setenv(ATTACH_ENV_DEVICE, "emu:skl", 1);
        setenv(ATTACH_ENV_COMMAND, "./scenario", 1);
        setenv(ATTACH_ENV_DRIVER, strrchr(driver, '/') + 1, 1);
        for (; *extra != NULL; extra++)
            putenv((char *)(uintptr_t)*extra);
        execv(argv[0], argv);
        _exit(126);
    }
    struct run run;
    alarm(30);
    assert_int_equal(waitpid(child, &run.status, 0), child);
    alarm(0);
    assert_int_equal(sonde_trace_open(directory, &run.trace, NULL), SONDE_OK);
    return run;
}

static struct run run_with(const char *scenario, const char *const *extra)
{
    char *argv[] = {(char *)(uintptr_t)scenarios, (char *)(uintptr_t)driver,
                    (char *)(uintptr_t)scenario, NULL};
    return run_program(argv, extra);
}

static struct run run(const char *scenario)
{
    static const char *const none[] = {NULL};
    struct run result = run_with(scenario, none);
    assert_true(WIFEXITED(result.status));
    assert_int_equal(WEXITSTATUS(result.status), 0);
    return result;
}

/* What the tool makes of the device's counts, which are those of the blocks that
 * it counts. */
static void check_executions(const struct sonde_trace_block_counts *counts)
{
    struct sonde_kernel_info info = {.name = "loop",
                                     .platform = SONDE_GEN_PLATFORM_GEN9,
                                     .isa = loop_isa,
                                     .isa_size = sizeof loop_isa,
                                     .simd_width = 16};
    struct sonde_kernel *kernel;
    bool counted[32];
    uint64_t expected[32] = {0};
    uint32_t depth[32];
    uint32_t counters = 0;
    assert_int_equal(sonde_kernel_create(&info, &kernel, NULL), SONDE_OK);
    assert_true(counts->count == sonde_kernel_block_count(kernel) && counts->count <= 32);
    assert_int_equal(sonde_kernel_counted_blocks(kernel, counted, NULL), SONDE_OK);
    sonde_kernel_loop_depths(kernel, depth);
    for (uint32_t level = 32; level-- > 0;) /* counters of inner loops stand first */
        for (size_t b = 0; b < counts->count; b++)
            if (counted[b] && depth[b] == level)
                expected[b] = FAKE_COUNT(counters++);
    assert_true(counters >= 2 && counters < counts->count);
    assert_int_equal(sonde_kernel_complete_counts(kernel, expected, NULL), SONDE_OK);
    assert_memory_equal(counts->counts, expected, counts->count * sizeof *expected);
    sonde_kernel_destroy(kernel);
}

/* Every count must be that of exactly one dispatch. */
static void check_counts(const struct sonde_trace *trace, size_t wanted)
{
    assert_int_equal(sonde_trace_block_counts_count(trace), wanted);
    for (size_t i = 0; i < wanted; i++) {
        const struct sonde_trace_block_counts *counts = sonde_trace_block_counts(trace, i);
        assert_string_equal(counts->tool, "opcodeprof");
        assert_true(counts->count > 2);
        check_executions(counts);
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(trace, counts->dispatch);
        assert_true(dispatch->instrumented && dispatch->complete);
        assert_true(dispatch->submit_time > 0 && dispatch->complete_time >= dispatch->submit_time);
    }
}

static size_t count_dispatches(const struct sonde_trace *trace, bool instrumented, bool complete)
{
    size_t count = 0;
    for (size_t i = 0; i < sonde_trace_dispatch_count(trace); i++) {
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(trace, i);
        count += dispatch->instrumented == instrumented && dispatch->complete == complete;
    }
    return count;
}

static void test_basic(void **state)
{
    (void)state;
    struct run result = run("basic");
    struct sonde_trace *trace = result.trace;
    assert_null(sonde_trace_warning(trace));
    const struct sonde_trace_header *header = sonde_trace_header(trace);
    assert_string_equal(header->command_line, "./scenario");
    assert_string_equal(header->device, "emu:skl");
    assert_string_equal(header->driver, "Intel OpenCL 1.2.3");
    assert_string_equal(header->tools, "opcodeprof");
    assert_string_equal(header->mode, "instrument");
    assert_string_equal(header->registers, "recompile");
    assert_int_equal(header->clock_frequency, 12500000);
    assert_non_null(strstr(header->program, "scenarios"));
    assert_int_equal(sonde_trace_kernel_count(trace), 1);
    const struct sonde_trace_kernel *kernel = sonde_trace_kernel(trace, 0);
    assert_string_equal(kernel->name, "loop");
    assert_null(kernel->refusal);
    assert_int_equal(kernel->profile_bti, 1);
    assert_int_equal(kernel->igc_hash, 0x1234);
    assert_int_equal(kernel->instrumented_entry % 64, 0);
    assert_memory_equal(kernel->heap, kernel->original, kernel->original_size);
    assert_int_equal(sonde_trace_dispatch_count(trace), 3);
    check_counts(trace, 3);
    assert_int_equal(sonde_trace_loss_count(trace), 0);
    assert_int_equal(sonde_trace_message_count(trace), 0);
    sonde_trace_close(trace);
}

/* Each buffer starts from zero, whether it is fresh or used again. */
static void test_many_in_flight(void **state)
{
    (void)state;
    const char *const hardware[] = {"SONDE_DEVICE=hw", NULL};
    for (int reuse = 0; reuse < 2; reuse++) {
        struct run result = reuse ? run_with("basic", hardware) : run("batched");
        assert_int_equal(result.status, 0);
        if (reuse)
            assert_string_equal(sonde_trace_header(result.trace)->device, "Fake Graphics");
        check_counts(result.trace, reuse ? 3 : 301);
        sonde_trace_close(result.trace);
    }
}

static void test_completion_backwards(void **state)
{
    (void)state;
    struct run result = run("backwards");
    check_counts(result.trace, 10);
    sonde_trace_close(result.trace);
}

static void test_failed_enqueues(void **state)
{
    (void)state;
    struct run result = run("failing");
    /* 1 + 2 + 1 + 3 + 2 dispatches ran; one of each kernel lost its profile. */
    assert_int_equal(sonde_trace_dispatch_count(result.trace), 9);
    check_counts(result.trace, 7);
    assert_int_equal(sonde_trace_loss_count(result.trace), 2);
    for (size_t i = 0; i < 2; i++) {
        const struct sonde_trace_loss *loss = sonde_trace_loss(result.trace, i);
        assert_int_equal(loss->records, 1);
        assert_non_null(strstr(loss->reason, "failed or had no work-items"));
        assert_false(sonde_trace_dispatch(result.trace, loss->dispatch)->instrumented);
    }
    assert_int_equal(count_dispatches(result.trace, true, false), 0);
    sonde_trace_close(result.trace);
}

static void test_kernel_without_surface(void **state)
{
    (void)state;
    struct run result = run("unseen");
    check_counts(result.trace, 1);
    assert_int_equal(sonde_trace_kernel_count(result.trace), 2);
    const struct sonde_trace_kernel *hidden = sonde_trace_kernel(result.trace, 1);
    assert_string_equal(hidden->name, "hidden");
    assert_non_null(strstr(hidden->refusal, "surface"));
    assert_int_equal(sonde_trace_dispatch_count(result.trace), 3);
    assert_int_equal(count_dispatches(result.trace, false, false), 2);
    sonde_trace_close(result.trace);
}

static void test_program_that_never_waits(void **state)
{
    (void)state;
    struct run result = run("no_wait");
    check_counts(result.trace, 4);
    assert_int_equal(sonde_trace_loss_count(result.trace), 0);
    assert_null(sonde_trace_warning(result.trace));
    sonde_trace_close(result.trace);
}

static void test_blocked_at_exit(void **state)
{
    (void)state;
    struct run result = run("blocked");
    check_counts(result.trace, 1);
    assert_int_equal(sonde_trace_dispatch_count(result.trace), 3);
    assert_int_equal(count_dispatches(result.trace, true, false), 2);
    assert_int_equal(sonde_trace_loss_count(result.trace), 2);
    assert_non_null(strstr(sonde_trace_loss(result.trace, 0)->reason, "without waiting"));
    sonde_trace_close(result.trace);
    result = run("unblocked");
    check_counts(result.trace, 2);
    sonde_trace_close(result.trace);
}

static void test_reported_early(void **state)
{
    (void)state;
    struct run result = run("reported_early");
    check_counts(result.trace, 5);
    sonde_trace_close(result.trace);
    result = run("shared_queue");
    check_counts(result.trace, 301);
    assert_int_equal(sonde_trace_loss_count(result.trace), 0);
    sonde_trace_close(result.trace);
}

static void test_queue_released(void **state)
{
    (void)state;
    struct run result = run("released");
    check_counts(result.trace, 1);
    assert_int_equal(sonde_trace_loss_count(result.trace), 1);
    assert_non_null(strstr(sonde_trace_loss(result.trace, 0)->reason, "released"));
    sonde_trace_close(result.trace);
    result = run("context_freed");
    check_counts(result.trace, 1);
    sonde_trace_close(result.trace);
}

static void test_killed(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    struct run result = run_with("killed", none);
    assert_true(WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGKILL);
    check_counts(result.trace, 2);
    assert_int_equal(count_dispatches(result.trace, true, false), 1);
    assert_non_null(sonde_trace_warning(result.trace));
    sonde_trace_close(result.trace);
    result = run_with("left", none);
    assert_true(WIFEXITED(result.status));
    assert_int_equal(WEXITSTATUS(result.status), 3);
    check_counts(result.trace, 1);
    assert_int_equal(count_dispatches(result.trace, true, false), 1);
    sonde_trace_close(result.trace);
}

static void test_forked(void **state)
{
    (void)state;
    struct run result = run("forked");
    assert_int_equal(sonde_trace_process_count(result.trace), 2);
    assert_null(sonde_trace_warning(result.trace));
    check_counts(result.trace, 3);
    sonde_trace_close(result.trace);
    result = run("forked_idle");
    assert_int_equal(sonde_trace_process_count(result.trace), 1);
    check_counts(result.trace, 1);
    sonde_trace_close(result.trace);
}

static void test_threads(void **state)
{
    (void)state;
    struct run result = run("threads");
    assert_int_equal(sonde_trace_dispatch_count(result.trace), 400);
    check_counts(result.trace, 400);
    assert_int_equal(sonde_trace_loss_count(result.trace), 0);
    sonde_trace_close(result.trace);
}

static void test_unusable_kernels(void **state)
{
    (void)state;
    struct run result = run("broken_code");
    check_counts(result.trace, 1);
    assert_int_equal(sonde_trace_kernel_count(result.trace), 5);
    assert_int_equal(sonde_trace_dispatch_count(result.trace), 5);
    assert_int_equal(count_dispatches(result.trace, false, true), 4);
    for (size_t i = 1; i < 5; i++) {
        assert_non_null(sonde_trace_kernel(result.trace, i)->refusal);
        assert_null(sonde_trace_kernel(result.trace, i)->heap);
    }
    assert_non_null(strstr(sonde_trace_kernel(result.trace, 3)->refusal, "no register"));
    assert_non_null(strstr(sonde_trace_kernel(result.trace, 4)->refusal, "without binding table"));
    sonde_trace_close(result.trace);
    result = run("unknown_device");
    assert_non_null(strstr(sonde_trace_kernel(result.trace, 0)->refusal, "instruction set"));
    assert_int_equal(count_dispatches(result.trace, false, true), 1);
    sonde_trace_close(result.trace);
}

static void test_compiler_answers(void **state)
{
    (void)state;
    struct run result = run("compiler_answer");
    check_counts(result.trace, 5);
    sonde_trace_close(result.trace);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct run result = run("no_memory");
    check_counts(result.trace, 1);
    assert_int_equal(sonde_trace_loss_count(result.trace), 1);
    assert_int_equal(sonde_trace_loss(result.trace, 0)->dispatch, 0);
    assert_non_null(strstr(sonde_trace_loss(result.trace, 0)->reason, "no memory"));
    sonde_trace_close(result.trace);
}

static void test_nonsense(void **state)
{
    (void)state;
    struct run result = run("nonsense");
    check_counts(result.trace, 1);
    assert_int_equal(sonde_trace_dispatch_count(result.trace), 2);
    sonde_trace_close(result.trace);
}

static size_t counted(const struct sonde_trace *trace, const char *kernel)
{
    size_t count = 0;
    for (size_t i = 0; i < sonde_trace_block_counts_count(trace); i++) {
        uint32_t id = sonde_trace_block_counts(trace, i)->kernel;
        count += strcmp(sonde_trace_kernel(trace, id)->name, kernel) == 0;
    }
    return count;
}

static void test_filter(void **state)
{
    (void)state;
    static const struct {
        const char *filter;
        size_t rows, columns, copies;
    } cases[] = {
        {"SONDE_FILTER=+sum_*", 4, 4, 0},
        {"SONDE_FILTER=-sum_*", 0, 0, 4},
        {"SONDE_FILTER=+re:^sum_\n-*columns", 4, 0, 0},
        {"SONDE_FILTER=skip=3\ncount=4", 2, 1, 1},
        {"SONDE_FILTER=+copy\nskip=1\ncount=2", 0, 0, 2},
        {"SONDE_FILTER=skip=100", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const extra[] = {cases[i].filter, NULL};
        struct run result = run_with("named", extra);
        assert_int_equal(result.status, 0);
        assert_int_equal(sonde_trace_dispatch_count(result.trace), 12);
        assert_int_equal(sonde_trace_message_count(result.trace), 0);
        assert_int_equal(counted(result.trace, "sum_rows"), cases[i].rows);
        assert_int_equal(counted(result.trace, "sum_columns"), cases[i].columns);
        assert_int_equal(counted(result.trace, "copy"), cases[i].copies);
        check_counts(result.trace, cases[i].rows + cases[i].columns + cases[i].copies);
        sonde_trace_close(result.trace);
    }
    const char *const wrong[] = {"SONDE_FILTER=+re:(", NULL};
    struct run result = run_with("named", wrong);
    assert_int_equal(result.status, 0);
    assert_int_equal(sonde_trace_message_count(result.trace), 1);
    sonde_trace_close(result.trace);
}

static void test_original_mode(void **state)
{
    (void)state;
    const char *const extra[] = {"SONDE_MODE=original", "SONDE_REGISTERS=unmodified", NULL};
    struct run result = run_with("basic", extra);
    assert_int_equal(result.status, 0);
    assert_string_equal(sonde_trace_header(result.trace)->mode, "original");
    assert_string_equal(sonde_trace_header(result.trace)->registers, "unmodified");
    assert_non_null(sonde_trace_kernel(result.trace, 0)->heap);
    assert_int_equal(count_dispatches(result.trace, false, true), 3);
    check_counts(result.trace, 0);
    sonde_trace_close(result.trace);
}

static void test_tools(void **state)
{
    (void)state;
    const char *const both[] = {"SONDE_TOOLS=nonsense,bblprof", NULL};
    struct run result = run_with("basic", both);
    assert_int_equal(sonde_trace_block_counts_count(result.trace), 3);
    assert_string_equal(sonde_trace_block_counts(result.trace, 0)->tool, "bblprof");
    assert_int_equal(sonde_trace_message_count(result.trace), 1);
    assert_non_null(strstr(sonde_trace_message(result.trace, 0)->text, "no tool nonsense"));
    sonde_trace_close(result.trace);
    const char *const none[] = {"SONDE_TOOLS=", NULL};
    result = run_with("basic", none);
    assert_int_equal(count_dispatches(result.trace, false, true), 3);
    assert_int_equal(sonde_trace_message_count(result.trace), 0);
    sonde_trace_close(result.trace);
    char loaded[512], finished[128];
    snprintf(loaded, sizeof loaded, "SONDE_TOOLS=%s", getenv("TEST_TOOL"));
    snprintf(finished, sizeof finished, "TEST_FINISH=%s/finished", base);
    const char *const file[] = {loaded, finished, NULL};
    result = run_with("basic", file);
    assert_int_equal(sonde_trace_message_count(result.trace), 1);
    assert_string_equal(sonde_trace_message(result.trace, 0)->text, "3 dispatches, 3 complete");
    assert_int_equal(access(strchr(finished, '=') + 1, F_OK), 0);
    sonde_trace_close(result.trace);
}

/* Programs that do not use OpenCL, and a library that is not switched on. */
static void test_left_alone(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    char *const shell[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char[]){"/bin/true; exit 7"},
                           NULL};
    struct run result = run_program(shell, none);
    assert_int_equal(WEXITSTATUS(result.status), 7);
    assert_int_equal(sonde_trace_process_count(result.trace), 0);
    sonde_trace_close(result.trace);
    result = run("no_context");
    assert_int_equal(sonde_trace_process_count(result.trace), 0);
    sonde_trace_close(result.trace);
    const char *const off[] = {"SONDE_ATTACH=0", NULL};
    result = run_with("basic", off);
    assert_int_equal(result.status, 0);
    assert_int_equal(sonde_trace_process_count(result.trace), 0);
    sonde_trace_close(result.trace);
}

/* dlopen finds the caller's own search path, as without the library. */
static void test_search_path_of_caller(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    char *const program[] = {getenv("TEST_SEARCH"), NULL};
    struct run result = run_program(program, none);
    assert_true(WIFEXITED(result.status));
    assert_int_equal(WEXITSTATUS(result.status), 0);
    sonde_trace_close(result.trace);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    library = argv[1];
    driver = argv[2];
    scenarios = argv[3];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basic),
        cmocka_unit_test(test_many_in_flight),
        cmocka_unit_test(test_completion_backwards),
        cmocka_unit_test(test_failed_enqueues),
        cmocka_unit_test(test_kernel_without_surface),
        cmocka_unit_test(test_program_that_never_waits),
        cmocka_unit_test(test_blocked_at_exit),
        cmocka_unit_test(test_reported_early),
        cmocka_unit_test(test_queue_released),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_forked),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_unusable_kernels),
        cmocka_unit_test(test_compiler_answers),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_original_mode),
        cmocka_unit_test(test_tools),
        cmocka_unit_test(test_left_alone),
        cmocka_unit_test(test_search_path_of_caller),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
