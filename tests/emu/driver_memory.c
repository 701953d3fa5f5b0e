/* Memory accesses of every kind through the driver: each kernel of
 * driver_memory.cl against the same computation on the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_memory.cl.h"
#include "driver_server.h"
#include "example.h"

enum { ITEMS = 512, GROUP = 64, WORDS = 4096 };

static uint32_t in[WORDS], want[WORDS], got[WORDS];

static const uint8_t *in_bytes(void)
{
    return (const uint8_t *)in;
}

static void host_bytes(void)
{
    for (unsigned g = 0; g < ITEMS; g++)
        ((uint8_t *)want)[3 * g + 1] = in_bytes()[5 * g + 2];
}

static void host_shorts(void)
{
    for (unsigned g = 0; g < ITEMS; g++)
        want[g] = (uint32_t)(((const int16_t *)(const void *)in)[3 * g + 1] * 3);
}

static void host_vectors(void)
{
    static const unsigned order[3] = {2, 0, 1};

    for (unsigned g = 0; g < ITEMS; g++) {
        for (unsigned i = 0; i < 3; i++)
            ((uint8_t *)want)[3 + 3 * g + i] = in_bytes()[1 + 3 * g + order[i]];
        for (unsigned i = 0; i < 4; i++) {
            uint16_t word;
            memcpy(&word, in_bytes() + 2048 + 2 * (g + i), 2);
            want[1024 + 4 * g + i] = word + 7u;
        }
    }
}

static void host_longs(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        uint64_t value;
        memcpy(&value, in + 2 * (511 - g), 8);
        value = value * 0x9e3779b97f4a7c15u + g;
        memcpy(want + 2 * g, &value, 8);
    }
}

static void host_wide_vectors(void)
{
    for (unsigned g = 0; g < 128; g++)
        for (unsigned i = 0; i < 8; i++) {
            want[16 * g + i] = in[8 * g + 7 - i];
            want[16 * g + 8 + i] = in[8 * ((g + 1) % 128) + i];
        }
}

static void host_sparse(void)
{
    for (uint64_t g = 0; g < ITEMS; g++)
        want[g * 2654435761u % 4093] = in[g * 40503u % 4093];
}

static void host_divergent(void)
{
    for (unsigned g = 0; g < ITEMS; g++)
        if (in[g] % 3 == 0)
            want[g] = in[g ^ 5];
        else if (g % 7 < 4)
            ((uint8_t *)want)[4 * g + 2] = (uint8_t)in[g];
}

static void host_atomics(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        uint32_t v = in[g];
        want[0] += v;
        want[1] -= v;
        want[2]++;
        want[3]--;
        want[4] = v < want[4] ? v : want[4];
        want[5] = v > want[5] ? v : want[5];
        want[6] &= v | 0xff00ff;
        want[7] |= v & 0x10f0f;
        want[8] ^= v;
        want[9] = (int32_t)v < (int32_t)want[9] ? v : want[9];
        want[10] = (int32_t)v > (int32_t)want[10] ? v : want[10];
        want[11 + g % 16] = want[11 + g % 16] == 0 ? 77 : want[11 + g % 16];
        want[1024 + g + want[40]] = 1;
        want[64 + g % 61] += g;
    }
    want[40] += ITEMS;
}

static void host_atomics_long(void)
{
    uint64_t cell[12];

    memcpy(cell, want, sizeof cell);
    for (unsigned g = 0; g < ITEMS; g++) {
        uint64_t v = in[g];
        cell[0] += v << 20;
        cell[1]++;
        cell[2] = v << 13 > cell[2] ? v << 13 : cell[2];
        cell[3] ^= v * v;
        cell[4 + g % 8] = cell[4 + g % 8] == 0 ? 0x123456789abu : cell[4 + g % 8];
    }
    memcpy(want, cell, sizeof cell);
}

static void host_atomics_local(void)
{
    for (unsigned group = 0; group < ITEMS / GROUP; group++) {
        uint32_t *cell = want + 8 * group;
        memset(cell, 0, 32);
        for (unsigned l = 0; l < GROUP; l++) {
            uint32_t v = in[group * GROUP + l];
            cell[l % 4] += v;
            cell[4] = v > cell[4] ? v : cell[4];
            cell[5]++;
            cell[6] = 9;
            want[1024 + group * GROUP + l] = 0;
        }
    }
}

static void host_local_bytes(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        unsigned first = g / GROUP * GROUP, l = g % GROUP;
        want[g] = (uint8_t)in[first + 63 - l] + (uint16_t)(in[first + 63 - l] >> 3) * 3u +
                  (uint32_t)((uint64_t)in[first + (l ^ 21)] << 17 >> 9);
    }
}

static void host_local_sum(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        uint32_t sum[4] = {0, 0, 0, 0};
        for (unsigned i = g / GROUP * GROUP; i < (g / GROUP + 1) * GROUP; i++) {
            sum[0] += in[i];
            sum[1] += in[i] >> 1;
            sum[2] += i;
            sum[3]++;
        }
        for (unsigned i = 0; i < 4; i++)
            want[4 * g + i] = sum[i] + g % GROUP;
    }
}

static void host_async_copy(void)
{
    for (unsigned g = 0; g < ITEMS; g++)
        want[g] = in[g] * 5 + in[g] % 11;
}

static void host_private_array(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        uint32_t a[96], sum = 0;
        for (unsigned i = 0; i < 96; i++)
            a[i] = in[(g + i * 7) % 1024];
        for (unsigned i = 0; i < 96; i++) {
            unsigned at = (in[i] + g) % 96;
            sum = sum * 31 + a[at];
            a[at] = sum;
        }
        want[g] = sum;
    }
}

static void host_private_bytes(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        uint32_t sum = 0;
        for (unsigned i = 0; i < 64; i++) {
            unsigned at = in[g + i];
            sum = sum * 17 + (uint8_t)(in[(g + at % 64) % 1024] >> 5) +
                  (uint16_t)in[(g + 3 * (at % 32)) % 1024];
        }
        want[g] = sum;
    }
}

static void host_pressure(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        uint32_t v[24][16], t[16] = {0}, sum = 0;
        for (unsigned i = 0; i < 24; i++)
            for (unsigned e = 0; e < 16; e++)
                v[i][e] = in[(g + i) % 64 * 16 + e] * (i + 1);
        for (unsigned round = 0; round < 3; round++)
            for (unsigned i = 0; i < 24; i++) {
                for (unsigned e = 0; e < 16; e++)
                    t[e] = t[e] * 3 + v[(i * 7 + 1) % 24][e];
                for (unsigned e = 0; e < 16; e++)
                    v[i][e] ^= t[(e + 1) % 16];
            }
        for (unsigned i = 0; i < 24; i++)
            sum = sum * 7 + v[i][0] + v[i][5] * 3 + v[i][15];
        want[g] = sum;
    }
}

static void host_constants(void)
{
    static const uint32_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

    for (unsigned g = 0; g < ITEMS; g++)
        want[g] = table[in[g] % 16] * 100 + (g % 4 + 1) * 10;
}

static void host_generic_pointers(void)
{
    for (unsigned g = 0; g < ITEMS; g++)
        want[g] = 2 * (in[g] + (g % 3 == 1));
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        a = (a ^ b) * 16777619u + i;
    return a;
}

static void host_calls(void)
{
    for (unsigned g = 0; g < ITEMS; g++)
        want[g] = mix(g & 1 ? mix(in[g], g, 3 + g % 4) : in[g], 5, 2);
}

static void host_blocks(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        unsigned lane = g % 16, first = g - lane;
        want[g] = in[g] + 1;
        for (unsigned i = 0; i < 4; i++)
            want[1024 + 4 * first + 16 * i + lane] = in[4 * first + 16 * (3 - i) + lane];
        ((uint16_t *)(void *)(want + 3584))[g] = ((const uint16_t *)(const void *)in)[g];
    }
}

static void host_blocks8(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        unsigned lane = g % 8, first = g - lane;
        want[2 * first + lane] = in[4 * (first / 8) + 8 + lane];
        want[2 * first + 8 + lane] = in[4 * (first / 8) + 40 + lane];
    }
}

static void host_doubles(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        double value = (double)in[g] * 0.25 + (double)(int32_t)in[511 - g];
        memcpy(want + 2 * g, &value, 8);
    }
}

static void host_halves(void)
{
    for (unsigned g = 0; g < ITEMS; g++) {
        _Float16 half = (_Float16)((float)(in[g] % 2048) * 0.5f);
        memcpy((uint8_t *)want + 2 * g, &half, 2);
        memcpy(&half, in_bytes() + 8192 + 2 * g, 2);
        float value = (float)half;
        memcpy(want + 1024 + g, &value, 4);
    }
}

static const struct {
    const char *name;
    void (*host)(void);
} tests[] = {
    {"bytes", host_bytes},
    {"shorts", host_shorts},
    {"vectors", host_vectors},
    {"longs", host_longs},
    {"wide_vectors", host_wide_vectors},
    {"sparse", host_sparse},
    {"divergent", host_divergent},
    {"atomics", host_atomics},
    {"atomics_long", host_atomics_long},
    {"atomics_local", host_atomics_local},
    {"local_bytes", host_local_bytes},
    {"local_sum", host_local_sum},
    {"async_copy", host_async_copy},
    {"private_array", host_private_array},
    {"private_bytes", host_private_bytes},
    {"pressure", host_pressure},
    {"constants", host_constants},
    {"generic_pointers", host_generic_pointers},
    {"calls", host_calls},
    {"blocks", host_blocks},
    {"blocks8", host_blocks8},
    {"doubles", host_doubles},
    {"halves", host_halves},
};

/* The whole output is compared, so that a stray store shows. */
static int run(struct example *example, const char *name, void (*host)(void), uint32_t *seed)
{
    const size_t global = ITEMS, local = GROUP;

    for (unsigned i = 0; i < WORDS; i++) {
        in[i] = example_random(seed);
        want[i] = i < 64 ? 0 : 0xa5a5a5a5;
        /* Halves: no NaN, whose bits may change. */
        if (i >= 2048 && strcmp(name, "halves") == 0)
            in[i] &= 0xbbffbbff;
    }
    cl_mem source = example_buffer(example, sizeof in, in);
    cl_mem target = example_buffer(example, sizeof want, want);
    cl_kernel kernel = example_kernel(example, name);
    EXAMPLE_ARGUMENT(kernel, 0, source);
    EXAMPLE_ARGUMENT(kernel, 1, target);
    example_run(example, kernel, 1, &global, &local);
    example_read(example, target, sizeof got, got);
    host();
    clReleaseKernel(kernel);
    clReleaseMemObject(source);
    clReleaseMemObject(target);
    return example_check_words(name, got, want, WORDS) != 0;
}

int main(int argc, char **argv)
{
    struct example example;
    uint32_t seed = 9;
    int failures = 0;

    driver_server_start();
    example_open(&example, driver_memory_source, "-cl-std=CL2.0");
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
        if (argc < 2 || strcmp(argv[1], tests[i].name) == 0)
            failures += run(&example, tests[i].name, tests[i].host, &seed);
    return driver_server_finish(failures, 0);
}
