/* A fixed-point low-pass filter of second order over a synthetic signal. */
#include "program.h"

static int32_t in1, in2, out1, out2;

static NOINLINE int16_t filter(int16_t sample)
{
    /* Coefficients in 1/4096. */
    int32_t x = sample;
    int32_t y = 276 * x + 553 * in1 + 276 * in2 + 4682 * out1 - 1691 * out2;
    y /= 4096;
    in2 = in1;
    in1 = x;
    out2 = out1;
    out1 = y;
    return (int16_t)y;
}

uint16_t run(void)
{
    uint16_t noise = 1, result = 0;
    for (int16_t i = 0; i < 100; i++) {
        noise = (uint16_t)(noise * 25173u + 13849u);
        int16_t sample = (int16_t)((i & 16 ? 1500 : -1500) + (int16_t)(noise & 511) - 256);
        result = (uint16_t)((result << 3 | result >> 13) ^ (uint16_t)filter(sample));
    }
    return result;
}
