/* The time model against times worked out by hand from its table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"
#include "emu/gen/timing.h"

#define END                                                                                        \
    "(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud\n"                                                 \
    "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n"
#define READ "(W) send (8|M0) r20 r10 0xC 0x02106EFF\n"
#define USE  "(W) mov (8|M0) r30.0<1>:ud r20.0<8;8,1>:ud\n"

static struct core_machine *machine_of(void **state)
{
    if (!*state)
        skip();
    return *state;
}

static int setup(void **state)
{
    static const struct emu_options options = {
        .host_threads = 4, .count = true, .timing = true, .max_instructions = 1000000};
    *state = core_machine_create(&options);
    return 0;
}

static int teardown(void **state)
{
    core_machine_destroy(*state);
    return 0;
}

/* Cycles of `line` written `count` times, with a number from `first` on where
 * it has %u, and an end that waits for everything. */
static uint64_t cycles_of(struct core_machine *machine, const char *line, unsigned count,
                          unsigned first)
{
    static char text[0x8000];
    size_t length = 0;
    for (unsigned n = 0; n < count; n++)
        length += (size_t)snprintf(text + length, sizeof text - length, line, first + n);
    text[length] = '\0';
    core_execute(machine, text);
    return machine->result.cycles;
}

static struct timing_model gen9(void)
{
    struct timing_model model;
    timing_model_fill(SONDE_GEN_PLATFORM_GEN9, &model);
    return model;
}

static void dependent(void **state)
{
    struct core_machine *machine = machine_of(state);
    struct timing_model model = gen9();
    const char *add = "(W) add (8|M0) r50.0<1>:d r50.0<8;8,1>:d 1:w\n";
    assert_int_equal(cycles_of(machine, add, 21, 0) - cycles_of(machine, add, 1, 0),
                     20 * model.alu_latency);
    const char *inverse = "(W) math.inv (8|M0) r50.0<1>:f r50.0<8;8,1>:f\n";
    assert_int_equal(cycles_of(machine, inverse, 21, 0) - cycles_of(machine, inverse, 1, 0),
                     20 * model.math_latency);
    const char *compare = "(W) cmp (8|M0) (ne)f0.0 null:d r50.0<8;8,1>:d 1:w\n"
                          "(W&f0.0) add (8|M0) r50.0<1>:d r50.0<8;8,1>:d 1:w\n";
    assert_int_equal(cycles_of(machine, compare, 11, 0) - cycles_of(machine, compare, 1, 0),
                     10 * (model.flag_latency + model.alu_latency));
}

/* Two pipes of four lanes each: eight channels a cycle in all. */
static void independent(void **state)
{
    struct core_machine *machine = machine_of(state);
    const char *narrow = "(W) add (8|M0) r%u.0<1>:d r1.0<8;8,1>:d 1:w\n";
    assert_int_equal(cycles_of(machine, narrow, 60, 20) - cycles_of(machine, narrow, 20, 20), 40);
    const char *wide = "(W) add (16|M0) r%u.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n";
    uint64_t few = cycles_of(machine, wide, 20, 20), many = cycles_of(machine, wide, 60, 20);
    /* Neighbours overlap in one register: they wait for each other. */
    assert_true(many - few > 80);
    const char *apart = "(W) add (16|M0) r20.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n"
                        "(W) add (16|M0) r22.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n"
                        "(W) add (16|M0) r24.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n"
                        "(W) add (16|M0) r26.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n"
                        "(W) add (16|M0) r28.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n"
                        "(W) add (16|M0) r30.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n"
                        "(W) add (16|M0) r32.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n"
                        "(W) add (16|M0) r34.0<1>:f r1.0<0;1,0>:f r2.0<0;1,0>:f\n";
    assert_int_equal(cycles_of(machine, apart, 11, 0) - cycles_of(machine, apart, 1, 0), 160);
    const char *inverse = "(W) math.inv (8|M0) r%u.0<1>:f r1.0<8;8,1>:f\n";
    assert_int_equal(cycles_of(machine, inverse, 60, 20) - cycles_of(machine, inverse, 20, 20),
                     40 * gen9().math_cycles);
}

static void address_lines(struct core_machine *machine, uint32_t stride)
{
    uint32_t *addresses = core_payload(machine, 10);
    for (uint32_t n = 0; n < 8; n++)
        addresses[n] = CORE_DATA_BASE + n * stride;
}

static void memory(void **state)
{
    struct core_machine *machine = machine_of(state);
    struct timing_model model = gen9();
    uint32_t memory_cycles = model.line_bytes / model.memory_bytes;
    address_lines(machine, 4);
    uint64_t use = cycles_of(machine, USE, 1, 0);
    uint64_t miss = cycles_of(machine, READ USE, 1, 0);
    assert_int_equal(miss - use, model.payload_cycles + model.memory_latency);
    uint64_t hit = cycles_of(machine, READ USE READ USE, 1, 0);
    /* The second read issues a cycle after the first use. */
    assert_int_equal(hit - miss, 1 + model.payload_cycles + model.l3_latency);
    /* Eight lines: the path to memory serves one after the other. */
    address_lines(machine, 64);
    assert_int_equal(cycles_of(machine, READ USE, 1, 0) - miss, 7 * memory_cycles);
    /* All in L3: a line a cycle through the data port. */
    uint64_t again =
        cycles_of(machine, READ USE READ USE, 1, 0) - cycles_of(machine, READ USE, 1, 0);
    assert_int_equal(again, 1 + model.payload_cycles + 7 + model.l3_latency);
}

/* Seven threads of an execution unit hide each other's latency; eight need a
 * second unit. */
static void threads(void **state)
{
    struct core_machine *machine = machine_of(state);
    struct timing_model model = gen9();
    uint64_t cycles[9];
    core_assemble(machine, "(W) add (8|M0) r50.0<1>:d r50.0<8;8,1>:d 1:w\n"
                           "(W) add (8|M0) r50.0<1>:d r50.0<8;8,1>:d 1:w\n"
                           "(W) add (8|M0) r50.0<1>:d r50.0<8;8,1>:d 1:w\n"
                           "(W) add (8|M0) r50.0<1>:d r50.0<8;8,1>:d 1:w\n" END);
    for (uint32_t n = 1; n <= 8; n++) {
        machine->dispatch.threads_per_group = n;
        core_run(machine);
        assert_false(machine->result.fault.occurred);
        cycles[n] = machine->result.cycles;
    }
    for (uint32_t n = 2; n <= 8; n++)
        assert_int_equal(cycles[n] - cycles[n - 1], model.launch_cycles);
    machine->dispatch.threads_per_group = 1;
}

static void barrier(void **state)
{
    struct core_machine *machine = machine_of(state);
    static char text[4096];
    size_t length = 0;
    for (unsigned n = 0; n < 20; n++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "(W) math.inv (8|M0) r50.0<1>:f r50.0<8;8,1>:f\n");
    snprintf(text + length, sizeof text - length,
             "(W) and (8|M0) r12.0<1>:ud r50.0<8;8,1>:ud 0x0:ud\n"
             "(W) send (1|M0) null r12 0x3 0x02000004\nwait n0.0<0;1,0>:ud\n" END);
    core_assemble(machine, text);
    machine->dispatch.barrier_enable = true;
    uint64_t cycles[3];
    for (uint32_t n = 1; n <= 2; n++) {
        machine->dispatch.threads_per_group = n;
        core_run(machine);
        assert_false(machine->result.fault.occurred);
        cycles[n] = machine->result.cycles;
    }
    machine->dispatch.threads_per_group = 1;
    machine->dispatch.barrier_enable = false;
    assert_true(cycles[1] > 20u * gen9().math_latency);
    assert_true(cycles[2] > cycles[1]);
    assert_true(cycles[2] < 2 * cycles[1]);
}

static void deterministic(void **state)
{
    struct core_machine *machine = machine_of(state);
    address_lines(machine, 64);
    core_assemble(machine, READ USE "(W) math.inv (8|M0) r50.0<1>:f r50.0<8;8,1>:f\n" END);
    machine->dispatch.threads_per_group = 3;
    machine->dispatch.group_end[0] = 500;
    core_run(machine);
    uint64_t first = machine->result.cycles, instructions = machine->result.instructions;
    assert_false(machine->result.fault.occurred);
    assert_int_equal(instructions, 500 * 3 * 5);
    core_run(machine);
    assert_int_equal(machine->result.cycles, first);
    assert_int_equal(machine->result.instructions, instructions);
    /* Groups wait for hardware threads: it cannot end in the time of one. */
    assert_true(first > 500 * 3 * gen9().launch_cycles / 3);
    machine->dispatch.threads_per_group = 1;
    machine->dispatch.group_end[0] = 1;
}

/* doc/timing-model.md shows every row as it is. */
static void documented(void **state)
{
    (void)state;
    FILE *file = fopen(getenv("TIMING_DOCUMENT"), "r");
    assert_non_null(file);
    static char text[0x10000];
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    size_t count = 0;
    for (const struct timing_row *row; (row = timing_row_at(count)) != NULL; count++) {
        char line[400];
        snprintf(line, sizeof line, "| %s | %s | %u | %u | %u | %s |\n", row->name, row->unit,
                 row->gen9, row->xe, row->xehpg, row->source);
        if (strstr(text, line) == NULL)
            fail_msg("doc/timing-model.md lacks the line\n%s", line);
    }
    assert_true(count > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent),  cmocka_unit_test(independent),
        cmocka_unit_test(memory),     cmocka_unit_test(threads),
        cmocka_unit_test(barrier),    cmocka_unit_test(deterministic),
        cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
