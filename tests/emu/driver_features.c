/* Less common features through the driver: block access to images, images
 * over buffers and host memory, depth and sRGB images, OpenCL 2 atomics, shared
 * virtual memory, printf, sub-group operations, rectangles of buffers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver_features.cl.h"
#include "driver_server.h"
#include "example.h"

static uint32_t seed = 21;

static int check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        printf("%s: OpenCL error %d\n", what, status);
    return status != CL_SUCCESS;
}

static void fill(void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)data)[i] = (uint8_t)(example_random(&seed) >> 7);
}

static cl_mem make_image(struct example *example, cl_mem_flags flags, cl_channel_order order,
                         cl_channel_type type, size_t width, size_t height, size_t pitch,
                         void *data, cl_mem buffer)
{
    cl_image_format format = {order, type};
    cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = width,
                                 .image_height = height,
                                 .image_row_pitch = pitch,
                                 .buffer = buffer};
    cl_int status;
    cl_mem image = clCreateImage(example->context, flags, &format, &description, data, &status);

    return check(status, "clCreateImage") ? NULL : image;
}

static int read_back(struct example *example, cl_mem image, size_t width, size_t height, void *data)
{
    size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};

    return check(clEnqueueReadImage(example->queue, image, CL_TRUE, origin, region, 0, 0, data, 0,
                                    NULL, NULL),
                 "clEnqueueReadImage");
}

static int test_image_blocks(struct example *example)
{
    enum { WIDTH = 64, HEIGHT = 24 };
    static uint32_t in[HEIGHT][WIDTH], out[HEIGHT][WIDTH], want[HEIGHT][WIDTH], rows[64];
    cl_mem source, target, buffer = example_buffer(example, sizeof rows, NULL);
    cl_kernel blocks = example_kernel(example, "image_blocks");
    cl_kernel rows_kernel = example_kernel(example, "image_block_rows");
    size_t global[2] = {WIDTH, HEIGHT / 2}, local[2] = {16, 1}, eight = 8;
    int failures = 0;

    fill(in, sizeof in);
    source = make_image(example, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_R, CL_UNSIGNED_INT32,
                        WIDTH, HEIGHT, 0, in, NULL);
    target = make_image(example, CL_MEM_WRITE_ONLY, CL_R, CL_UNSIGNED_INT32, WIDTH, HEIGHT, 0, NULL,
                        NULL);
    EXAMPLE_ARGUMENT(blocks, 0, source);
    EXAMPLE_ARGUMENT(blocks, 1, target);
    example_run(example, blocks, 2, global, local);
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++)
            want[y][x] = in[y ^ 1][x] + 1;
    failures += read_back(example, target, WIDTH, HEIGHT, out);
    failures += example_check_words("blocks of an image", out[0], want[0], WIDTH * HEIGHT);
    /* Eight rows from y = 5, two columns left of the image: the edge repeats. */
    EXAMPLE_ARGUMENT(rows_kernel, 0, source);
    EXAMPLE_ARGUMENT(rows_kernel, 1, buffer);
    example_run(example, rows_kernel, 1, &eight, &eight);
    example_read(example, buffer, sizeof rows, rows);
    for (unsigned lane = 0; lane < 8; lane++)
        for (unsigned i = 0; i < 8; i++)
            want[0][8 * lane + i] = in[5 + i][lane < 2 ? 0 : lane - 2];
    failures += example_check_words("block over the left edge", rows, want[0], 64);
    return failures;
}

/* The same kernel over an image in a buffer, and one in the host's memory. */
static int test_linear_images(struct example *example)
{
    enum { WIDTH = 16, HEIGHT = 8, PITCH = 256 };
    static uint8_t data[HEIGHT][PITCH] __attribute__((aligned(4096)));
    static uint8_t got[HEIGHT * PITCH], want[HEIGHT * PITCH];
    size_t global = WIDTH * HEIGHT;
    int failures = 0;

    for (unsigned form = 0; form < 2; form++) {
        cl_kernel kernel = example_kernel(example, "increment");
        fill(data, sizeof data);
        memcpy(want, data, sizeof want);
        for (unsigned i = 0; i < WIDTH * HEIGHT * 4; i++) {
            uint8_t *texel = want + i / (WIDTH * 4) * PITCH + i % (WIDTH * 4);
            unsigned value = *texel + 1 + i % 4;
            *texel = (uint8_t)(value > 255 ? 255 : value);
        }
        cl_mem buffer = form ? NULL : example_buffer(example, sizeof data, data);
        cl_mem image =
            make_image(example, form ? CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR : CL_MEM_READ_WRITE,
                       CL_RGBA, CL_UNSIGNED_INT8, WIDTH, HEIGHT, PITCH, form ? data : NULL, buffer);
        if (!image)
            return failures + 1;
        EXAMPLE_ARGUMENT(kernel, 0, image);
        example_run(example, kernel, 1, &global, NULL);
        if (form) {
            failures += read_back(example, image, WIDTH, HEIGHT, got);
            for (unsigned y = 0; y < HEIGHT; y++)
                failures += memcmp(got + y * WIDTH * 4, want + y * PITCH, WIDTH * 4) != 0;
        } else {
            example_read(example, buffer, sizeof got, got);
            failures += memcmp(got, want, sizeof want) != 0;
        }
        printf("image in %s memory: %s\n", form ? "the host's" : "a buffer's",
               failures ? "FAIL" : "PASS");
        clReleaseMemObject(image);
    }
    return failures;
}

static double srgb(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static int test_colors(struct example *example)
{
    static uint8_t bytes[128][4];
    static float depth[128], got[512], want[512];
    cl_mem out = example_buffer(example, sizeof got, NULL);
    cl_kernel kernel = example_kernel(example, "read_color");
    size_t global = 128;
    int failures = 0;

    fill(bytes, sizeof bytes);
    for (unsigned i = 0; i < 128; i++) {
        depth[i] = (float)example_random_float(&seed);
        for (unsigned c = 0; c < 4; c++)
            want[4 * i + c] = (float)(c < 3 ? srgb(bytes[i][c] / 255.0) : bytes[i][c] / 255.0);
    }
    cl_mem color = make_image(example, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_sRGBA,
                              CL_UNORM_INT8, 16, 8, 0, bytes, NULL);
    if (color) {
        EXAMPLE_ARGUMENT(kernel, 0, color);
        EXAMPLE_ARGUMENT(kernel, 1, out);
        example_run(example, kernel, 1, &global, NULL);
        example_read(example, out, sizeof got, got);
        failures += example_check_floats("sRGB image", got, want, 512, 1e-4f);
    }
    cl_mem plain = make_image(example, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_RGBA,
                              CL_UNORM_INT8, 16, 8, 0, bytes, NULL);
    kernel = example_kernel(example, "read_half");
    EXAMPLE_ARGUMENT(kernel, 0, plain);
    EXAMPLE_ARGUMENT(kernel, 1, out);
    example_run(example, kernel, 1, &global, NULL);
    example_read(example, out, sizeof got, got);
    for (unsigned i = 0; i < 512; i++)
        want[i] = (float)(_Float16)(bytes[i / 4][i % 4] / 255.0f);
    failures += example_check_floats("read_imageh", got, want, 512, 1e-3f);
    cl_mem deep = make_image(example, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_DEPTH, CL_FLOAT,
                             16, 8, 0, depth, NULL);
    kernel = example_kernel(example, "read_depth");
    EXAMPLE_ARGUMENT(kernel, 0, deep);
    EXAMPLE_ARGUMENT(kernel, 1, out);
    example_run(example, kernel, 1, &global, NULL);
    example_read(example, out, sizeof depth, got);
    return failures + (color == NULL) + example_check_floats("depth image", got, depth, 128, 0);
}

static int test_atomics(struct example *example)
{
    enum { ITEMS = 256 };
    static uint32_t in[ITEMS], got[16], want[16];
    size_t global = ITEMS, local = 64;
    cl_kernel kernel = example_kernel(example, "atomics_2");
    uint64_t total = 0;
    float stored = 3.5f;

    fill(in, sizeof in);
    memset(want, 0, sizeof want);
    want[4] = 5;
    cl_mem source = example_buffer(example, sizeof in, in);
    cl_mem target = example_buffer(example, sizeof want, want);
    EXAMPLE_ARGUMENT(kernel, 0, target);
    EXAMPLE_ARGUMENT(kernel, 1, source);
    example_run(example, kernel, 1, &global, &local);
    example_read(example, target, sizeof got, got);
    for (unsigned g = 0; g < ITEMS; g++) {
        want[g & 1 ? 0 : 1] += in[g];
        want[2] = in[g] > want[2] ? in[g] : want[2];
        want[3] |= in[g] & 0xf00f;
        total += (uint64_t)in[g] << 8;
    }
    want[4] = 6;
    want[5] = 1;
    want[6] = 6 * (ITEMS - 1);
    memcpy(&want[7], &stored, 4);
    memcpy(&want[8], &total, 8);
    return example_check_words("OpenCL 2 atomics", got, want, 16);
}

struct node {
    struct node *next;
    uint32_t value;
};

static int test_shared_memory(struct example *example)
{
    enum { NODES = 100, ITEMS = 32 };
    struct node *nodes = clSVMAlloc(example->context, CL_MEM_READ_WRITE, NODES * sizeof *nodes, 0);
    cl_mem out = example_buffer(example, ITEMS * 4, NULL);
    cl_kernel kernel = example_kernel(example, "walk");
    uint32_t got[ITEMS], want[ITEMS], sum = 0;
    size_t global = ITEMS, bytes = NODES * sizeof *nodes;

    if (!nodes)
        return check(CL_OUT_OF_RESOURCES, "clSVMAlloc");
    clEnqueueSVMMap(example->queue, CL_TRUE, CL_MAP_WRITE, nodes, bytes, 0, NULL, NULL);
    for (unsigned i = 0; i < NODES; i++) {
        unsigned at = i * 37 % NODES, next = (i + 1) * 37 % NODES;
        nodes[at].value = example_random(&seed);
        nodes[at].next = i + 1 < NODES ? &nodes[next] : NULL;
        sum = sum * 3 + nodes[at].value;
    }
    clEnqueueSVMUnmap(example->queue, nodes, 0, NULL, NULL);
    clSetKernelArgSVMPointer(kernel, 0, nodes);
    EXAMPLE_ARGUMENT(kernel, 1, out);
    example_run(example, kernel, 1, &global, NULL);
    example_read(example, out, sizeof got, got);
    for (unsigned g = 0; g < ITEMS; g++)
        want[g] = sum + g;
    clSVMFree(example->context, nodes);
    return example_check_words("shared virtual memory", got, want, ITEMS);
}

static int test_print(struct example *example)
{
    uint32_t in[8] = {1, 2, 3, 4000000000u, 5, 6, 7, 8};
    cl_mem source = example_buffer(example, sizeof in, in);
    cl_kernel kernel = example_kernel(example, "print");
    size_t global = 8, length;
    char text[256] = "";
    FILE *file = tmpfile();

    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    EXAMPLE_ARGUMENT(kernel, 0, source);
    example_run(example, kernel, 1, &global, NULL);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    bool same = strcmp(text, "item 3: 4000000000 0.25 end\n") == 0;
    printf("printf: %s %s", same ? "PASS" : "FAIL", text);
    return !same;
}

static int test_shuffles(struct example *example)
{
    enum { ITEMS = 512 };
    static uint32_t in[ITEMS], got[4096 + ITEMS], want[4 * ITEMS];
    cl_mem source, target = example_buffer(example, sizeof got, NULL);
    cl_kernel kernel = example_kernel(example, "shuffles");
    size_t global = ITEMS, local = 64;

    fill(in, sizeof in);
    source = example_buffer(example, sizeof in, in);
    EXAMPLE_ARGUMENT(kernel, 0, source);
    EXAMPLE_ARGUMENT(kernel, 1, target);
    example_run(example, kernel, 1, &global, &local);
    example_read(example, target, sizeof got, got);
    uint32_t size = got[4096];
    if (size != 8 && size != 16 && size != 32) {
        printf("sub-groups of %u\n", size);
        return 1;
    }
    for (unsigned g = 0; g < ITEMS; g++) {
        unsigned lane = g % size, first = g - lane;
        uint32_t sum = 0, top = 0;
        for (unsigned i = 0; i < size; i++)
            sum += in[first + i] & 0xff;
        for (unsigned i = 0; i <= lane; i++)
            top = in[first + i] >> 4 > top ? in[first + i] >> 4 : top;
        want[4 * g] = in[first + (lane * 5 + 1) % size];
        want[4 * g + 1] = in[first + (lane ^ 3)];
        want[4 * g + 2] = in[first + 2] + sum;
        want[4 * g + 3] = top;
    }
    return example_check_words("sub-group operations", got, want, 4 * ITEMS);
}

static int test_rectangles(struct example *example)
{
    static uint8_t data[32][64], got[32][64], want[32][64];
    const size_t from[3] = {5, 2, 1}, to[3] = {9, 3, 0}, size[3] = {17, 6, 2};
    const uint8_t pattern[4] = {1, 2, 3, 250};
    cl_mem first, second;
    int failures = 0;

    fill(data, sizeof data);
    fill(want, sizeof want);
    first = example_buffer(example, sizeof data, data);
    second = example_buffer(example, sizeof want, want);
    /* Rows of 64 bytes, slices of 10 rows. */
    failures += check(clEnqueueCopyBufferRect(example->queue, first, second, from, to, size, 64,
                                              640, 64, 640, 0, NULL, NULL),
                      "clEnqueueCopyBufferRect");
    for (size_t z = 0; z < size[2]; z++)
        for (size_t y = 0; y < size[1]; y++)
            memcpy(&want[(to[2] + z) * 10 + to[1] + y][to[0]],
                   &data[(from[2] + z) * 10 + from[1] + y][from[0]], size[0]);
    failures +=
        check(clEnqueueFillBuffer(example->queue, second, pattern, 4, 1920, 64, 0, NULL, NULL),
              "clEnqueueFillBuffer");
    for (unsigned i = 0; i < 64; i++)
        want[30][i] = pattern[i % 4];
    failures +=
        check(clEnqueueCopyBuffer(example->queue, first, second, 3, 1987, 61, 0, NULL, NULL),
              "clEnqueueCopyBuffer");
    memcpy((uint8_t *)want + 1987, (uint8_t *)data + 3, 61);
    example_read(example, second, sizeof got, got);
    return failures + example_check_words("rectangles of buffers", (void *)got, (void *)want, 512);
}

int main(void)
{
    struct example example;
    int failures = 0;

    driver_server_start();
    example_open(&example, driver_features_source, "-cl-std=CL2.0");
    failures += test_image_blocks(&example);
    failures += test_linear_images(&example);
    failures += test_colors(&example);
    failures += test_atomics(&example);
    failures += test_shared_memory(&example);
    failures += test_print(&example);
    failures += test_shuffles(&example);
    failures += test_rectangles(&example);
    return driver_server_finish(failures, 0);
}
