#include "example.h"
#include "mandelbrot.cl.h"

enum { WIDTH = 128, HEIGHT = 128, LIMIT = 200 };

static uint32_t got[WIDTH * HEIGHT], want[WIDTH * HEIGHT];

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

int main(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            want[y * WIDTH + x] = escape_time(x, y);
    struct example example;
    example_open(&example, mandelbrot_source, "");
    cl_mem output = example_buffer(&example, sizeof got, got);
    cl_kernel kernel = example_kernel(&example, "mandelbrot");
    int width = WIDTH, height = HEIGHT, limit = LIMIT;
    EXAMPLE_ARGUMENT(kernel, 0, output);
    EXAMPLE_ARGUMENT(kernel, 1, width);
    EXAMPLE_ARGUMENT(kernel, 2, height);
    EXAMPLE_ARGUMENT(kernel, 3, limit);
    size_t global[2] = {WIDTH, HEIGHT};
    example_run(&example, kernel, 2, global, NULL);
    example_read(&example, output, sizeof got, got);
    clReleaseMemObject(output);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("mandelbrot", got, want, WIDTH * HEIGHT);
}
