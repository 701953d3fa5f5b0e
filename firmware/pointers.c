/* Calls through tables of function pointers: a small stack machine. */
#include "program.h"

static int16_t stack[8];
static uint8_t depth;

static NOINLINE void op_push(int16_t n)
{
    stack[depth++ & 7] = n;
}

static NOINLINE int16_t take(void)
{
    return stack[--depth & 7];
}

static NOINLINE void op_add(int16_t unused)
{
    (void)unused;
    int16_t b = take(), a = take();
    op_push((int16_t)(a + b));
}

static NOINLINE void op_multiply(int16_t unused)
{
    (void)unused;
    int16_t b = take(), a = take();
    op_push((int16_t)((uint16_t)a * (uint16_t)b));
}

static NOINLINE void op_negate(int16_t unused)
{
    (void)unused;
    op_push((int16_t)-take());
}

static void (*const operations[])(int16_t) = {op_push, op_add, op_multiply, op_negate};

static const struct {
    uint8_t operation;
    int16_t operand;
} program[] = {{0, 12}, {0, -7}, {2, 0}, {0, 1000}, {1, 0}, {3, 0},
               {0, 33}, {2, 0},  {0, 5}, {0, 6},    {2, 0}, {1, 0}};

uint16_t run(void)
{
    uint16_t result = 0;
    for (int16_t round = 0; round < 20; round++) {
        depth = 0;
        op_push(round);
        for (size_t i = 0; i < sizeof program / sizeof *program; i++)
            operations[program[i].operation](program[i].operand);
        op_add(0);
        result = (uint16_t)(result * 31 + (uint16_t)take());
    }
    return result;
}
