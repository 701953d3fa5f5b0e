#include "example.h"
#include "double_math.cl.h"

#include <math.h>
#include <stdio.h>

enum { COUNT = 256 };

static double b[COUNT], c[COUNT];
static union {
    double number[COUNT];
    uint32_t word[COUNT * 2];
} got, want;

int main(void)
{
    uint32_t seed = 12;
    for (int i = 0; i < COUNT; i++) {
        b[i] = (double)example_random(&seed) / 1e8 - 20.0;
        c[i] = -(double)example_random(&seed) / 1e9 - 0.001;
        /* Addition, multiplication, fma, division and sqrt of doubles are
         * correctly rounded in OpenCL, so the host's bits are the answer. */
        double s = sqrt(fma(b[i], b[i], -4.0 * c[i]));
        want.number[i] = b[i] >= 0.0 ? (-2.0 * c[i]) / (b[i] + s) : (s - b[i]) / 2.0;
    }
    struct example example;
    example_open(&example, double_math_source, "");
    cl_mem buffers[3] = {example_buffer(&example, sizeof b, b),
                         example_buffer(&example, sizeof c, c),
                         example_buffer(&example, sizeof got, &got)};
    cl_kernel kernel = example_kernel(&example, "larger_root");
    for (unsigned i = 0; i < 3; i++)
        EXAMPLE_ARGUMENT(kernel, i, buffers[i]);
    size_t global = COUNT;
    example_run(&example, kernel, 1, &global, NULL);
    example_read(&example, buffers[2], sizeof got, &got);
    for (unsigned i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("double_math", got.word, want.word, COUNT * 2);
}
