/* Double precision and 64-bit integers: a square root by Newton's steps, a
 * sum of a series, a time in microseconds taken apart. */
#include "program.h"

static NOINLINE double root(double x)
{
    double guess = x > 1.0 ? x : 1.0;
    for (uint8_t i = 0; i < 12; i++)
        guess = 0.5 * (guess + x / guess);
    return guess;
}

static NOINLINE uint16_t clock_of(uint64_t microseconds)
{
    uint64_t seconds = microseconds / 1000000u;
    uint16_t rest = (uint16_t)(microseconds % 1000000u >> 4);
    uint16_t minutes = (uint16_t)(seconds / 60 % 60), hours = (uint16_t)(seconds / 3600 % 24);
    return (uint16_t)(hours * 3600u + minutes * 60u + seconds % 60 + rest);
}

uint16_t run(void)
{
    uint16_t hash = 0;
    for (uint16_t i = 2; i < 6; i++)
        hash = (uint16_t)(hash * 31u + (uint16_t)(uint32_t)(root((double)i) * 1e6));
    double sum = 0.0, sign = 4.0;
    for (uint16_t i = 1; i < 40; i = (uint16_t)(i + 2), sign = -sign)
        sum += sign / (double)i;
    hash = (uint16_t)(hash * 31u + (uint16_t)(uint32_t)(sum * 1e9));
    uint64_t time = 0x123456789abcu;
    for (uint16_t i = 0; i < 5; i++) {
        hash = (uint16_t)(hash * 31u + clock_of(time));
        time = time * 6364136223846793005u + 1442695040888963407u;
        time >>= i + 9;
    }
    return (uint16_t)(hash * 31u + (uint16_t)((int64_t)time % -1234567));
}
