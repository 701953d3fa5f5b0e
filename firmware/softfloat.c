/* A low-pass filter of second order in single precision, over a square wave
 * with noise; the helpers of runtime/float.c do the arithmetic. */
#include "program.h"

struct section {
    float b0, b1, b2, a1, a2, x1, x2, y1, y2;
};

static NOINLINE float filter(struct section *s, float x)
{
    float y = s->b0 * x + s->b1 * s->x1 + s->b2 * s->x2;
    y = y - s->a1 * s->y1 - s->a2 * s->y2;
    s->x2 = s->x1;
    s->x1 = x;
    s->y2 = s->y1;
    s->y1 = y;
    return y;
}

static NOINLINE float wave(uint16_t i, uint16_t *noise)
{
    *noise = (uint16_t)(*noise * 25173u + 13849u);
    float base = (i & 16) ? 1.0f : -1.0f;
    return base + (float)(int16_t)*noise / 65536.0f;
}

uint16_t run(void)
{
    struct section section = {
        .b0 = 0.067455f, .b1 = 0.134911f, .b2 = 0.067455f, .a1 = -1.142980f, .a2 = 0.412802f};
    uint16_t noise = 1, hash = 0;
    float largest = 0.0f, energy = 0.0f;
    for (uint16_t i = 0; i < 100; i++) {
        float y = filter(&section, wave(i, &noise));
        if (y > largest)
            largest = y;
        energy += y * y;
        hash = (uint16_t)(hash * 31u + (uint16_t)(int16_t)(y * 1000.0f));
    }
    hash = (uint16_t)(hash * 31u + (uint16_t)(int32_t)(largest * 10000.0f));
    return (uint16_t)(hash * 31u + (uint16_t)(int32_t)(energy * 100.0f));
}
