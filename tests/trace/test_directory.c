/* Directories of runs, and the processes that write to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "sample.h"

static void test_rotation(void **state)
{
    (void)state;
    char *run = fixture_path("run"), *old = fixture_path("run.old");
    for (uint32_t n = 1; n <= 3; n++) {
        assert_int_equal(sonde_trace_directory_create(run, NULL), SONDE_OK);
        fixture_write(run, n);
    }
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(run, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_dispatch_count(trace), 3);
    sonde_trace_close(trace);
    assert_int_equal(sonde_trace_open(old, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_dispatch_count(trace), 2);
    sonde_trace_close(trace);
}

static void test_rotation_leaves_strangers_alone(void **state)
{
    (void)state;
    struct sonde_error error;
    char *home = fixture_path("home"), *file = fixture_path("home/thesis.txt");
    assert_int_equal(mkdir(home, 0700), 0);
    int fd = open(file, O_CREAT | O_WRONLY, 0600);
    close(fd);
    assert_int_equal(sonde_trace_directory_create(home, &error), SONDE_ERROR_IO);
    assert_non_null(strstr(error.message, "no Sonde run"));
    assert_int_equal(sonde_trace_directory_create(file, &error), SONDE_ERROR_IO);
    /* An older .old that somebody keeps notes in is not removed either. */
    char *kept = fixture_path("kept"), *note = fixture_path("kept.old/note");
    assert_int_equal(sonde_trace_directory_create(kept, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_directory_create(kept, NULL), SONDE_OK);
    fd = open(note, O_CREAT | O_WRONLY, 0600);
    close(fd);
    assert_int_equal(sonde_trace_directory_create(kept, &error), SONDE_ERROR_IO);
    assert_int_equal(access(note, F_OK), 0);
    assert_int_equal(access(file, F_OK), 0);
}

static void test_missing_run(void **state)
{
    (void)state;
    struct sonde_trace *trace;
    struct sonde_error error;
    assert_int_equal(sonde_trace_open(fixture_path("nothing"), &trace, &error),
                     SONDE_ERROR_NOT_FOUND);
    assert_null(trace);
    assert_int_equal(sonde_trace_open(fixture_path(""), &trace, &error), SONDE_ERROR_NOT_FOUND);
}

static void test_run_without_process(void **state)
{
    (void)state;
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_directory_create(fixture_path("empty"), NULL), SONDE_OK);
    assert_int_equal(sonde_trace_open(fixture_path("empty"), &trace, NULL), SONDE_OK);
    assert_null(sonde_trace_warning(trace));
    assert_int_equal(sonde_trace_process_count(trace), 0);
    assert_string_equal(sonde_trace_header(trace)->device, "");
    sonde_trace_close(trace);
}

static void test_two_processes(void **state)
{
    (void)state;
    char *directory = fixture_path("two");
    assert_int_equal(sonde_trace_directory_create(directory, NULL), SONDE_OK);
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    pid_t child = fork();
    if (child == 0) {
        /* The parent's writer is refused here, a new one is not. */
        bool refused = sonde_trace_write_message(writer, "child", NULL) != SONDE_OK;
        struct sonde_trace_writer *own;
        header.start_time++;
        header.process = (uint32_t)getpid();
        enum sonde_status status = sonde_trace_writer_create(directory, &header, &own, NULL);
        if (status == SONDE_OK)
            status = sample_write(own, 2, NULL);
        /* killed: no end mark */
        _exit(refused && status == SONDE_OK ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    assert_int_equal(sample_write(writer, 3, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);

    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_process_count(trace), 2);
    assert_int_equal(sonde_trace_process(trace, 0)->process, 4711);
    assert_int_equal(sonde_trace_process(trace, 1)->process, child);
    assert_true(sonde_trace_process_ended(trace, 0));
    assert_false(sonde_trace_process_ended(trace, 1));
    assert_non_null(strstr(sonde_trace_warning(trace), "did not end by itself"));
    assert_int_equal(sonde_trace_kernel_count(trace), 4);
    assert_int_equal(sonde_trace_dispatch_count(trace), 5);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sonde_trace_kernel(trace, i)->id, i);
        assert_int_equal(sonde_trace_kernel(trace, i)->process, i / 2);
    }
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(sonde_trace_dispatch(trace, i)->id, i);
        assert_int_equal(sonde_trace_dispatch(trace, i)->kernel, i < 3 ? 0 : 2);
    }
    /* counts: dispatches 0, 1 of the parent, 0 of the child (now 3) */
    assert_int_equal(sonde_trace_block_counts_count(trace), 3);
    assert_int_equal(sonde_trace_block_counts(trace, 2)->dispatch, 3);
    assert_int_equal(sonde_trace_block_counts(trace, 2)->kernel, 2);
    assert_int_equal(sonde_trace_loss(trace, 1)->dispatch, 4);
    assert_int_equal(sonde_trace_message_count(trace), 2);
    sonde_trace_close(trace);
}

/* exec keeps the process id: both writers get a file. */
static void test_same_process_id_twice(void **state)
{
    (void)state;
    char *directory = fixture_path("exec");
    fixture_write(directory, 1);
    fixture_write(directory, 2);
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_process_count(trace), 2);
    assert_int_equal(sonde_trace_dispatch_count(trace), 3);
    sonde_trace_close(trace);
}

static void test_descriptor_taken_by_program(void **state)
{
    (void)state;
    char *directory = fixture_path("closed"), *precious = fixture_path("precious");
    struct sonde_trace_header header = sample_header();
    struct sonde_trace_writer *writer;
    assert_int_equal(sonde_trace_writer_create(directory, &header, &writer, NULL), SONDE_OK);
    int first = open(precious, O_CREAT | O_RDWR, 0600), taken[64];
    assert_true(first >= 0);
    for (int fd = first + 1; fd < 256; fd++)
        close(fd);
    /* Every number that the writer may have had is the program's file now. */
    for (int i = 0; i < 64; i++)
        taken[i] = fcntl(first, F_DUPFD, 90 + i);
    assert_int_equal(sample_write(writer, 3, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_writer_close(writer, NULL), SONDE_OK);
    struct stat status;
    assert_int_equal(fstat(first, &status), 0);
    assert_int_equal(status.st_size, 0);
    for (int i = 0; i < 64; i++)
        assert_int_equal(fcntl(taken[i], F_GETFD), 0); /* still open */
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    assert_int_equal(sonde_trace_dispatch_count(trace), 3);
    assert_null(sonde_trace_warning(trace));
    sonde_trace_close(trace);
    for (int i = 0; i < 64; i++)
        close(taken[i]);
    close(first);
}

static void test_file_size_limit(void **state)
{
    (void)state;
    char *directory = fixture_path("limit");
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {4000, 4000};
        setrlimit(RLIMIT_FSIZE, &limit);
        struct sonde_trace_header header = sample_header();
        struct sonde_trace_writer *writer;
        if (sonde_trace_writer_create(directory, &header, &writer, NULL) != SONDE_OK)
            _exit(2);
        struct sonde_error error = {0};
        enum sonde_status status = sample_write(writer, 1000, &error);
        _exit(status == SONDE_ERROR_IO && strstr(error.message, "ulimit") != NULL ? 0 : 3);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    struct sonde_trace *trace;
    assert_int_equal(sonde_trace_open(directory, &trace, NULL), SONDE_OK);
    fixture_check_subset(trace, 1000);
    assert_true(sonde_trace_dispatch_count(trace) > 3);
    assert_non_null(sonde_trace_warning(trace));
    sonde_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_rotation_leaves_strangers_alone),
        cmocka_unit_test(test_missing_run),
        cmocka_unit_test(test_run_without_process),
        cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_same_process_id_twice),
        cmocka_unit_test(test_descriptor_taken_by_program),
        cmocka_unit_test(test_file_size_limit),
    };
    return cmocka_run_group_tests(tests, fixture_begin, fixture_end);
}
