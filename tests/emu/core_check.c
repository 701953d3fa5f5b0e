/* The opt-in checks: code without the annotations that it needs is stopped where
 * it breaks the rule, and code with them is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"

static struct core_machine *machine;

static void use(enum sonde_gen_platform platform, uint32_t payload)
{
    if (machine == NULL || !core_use_platform(machine, platform))
        skip();
    machine->dispatch.cross_thread_registers = payload;
}

/* The kernel ends in a fault with this reason, or wholly when NULL. */
static void expect(const char *code, const char *reason)
{
    core_assemble(machine, code);
    core_run(machine);
    const struct emu_fault *fault = &machine->result.fault;
    assert_true(fault->occurred);
    bool whole = fault->instruction_offset == machine->code_size;
    if (reason == NULL ? !whole : whole || strstr(fault->reason, reason) == NULL)
        fail_msg("stopped at 0x%x: %s, expected: %s\n%s", fault->instruction_offset, fault->reason,
                 reason ? reason : "the end", code);
}

static void unwritten_registers(void **state)
{
    (void)state;
    use(SONDE_GEN_PLATFORM_GEN9, 4); /* r1 to r4 */
    expect("(W) add (8|M0) r10.0<1>:d r4.0<8;8,1>:d 1:d\n"
           "(W) add (8|M0) r11.0<1>:d r10.0<8;8,1>:d 1:d\n",
           NULL);
    expect("(W) add (8|M0) r10.0<1>:d r5.0<8;8,1>:d 1:d\n", "r5 is read, which neither");
    expect("add (16|M0) r10.0<1>:d r4.0<8;8,1>:d 1:d\n", NULL); /* 8 channels */
    expect("(W) mov (1|M0) r20.3<1>:d 1:d\n"
           "(W) mov (1|M0) r21.0<1>:d r20.3<0;1,0>:d\n",
           NULL);
    expect("(W) cmp (8|M0) (eq)f0.0 null<1>:d r30.0<0;1,0>:d r30.0<0;1,0>:d\n", NULL);
    /* copied, which does no harm, and then used */
    expect("(W) mov (8|M0) r10.0<1>:d r5.0<8;8,1>:d\n", NULL);
    expect("(W) mov (8|M0) r10.0<1>:d r5.0<8;8,1>:d\n"
           "(W) add (8|M0) r11.0<1>:d r10.0<8;8,1>:d 1:d\n",
           "r10 is read, which neither");
    /* written for channels that do not exist here, read without a mask */
    expect("mov (8|M8) r10.0<1>:d r1.0<8;8,1>:d\n"
           "(W) add (8|M0) r11.0<1>:d r10.0<8;8,1>:d 1:d\n",
           NULL);
}

static void distances_of_one_pipe(void **state)
{
    (void)state;
    use(SONDE_GEN_PLATFORM_XE, 100);
    expect("(W) add (8|M0) r10.0<1>:d r1.0<8;8,1>:d 1:d\n"
           "(W) add (8|M0) r11.0<1>:d r10.0<8;8,1>:d 1:d {@1}\n",
           NULL);
    expect("(W) add (8|M0) r10.0<1>:d r1.0<8;8,1>:d 1:d\n"
           "(W) add (8|M0) r11.0<1>:d r10.0<8;8,1>:d 1:d\n",
           "r10.0 is still written by the instruction at 0x0, which nothing waits for: {@1}");
    expect("(W) add (8|M0) r10.0<1>:d r1.0<8;8,1>:d 1:d\n"
           "(W) add (8|M0) r12.0<1>:f r1.0<8;8,1>:f r2.0<8;8,1>:f\n"
           "(W) add (8|M0) r11.0<1>:d r10.0<8;8,1>:d 1:d {@1}\n",
           NULL); /* waits for more than it must */
    expect("(W) add (8|M0) r10.0<1>:d r1.0<8;8,1>:d 1:d\n"
           "(W) add (8|M0) r12.0<1>:d r1.0<8;8,1>:d 1:d\n"
           "(W) sync.nop null {@2}\n"
           "(W) add (8|M0) r11.0<1>:d r10.0<8;8,1>:d 1:d\n"
           "(W) add (8|M0) r13.0<1>:d r12.0<8;8,1>:d 1:d\n",
           "r12.0 is still written by the instruction at 0x10, which nothing waits for: {@2}");
    expect("(W) add (8|M0) r10.0<1>:d r1.0<8;8,1>:d 1:d\n"
           "(W) add (8|M0) r10.0<1>:d r2.0<8;8,1>:d 1:d\n",
           NULL); /* a pipe writes in order */
}

static void distances_of_three_pipes(void **state)
{
    (void)state;
    use(SONDE_GEN_PLATFORM_XEHPG, 100);
    expect("(W) add (8|M0) r10.0<1>:d r1.0<1;1,0>:d 1:d\n"
           "(W) add (8|M0) r11.0<1>:f r3.0<1;1,0>:f r10.0<1;1,0>:f {F@1}\n",
           "{I@1} is missing");
    expect("(W) add (8|M0) r10.0<1>:d r1.0<1;1,0>:d 1:d\n"
           "(W) add (8|M0) r11.0<1>:f r3.0<1;1,0>:f r10.0<1;1,0>:f {I@1}\n",
           NULL);
    expect("(W) add (8|M0) r10.0<1>:d r1.0<1;1,0>:d 1:d\n"
           "(W) add (8|M0) r10.0<1>:f r3.0<1;1,0>:f r2.0<1;1,0>:f\n",
           "{I@1} is missing"); /* pipes do not write in order of each other */
    expect("(W) add (8|M0) r10.0<1>:f r1.0<1;1,0>:f r2.0<1;1,0>:f\n"
           "(W) add (8|M0) r11.0<1>:d r1.0<1;1,0>:d 1:d\n"
           "(W) sync.nop null {A@1}\n"
           "(W) add (8|M0) r12.0<1>:d r10.0<1;1,0>:d r11.0<1;1,0>:d\n",
           NULL);
}

static void tokens(void **state)
{
    static const char read[] = "(W) send.dc0 (8|M0) r20 r5 null 0x0 0x021802FF {$3}\n";
    char code[600];
    (void)state;
    use(SONDE_GEN_PLATFORM_XE, 100);
    machine->dispatch.general_base = CORE_DATA_BASE;
    memset(core_payload(machine, 5), 0, 32);
    snprintf(code, sizeof code, "%s(W) mov (8|M0) r30.0<1>:ud r20.0<8;8,1>:ud {$3.dst}\n", read);
    expect(code, NULL);
    snprintf(code, sizeof code, "%s(W) mov (8|M0) r30.0<1>:ud r20.0<8;8,1>:ud {$3.src}\n", read);
    expect(code, "r20.0 is still written by the instruction at 0x0, which nothing waits for: "
                 "{$3.dst}");
    snprintf(code, sizeof code, "%s(W) mov (8|M0) r20.0<1>:ud r6.0<8;8,1>:ud {$4.dst}\n", read);
    expect(code, "{$3.dst} is missing"); /* write after write */
    snprintf(code, sizeof code, "%s(W) mov (8|M0) r5.0<1>:ud r6.0<8;8,1>:ud\n", read);
    expect(code, "r5.0 is still read by the instruction at 0x0, which nothing waits for: "
                 "{$3.src}");
    snprintf(code, sizeof code, "%s(W) mov (8|M0) r5.0<1>:ud r6.0<8;8,1>:ud {$3.src}\n", read);
    expect(code, NULL);
    snprintf(code, sizeof code,
             "%s(W) sync.allwr null\n(W) mov (8|M0) r30.0<1>:ud r20.0<8;8,1>:ud\n", read);
    expect(code, NULL);
    snprintf(code, sizeof code, "(W) mov (8|M0) r5.0<1>:ud 0:ud\n%s(W) sync.allwr null\n", read);
    expect(code, "{@1} is missing"); /* the payload itself */
}

static int setup(void **state)
{
    static const struct emu_options options = {
        .host_threads = 1, .max_instructions = 100000, .check = true};
    (void)state;
    machine = core_machine_create(&options);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    core_machine_destroy(machine);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unwritten_registers),
        cmocka_unit_test(distances_of_one_pipe),
        cmocka_unit_test(distances_of_three_pipes),
        cmocka_unit_test(tokens),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
