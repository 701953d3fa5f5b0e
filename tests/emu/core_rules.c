/* The rules that the hardware leaves to the program, on the encodings of the
 * three emulated GPUs: code that breaks one stops there, and says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"

/* What the dialects of the assembler call the same thing. */
struct dialect {
    enum sonde_gen_platform platform;
    const char *region; /* eight contiguous elements */
    const char *end;    /* of a thread, by the payload register %u */
    const char *signal; /* at a barrier, payload r12, and wait for it */
    const char *load;   /* one OWord pair at the offset in r10.2 to r20, and wait */
    const char *store;  /* of r11, the same way */
    const char *read;   /* binding table entry 0, a dword a channel, offsets in r13, to r21 */
    const char *after;  /* waits for the pipes, where that must be said */
};

static const struct dialect dialects[] = {
    {SONDE_GEN_PLATFORM_GEN9, "<8;8,1>", "(W) send (8|M0) null r%u 0x27 0x02000010 {EOT}\n",
     "(W) send (1|M0) null r12 0x3 0x02000004\n(W) wait n0.0<0;1,0>:ud\n",
     "(W) send (8|M0) r20:ud r10 0xA 0x021802FF\n",
     "(W) sends (8|M0) null:ud r10 r11 0x4A 0x020A02FF\n",
     "send (8|M0) r21:ud r13 0xC 0x02106E00\n", ""},
    {SONDE_GEN_PLATFORM_XE, "<8;8,1>", "(W) send.ts (8|M0) null r%u null 0x0 0x02000010 {EOT,@1}\n",
     "(W) send.gtwy (1|M0) null r12 null 0x0 0x02000004 {@1,$2}\n(W) sync.bar null\n",
     "(W) send.dc0 (8|M0) r20 r10 null 0x0 0x021802FF {@1,$3}\n(W) sync.allwr null\n",
     "(W) send.dc0 (8|M0) null r10 r11 0x40 0x020A02FF {@1,$4}\n(W) sync.allrd null\n",
     "send.dc1 (8|M0) r21 r13 null 0x0 0x02106E00 {@1,$5}\n(W) sync.allwr null\n",
     "(W) sync.nop null {@1}\n"},
    {SONDE_GEN_PLATFORM_XEHPG, "<1;1,0>",
     "(W) send.gtwy (8|M0) null r%u null:0 0x0 0x02000010 {EOT,A@1}\n",
     "(W) send.gtwy (1|M0) null r12 null:0 0x0 0x02000004 {A@1,$2}\n(W) sync.bar null\n",
     "(W) send.dc0 (8|M0) r20 r10 null:0 0x0 0x021802FF {A@1,$3}\n(W) sync.allwr null\n",
     "(W) send.dc0 (8|M0) null r10 r11:1 0x0 0x020A02FF {A@1,$4}\n(W) sync.allrd null\n",
     "send.dc1 (8|M0) r21 r13 null:0 0x0 0x02106E00 {A@1,$5}\n(W) sync.allwr null\n",
     "(W) sync.nop null {A@1}\n"},
};

static struct core_machine *machine;
static const struct dialect *dialect;
static char code[4096];

/* Start a kernel. */
static void begin(void)
{
    code[0] = 0;
}

/* Instructions in which @ stands for the region of eight elements. */
static void add(const char *text)
{
    char *at = code + strlen(code);
    for (; *text; text++) {
        if (*text == '@')
            at += sprintf(at, "%s", dialect->region);
        else
            *at++ = *text;
        *at = 0;
    }
}

/* What a dialect has for it, as it stands there. */
static void put(const char *text)
{
    strcat(code, text);
}

static void end_thread(unsigned payload)
{
    sprintf(code + strlen(code), dialect->end, payload);
}

static void run(void)
{
    core_assemble(machine, code);
    core_run(machine);
}

static void expect(const char *reason)
{
    const struct emu_fault *fault = &machine->result.fault;
    if (reason == NULL ? fault->occurred : !fault->occurred || !strstr(fault->reason, reason))
        fail_msg("%s: stopped at 0x%x: %s, expected: %s\n%s",
                 sonde_gen_platform_name(dialect->platform), fault->instruction_offset,
                 fault->occurred ? fault->reason : "not", reason ? reason : "the end", code);
}

static void expect_rule(const char *text, const char *reason)
{
    begin();
    add(text);
    end_thread(127);
    run();
    expect(reason);
}

static void regions(void)
{
    expect_rule("(W) add (8|M0) r10.0<1>:d r1.0@:d 1:w\n", NULL);
    expect_rule("(W) add (4|M0) r10.0<1>:d r1.0<8;8,1>:d 1:w\n", "wider than the execution size");
    expect_rule("(W) mov (16|M0) r10.4<1>:d r1.0<0;1,0>:d\n", "beyond two registers");
    expect_rule("(W) mov (8|M0) r10.0<1>:d r1.1<0;2,0>:d\n", "without strides needs width 1");
    expect_rule("(W) mov (8|M4) r10.0<1>:d r1.0@:d\n", "not a multiple of the execution size");
    /* One element: the compiler leaves a stride of 1. */
    expect_rule("(W) mov (1|M0) r10.0<1>:d r1.0<1;1,0>:d\n", NULL);
    expect_rule("(W) mov (1|M0) r10.0<1>:d r1.0<2;1,0>:d\n", "a scalar needs");
}

/* The assembler knows whole elements only: shift the register in the code. */
static void misaligned_registers(void)
{
    struct sonde_gen_instruction instruction;
    for (unsigned operand = 0; operand < 2; operand++) {
        begin();
        add("(W) add (8|M0) r10.0<1>:d r1.0<0;1,0>:d 1:w\n");
        end_thread(127);
        core_assemble(machine, code);
        assert_int_equal(
            sonde_gen_decode(dialect->platform, machine->code, 16, 0, &instruction, NULL),
            SONDE_OK);
        (operand ? &instruction.src[0] : &instruction.dst)->subreg = 2;
        assert_int_equal(sonde_gen_encode(&instruction, machine->code, NULL), SONDE_OK);
        core_run(machine);
        expect("not aligned to the type");
    }
}

/* Let the messages of the dialect start at another register. */
static void replace(const char *from, const char *to)
{
    char *at = strstr(code, from);
    assert_non_null(at);
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
}

static void payloads(void)
{
    machine->dispatch.general_base = CORE_DATA_BASE;
    begin();
    add("(W) mov (8|M0) r10.0<1>:ud 0:ud\n");
    put(dialect->load);
    end_thread(127);
    run();
    expect(NULL);
    replace("r20", "r128"); /* the response, one register after the last */
    if (dialect->platform == SONDE_GEN_PLATFORM_XEHPG) { /* 256 are in the encoding */
        run();
        expect("register");
    }
    begin();
    put(dialect->read);
    end_thread(127);
    replace("0x02106E00", "0x04206E00"); /* two registers each */
    replace("r13", "r127");
    run();
    expect("the last register");
    begin();
    put(dialect->read);
    end_thread(127);
    replace("0x02106E00", "0x04206E00");
    replace("r21", "r127");
    run();
    expect("the last register");
}

static void ends_of_threads(void)
{
    begin();
    end_thread(20);
    run();
    expect("the payload of an end of thread lies in r112-r127");
    begin();
    end_thread(112);
    run();
    expect(NULL);
    begin(); /* nothing ends the thread: zeros follow */
    add("(W) mov (8|M0) r10.0<1>:ud 0:ud\n");
    run();
    expect("illegal instruction");
    begin(); /* nothing after the end is executed */
    end_thread(127);
    put("illegal\n");
    run();
    expect(NULL);
}

/* A buffer of 64 bytes, read at 0, 8, 16, ...: the last channels are outside. */
static void accesses_outside(void)
{
    const uint32_t state[16] = {[0] = 4u << 29 | 0x1ffu << 18, [2] = 31, [8] = CORE_DATA_BASE};
    const uint32_t entry = 64;
    uint32_t *offsets = core_payload(machine, 13);
    machine->dispatch.surface_base = CORE_DATA_BASE + 0x1000;
    machine->dispatch.binding_table = CORE_DATA_BASE + 0x2000;
    memcpy(machine->data + 0x1040, state, sizeof state);
    memcpy(machine->data + 0x2000, &entry, sizeof entry);
    for (unsigned i = 0; i < 8; i++)
        offsets[i] = 8 * i;
    memset(machine->data, 0x5a, 64);
    begin();
    put(dialect->read);
    put("illegal\n");
    run();
    assert_int_equal(machine->result.out_of_bounds, 4); /* 32 bytes */
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(core_d(machine, 21)[i], i < 4 ? 0x5a5a5a5a : 0);
}

static void groups_of_four(void)
{
    machine->dispatch.threads_per_group = 4;
    machine->dispatch.barrier_enable = true;
    machine->dispatch.cross_thread_registers = 0;
    machine->dispatch.per_thread_registers = 1;
    for (uint32_t i = 0; i < 4; i++)
        memcpy(machine->payload + 32 * i, &i, sizeof i);
}

static void barriers(void)
{
    groups_of_four();
    begin();
    add("(W) and (8|M0) r12.0<1>:ud r0.2<0;1,0>:ud 0x8F000000:ud\n");
    put(dialect->signal);
    end_thread(127);
    run();
    expect(NULL);
    assert_int_equal(machine->result.divergence.barriers, 0);
    begin(); /* thread 3 meets the others at a barrier of its own */
    add("(W) and (8|M0) r12.0<1>:ud r0.2<0;1,0>:ud 0x8F000000:ud\n"
        "(W) cmp (1|M0) (gt)f0.0 null<1>:ud r1.0<0;1,0>:ud 2:uw\n");
    put(dialect->after);
    add("(W&f0.0) jmpi OTHER\n");
    put(dialect->signal);
    add("(W) jmpi NEXT\nOTHER:\n");
    put(dialect->signal);
    add("NEXT:\n");
    end_thread(127);
    run();
    expect(NULL);
    assert_int_equal(machine->result.divergence.barriers, 1);
    assert_int_equal(machine->result.divergence.thread, 3);
    begin(); /* thread 2 does not come */
    add("(W) and (8|M0) r12.0<1>:ud r0.2<0;1,0>:ud 0x8F000000:ud\n"
        "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r1.0<0;1,0>:ud 2:uw\n");
    put(dialect->after);
    add("(W&f0.0) jmpi OUT\n");
    put(dialect->signal);
    add("OUT:\n");
    end_thread(127);
    run();
    expect("barrier divergence: 3 of 4");
}

/* Channel 0 alone comes to the barrier. */
static void channels_at_a_barrier(void)
{
    groups_of_four();
    begin();
    add("(W) and (8|M0) r12.0<1>:ud r0.2<0;1,0>:ud 0x8F000000:ud\n"
        "(W) mov (1|M0) f0.0<1>:uw 0xFE:uw\n");
    put(dialect->after);
    if (dialect->platform == SONDE_GEN_PLATFORM_GEN9)
        add("(~f0.0) if (8|M0) OUT OUT\n");
    else
        add("(f0.0) goto (8|M0) OUT OUT\n");
    put(dialect->signal);
    add(dialect->platform == SONDE_GEN_PLATFORM_GEN9 ? "OUT:\nendif (8|M0) NEXT\nNEXT:\n"
                                                     : "OUT:\njoin (8|M0) NEXT\nNEXT:\n");
    end_thread(127);
    run();
    expect(NULL);
    assert_int_equal(machine->result.divergence.barriers, 4);
    assert_int_equal(machine->result.divergence.active, 1);
    assert_int_equal(machine->result.divergence.channels, 0xff);
}

/* Groups 0 to 3 spin until group 4, which starts last, has stored a word. */
static void waiting_for_later_groups(void)
{
    machine->dispatch.general_base = CORE_DATA_BASE;
    machine->dispatch.group_end[0] = 5;
    machine->dispatch.threads_per_group = 2;
    memset(machine->data, 0, 64);
    begin();
    add("(W) mov (8|M0) r10.0<1>:ud 0:ud\n"
        "(W) mov (8|M0) r11.0<1>:ud 1:ud\n"
        "(W) cmp (1|M0) (eq)f0.0 null<1>:ud r0.1<0;1,0>:ud 4:uw\n");
    put(dialect->after);
    add("(W&f0.0) jmpi LAST\nSPIN:\n");
    put(dialect->load);
    add("(W) cmp (1|M0) (eq)f0.0 null<1>:ud r20.0<0;1,0>:ud 1:uw\n");
    put(dialect->after);
    add("(W&~f0.0) jmpi SPIN\n(W) jmpi DONE\nLAST:\n");
    put(dialect->store);
    add("DONE:\n");
    end_thread(127);
    run();
    expect(NULL);
    assert_int_equal(machine->result.threads, 10);
    assert_int_equal(machine->data[0], 1);
}

static void endless_kernels(void)
{
    begin();
    add("(W) mov (8|M0) r10.0<1>:ud 7:ud\n"
        "SPIN:\n"
        "(W) add (8|M0) r11.0<1>:ud r10.0@:ud 1:uw\n"
        "(W) jmpi SPIN\n");
    run();
    expect("the limit of 100000 instructions was reached here");
    const struct emu_fault *fault = &machine->result.fault;
    assert_in_range(fault->instruction_offset, 1, machine->code_size - 1);
    assert_true(strstr(fault->instruction, "add") || strstr(fault->instruction, "jmpi"));
    assert_int_equal(((const uint32_t *)(const void *)fault->grf)[8 * 10], 7);
    assert_true(machine->result.instructions < 120000);
    machine->dispatch.group_end[0] = 4000000000u; /* groups without end, each of them short */
    begin();
    end_thread(127);
    run();
    expect("the limit of 100000 instructions was reached here");
    assert_true(machine->result.instructions < 120000);
    machine->dispatch.group_end[0] = 1000; /* and a number that is within it */
    run();
    expect(NULL);
}

/* With the checks: registers nobody wrote; results nobody waits for. */
static void checks_on_request(void)
{
    machine->dispatch.cross_thread_registers = 4;
    machine->dispatch.general_base = CORE_DATA_BASE;
    expect_rule("(W) add (8|M0) r127.0<1>:d r4.0@:d 1:w\n", NULL);
    expect_rule("(W) add (8|M0) r127.0<1>:d r5.0@:d 1:w\n", "r5 is read, which neither");
    if (dialect->platform == SONDE_GEN_PLATFORM_GEN9)
        return; /* the hardware itself waits */
    begin();
    add("(W) mov (8|M0) r10.0<1>:d r1.0@:d\n(W) mov (8|M0) r11.0<1>:d r10.0@:d\n");
    end_thread(127);
    run();
    expect("r10.0 is still written by the instruction at 0x0, which nothing waits for");
    begin();
    add("(W) mov (8|M0) r10.0<1>:ud 0:ud\n");
    put(dialect->load);
    replace("(W) sync.allwr null\n", "");
    add("(W) mov (8|M0) r11.0<1>:d r20.0@:d\n");
    end_thread(127);
    run();
    expect("{$3.dst} is missing");
}

static void on_every_encoding(void (*rule)(void), bool check, uint64_t limit)
{
    for (unsigned i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const struct emu_options options = {
            .host_threads = 1, .max_instructions = limit, .check = check};
        machine = core_machine_create(&options);
        dialect = &dialects[i];
        if (machine == NULL || !core_use_platform(machine, dialect->platform))
            skip();
        rule();
        core_machine_destroy(machine);
    }
}

#define RULE(name, check, limit)                                                                   \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        on_every_encoding(name, check, limit);                                                     \
    }

RULE(regions, false, 100000)
RULE(misaligned_registers, false, 100000)
RULE(payloads, false, 100000)
RULE(ends_of_threads, false, 100000)
RULE(accesses_outside, false, 100000)
RULE(barriers, false, 100000)
RULE(channels_at_a_barrier, false, 100000)
RULE(waiting_for_later_groups, false, 4000000)
RULE(endless_kernels, false, 100000)
RULE(checks_on_request, true, 100000)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_misaligned_registers),
        cmocka_unit_test(test_payloads),
        cmocka_unit_test(test_ends_of_threads),
        cmocka_unit_test(test_accesses_outside),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_channels_at_a_barrier),
        cmocka_unit_test(test_waiting_for_later_groups),
        cmocka_unit_test(test_endless_kernels),
        cmocka_unit_test(test_checks_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
