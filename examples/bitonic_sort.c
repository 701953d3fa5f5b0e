#include "example.h"
#include "bitonic_sort.cl.h"

#include <stdlib.h>

enum { COUNT = 1024 };

static uint32_t keys[COUNT], want[COUNT];

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

int main(void)
{
    uint32_t seed = 4;
    for (int i = 0; i < COUNT; i++)
        want[i] = keys[i] = example_random(&seed);
    qsort(want, COUNT, sizeof want[0], compare);
    struct example example;
    example_open(&example, bitonic_sort_source, "");
    cl_mem buffer = example_buffer(&example, sizeof keys, keys);
    cl_kernel kernel = example_kernel(&example, "bitonic_step");
    size_t global = COUNT / 2;
    for (uint32_t block = 2; block <= COUNT; block *= 2)
        for (uint32_t distance = block / 2; distance > 0; distance /= 2) {
            EXAMPLE_ARGUMENT(kernel, 0, buffer);
            EXAMPLE_ARGUMENT(kernel, 1, distance);
            EXAMPLE_ARGUMENT(kernel, 2, block);
            example_run(&example, kernel, 1, &global, NULL);
        }
    example_read(&example, buffer, sizeof keys, keys);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("bitonic_sort", keys, want, COUNT);
}
