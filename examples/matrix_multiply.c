#include "example.h"
#include "matrix_multiply.cl.h"

int main(int argc, char **argv)
{
    int n = (int)example_size(argc, argv, 64, 16);
    size_t count = (size_t)n * (size_t)n, size = count * sizeof(float);
    float *a = example_memory(count, sizeof *a), *b = example_memory(count, sizeof *b);
    float *got = example_memory(count, sizeof *got), *want = example_memory(count, sizeof *want);
    uint32_t seed = 1;
    for (size_t i = 0; i < count; i++) {
        a[i] = example_random_float(&seed) - 0.5f;
        b[i] = example_random_float(&seed) - 0.5f;
    }
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (double)a[row * n + k] * (double)b[k * n + column];
            want[row * n + column] = (float)sum;
        }
    struct example example;
    example_open(&example, matrix_multiply_source, "");
    cl_mem buffer_a = example_buffer(&example, size, a);
    cl_mem buffer_b = example_buffer(&example, size, b);
    cl_mem buffer_c = example_buffer(&example, size, got);
    cl_kernel kernel = example_kernel(&example, "matrix_multiply");
    EXAMPLE_ARGUMENT(kernel, 0, buffer_a);
    EXAMPLE_ARGUMENT(kernel, 1, buffer_b);
    EXAMPLE_ARGUMENT(kernel, 2, buffer_c);
    EXAMPLE_ARGUMENT(kernel, 3, n);
    size_t global[2] = {(size_t)n, (size_t)n}, local[2] = {16, 16};
    example_run(&example, kernel, 2, global, local);
    example_read(&example, buffer_c, size, got);
    clReleaseMemObject(buffer_a);
    clReleaseMemObject(buffer_b);
    clReleaseMemObject(buffer_c);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_floats("matrix_multiply", got, want, count, 1e-5f);
}
