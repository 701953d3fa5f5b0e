/* A kernel writes a page for the first time while the driver sends it again, over another
 * connection: whichever comes first, the kernel's byte stays. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/space.h"
#include "device/stale.h"

enum { ROUNDS = 50000, ADDRESS = 0x10000, WRITTEN = 1 };

struct shared {
    struct device_stale *stale;
    pthread_barrier_t barrier;
    _Alignas(DEVICE_PAGE_SIZE) uint8_t page[DEVICE_PAGE_SIZE];
};

static void *upload(void *argument)
{
    static const uint8_t zeros[DEVICE_PAGE_SIZE];
    struct shared *shared = argument;
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&shared->barrier);
        device_stale_upload(shared->stale, shared->page, 0, zeros, sizeof zeros);
        pthread_barrier_wait(&shared->barrier);
    }
    return NULL;
}

static void test_first_write_stays(void **state)
{
    static struct shared shared;
    pthread_t thread;
    unsigned lost = 0;
    (void)state;
    shared.stale = device_stale_create(1 << 20);
    pthread_barrier_init(&shared.barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, upload, &shared), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t address;
        volatile uint8_t *byte = &shared.page[DEVICE_PAGE_SIZE - 1];
        *byte = 0;
        pthread_barrier_wait(&shared.barrier);
        for (volatile unsigned wait = 0; wait < i % 1000; wait++)
            ; /* for the moment between the upload's look at the page and its store */
        assert_true(device_stale_keep(shared.stale, shared.page, ADDRESS));
        *byte = WRITTEN;
        pthread_barrier_wait(&shared.barrier);
        lost += *byte != WRITTEN;
        assert_true(device_stale_read(shared.stale, shared.page, 0, DEVICE_PAGE_SIZE, &address));
        assert_int_equal(address, ADDRESS);
    }
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&shared.barrier);
    device_stale_destroy(shared.stale);
    assert_int_equal(lost, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_write_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
