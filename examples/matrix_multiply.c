#include "example.h"
#include "matrix_multiply.cl.h"

enum { N = 64 };

static float a[N * N], b[N * N], got[N * N], want[N * N];

int main(void)
{
    uint32_t seed = 1;
    for (int i = 0; i < N * N; i++) {
        a[i] = example_random_float(&seed) - 0.5f;
        b[i] = example_random_float(&seed) - 0.5f;
    }
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += (double)a[row * N + k] * (double)b[k * N + column];
            want[row * N + column] = (float)sum;
        }
    struct example example;
    example_open(&example, matrix_multiply_source, "");
    cl_mem buffer_a = example_buffer(&example, sizeof a, a);
    cl_mem buffer_b = example_buffer(&example, sizeof b, b);
    cl_mem buffer_c = example_buffer(&example, sizeof got, got);
    cl_kernel kernel = example_kernel(&example, "matrix_multiply");
    int n = N;
    EXAMPLE_ARGUMENT(kernel, 0, buffer_a);
    EXAMPLE_ARGUMENT(kernel, 1, buffer_b);
    EXAMPLE_ARGUMENT(kernel, 2, buffer_c);
    EXAMPLE_ARGUMENT(kernel, 3, n);
    size_t global[2] = {N, N}, local[2] = {16, 16};
    example_run(&example, kernel, 2, global, local);
    example_read(&example, buffer_c, sizeof got, got);
    clReleaseMemObject(buffer_a);
    clReleaseMemObject(buffer_b);
    clReleaseMemObject(buffer_c);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_floats("matrix_multiply", got, want, N * N, 1e-5f);
}
