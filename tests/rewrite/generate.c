#include "generate.h"

#include "machine.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_BYTES      (1u << 20)
#define MAXIMUM_DEPTH   4
#define MAXIMUM_LOOPS   3
#define VARIABLES       8
#define STATEMENT_LIMIT 160

static char text[TEXT_BYTES];
static size_t length;
static uint64_t state;
static unsigned labels, statements;
static bool uses_indirect; /* register-indirect operands, which hide what is live */

/* Where a statement stands. Labels are numbers, 0 = none. */
struct scope {
    unsigned depth, loops;
    unsigned meet; /* next point at which channels may wait */
    unsigned loop; /* the innermost `while` */
    unsigned join; /* target of goto */
};

static const char *const loop_flags[MAXIMUM_LOOPS] = {"f0.1", "f1.0", "f1.1"};

static unsigned random_below(unsigned limit)
{
    return machine_random(&state) % limit;
}

static void emit(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text + length, TEXT_BYTES - length, format, arguments);
    va_end(arguments);
    if (written > 0)
        length += (size_t)written;
}

static unsigned variable(void)
{
    return 20 + 2 * random_below(VARIABLES);
}

static void condition(void)
{
    emit("and (16|M0) (nz)f0.0 null<1>:d r%u.0<8;8,1>:d 0x%x:d\n", variable(),
         1u << random_below(5));
}

static void arithmetic(void)
{
    static const char *const operations[] = {"add", "xor", "or", "and", "shr"};
    unsigned pick = random_below(5);
    if (pick == 4)
        emit("shr (16|M0) r%u.0<1>:d r%u.0<8;8,1>:d %u:d\n", variable(), variable(),
             1 + random_below(3));
    else
        emit("%s (16|M0) r%u.0<1>:d r%u.0<8;8,1>:d r%u.0<8;8,1>:d\n", operations[pick], variable(),
             variable(), variable());
}

/* Runs whoever is enabled: shows every visit of the thread. */
static void scalar(void)
{
    emit("(W) add (1|M0) r2.%u<1>:d r2.%u<0;1,0>:d %u:d\n", random_below(6), random_below(6),
         1 + random_below(9));
}

/* A product in an accumulator, between whose halves code may be inserted. */
static void accumulate(void)
{
    emit("(W) mul (8|M0) acc0.0<1>:ud r%u.0<8;8,1>:ud r%u.0<16;8,2>:uw\n", variable(), variable());
    emit("mach (8|M0) r%u.0<1>:ud r%u.0<8;8,1>:ud r%u.0<8;8,1>:ud {AccWrEn}\n", variable(),
         variable(), variable());
}

/* Through a0.0 - a0.3, which start() points at variables. */
static void indirect(void)
{
    unsigned address = random_below(4);
    if (random_below(2))
        emit("mov (8|M0) r%u.0<1>:d r[a0.%u,%u]<8;8,1>:d\n", variable(), address,
             4 * random_below(8));
    else
        emit("(W) mov (1|M0) r[a0.%u,%u]<1>:d r2.%u<0;1,0>:d\n", address, 4 * random_below(8),
             random_below(6));
}

static void statement(struct scope scope);

static void block(struct scope scope, unsigned limit)
{
    scope.depth++;
    for (unsigned n = 1 + random_below(limit); n > 0; n--)
        statement(scope);
}

static void branch_if(struct scope scope)
{
    unsigned other = ++labels, end = ++labels, next = ++labels;
    bool has_else = random_below(2) == 0;
    struct scope inner = scope;
    condition();
    emit("(%sf0.0) if (16|M0) L%u L%u\n", random_below(2) ? "~" : "", has_else ? other : end, end);
    inner.meet = end;
    block(inner, 3);
    if (has_else) {
        emit("else (16|M0) L%u L%u\nL%u:\n", end, end, other);
        block(inner, 3);
    }
    emit("L%u:\nendif (16|M0) L%u\nL%u:\n", end,
         random_below(2) || scope.meet == 0 ? next : scope.meet, next);
}

static void loop(struct scope scope)
{
    unsigned head = ++labels, end = ++labels;
    unsigned counter = 40 + 2 * scope.loops;
    const char *flag = loop_flags[scope.loops];
    struct scope inner = scope;
    emit("mov (16|M0) r%u.0<1>:d 0:d\nL%u:\n", counter, head);
    emit("add (16|M0) r%u.0<1>:d r%u.0<8;8,1>:d 1:d\n", counter, counter);
    emit("cmp (16|M0) (lt)%s null<1>:d r%u.0<8;8,1>:d r%u.0<8;8,1>:d\n", flag, counter,
         50 + 2 * random_below(2));
    inner.loops++;
    inner.meet = end;
    inner.loop = end;
    block(inner, 4);
    emit("L%u:\n(%s) while (16|M0) L%u\n", end, flag, head);
}

static void region(struct scope scope)
{
    unsigned join = ++labels;
    struct scope inner = scope;
    inner.meet = join;
    inner.join = join;
    condition();
    emit("(f0.0) goto (16|M0) L%u L%u\n", join, join);
    block(inner, 4);
    emit("L%u:\njoin (16|M0) L%u\n", join, scope.meet == 0 ? join : scope.meet);
}

/* A loop that the compiler would write with goto.b. */
static void back_loop(struct scope scope)
{
    unsigned head = ++labels, join = ++labels;
    unsigned counter = 40 + 2 * scope.loops;
    const char *flag = loop_flags[scope.loops];
    struct scope inner = scope;
    emit("mov (16|M0) r%u.0<1>:d 0:d\nL%u:\n", counter, head);
    emit("add (16|M0) r%u.0<1>:d r%u.0<8;8,1>:d 1:d\n", counter, counter);
    inner.loops++;
    inner.meet = join;
    inner.join = join;
    inner.loop = 0;
    block(inner, 2);
    emit("cmp (16|M0) (lt)%s null<1>:d r%u.0<8;8,1>:d r%u.0<8;8,1>:d\n", flag, counter,
         50 + 2 * random_below(2));
    emit("(%s) goto.b (16|M0) L%u L%u\n", flag, join, head);
    emit("L%u:\njoin (16|M0) L%u\n", join, scope.meet == 0 ? join : scope.meet);
}

static void uniform_skip(struct scope scope)
{
    unsigned over = ++labels;
    emit("(W) and (16|M0) (nz)f0.0 null<1>:d r2.%u<0;1,0>:d %u:d\n", random_below(6),
         1 + random_below(3));
    emit("(W&%sf0.0) jmpi L%u\n", random_below(2) ? "~" : "", over);
    block(scope, 3);
    emit("L%u:\n", over);
}

static void leave(struct scope scope)
{
    if (scope.loop != 0 && random_below(2)) {
        condition();
        emit("(f0.0) %s (16|M0) L%u L%u\n", random_below(2) ? "break" : "cont", scope.meet,
             scope.loop);
    } else if (scope.join != 0) {
        condition();
        emit("(%sf0.0) goto (16|M0) L%u L%u\n", random_below(2) ? "~" : "", scope.meet, scope.join);
    } else {
        arithmetic();
    }
}

static void statement(struct scope scope)
{
    bool nests = scope.depth < MAXIMUM_DEPTH && ++statements < STATEMENT_LIMIT;
    switch (random_below(nests ? 14 : 5)) {
    case 0:
    case 1:
        arithmetic();
        break;
    case 2:
        scalar();
        break;
    case 3:
        leave(scope);
        break;
    case 4:
        if (uses_indirect)
            indirect();
        else if (random_below(3) == 0)
            accumulate();
        else
            scalar();
        break;
    case 5:
    case 6:
    case 7:
        branch_if(scope);
        break;
    case 8:
    case 9:
        if (scope.loops < MAXIMUM_LOOPS)
            loop(scope);
        break;
    case 10:
    case 11:
        region(scope);
        break;
    case 12:
        if (scope.loops < MAXIMUM_LOOPS)
            back_loop(scope);
        else
            uniform_skip(scope);
        break;
    default:
        if (random_below(2))
            uniform_skip(scope);
        else
            emit("call (16|M0) r60.0 L1\n");
    }
}

static void start(void)
{
    emit("(W) mov (8|M0) r3.0<1>:ud r0.0<8;8,1>:ud\n");
    emit("(W) mov (8|M0) r2.0<1>:d 0:d\n");
    emit("(W) mov (1|M0) f0.0<1>:ud 0:ud\n(W) mov (1|M0) f1.0<1>:ud 0:ud\n");
    for (unsigned r = 20; r < 60; r += 2)
        emit("(W) mov (16|M0) r%u.0<1>:d 0:d\n", r);
    for (unsigned v = 0; v < VARIABLES; v++) {
        emit("mul (16|M0) r%u.0<1>:d r1.0<16;16,1>:uw %u:uw\n", 20 + 2 * v, 1 + random_below(999));
        emit("add (16|M0) r%u.0<1>:d r%u.0<8;8,1>:d r0.1<0;1,0>:d\n", 20 + 2 * v, 20 + 2 * v);
    }
    for (unsigned n = 0; uses_indirect && n < 4; n++)
        emit("(W) mov (1|M0) a0.%u<1>:uw %u:uw\n", n, 32 * variable());
    /* Trip counts of loops, different from channel to channel. */
    emit("and (16|M0) r50.0<1>:d r20.0<8;8,1>:d 3:d\nand (16|M0) r52.0<1>:d r22.0<8;8,1>:d 1:d\n");
    emit("add (16|M0) r52.0<1>:d r52.0<8;8,1>:d 1:d\n");
}

/* The second group ends here. */
static void early_exit(void)
{
    unsigned on = ++labels;
    emit("(W) cmp (16|M0) (ne)f0.0 null<1>:d r3.1<0;1,0>:d 1:d\n(W&f0.0) jmpi L%u\n", on);
    emit("(W) mov (8|M0) r127.0<1>:ud r3.0<8;8,1>:ud\n");
    emit("(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\nL%u:\n", on);
}

static void finish(void)
{
    emit("(W) mov (1|M0) r2.6<1>:ud f0.0<0;1,0>:ud\n(W) mov (1|M0) r2.7<1>:ud f1.0<0;1,0>:ud\n");
    emit("(W) mov (8|M0) r71.0<1>:w 0x76543210:v\n(W) shl (8|M0) r72.0<1>:ud r71.0<8;8,1>:uw "
         "2:uw\n");
    emit("(W) shl (1|M0) r73.0<1>:ud r3.1<0;1,0>:ud 12:ud\n");
    emit("(W) add (8|M0) r72.0<1>:ud r72.0<8;8,1>:ud r73.0<0;1,0>:ud\n");
    for (unsigned r = 0; r < 2 * VARIABLES + 1; r++) {
        emit("(W) add (8|M0) r70.0<1>:ud r72.0<8;8,1>:ud 0x%x:ud\n", r * 32);
        emit("(W) sends (8|M0) null:ud r70 r%u 0x4C 0x02026E00\n", r < 2 * VARIABLES ? 20 + r : 2);
    }
    emit("(W) mov (8|M0) r127.0<1>:ud r3.0<8;8,1>:ud\n");
    emit("(W) send (8|M0) null r127 0x27 0x02000010 {EOT}\n");
    emit("L1:\n");
    arithmetic();
    scalar();
    emit("ret (16|M0) r60.0\n");
}

bool generate_used_indirect(void)
{
    return uses_indirect;
}

const char *generate_program(uint64_t seed)
{
    length = 0;
    state = seed * 0x9e3779b97f4a7c15u + 1;
    labels = 1; /* L1 is the subroutine */
    statements = 0;
    uses_indirect = seed % 4 == 3;
    emit("L0:\n");
    start();
    struct scope scope = {0};
    for (unsigned n = 4 + random_below(5); n > 0; n--)
        statement(scope);
    if (seed % 3 == 0) {
        early_exit();
        statement(scope);
    }
    finish();
    return text;
}
