#include "example.h"
#include "histogram.cl.h"

enum { COUNT = 50000 };

static uint8_t data[COUNT];
static uint32_t got[256], want[256];

int main(void)
{
    uint32_t seed = 3;
    for (int i = 0; i < COUNT; i++) {
        uint32_t r = example_random(&seed);
        data[i] = (uint8_t)((r & 0xff) * ((r >> 8) & 0xff) / 255);
        want[data[i]]++;
    }
    struct example example;
    example_open(&example, histogram_source, "");
    cl_mem input = example_buffer(&example, sizeof data, data);
    cl_mem bins = example_buffer(&example, sizeof got, got);
    cl_kernel kernel = example_kernel(&example, "histogram");
    uint32_t count = COUNT;
    EXAMPLE_ARGUMENT(kernel, 0, input);
    EXAMPLE_ARGUMENT(kernel, 1, count);
    EXAMPLE_ARGUMENT(kernel, 2, bins);
    size_t global = 1024, local = 128;
    example_run(&example, kernel, 1, &global, &local);
    example_read(&example, bins, sizeof got, got);
    clReleaseMemObject(input);
    clReleaseMemObject(bins);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("histogram", got, want, 256);
}
