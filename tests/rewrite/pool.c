/* Property test of the register allocator's stock: random reserve and release
 * calls against a byte-per-byte model (bug log B34). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coder/pool.h"
#include "machine.h"

#define BYTES 4096u
#define LIVE  512u

struct held {
    uint32_t byte, size;
};

static void check_equal(const struct coder_pool *pool, const uint8_t *model)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < BYTES; b++) {
        assert_int_equal(pool->free[b / 64] >> (b % 64) & 1, model[b]);
        count += model[b];
    }
    assert_int_equal(coder_pool_count(pool), count);
}

/* Lowest place in the model, to compare with. */
static uint32_t model_place(const uint8_t *model, uint32_t size, uint32_t align, uint32_t avoid)
{
    for (uint32_t b = 0; b + size <= BYTES; b += align) {
        uint32_t n = 0;
        while (n < size && model[b + n])
            n++;
        if (n == size && (avoid == 0 || b % avoid != 0))
            return b;
    }
    return CODER_NO_BYTE;
}

static void random_sequences(void **unused)
{
    (void)unused;
    static struct coder_pool pool;
    static uint8_t model[BYTES];
    struct held held[LIVE];
    size_t held_count = 0;
    uint64_t seed = 12345;
    coder_pool_clear(&pool, BYTES / 64);
    for (uint32_t r = 0; r < 128; r++)
        if (machine_random(&seed) % 3 != 0) {
            uint32_t start = r * 32 + machine_random(&seed) % 16,
                     size = 1 + machine_random(&seed) % 16;
            coder_pool_add(&pool, start, size);
            memset(model + start, 1, size);
        }
    check_equal(&pool, model);
    for (int step = 0; step < 10000; step++) {
        if (held_count < LIVE && machine_random(&seed) % 2 == 0) {
            uint32_t size = 1u << machine_random(&seed) % 6;
            uint32_t align = 1u << machine_random(&seed) % 6;
            uint32_t avoid = machine_random(&seed) % 4 == 0 ? 32 : 0;
            uint32_t expected = model_place(model, size, align, avoid);
            uint32_t byte = coder_pool_reserve_avoiding(&pool, size, align, avoid);
            assert_int_equal(byte, expected);
            if (byte == CODER_NO_BYTE)
                continue;
            memset(model + byte, 0, size);
            held[held_count++] = (struct held){byte, size};
        } else if (held_count != 0) {
            size_t pick = machine_random(&seed) % held_count;
            struct held gone = held[pick];
            held[pick] = held[--held_count];
            assert_true(coder_pool_release(&pool, gone.byte, gone.size));
            assert_false(coder_pool_release(&pool, gone.byte, gone.size));
            memset(model + gone.byte, 1, gone.size);
        }
        if (step % 500 == 0)
            check_equal(&pool, model);
    }
    while (held_count != 0) {
        held_count--;
        assert_true(coder_pool_release(&pool, held[held_count].byte, held[held_count].size));
        memset(model + held[held_count].byte, 1, held[held_count].size);
    }
    check_equal(&pool, model);
}

static void limits(void **unused)
{
    (void)unused;
    struct coder_pool pool;
    coder_pool_clear(&pool, 64);
    coder_pool_add(&pool, 4090, 6);
    coder_pool_add(&pool, 4090, 10); /* past the end: ignored */
    assert_int_equal(coder_pool_count(&pool), 6);
    assert_int_equal(coder_pool_reserve(&pool, 4, 4), 4092);
    assert_int_equal(coder_pool_reserve(&pool, 4, 4), CODER_NO_BYTE);
    assert_int_equal(coder_pool_reserve(&pool, 0, 1), CODER_NO_BYTE);
    assert_int_equal(coder_pool_reserve(&pool, UINT32_MAX, 1), CODER_NO_BYTE);
    assert_false(coder_pool_release(&pool, UINT32_MAX, 4));
    assert_false(coder_pool_release(&pool, 4088, 4)); /* partly free already */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequences),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
