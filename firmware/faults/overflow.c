/* Grows the stack until it reaches the data: what the simulator must stop. */
#include "program.h"

static volatile uint16_t data[64];

static NOINLINE uint16_t deeper(uint16_t n)
{
    data[n & 63] = n;
    if (data[(n + 1) & 63] == 0xffff)
        return 0; /* never */
    return (uint16_t)(deeper((uint16_t)(n + 1)) + data[n & 63]);
}

uint16_t run(void)
{
    return deeper(0);
}
