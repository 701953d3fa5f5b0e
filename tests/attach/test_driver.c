/* `sonde run` with the unmodified driver and the emulated GPU, on programs
 * that call OpenCL in awkward orders; the traces against figures computed by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opencl_orders.h"
#include "sonde/trace.h"

static char base[64];
static char *sonde, *orders, *loaded;

static int make_base(void **state)
{
    (void)state;
    strcpy(base, "/tmp/sonde-test-driver-XXXXXX");
    return mkdtemp(base) == NULL;
}

static int remove_base(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", base);
    return system(command);
}

struct outcome {
    size_t processes, dispatches, complete, counts, losses;
    int exit_status;
};

/* A work-group of ORDERS_ITEMS takes ORDERS_ITEMS / SIMD hardware threads.
 * Each passes the first block and the last one once and the loop
 * ORDERS_ITERATIONS times; blocks for other cases are passed once or never. */
static void check_counts(const struct sonde_trace *trace,
                         const struct sonde_trace_block_counts *counts)
{
    const struct sonde_trace_kernel *kernel = sonde_trace_kernel(trace, counts->kernel);
    uint64_t threads = ORDERS_ITEMS / kernel->simd_width, in_loop = 0;
    assert_int_equal(counts->counts[0], threads);
    assert_true(kernel->blocks[counts->count - 1].is_eot);
    assert_int_equal(counts->counts[counts->count - 1], threads);
    for (size_t i = 0; i < counts->count; i++) {
        uint64_t count = counts->counts[i];
        assert_true(count == 0 || count == threads || count == threads * ORDERS_ITERATIONS);
        in_loop += count == threads * ORDERS_ITERATIONS;
    }
    assert_true(in_loop > 0);
}

static struct outcome look_at(const char *directory)
{
    struct outcome outcome = {.processes = 0};
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    outcome.processes = sonde_trace_process_count(trace);
    outcome.dispatches = sonde_trace_dispatch_count(trace);
    outcome.counts = sonde_trace_block_counts_count(trace);
    outcome.losses = sonde_trace_loss_count(trace);
    for (size_t i = 0; i < outcome.dispatches; i++) {
        const struct sonde_trace_dispatch *dispatch = sonde_trace_dispatch(trace, i);
        outcome.complete += dispatch->instrumented && dispatch->complete;
    }
    for (size_t i = 0; i < outcome.counts; i++)
        check_counts(trace, sonde_trace_block_counts(trace, i));
    assert_int_equal(sonde_trace_message_count(trace), 0);
    sonde_trace_close(trace);
    return outcome;
}

static struct outcome run(char *program, char *argument)
{
    static unsigned number;
    char directory[128];
    snprintf(directory, sizeof directory, "%s/run%u", base, number++);
    char *argv[] = {sonde,          (char[]){"run"},
                    (char[]){"-q"}, (char[]){"--device=emu:skl"},
                    (char[]){"-o"}, directory,
                    (char[]){"--"}, program,
                    argument,       NULL};
    pid_t child = fork();
    if (child == 0) {
        execv(argv[0], argv);
        _exit(126);
    }
    int status;
    alarm(60);
    assert_int_equal(waitpid(child, &status, 0), child);
    alarm(0);
    assert_true(WIFEXITED(status));
    struct outcome outcome = look_at(directory);
    outcome.exit_status = WEXITSTATUS(status);
    return outcome;
}

static void test_orders(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct outcome want;
    } rows[] = {
        /* name, {processes, dispatches, complete, counts, losses, exit} */
        {"never_waits", {1, 2, 2, 2, 0, 0}},     {"leaves", {1, 2, 1, 1, 0, 0}},
        {"aborts", {1, 1, 1, 1, 0, 134}},        {"fails", {1, 6, 5, 5, 1, 0}},
        {"blocked", {1, 3, 1, 1, 2, 0}},         {"unblocked", {1, 3, 3, 3, 0, 0}},
        {"waits_for_event", {1, 1, 1, 1, 0, 0}}, {"polls", {1, 1, 1, 1, 0, 0}},
        {"reads", {1, 1, 1, 1, 0, 0}},           {"out_of_order", {1, 20, 20, 20, 0, 0}},
        {"overtaken", {1, 60, 60, 60, 0, 0}},    {"releases", {1, 1, 1, 1, 0, 0}},
        {"without_surface", {1, 2, 1, 1, 0, 0}}, {"many", {1, 400, 400, 400, 0, 0}},
        {"threads", {1, 400, 400, 400, 0, 0}},   {"threads_one_queue", {1, 400, 400, 400, 0, 0}},
        {"forks", {2, 2, 2, 2, 0, 0}},           {"forks_idle", {1, 2, 2, 2, 0, 0}},
        {"priorities", {1, 2, 2, 2, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        print_message("           %s\n", rows[i].name);
        struct outcome got = run(orders, (char *)(uintptr_t)rows[i].name);
        const struct outcome *want = &rows[i].want;
        assert_int_equal(got.exit_status, want->exit_status);
        assert_int_equal(got.processes, want->processes);
        assert_int_equal(got.dispatches, want->dispatches);
        assert_int_equal(got.complete, want->complete);
        assert_int_equal(got.counts, want->counts);
        assert_int_equal(got.losses, want->losses);
    }
}

static void test_opencl_loaded_later(void **state)
{
    (void)state;
    struct outcome got = run(loaded, NULL);
    assert_int_equal(got.exit_status, 0);
    assert_int_equal(got.counts, 1);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    sonde = argv[1];
    orders = argv[2];
    loaded = argv[3];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_opencl_loaded_later),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
