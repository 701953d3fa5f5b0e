#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "profile/array.h"

static void test_layout(void **state)
{
    (void)state;
    uint32_t end = 0;
    struct sonde_profile_array first, second;
    assert_int_equal(profile_array_place(4, 17, 32, &end, &first, NULL), SONDE_OK);
    assert_int_equal(first.base, 0);
    assert_int_equal(first.chunk_size, 128); /* 68 bytes, rounded up */
    assert_int_equal(first.buckets, 32);
    assert_int_equal(end, 32 * 128);
    assert_int_equal(profile_array_place(8, 1, 2, &end, &second, NULL), SONDE_OK);
    assert_int_equal(second.base, 32 * 128);
    assert_int_equal(second.chunk_size, 64); /* a cache line at least */
    assert_int_equal(end, 32 * 128 + 2 * 64);
}

static void test_limits(void **state)
{
    (void)state;
    uint32_t end = 0;
    struct sonde_profile_array array;
    struct sonde_error error;
    assert_int_equal(profile_array_place(3, 1, 32, &end, &array, &error), SONDE_ERROR_ARGUMENT);
    assert_int_equal(profile_array_place(4, 1, 33, &end, &array, &error), SONDE_ERROR_ARGUMENT);
    assert_int_equal(profile_array_place(4, 0, 32, &end, &array, &error), SONDE_ERROR_ARGUMENT);
    /* 16 MiB a bucket: four buckets fit. */
    assert_int_equal(profile_array_place(4, 4u << 20, 32, &end, &array, &error), SONDE_OK);
    assert_int_equal(array.buckets, 4);
    end = 0;
    assert_int_equal(profile_array_place(4, UINT32_MAX, 32, &end, &array, &error),
                     SONDE_ERROR_RANGE);
    assert_int_equal(end, 0);
}

static void test_sum(void **state)
{
    (void)state;
    uint32_t end = 64;
    struct sonde_profile_array array;
    assert_int_equal(profile_array_place(8, 3, 4, &end, &array, NULL), SONDE_OK);
    uint8_t *buffer = calloc(1, end);
    for (uint32_t bucket = 0; bucket < 4; bucket++)
        for (uint32_t word = 0; word < 6; word++) {
            uint32_t value = UINT32_MAX - word;
            memcpy(buffer + array.base + bucket * array.chunk_size + 4 * word, &value, 4);
        }
    assert_int_equal(sonde_profile_array_sum(&array, buffer, end, 0, 0), 4 * UINT64_C(0xffffffff));
    assert_int_equal(sonde_profile_array_sum(&array, buffer, end, 2, 4), 4 * UINT64_C(0xfffffffa));
    assert_int_equal(sonde_profile_array_sum(&array, buffer, end, 3, 0), 0);
    assert_int_equal(sonde_profile_array_sum(&array, buffer, end, 0, 8), 0);
    /* A buffer that is cut short: what is there counts. */
    assert_int_equal(sonde_profile_array_sum(&array, buffer, array.base + 4, 0, 0), 0xffffffff);
    free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
