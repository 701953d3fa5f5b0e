/* Calls, recursion, variables of the program and, on Xe-HPG, kernels with the
 * large register file, through the driver; results are computed here. With the
 * compiler's key IGC_FunctionControl=4 all calls go through addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_programs.cl.h"
#include "driver_server.h"
#include "example.h"

enum { ITEMS = 256, INPUTS = 1024 };

static uint32_t in[INPUTS], got[4 * ITEMS], want[4 * ITEMS];

static uint32_t fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t odd(uint32_t n, uint32_t salt);

static uint32_t even(uint32_t n, uint32_t salt)
{
    return n == 0 ? salt * 2 + 1 : odd(n - 1, salt * 3 + n);
}

static uint32_t odd(uint32_t n, uint32_t salt)
{
    return n == 0 ? salt * 2 : even(n - 1, salt ^ n << 4);
}

static uint32_t walk(uint32_t depth, uint32_t salt)
{
    uint32_t kept[6];
    for (uint32_t i = 0; i < 6; i++)
        kept[i] = salt * (i + 3) ^ depth;
    uint32_t below = depth == 0 ? 1 : walk(depth - 1, kept[salt % 6]);
    for (uint32_t i = 0; i < 6; i++)
        below = below * 5 + kept[(i + below) % 6];
    return below;
}

static uint64_t wide(uint64_t a, const uint32_t b[4], uint32_t n)
{
    const uint32_t turned[4] = {b[1], b[2], b[3], b[0]};
    return n == 0 ? a + b[0] : wide(a * b[1] + b[2], turned, n - 1) ^ a;
}

static uint32_t pressure(uint32_t g)
{
    uint32_t v[136], sum = 0;
    for (uint32_t i = 0; i < 136; i++)
        v[i] = in[(g * 7 + i * 3) % INPUTS] + i;
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < 136; i++)
            v[i] = v[i] * 3 + v[(i * 7 + 1) % 136];
    for (uint32_t i = 0; i < 136; i++)
        sum = sum * 5 + v[i];
    return sum;
}

/* The depth of a work-item's calls. */
static uint32_t depth(uint32_t g, uint32_t limit)
{
    return in[g / 64] % limit;
}

static uint32_t power(uint32_t x, uint32_t n)
{
    return n == 0 ? 1 : x * power(x, n - 1);
}

static void run(struct example *example, const char *name, size_t words)
{
    cl_kernel kernel = example_kernel(example, name);
    cl_mem source = example_buffer(example, sizeof in, in);
    cl_mem target = example_buffer(example, sizeof got, NULL);
    size_t global = ITEMS, local = 64;

    memset(got, 0, sizeof got);
    EXAMPLE_ARGUMENT(kernel, 0, source);
    EXAMPLE_ARGUMENT(kernel, 1, target);
    example_run(example, kernel, 1, &global, &local);
    example_read(example, target, words * 4, got);
    clReleaseMemObject(source);
    clReleaseMemObject(target);
    clReleaseKernel(kernel);
}

static int test_calls(struct example *example)
{
    int failures = 0;

    for (uint32_t g = 0; g < ITEMS; g++)
        want[g] = fibonacci(depth(g, 11) + 1);
    run(example, "recursion", ITEMS);
    failures += example_check_words("recursion", got, want, ITEMS);
    for (uint32_t g = 0; g < ITEMS; g++)
        want[g] = in[g] & 64 ? even(depth(g, 23), in[g]) : odd(depth(g, 17), in[g] >> 3);
    run(example, "mutual", ITEMS);
    failures += example_check_words("mutual recursion", got, want, ITEMS);
    for (uint32_t g = 0; g < ITEMS; g++)
        want[g] = walk(depth(g, 7), in[g] >> 8);
    run(example, "frames", ITEMS);
    failures += example_check_words("arrays of calls", got, want, ITEMS);
    for (uint32_t g = 0; g < ITEMS; g++) {
        const uint32_t b[4] = {in[g], 7, 11, in[g] >> 5};
        uint64_t w = wide(in[g], b, depth(g, 5));
        want[4 * g] = (uint32_t)w;
        want[4 * g + 1] = (uint32_t)(w >> 32);
        want[4 * g + 2] = power(in[g] % 7, depth(g, 6));
        want[4 * g + 3] =
            in[g] & 1 ? fibonacci(depth(g, 6)) + even(depth(g, 4), 2) : walk(1, in[g]);
    }
    run(example, "arguments", (size_t)4 * ITEMS);
    return failures + example_check_words("arguments of calls", got, want, (size_t)4 * ITEMS);
}

static int test_variables(struct example *example)
{
    static const uint32_t primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
    uint32_t places[8] = {3, 1, 4, 1, 5, 9, 2, 6}, counter = 7, last = 7;
    int failures = 0;

    for (unsigned round = 0; round < 3; round++) {
        for (uint32_t g = 0; g < ITEMS; g++)
            want[g] = places[g % 8] * 100 + primes[4 * (g & 1) + g % 4] + places[last];
        want[0] = counter;
        counter += in[0];
        run(example, "variables", ITEMS);
        failures += example_check_words("variables of the program", got, want, ITEMS);
        run(example, "change", 1);
        places[2] += in[1];
        last = 2;
    }
    return failures;
}

/* The same kernel with 256 registers a thread, and with spilled values. */
static int test_large_file(void)
{
    struct example small, large;
    int failures = 0;

    for (uint32_t g = 0; g < ITEMS; g++)
        want[g] = pressure(g);
    example_open(&large, driver_programs_source,
                 "-cl-std=CL2.0 -DLARGE -cl-intel-256-GRF-per-thread");
    run(&large, "pressure", ITEMS);
    failures += example_check_words("large register file", got, want, ITEMS);
    example_open(&small, driver_programs_source, "-cl-std=CL2.0 -DLARGE");
    run(&small, "pressure", ITEMS);
    failures += example_check_words("small register file", got, want, ITEMS);
    run(&large, "pressure", ITEMS);
    return failures + example_check_words("large register file again", got, want, ITEMS);
}

int main(void)
{
    const char *device = getenv("SONDE_TEST_DEVICE");
    struct example example;
    uint32_t seed = 77;
    int failures = 0;

    driver_server_start();
    for (unsigned i = 0; i < INPUTS; i++)
        in[i] = example_random(&seed) >> 3;
    example_open(&example, driver_programs_source, "-cl-std=CL2.0");
    failures += test_calls(&example);
    failures += test_variables(&example);
    if (device && strcmp(device, "dg2") == 0)
        failures += test_large_file();
    return driver_server_finish(failures, 0);
}
