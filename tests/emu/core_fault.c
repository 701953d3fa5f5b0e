/* What stops a dispatch, what must not, and how it is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"

#define END                                                                                        \
    "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"                                                 \
    "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"
/* r20 = dword at CORE_DATA_BASE; the dword = r11, both stateless */
#define READ  "(W) send (8|M0) r20 r10 0xC 0x02106EFF\n"
#define WRITE "(W) send (8|M0) null r10 0xC 0x04026EFF\n"

static struct core_machine *machine_with(uint32_t host_threads)
{
    struct emu_options options = {
        .host_threads = host_threads, .count = true, .max_instructions = 2000000};
    struct core_machine *machine = core_machine_create(&options);
    if (!machine)
        skip();
    return machine;
}

static void expect_fault(struct core_machine *machine, const char *reason, uint32_t offset)
{
    const struct emu_fault *fault = &machine->result.fault;
    assert_true(fault->occurred);
    if (!strstr(fault->reason, reason) || fault->instruction_offset != offset)
        fail_msg("fault at 0x%x: %s", fault->instruction_offset, fault->reason);
}

static void reserved_opcodes_stop(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    for (unsigned opcode = 0; opcode < 128; opcode++) {
        core_assemble(machine, "(W) mov (1|M0) r10.0<1>:ud 1:ud\n");
        memset(machine->code + 16, 0, 16);
        machine->code[16] = (uint8_t)opcode;
        core_run(machine);
        if (opcode == 0 || opcode == 0x7f || opcode == 0x60) {
            expect_fault(machine, "bytes", 16);
            assert_non_null(strstr(machine->result.fault.reason, "ip 0x10"));
            assert_int_equal(core_d(machine, 10)[0], 1);
        }
    }
    core_machine_destroy(machine);
}

/* Hostile code: anything may happen to the dispatch, nothing to the host. */
static void random_words_are_survived(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    for (unsigned i = 0; i < 3000; i++) {
        core_assemble(machine, END);
        for (unsigned byte = 0; byte < 256; byte += 8) {
            uint64_t word = core_random();
            memcpy(machine->code + byte, &word, sizeof(word));
        }
        for (unsigned byte = 0; byte < 256; byte += 16) { /* often a known opcode */
            static const uint8_t opcodes[] = {0x01, 0x02, 0x05, 0x09, 0x0c, 0x10, 0x18, 0x20,
                                              0x22, 0x24, 0x25, 0x27, 0x28, 0x29, 0x2a, 0x2c,
                                              0x2d, 0x2e, 0x2f, 0x30, 0x31, 0x33, 0x38, 0x40,
                                              0x41, 0x49, 0x4e, 0x5b, 0x5d, 0x48, 0x54, 0x12};
            machine->code[byte] = opcodes[core_random() % sizeof(opcodes)];
            machine->code[byte + 3] &= 0xdf; /* native */
        }
        core_run(machine);
        if (machine->result.fault.occurred)
            assert_true(machine->result.fault.reason[0] != '\0');
    }
    core_machine_destroy(machine);
}

static void wild_jumps_stop(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    core_execute(machine, "(W) mov (1|M0) r10.0<1>:d 0:d\n");
    core_assemble(machine, "(W) mov (1|M0) r10.0<1>:d 0x7f000000:d\n"
                           "(W) jmpi r10.0<0;1,0>:d\n");
    core_run(machine);
    assert_true(machine->result.fault.occurred);
    assert_non_null(strstr(machine->result.fault.reason, "left the mapped code"));
    core_machine_destroy(machine);
}

/* Groups that spin until the last one has written, on one host thread. */
static void groups_may_wait_for_later_ones(void **state)
{
    (void)state;
    for (uint32_t host_threads = 1; host_threads <= 2; host_threads++) {
        struct core_machine *machine = machine_with(host_threads);
        machine->dispatch.group_end[0] = 5;
        machine->dispatch.threads_per_group = 2;
        core_assemble(machine,
                      "(W) mov (8|M0) r10.0<1>:ud 0x400000:ud\n"
                      "(W) mov (8|M0) r11.0<1>:ud 1:ud\n"
                      "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r0.1<0;1,0>:ud 4:ud\n"
                      "(W&f0.0) jmpi LAST\n"
                      "SPIN:\n" READ "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r20.0<0;1,0>:ud 1:ud\n"
                      "(W&~f0.0) jmpi SPIN\n"
                      "(W) jmpi DONE\n"
                      "LAST:\n" WRITE "DONE:\n" END);
        core_run(machine);
        if (machine->result.fault.occurred)
            fail_msg("%s", machine->result.fault.reason);
        assert_int_equal(machine->result.threads, 10);
        assert_int_equal(machine->data[0], 1);
        core_machine_destroy(machine);
    }
}

#define BARRIER                                                                                    \
    "(W) and (8|M0) r12.0<1>:ud r0.2<0;1,0>:ud 0x8F000000:ud\n"                                    \
    "(W) send (1|M0) null r12 0x3 0x02000004\n"                                                    \
    "(W) wait n0.0<0;1,0>:ud\n"

/* Each thread has its own number in r1.0. */
static void number_threads(struct core_machine *machine, uint32_t threads)
{
    machine->dispatch.threads_per_group = threads;
    machine->dispatch.barrier_enable = true;
    machine->dispatch.cross_thread_registers = 0;
    machine->dispatch.per_thread_registers = 1;
    for (uint32_t i = 0; i < threads; i++)
        memcpy(machine->payload + 32 * i, &i, sizeof(i));
}

static void barrier_orders_threads(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    number_threads(machine, 4);
    machine->dispatch.group_end[0] = 3;
    /* the last thread writes before the barrier, all read after it */
    core_assemble(machine, "(W) mov (8|M0) r10.0<1>:ud 0x400000:ud\n"
                           "(W) mov (8|M0) r11.0<1>:ud 77:ud\n"
                           "(W) cmp (1|M0) (lt)f0.0 null<1>:ud r1.0<0;1,0>:ud 3:ud\n"
                           "(W&f0.0) jmpi WAIT\n" WRITE "WAIT:\n" BARRIER READ
                           "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r20.0<0;1,0>:ud 77:ud\n"
                           "(W&f0.0) jmpi GOOD\n"
                           "illegal\n"
                           "GOOD:\n" BARRIER END);
    core_run(machine);
    if (machine->result.fault.occurred)
        fail_msg("%s", machine->result.fault.reason);
    assert_int_equal(machine->result.threads, 12);
    core_machine_destroy(machine);
}

/* What the hardware lets pass and the program may not do is told. */
static void divergence_at_barriers_is_noted(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    number_threads(machine, 4);
    core_assemble(machine, BARRIER END);
    core_run(machine);
    assert_false(machine->result.fault.occurred);
    assert_int_equal(machine->result.divergence.barriers, 0);
    /* channel 0 holds the thread's number, the others zero */
    core_assemble(machine, "cmp (8|M0) (gt)f0.0 null<1>:ud r1.0<8;8,1>:ud 1:ud\n"
                           "(~f0.0) if (8|M0) OUT OUT\n" BARRIER "OUT:\nendif (8|M0) NEXT\n"
                           "NEXT:\n" END);
    core_run(machine);
    assert_false(machine->result.fault.occurred);
    assert_int_equal(machine->result.divergence.barriers, 2); /* threads 2 and 3 */
    assert_int_equal(machine->result.divergence.active, 0xfe);
    assert_int_equal(machine->result.divergence.channels, 0xff);
    core_assemble(machine, "(W) cmp (1|M0) (gt)f0.0 null<1>:ud r1.0<0;1,0>:ud 2:ud\n"
                           "(W&f0.0) jmpi OTHER\n" BARRIER "(W) jmpi NEXT\n"
                           "OTHER:\n" BARRIER "NEXT:\n" END);
    core_run(machine);
    assert_false(machine->result.fault.occurred);
    assert_int_equal(machine->result.divergence.barriers, 1);
    assert_int_equal(machine->result.divergence.thread, 3);
    assert_int_not_equal(machine->result.divergence.instruction_offset,
                         machine->result.divergence.other_offset);
    core_machine_destroy(machine);
}

static void waiting_at_a_barrier_is_not_counted(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    number_threads(machine, 4);
    machine->dispatch.group_end[0] = 3;
    /* thread 0 alone executes the five moves and arrives late */
#define MOVE "(W) mov (8|M0) r10.0<1>:ud 1:ud\n"
    core_assemble(machine, "(W) cmp (1|M0) (gt)f0.0 null<1>:ud r1.0<0;1,0>:ud 0:ud\n"
                           "(W&f0.0) jmpi WAIT\n" MOVE MOVE MOVE MOVE MOVE "WAIT:\n" BARRIER END);
    core_run(machine);
    assert_false(machine->result.fault.occurred);
    assert_int_equal(machine->result.instructions, 3 * (4 * (2 + 3 + 2) + 5));
    core_machine_destroy(machine);
}

static void barrier_divergence_stops(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    number_threads(machine, 4);
    core_assemble(machine, "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r1.0<0;1,0>:ud 2:ud\n"
                           "(W&f0.0) jmpi OUT\n" BARRIER "OUT:\n" END);
    core_run(machine);
    assert_true(machine->result.fault.occurred);
    assert_non_null(strstr(machine->result.fault.reason, "barrier divergence: 3 of 4"));
    assert_int_equal(machine->result.fault.thread, 0);
    core_machine_destroy(machine);
}

/* The counts do not depend on the number of host threads. */
static void counts_are_the_same_on_two_threads(void **state)
{
    (void)state;
    struct core_machine *one = machine_with(1), *two = machine_with(2);
    struct core_machine *machines[2] = {one, two};
    for (unsigned i = 0; i < 2; i++) {
        machines[i]->dispatch.group_end[0] = 40;
        machines[i]->dispatch.group_end[1] = 3;
        machines[i]->dispatch.simd = 16;
        core_assemble(machines[i], "mov (16|M0) r10.0<1>:ud r0.1<0;1,0>:ud\n"
                                   "L0:\n"
                                   "add (16|M0) r10.0<1>:d r10.0<8;8,1>:d -1:w\n"
                                   "cmp (16|M0) (gt)f0.0 null<1>:d r10.0<8;8,1>:d 0:w\n"
                                   "(f0.0) while (16|M0) L0\n" END);
        core_run(machines[i]);
    }
    assert_false(one->result.fault.occurred);
    assert_int_equal(one->result.instructions, two->result.instructions);
    assert_int_equal(one->result.lanes, two->result.lanes);
    assert_int_equal(one->result.count_count, 6);
    assert_int_equal(two->result.count_count, 6);
    assert_memory_equal(one->result.counts, two->result.counts, 6 * sizeof(struct emu_count));
    /* 40 x 3 threads; group x makes max(x, 1) turns */
    assert_int_equal(one->result.counts[0].executions, 120);
    assert_int_equal(one->result.counts[1].executions, 3 * (1 + 39 * 40 / 2));
    core_machine_destroy(one);
    core_machine_destroy(two);
}

/* An end of thread under a predicate: taken by some threads, passed by others. */
static void predicated_end_of_thread(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    number_threads(machine, 4);
    core_assemble(machine, "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"
                           "(W) cmp (8|M0) (eq)f0.0 null<1>:ud r1.0<0;1,0>:ud 2:ud\n"
                           "(W&f0.0) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"
                           "(W) mov (8|M0) r10.0<1>:ud r1.0<0;1,0>:ud\n" END);
    core_run(machine);
    assert_false(machine->result.fault.occurred);
    assert_int_equal(machine->result.threads, 4);
    assert_int_equal(machine->result.count_count, 6);
    assert_int_equal(machine->result.counts[3].executions, 3);
    core_machine_destroy(machine);
}

static void changed_code_is_translated_again(void **state)
{
    (void)state;
    struct core_machine *machine = machine_with(1);
    for (unsigned i = 0; i < 4; i++) {
        core_execute(machine,
                     i & 1 ? "(W) mov (1|M0) r10.0<1>:d 1:w\n" : "(W) mov (1|M0) r10.0<1>:d 2:w\n");
        assert_int_equal(core_d(machine, 10)[0], i & 1 ? 1 : 2);
    }
    core_machine_destroy(machine);
}

static void cancelled_dispatch_ends(void **state)
{
    (void)state;
    static volatile bool cancel = true;
    struct emu_options options = {.host_threads = 1, .cancel = &cancel};
    struct core_machine *machine = core_machine_create(&options);
    if (!machine)
        skip();
    core_assemble(machine, "L0:\n(W) jmpi L0\n");
    core_run(machine);
    expect_fault(machine, "cancelled", 0);
    core_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserved_opcodes_stop),
        cmocka_unit_test(random_words_are_survived),
        cmocka_unit_test(wild_jumps_stop),
        cmocka_unit_test(groups_may_wait_for_later_ones),
        cmocka_unit_test(barrier_orders_threads),
        cmocka_unit_test(divergence_at_barriers_is_noted),
        cmocka_unit_test(waiting_at_a_barrier_is_not_counted),
        cmocka_unit_test(barrier_divergence_stops),
        cmocka_unit_test(counts_are_the_same_on_two_threads),
        cmocka_unit_test(predicated_end_of_thread),
        cmocka_unit_test(changed_code_is_translated_again),
        cmocka_unit_test(cancelled_dispatch_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
