/* A hardware thread stores, another host thread answers in the same place: the
 * answer stays. A store that is made as two that overlap takes it back now and
 * then, when both run at the same time. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

#include <cmocka.h>

#include "core_machine.h"

#define SECONDS 1
#define LAST    UINT32_MAX

struct peer {
    _Atomic uint32_t *place;
    uint32_t rounds, lost;
};

/* Answer 1 with 2, 3 with 4 and so on, and in the end with LAST. */
static void *answer(void *argument)
{
    struct peer *peer = argument;
    time_t end = time(NULL) + SECONDS + 1;
    uint32_t idle = 0;
    for (uint32_t expected = 1;;) {
        uint32_t value = atomic_load(peer->place);
        if (value == expected) {
            expected += 2;
            peer->rounds++;
            if (time(NULL) >= end)
                break;
            atomic_store(peer->place, value + 1);
        } else if (value + 2 == expected) { /* was answered */
            peer->lost++;
            atomic_store(peer->place, value + 1);
        } else if (++idle % 100000 == 0) {
            sched_yield();
        }
    }
    while (atomic_load(peer->place) != LAST)
        atomic_store(peer->place, LAST);
    return NULL;
}

static void answers_stay(void **state)
{
    struct emu_options options = {.host_threads = 1, .max_instructions = 4000000000u};
    struct core_machine *machine = core_machine_create(&options);
    struct peer peer = {.rounds = 0};
    pthread_t thread;
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    core_machine_destroy(machine);
    machine = NULL; /* the sanitizers have a memcpy of their own, called for every size */
#endif
    if (!machine)
        skip();
    uint32_t *addresses = core_payload(machine, 10);
    for (unsigned i = 0; i < 8; i++)
        addresses[i] = CORE_DATA_BASE + 4 * i;
    machine->dispatch.simd = 8;
    machine->dispatch.right_mask = 0xff;
    core_assemble(machine, "(W) mov (8|M0) r11.0<1>:ud 1:ud\n"
                           "LOOP:\n"
                           "send (8|M0) null r10 0xC 0x04026EFF\n" /* eight channels in a row */
                           "SPIN:\n"
                           "(W) send (1|M0) r20 r10 0xC 0x02106EFF\n"
                           "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r20.0<0;1,0>:ud 0xFFFFFFFF:ud\n"
                           "(W&f0.0) jmpi DONE\n"
                           "(W) add (1|M0) r21.0<1>:ud r11.0<0;1,0>:ud 1:ud\n"
                           "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r20.0<0;1,0>:ud r21.0<0;1,0>:ud\n"
                           "(W&~f0.0) jmpi SPIN\n"
                           "(W) add (8|M0) r11.0<1>:ud r11.0<8;8,1>:ud 2:ud\n"
                           "(W) jmpi LOOP\n"
                           "DONE:\n"
                           "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"
                           "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    peer.place = (_Atomic uint32_t *)(void *)machine->data;
    assert_int_equal(pthread_create(&thread, NULL, answer, &peer), 0);
    core_run(machine);
    pthread_join(thread, NULL);
    if (machine->result.fault.occurred)
        fail_msg("%s", machine->result.fault.reason);
    print_message("%u answers, %u taken back\n", peer.rounds, peer.lost);
    assert_true(peer.rounds > 0);
    assert_int_equal(peer.lost, 0);
    core_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
