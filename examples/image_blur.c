#include "example.h"
#include "image_blur.cl.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 61, HEIGHT = 37 };

static uint8_t in[HEIGHT][WIDTH][4], got[HEIGHT][WIDTH][4], want[HEIGHT][WIDTH][4];

static int clamp(int value, int limit)
{
    return value < 0 ? 0 : value >= limit ? limit - 1 : value;
}

static void host_blur(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 4; c++) {
                unsigned sum = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        sum += in[clamp(y + dy, HEIGHT)][clamp(x + dx, WIDTH)][c];
                want[y][x][c] = (uint8_t)(sum / 9);
            }
}

static cl_mem make_image(struct example *example, cl_mem_flags flags, void *data)
{
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc description = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_int status;
    cl_mem image = clCreateImage(example->context, flags, &format, &description, data, &status);
    if (status != CL_SUCCESS) {
        fprintf(stderr, "clCreateImage failed with OpenCL error %d\n", status);
        exit(2);
    }
    return image;
}

int main(void)
{
    uint32_t seed = 11;
    for (int i = 0; i < HEIGHT * WIDTH * 4; i++)
        ((uint8_t *)in)[i] = (uint8_t)example_random(&seed);
    host_blur();
    struct example example;
    example_open(&example, image_blur_source, "");
    cl_mem source = make_image(&example, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, in);
    cl_mem target = make_image(&example, CL_MEM_WRITE_ONLY, NULL);
    cl_kernel kernel = example_kernel(&example, "image_blur");
    EXAMPLE_ARGUMENT(kernel, 0, source);
    EXAMPLE_ARGUMENT(kernel, 1, target);
    size_t global[2] = {WIDTH, HEIGHT}, origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    example_run(&example, kernel, 2, global, NULL);
    cl_int status = clEnqueueReadImage(example.queue, target, CL_TRUE, origin, region, 0, 0, got, 0,
                                       NULL, NULL);
    if (status != CL_SUCCESS) {
        fprintf(stderr, "clEnqueueReadImage failed with OpenCL error %d\n", status);
        return 2;
    }
    clReleaseMemObject(source);
    clReleaseMemObject(target);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("image_blur", (const uint32_t *)got, (const uint32_t *)want,
                               HEIGHT * WIDTH);
}
