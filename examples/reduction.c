#include "example.h"
#include "reduction.cl.h"

enum { LOCAL = 256, GLOBAL = 4096 };

int main(int argc, char **argv)
{
    uint32_t count = (uint32_t)example_size(argc, argv, 100003, 1);
    uint32_t *data = example_memory(count, sizeof *data);
    uint32_t seed = 2, want = 0, got = 0;
    for (uint32_t i = 0; i < count; i++) {
        data[i] = example_random(&seed);
        want += data[i];
    }
    struct example example;
    example_open(&example, reduction_source, "");
    cl_mem input = example_buffer(&example, count * sizeof *data, data);
    cl_mem output = example_buffer(&example, sizeof got, &got);
    cl_kernel kernel = example_kernel(&example, "reduction");
    EXAMPLE_ARGUMENT(kernel, 0, input);
    EXAMPLE_ARGUMENT(kernel, 1, output);
    EXAMPLE_ARGUMENT(kernel, 2, count);
    clSetKernelArg(kernel, 3, LOCAL * sizeof(uint32_t), NULL);
    size_t global = GLOBAL, local = LOCAL;
    example_run(&example, kernel, 1, &global, &local);
    example_read(&example, output, sizeof got, &got);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("reduction", &got, &want, 1);
}
