/* Files that are cut or damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "trace/reader.h"

/* A prefix holds what its whole sections hold, and more of it with each byte. */
static void test_every_truncation(void **state)
{
    (void)state;
    char *directory = fixture_path("cut");
    fixture_write(directory, 4);
    size_t size, previous = 0;
    uint8_t *data = fixture_read(directory, &size);
    for (size_t cut = 0; cut <= size; cut++) {
        uint8_t *exact = malloc(cut + (cut == 0)); /* own block: overruns are seen by ASan */
        memcpy(exact, data, cut);
        struct sonde_trace *trace;
        struct sonde_error error;
        enum sonde_status status = trace_open_bytes(exact, cut, &trace, &error);
        free(exact);
        if (cut < 32) {
            assert_int_equal(status, SONDE_ERROR_TRUNCATED);
            continue;
        }
        assert_int_equal(status, SONDE_OK);
        assert_true((sonde_trace_warning(trace) == NULL) == (cut == size));
        fixture_check_subset(trace, 4);
        size_t records = sonde_trace_kernel_count(trace) + sonde_trace_dispatch_count(trace) +
                         sonde_trace_block_counts_count(trace) + sonde_trace_loss_count(trace) +
                         sonde_trace_message_count(trace);
        assert_true(records >= previous);
        previous = records;
        sonde_trace_close(trace);
    }
    assert_int_equal(previous, 2 + 4 + 3 + 1 + 1);
    free(data);
}

/* One damaged byte costs at most the section that it is in. */
static void test_every_byte_damaged(void **state)
{
    (void)state;
    char *directory = fixture_path("flip");
    fixture_write(directory, 4);
    size_t size;
    uint8_t *data = fixture_read(directory, &size);
    for (size_t at = 32; at < size; at++) {
        data[at] ^= 0x41;
        struct sonde_trace *trace;
        assert_int_equal(trace_open_bytes(data, size, &trace, NULL), SONDE_OK);
        assert_non_null(sonde_trace_warning(trace));
        if (sonde_trace_kernel_count(trace) == 2) {
            size_t whole = sonde_trace_dispatch_count(trace) +
                           sonde_trace_block_counts_count(trace) + sonde_trace_loss_count(trace) +
                           sonde_trace_message_count(trace);
            assert_true(whole >= 4 + 3 + 1 + 1 - 1);
        }
        sonde_trace_close(trace);
        data[at] ^= 0x41;
    }
    free(data);
}

static void read_stretches(const struct sonde_trace *trace)
{
    for (size_t i = 0; i < sonde_trace_records_count(trace); i++) {
        size_t size = (size_t)sonde_trace_records(trace, i)->size;
        uint8_t *data = malloc(size + 1);
        assert_non_null(data);
        sonde_trace_read_records(trace, i, data, NULL);
        free(data);
    }
}

static void test_random_damage(void **state)
{
    (void)state;
    char *directory = fixture_path("random");
    fixture_write(directory, 4);
    size_t size;
    uint8_t *data = fixture_read(directory, &size);
    uint8_t *damaged = malloc(size);
    srandom(7);
    for (int round = 0; round < 20000; round++) {
        memcpy(damaged, data, size);
        for (long n = random() % 8; n >= 0; n--)
            damaged[(size_t)random() % size] = (uint8_t)random();
        struct sonde_trace *trace;
        enum trace_life life = (enum trace_life)(round % 3);
        if (trace_open_for(damaged, size - (size_t)random() % 64, life, &trace, NULL) == SONDE_OK) {
            read_stretches(trace);
            sonde_trace_close(trace);
        }
    }
    free(damaged);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_every_byte_damaged),
        cmocka_unit_test(test_random_damage),
    };
    return cmocka_run_group_tests(tests, fixture_begin, fixture_end);
}
