#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/bytes.h"

static void error_message_is_kept_and_prefixed(void **state)
{
    (void)state;
    struct sonde_error error;
    assert_int_equal(sonde_error_set(&error, SONDE_ERROR_FORMAT, 12, "bad magic %d", 3),
                     SONDE_ERROR_FORMAT);
    assert_int_equal(error.offset, 12);
    assert_int_equal(sonde_error_prefix(&error, "file.bin"), SONDE_ERROR_FORMAT);
    assert_string_equal(error.message, "file.bin: bad magic 3");
    assert_int_equal(sonde_error_set(NULL, SONDE_ERROR_IO, 0, "ignored"), SONDE_ERROR_IO);
}

static void prefix_longer_than_the_message_is_cut(void **state)
{
    (void)state;
    struct sonde_error error;
    char long_name[1000];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    sonde_error_set(&error, SONDE_ERROR_IO, 0, "tail");
    sonde_error_prefix(&error, "%s", long_name);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < SONDE_STATUS_COUNT; i++)
        assert_non_null(sonde_status_name((enum sonde_status)i));
    assert_non_null(sonde_status_name((enum sonde_status)9999));
}

static void array_grows_zeroed_and_refuses_overflow(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0;
    assert_int_equal(base_array_reserve((void **)&items, &capacity, 20, sizeof *items), SONDE_OK);
    assert_true(capacity >= 20);
    for (size_t i = 0; i < capacity; i++)
        assert_int_equal(items[i], 0);
    assert_int_equal(base_array_reserve((void **)&items, &capacity, SIZE_MAX / 2, sizeof *items),
                     SONDE_ERROR_MEMORY);
    free(items);
}

static void reader_stays_failed_past_the_end(void **state)
{
    (void)state;
    const uint8_t data[6] = {1, 0, 0, 0, 2, 0};
    struct base_reader reader = base_reader_make(data, sizeof data);
    assert_int_equal(base_read32(&reader), 1);
    assert_int_equal(base_read32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(base_read8(&reader), 0);
    reader = base_reader_make(data, sizeof data);
    assert_null(base_read_bytes(&reader, SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_message_is_kept_and_prefixed),
        cmocka_unit_test(prefix_longer_than_the_message_is_cut),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(array_grows_zeroed_and_refuses_overflow),
        cmocka_unit_test(reader_stays_failed_past_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
