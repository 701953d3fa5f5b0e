#include "example.h"
#include "narrow_types.cl.h"

#include <string.h>

enum { COUNT = 512 };

static uint8_t bytes[COUNT];
static uint16_t words[COUNT];
static uint64_t longs[COUNT];
static uint32_t got[COUNT][8], want[COUNT][8];
static uint16_t half_in[COUNT];
static uint32_t half_got[COUNT / 2], half_want[COUNT / 2];

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static void host_item(int i)
{
    int8_t c = (int8_t)bytes[i];
    uint8_t u = bytes[i];
    int16_t s = (int16_t)words[i];
    uint16_t w = words[i];
    uint64_t q = longs[i];
    int64_t l = (int64_t)q;
    want[i][0] = (uint32_t)(int8_t)(c * 3 + 5) ^ (uint32_t)clamp(u + 100, 0, 255);
    want[i][1] = (uint32_t)(uint16_t)(s >> 3) | (uint32_t)(w * 0x1234u >> 16) << 16;
    want[i][2] =
        (uint32_t)(uint16_t)clamp(s - 30000, -32768, 32767) + (uint32_t)(uint8_t)(u << 3 | u >> 5);
    uint64_t product = q * 0x9e3779b97f4a7c15ull + w;
    want[i][3] = (uint32_t)product ^ (uint32_t)(product >> 32);
    int64_t shifted = l >> (w & 63);
    want[i][4] = (uint32_t)shifted ^ (uint32_t)(shifted >> 32);
    want[i][5] = (uint32_t)(q / (w | 1u)) + (uint32_t)(q % (w | 1u));
    uint32_t leading = q == 0 ? 64 : (uint32_t)__builtin_clzll(q);
    want[i][6] = (uint32_t)__builtin_popcountll(q) + leading * 256u + (l < 0 ? 65536u : 0u);
    want[i][7] = (uint32_t)(c > -5 ? c : -5) + (w < 5000 ? w : 5000u) * 7u;
}

/* Halfs here are k / 64 for small k, so x * 1.5 + 0.25 is exact in float and
 * needs at most one rounding to half, done to nearest even below. */
static uint16_t half_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude < 0x38800000) { /* subnormal half: units of 2^-24 */
        float scaled = (value < 0 ? -value : value) * 16777216.0f;
        uint32_t units = (uint32_t)scaled;
        float rest = scaled - (float)units;
        if (rest > 0.5f || (rest == 0.5f && (units & 1)))
            units++;
        return (uint16_t)(sign | units);
    }
    uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((rounded >> 13) - (112u << 10)));
}

static int run_halves(struct example *example)
{
    uint16_t *expected = (uint16_t *)half_want;
    for (int i = 0; i < COUNT; i++) {
        float value = (float)(i - COUNT / 2) / 64.0f;
        half_in[i] = half_from_float(value);
        expected[i] = half_from_float(value * 1.5f + 0.25f);
    }
    cl_mem input = example_buffer(example, sizeof half_in, half_in);
    cl_mem output = example_buffer(example, sizeof half_got, half_got);
    cl_kernel kernel = example_kernel(example, "half_floats");
    EXAMPLE_ARGUMENT(kernel, 0, input);
    EXAMPLE_ARGUMENT(kernel, 1, output);
    size_t global = COUNT;
    example_run(example, kernel, 1, &global, NULL);
    example_read(example, output, sizeof half_got, half_got);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseKernel(kernel);
    return example_check_words("narrow_types: half", half_got, half_want, COUNT / 2);
}

int main(void)
{
    uint32_t seed = 9;
    for (int i = 0; i < COUNT; i++) {
        bytes[i] = (uint8_t)example_random(&seed);
        words[i] = (uint16_t)example_random(&seed);
        longs[i] = (uint64_t)example_random(&seed) << 32 | example_random(&seed);
        if (i % 5 == 0)
            longs[i] >>= i % 60;
        host_item(i);
    }
    struct example example;
    example_open(&example, narrow_types_source, "");
    cl_mem buffers[4] = {example_buffer(&example, sizeof bytes, bytes),
                         example_buffer(&example, sizeof words, words),
                         example_buffer(&example, sizeof longs, longs),
                         example_buffer(&example, sizeof got, got)};
    cl_kernel kernel = example_kernel(&example, "narrow_types");
    for (unsigned i = 0; i < 4; i++)
        EXAMPLE_ARGUMENT(kernel, i, buffers[i]);
    size_t global = COUNT;
    example_run(&example, kernel, 1, &global, NULL);
    example_read(&example, buffers[3], sizeof got, got);
    int status = example_check_words("narrow_types: integers", &got[0][0], &want[0][0], COUNT * 8);
    status |= run_halves(&example);
    for (unsigned i = 0; i < 4; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
    example_close(&example);
    return status;
}
