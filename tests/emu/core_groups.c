/* More groups than hardware threads, long and short: every group runs, each on
 * the hardware thread that its number gives it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"

/* Counts down from r2.0, then stores the hardware thread number (r0.5[8:0]) and
 * the group number at r1.0 + 8 * group number. */
static const char kernel[] = "(W) mov (1|M0) r20.0<1>:d r2.0<0;1,0>:d\n"
                             "LOOP:\n"
                             "(W) add (1|M0) r20.0<1>:d r20.0<0;1,0>:d -1:w\n"
                             "(W) cmp (1|M0) (gt)f0.0 null<1>:d r20.0<0;1,0>:d 0:w\n"
                             "(W&f0.0) jmpi LOOP\n"
                             "(W) mul (1|M0) r12.0<1>:ud r0.1<0;1,0>:ud 8:uw\n"
                             "(W) add (1|M0) r10.0<1>:uq r1.0<0;1,0>:uq r12.0<0;1,0>:ud\n"
                             "(W) and (1|M0) r14.0<1>:ud r0.5<0;1,0>:ud 0x1FF:ud\n"
                             "(W) mov (1|M0) r15.0<1>:ud r0.1<0;1,0>:ud\n"
                             "(W) sends (1|M0) null:ud r10 r14 0x8C 0x040685FF\n"
                             "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"
                             "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n";

/* `hardware` threads in all; groups of one thread. */
static void run(uint32_t host_threads, uint32_t hardware, uint32_t groups, uint32_t rounds)
{
    const struct emu_options options = {.host_threads = host_threads, .count = true};
    struct core_machine *machine = core_machine_create(&options);
    uint64_t *address;

    if (!machine)
        skip();
    address = core_payload(machine, 1);
    *address = CORE_DATA_BASE;
    *(uint32_t *)core_payload(machine, 2) = rounds;
    machine->dispatch.slices = machine->dispatch.subslices = 1;
    machine->dispatch.eus_per_subslice = 1;
    machine->dispatch.threads_per_eu = hardware;
    machine->dispatch.group_end[0] = groups;
    core_assemble(machine, kernel);
    core_run(machine);
    if (machine->result.fault.occurred)
        fail_msg("%s: %s", machine->result.fault.instruction, machine->result.fault.reason);
    assert_int_equal(machine->result.threads, groups);
    assert_int_equal(machine->result.instructions, groups * (uint64_t)(8 + 3 * rounds));
    for (uint32_t group = 0; group < groups; group++) {
        uint32_t stored[2];
        memcpy(stored, machine->data + 8 * group, sizeof stored);
        assert_int_equal(stored[0], group % hardware);
        assert_int_equal(stored[1], group);
    }
    core_machine_destroy(machine);
}

static void short_groups(void **state)
{
    (void)state;
    for (uint32_t host_threads = 1; host_threads <= 4; host_threads++) {
        run(host_threads, 1, 20, 1);
        run(host_threads, 7, 5000, 3);
        run(host_threads, 84, 1000, 10);
    }
}

/* Longer than the turn of a group, so that groups are resident together. */
static void long_groups(void **state)
{
    (void)state;
    run(1, 1, 3, 400000);
    run(2, 2, 7, 400000);
    run(1, 3, 7, 400000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_groups),
        cmocka_unit_test(long_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
