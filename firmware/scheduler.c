/* A cooperative scheduler: two tasks with stacks of their own and the main
 * one take turns. */
#include "program.h"

static uint16_t log_value;

static NOINLINE void note(uint16_t task, uint16_t value)
{
    log_value = (uint16_t)(log_value * 17 + task * 100 + value);
}

#ifdef __MSP430__
void switch_stack(uint16_t **from, uint16_t *to);

static uint16_t stacks[2][48];
static uint16_t *saved[3];
static uint8_t current = 2;

static NOINLINE void yield(void)
{
    uint8_t from = current;
    current = (uint8_t)(current == 2 ? 0 : current + 1);
    switch_stack(&saved[from], saved[current]);
}

static void squares(void)
{
    for (uint16_t i = 0;; i++) {
        note(0, (uint16_t)(i * i));
        yield();
    }
}

static void doubles(void)
{
    for (uint16_t n = 1;; n = (uint16_t)(n + n)) {
        note(1, n);
        yield();
    }
}

static void start(uint8_t task, void (*body)(void))
{
    uint16_t *top = &stacks[task][48];
    *--top = (uint16_t)body;
    saved[task] = top - 7; /* R4 to R10 */
}

uint16_t run(void)
{
    start(0, squares);
    start(1, doubles);
    for (uint16_t i = 0; i < 12; i++) {
        note(2, i);
        yield();
    }
    return log_value;
}
#else
uint16_t run(void)
{
    for (uint16_t i = 0, n = 1; i < 12; i++, n = (uint16_t)(n + n)) {
        note(2, i);
        note(0, (uint16_t)(i * i));
        note(1, n);
    }
    return log_value;
}
#endif
