/* Errors that leave nested calls with longjmp. */
#include "program.h"

#ifdef __MSP430__
typedef uint16_t jmp_buf[9];
__attribute__((returns_twice)) int setjmp(jmp_buf);
__attribute__((noreturn)) void longjmp(jmp_buf, int);
#else
#include <setjmp.h>
#endif

static jmp_buf place;
static volatile uint16_t calls;

static NOINLINE uint16_t descend(uint16_t n, uint16_t limit)
{
    calls++;
    if (n == limit)
        longjmp(place, (int)(n + 1));
    return n > 12 ? n : (uint16_t)(descend((uint16_t)(n + 1), limit) + 1);
}

static NOINLINE uint16_t attempt(uint16_t limit)
{
    int code = setjmp(place);
    if (code != 0)
        return (uint16_t)(1000 + code);
    return descend(0, limit);
}

uint16_t run(void)
{
    uint16_t result = 0;
    for (uint16_t limit = 1; limit < 20; limit++)
        result = (uint16_t)(result * 7 + attempt(limit));
    return (uint16_t)(result + calls);
}
