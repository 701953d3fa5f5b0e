/* Recursion: Fibonacci, Ackermann and the towers of Hanoi. */
#include "program.h"

static NOINLINE uint16_t fibonacci(uint16_t n)
{
    return n < 2 ? n : (uint16_t)(fibonacci((uint16_t)(n - 1)) + fibonacci((uint16_t)(n - 2)));
}

static NOINLINE uint16_t ackermann(uint16_t m, uint16_t n)
{
    if (m == 0)
        return (uint16_t)(n + 1);
    if (n == 0)
        return ackermann((uint16_t)(m - 1), 1);
    return ackermann((uint16_t)(m - 1), ackermann(m, (uint16_t)(n - 1)));
}

static NOINLINE uint16_t hanoi(uint16_t discs, uint16_t from, uint16_t to, uint16_t moves)
{
    if (discs == 0)
        return moves;
    uint16_t other = (uint16_t)(6 - from - to);
    moves = hanoi((uint16_t)(discs - 1), from, other, moves);
    moves = (uint16_t)(moves * 3 + from * 4 + to);
    return hanoi((uint16_t)(discs - 1), other, to, moves);
}

uint16_t run(void)
{
    return (uint16_t)(fibonacci(14) ^ ackermann(2, 3) << 4 ^ hanoi(7, 1, 3, 0));
}
