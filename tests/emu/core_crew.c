/* The emulator's threads: everything is done once, by one thread while there
 * is little to do, and nothing runs on after the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emu/gen/crew.h"

#define ITEMS 4u

struct work {
    struct emu_crew *crew;
    bool calls;              /* the others to join in */
    atomic_uint *together;   /* items that have begun; NULL: do not wait for them */
    atomic_uint begun, done; /* of this item */
    pthread_t thread;
};

static void run(void *item)
{
    struct work *work = item;
    work->thread = pthread_self();
    atomic_fetch_add(&work->begun, 1);
    if (work->together != NULL)
        atomic_fetch_add(work->together, 1);
    if (work->calls)
        emu_crew_join_in(work->crew);
    while (work->together != NULL && atomic_load(work->together) < ITEMS)
        sched_yield();
    atomic_fetch_add(&work->done, 1);
}

static void the_others_join_in(void **state)
{
    (void)state;
    struct emu_crew *crew = emu_crew_create();
    assert_non_null(crew);
    for (unsigned round = 0; round < 200; round++) {
        atomic_uint together = 0;
        struct work work[ITEMS] = {{.crew = NULL}};
        void *items[ITEMS];
        for (unsigned i = 0; i < ITEMS; i++) {
            work[i] = (struct work){.crew = crew, .calls = i == 0, .together = &together};
            items[i] = &work[i];
        }
        emu_crew_run(crew, run, items, ITEMS);
        for (unsigned i = 0; i < ITEMS; i++) {
            assert_int_equal(work[i].done, 1);
            for (unsigned k = 0; k < i; k++)
                assert_false(pthread_equal(work[i].thread, work[k].thread));
        }
        assert_true(pthread_equal(work[0].thread, pthread_self()));
    }
    emu_crew_destroy(crew);
}

/* Those that were called too late are left alone, and stay so. */
static void what_was_not_begun_is_left_alone(void **state)
{
    (void)state;
    struct emu_crew *crew = emu_crew_create();
    assert_non_null(crew);
    for (unsigned round = 0; round < 2000; round++) {
        struct work work[ITEMS] = {{.crew = NULL}};
        void *items[ITEMS];
        unsigned begun[ITEMS];
        for (unsigned i = 0; i < ITEMS; i++) {
            work[i] = (struct work){.crew = crew, .calls = i == 0 && round % 2 != 0};
            items[i] = &work[i];
        }
        emu_crew_run(crew, run, items, ITEMS);
        assert_int_equal(work[0].done, 1);
        for (unsigned i = 0; i < ITEMS; i++) {
            begun[i] = atomic_load(&work[i].begun);
            assert_int_equal(work[i].done, begun[i]);
            if (round % 2 == 0 && i > 0)
                assert_int_equal(begun[i], 0);
        }
        sched_yield();
        for (unsigned i = 0; i < ITEMS; i++)
            assert_int_equal(work[i].begun, begun[i]);
    }
    emu_crew_destroy(crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_others_join_in),
        cmocka_unit_test(what_was_not_begun_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
