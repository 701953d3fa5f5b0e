#include "example.h"
#include "mandelbrot.cl.h"

enum { LIMIT = 200 };

static uint32_t escape_time(int x, int y)
{
    volatile float cr = -2.0f + (float)x * 0.0234375f, ci = -1.5f + (float)y * 0.0234375f;
    volatile float zr = 0.0f, zi = 0.0f;
    uint32_t n = 0;
    while (n < LIMIT) {
        volatile float rr = zr * zr, ii = zi * zi;
        volatile float length = rr + ii;
        if (length > 4.0f)
            break;
        volatile float ri = zr * zi;
        volatile float difference = rr - ii, sum = ri + ri;
        zr = difference + cr;
        zi = sum + ci;
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    int width = (int)example_size(argc, argv, 128, 16), height = 128, limit = LIMIT;
    size_t count = (size_t)width * (size_t)height, size = count * sizeof(uint32_t);
    uint32_t *got = example_memory(count, sizeof *got), *want = example_memory(count, sizeof *want);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            want[y * width + x] = escape_time(x, y);
    struct example example;
    example_open(&example, mandelbrot_source, "");
    cl_mem output = example_buffer(&example, size, got);
    cl_kernel kernel = example_kernel(&example, "mandelbrot");
    EXAMPLE_ARGUMENT(kernel, 0, output);
    EXAMPLE_ARGUMENT(kernel, 1, width);
    EXAMPLE_ARGUMENT(kernel, 2, height);
    EXAMPLE_ARGUMENT(kernel, 3, limit);
    size_t global[2] = {(size_t)width, (size_t)height};
    example_run(&example, kernel, 2, global, NULL);
    example_read(&example, output, size, got);
    clReleaseMemObject(output);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("mandelbrot", got, want, count);
}
