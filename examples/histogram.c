#include "example.h"
#include "histogram.cl.h"

static uint32_t got[256], want[256];

int main(int argc, char **argv)
{
    uint32_t count = (uint32_t)example_size(argc, argv, 50000, 1);
    uint8_t *data = example_memory(count, sizeof *data);
    uint32_t seed = 3;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t r = example_random(&seed);
        data[i] = (uint8_t)((r & 0xff) * ((r >> 8) & 0xff) / 255);
        want[data[i]]++;
    }
    struct example example;
    example_open(&example, histogram_source, "");
    cl_mem input = example_buffer(&example, count, data);
    cl_mem bins = example_buffer(&example, sizeof got, got);
    cl_kernel kernel = example_kernel(&example, "histogram");
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
