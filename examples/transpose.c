#include "example.h"
#include "transpose.cl.h"

enum { WIDTH = 100, HEIGHT = 67, TILE = 16 };

static float in[WIDTH * HEIGHT], got[WIDTH * HEIGHT], want[WIDTH * HEIGHT];

int main(void)
{
    uint32_t seed = 7;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            want[x * HEIGHT + y] = in[y * WIDTH + x] = example_random_float(&seed);
    struct example example;
    example_open(&example, transpose_source, "");
    cl_mem input = example_buffer(&example, sizeof in, in);
    cl_mem output = example_buffer(&example, sizeof got, got);
    cl_kernel kernel = example_kernel(&example, "transpose");
    int width = WIDTH, height = HEIGHT;
    EXAMPLE_ARGUMENT(kernel, 0, input);
    EXAMPLE_ARGUMENT(kernel, 1, output);
    EXAMPLE_ARGUMENT(kernel, 2, width);
    EXAMPLE_ARGUMENT(kernel, 3, height);
    size_t global[2] = {(WIDTH + TILE - 1) / TILE * TILE, (HEIGHT + TILE - 1) / TILE * TILE};
    size_t local[2] = {TILE, TILE};
    example_run(&example, kernel, 2, global, local);
    example_read(&example, output, sizeof got, got);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_floats("transpose", got, want, WIDTH * HEIGHT, 0.0f);
}
