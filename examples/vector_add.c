#include "example.h"
#include "vector_add.cl.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    size_t count = example_size(argc, argv, 1000, 1);
    uint32_t *a = malloc(count * 4), *b = malloc(count * 4);
    uint32_t *want = malloc(count * 4), *got = calloc(count, 4);
    int bias = 7;
    for (size_t i = 0; i < count; i++) {
        a[i] = (uint32_t)i;
        b[i] = (uint32_t)(1000 * i);
        want[i] = a[i] + b[i] + 7u;
    }
    struct example example;
    example_open(&example, vector_add_source, "");
    cl_mem buffers[3] = {example_buffer(&example, count * 4, a),
                         example_buffer(&example, count * 4, b),
                         example_buffer(&example, count * 4, got)};
    cl_kernel kernel = example_kernel(&example, "vector_add");
    for (unsigned i = 0; i < 3; i++)
        EXAMPLE_ARGUMENT(kernel, i, buffers[i]);
    EXAMPLE_ARGUMENT(kernel, 3, bias);
    example_run(&example, kernel, 1, &count, NULL);
    example_read(&example, buffers[2], count * 4, got);
    int status = example_check_words("vector_add", got, want, count);
    for (unsigned i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
    example_close(&example);
    free(a);
    free(b);
    free(want);
    free(got);
    return status;
}
