/* Control flow: random nests of branches and loops, in structured and in
 * goto form, at every width, against an interpreter of one channel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_machine.h"

#define PROGRAMS  120
#define TEXT_SIZE 60000
#define MAX_NODES 60

enum node_kind {
    NODE_STEP,  /* x = x * 3 + value */
    NODE_IF,    /* by bit `value` of x: first, second */
    NODE_LOOP,  /* at most `value` turns of first */
    NODE_BREAK, /* when bit `value` of x is set */
    NODE_CONTINUE,
};

struct node {
    enum node_kind kind;
    int value;
    struct node *first, *second; /* bodies */
    struct node *next;
};

static struct node nodes[MAX_NODES];
static unsigned node_count;

static uint32_t pick(uint32_t count)
{
    return (uint32_t)(core_random() >> 33) % count;
}

/* A list of statements; loops nest at most twice. */
static struct node *make_list(unsigned depth, unsigned loops, bool breakable)
{
    struct node *list = NULL, **tail = &list;
    unsigned length = 1 + pick(3);
    for (unsigned i = 0; i < length && node_count < MAX_NODES; i++) {
        struct node *node = &nodes[node_count++];
        uint32_t kind = depth ? pick(6) : 0;
        memset(node, 0, sizeof(*node));
        node->kind = kind <= 1            ? NODE_STEP
                     : kind <= 3          ? NODE_IF
                     : kind == 4 && loops ? NODE_LOOP
                     : breakable          ? (pick(2) ? NODE_BREAK : NODE_CONTINUE)
                                          : NODE_STEP;
        node->value = node->kind == NODE_STEP ? (int)pick(1000) : (int)pick(5);
        if (node->kind == NODE_LOOP) {
            node->value = 1 + (int)pick(4);
            node->first = make_list(depth - 1, loops - 1, true);
        } else if (node->kind == NODE_IF) {
            node->first = make_list(depth - 1, loops, breakable);
            node->second = pick(2) ? make_list(depth - 1, loops, breakable) : NULL;
        }
        *tail = node;
        tail = &node->next;
    }
    return list;
}

enum outcome { GO_ON, BROKEN, CONTINUED };

static enum outcome interpret(const struct node *list, uint32_t *x)
{
    for (const struct node *node = list; node; node = node->next) {
        bool bit = *x >> (node->value & 31) & 1;
        enum outcome outcome = GO_ON;
        switch (node->kind) {
        case NODE_STEP:
            *x = *x * 3 + (uint32_t)node->value;
            break;
        case NODE_IF:
            outcome = interpret(bit ? node->first : node->second, x);
            break;
        case NODE_LOOP:
            for (int turn = 0; turn < node->value; turn++)
                if (interpret(node->first, x) == BROKEN)
                    break;
            break;
        case NODE_BREAK:
            outcome = bit ? BROKEN : GO_ON;
            break;
        case NODE_CONTINUE:
            outcome = bit ? CONTINUED : GO_ON;
            break;
        }
        if (outcome != GO_ON)
            return outcome;
    }
    return GO_ON;
}

struct writer {
    char *text;
    size_t used;
    unsigned simd, labels, counter; /* next counter register */
    unsigned loop;                  /* label number of the enclosing loop */
    unsigned block;                 /* label of the next place where channels wait */
};

static void put(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    writer->used +=
        (size_t)vsnprintf(writer->text + writer->used, TEXT_SIZE - writer->used, format, arguments);
    va_end(arguments);
}

/* rD = rS op immediate, for all channels: x lives in r10.., counters above. */
static void put_alu(struct writer *writer, const char *opcode, const char *flag, unsigned dst,
                    unsigned src, int immediate)
{
    unsigned exec = writer->simd > 16 ? 16 : writer->simd;
    for (unsigned first = 0; first < writer->simd; first += exec) {
        put(writer, "%s (%u|M%u) %s ", opcode, exec, first, flag);
        if (*flag)
            put(writer, "null<1>:d");
        else
            put(writer, "r%u.0<1>:d", dst + first / 8);
        put(writer, " r%u.0<8;8,1>:d %d:w\n", src + first / 8, immediate);
    }
}

/* f0.0 = bit of x, per channel. */
static void put_test(struct writer *writer, int bit)
{
    put_alu(writer, "and", "(ne)f0.0", 0, 10, 1 << bit);
}

static void put_zero(struct writer *writer, unsigned reg)
{
    put_alu(writer, "and", "", reg, reg, 0);
}

static void structured(struct writer *writer, const struct node *list);

static void structured_loop(struct writer *writer, const struct node *node)
{
    unsigned label = writer->labels++, outer = writer->loop, block = writer->block;
    unsigned counter = writer->counter;
    writer->counter += 4;
    writer->loop = writer->block = label;
    put_zero(writer, counter);
    put(writer, "TOP%u:\n", label);
    structured(writer, node->first);
    /* a cont arrives at the while, so the counter is stepped in its shadow */
    put(writer, "E%u:\n", label);
    put_alu(writer, "add", "", counter, counter, 1);
    put_alu(writer, "cmp", "(lt)f0.0", 0, counter, node->value);
    put(writer, "W%u:\n(f0.0) while (%u|M0) TOP%u\n", label, writer->simd, label);
    writer->loop = outer;
    writer->block = block;
}

static void structured_if(struct writer *writer, const struct node *node)
{
    unsigned label = writer->labels++, block = writer->block;
    put_test(writer, node->value);
    put(writer, "(f0.0) if (%u|M0) %s%u E%u\n", writer->simd, node->second ? "S" : "E", label,
        label);
    writer->block = node->second ? label + 100000 : label;
    structured(writer, node->first);
    if (node->second) {
        put(writer, "E%u:\nelse (%u|M0) E%u E%u\nS%u:\n", label + 100000, writer->simd, label,
            label, label);
        writer->block = label;
        structured(writer, node->second);
    }
    put(writer, "E%u:\nendif (%u|M0) N%u\nN%u:\n", label, writer->simd, label, label);
    writer->block = block;
}

static void structured(struct writer *writer, const struct node *list)
{
    for (const struct node *node = list; node; node = node->next) {
        if (node->kind == NODE_STEP) {
            put_alu(writer, "mul", "", 10, 10, 3);
            put_alu(writer, "add", "", 10, 10, node->value);
        } else if (node->kind == NODE_IF) {
            structured_if(writer, node);
        } else if (node->kind == NODE_LOOP) {
            structured_loop(writer, node);
        } else if (node->kind == NODE_BREAK) {
            put_test(writer, node->value);
            put(writer, "(f0.0) break (%u|M0) E%u W%u\n", writer->simd, writer->block,
                writer->loop);
        } else { /* to the step of the counter: a join before the while */
            put_test(writer, node->value);
            put(writer, "(f0.0) cont (%u|M0) E%u E%u\n", writer->simd, writer->block, writer->loop);
        }
    }
}

static void unstructured(struct writer *writer, const struct node *list);

/* Channels whose bit is set go on; the others to a label. */
static void put_goto_unless(struct writer *writer, const char *predicate, unsigned jip,
                            unsigned uip)
{
    put(writer, "(%sf0.0) goto (%u|M0) J%u J%u\n", predicate, writer->simd, jip, uip);
}

static void put_join(struct writer *writer, unsigned label)
{
    put(writer, "J%u:\njoin (%u|M0) N%u\nN%u:\n", label, writer->simd, label, label);
}

static void unstructured_loop(struct writer *writer, const struct node *node)
{
    unsigned label = writer->labels, outer = writer->loop, block = writer->block;
    unsigned counter = writer->counter;
    writer->labels += 2; /* label: step of the counter; label + 1: exit */
    writer->counter += 4;
    writer->loop = writer->block = label;
    put_zero(writer, counter);
    put(writer, "TOP%u:\n", label);
    unstructured(writer, node->first);
    put_join(writer, label);
    put_alu(writer, "add", "", counter, counter, 1);
    put_alu(writer, "cmp", "(lt)f0.0", 0, counter, node->value);
    put(writer, "(f0.0) goto.b (%u|M0) J%u TOP%u\n", writer->simd, label + 1, label);
    put_join(writer, label + 1);
    writer->loop = outer;
    writer->block = block;
}

static void unstructured_if(struct writer *writer, const struct node *node)
{
    unsigned label = writer->labels, block = writer->block;
    writer->labels += 2; /* label: second part; label + 1: end */
    put_test(writer, node->value);
    put_goto_unless(writer, "", label, label);
    writer->block = label;
    unstructured(writer, node->first);
    put(writer, "(W) mov (1|M0) f0.0<1>:ud 0:ud\n");
    put_goto_unless(writer, "", label, label + 1);
    put_join(writer, label);
    writer->block = label + 1;
    unstructured(writer, node->second);
    put_join(writer, label + 1);
    writer->block = block;
}

static void unstructured(struct writer *writer, const struct node *list)
{
    for (const struct node *node = list; node; node = node->next) {
        if (node->kind == NODE_STEP) {
            put_alu(writer, "mul", "", 10, 10, 3);
            put_alu(writer, "add", "", 10, 10, node->value);
        } else if (node->kind == NODE_IF) {
            unstructured_if(writer, node);
        } else if (node->kind == NODE_LOOP) {
            unstructured_loop(writer, node);
        } else {
            put_test(writer, node->value);
            put_goto_unless(writer, "~", writer->block, writer->loop + (node->kind == NODE_BREAK));
        }
    }
}

static void run_program(struct core_machine *machine, unsigned simd, bool with_goto)
{
    static char text[TEXT_SIZE];
    struct writer writer = {.text = text, .simd = simd, .counter = 20};
    node_count = 0;
    struct node *program = make_list(4, 2, false);
    uint32_t *x = core_payload(machine, 10);
    for (unsigned i = 0; i < simd; i++)
        x[i] = (uint32_t)core_random();
    machine->dispatch.simd = simd;
    if (with_goto)
        unstructured(&writer, program);
    else
        structured(&writer, program);
    put(&writer, "(W) mov (8|M0) r100.0<1>:ud r0.0<8;8,1>:ud\n");
    assert_true(writer.counter <= 100 && writer.used < TEXT_SIZE);
    core_execute(machine, text);
    for (unsigned i = 0; i < simd; i++) {
        uint32_t expected = x[i];
        interpret(program, &expected);
        if (core_d(machine, 10)[i] != expected)
            fail_msg("channel %u of %u: %08x, expected %08x\n%s", i, simd, core_d(machine, 10)[i],
                     expected, text);
    }
}

static void random_programs(struct core_machine *machine, bool with_goto)
{
    if (!machine)
        skip();
    for (unsigned i = 0; i < PROGRAMS; i++)
        run_program(machine, 8u << i % 3, with_goto);
}

static void structured_programs(void **state)
{
    random_programs(*state, false);
}

static void goto_programs(void **state)
{
    random_programs(*state, true);
}

/* Only some channels call; the others wait at the return. */
static void divergent_call(void **state)
{
    struct core_machine *machine = *state;
    if (!machine)
        skip();
    machine->dispatch.simd = 16;
    int32_t *x = core_payload(machine, 10);
    for (int i = 0; i < 16; i++)
        x[i] = i;
    core_execute(machine, "and (16|M0) (ne)f0.0 null<1>:d r10.0<8;8,1>:d 1:w\n"
                          "(f0.0) call (16|M0) r60.0:ud SUB\n"
                          "add (16|M0) r10.0<1>:d r10.0<8;8,1>:d 100:w\n"
                          "(W) jmpi DONE\n"
                          "SUB:\n"
                          "mul (16|M0) r10.0<1>:d r10.0<8;8,1>:d 10:w\n"
                          "ret (16|M0) r60.0:ud\n"
                          "DONE:\n"
                          "(W) mov (1|M0) r61.0<1>:ud 0:ud\n");
    for (int i = 0; i < 16; i++)
        assert_int_equal(core_d(machine, 10)[i], (i & 1 ? i * 10 : i) + 100);
}

static int setup(void **state)
{
    static const struct emu_options options = {.host_threads = 1, .max_instructions = 1000000};
    *state = core_machine_create(&options);
    return 0;
}

static int teardown(void **state)
{
    core_machine_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structured_programs),
        cmocka_unit_test(goto_programs),
        cmocka_unit_test(divergent_call),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
