/* Images of every kind through the driver: kernels copy texel by texel, host
 * commands move rectangles, samplers filter; all compared on the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_server.h"
#include "example.h"

static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
    "                             CLK_FILTER_NEAREST;\n"
    "#define X get_global_id(0)\n"
    "#define Y get_global_id(1)\n"
    "#define Z get_global_id(2)\n"
    "kernel void copy_1d(read_only image1d_t in, write_only image1d_t out)\n"
    "{ write_imageui(out, (int)X, read_imageui(in, nearest, (int)X)); }\n"
    "kernel void copy_buffer(read_only image1d_buffer_t in, write_only image1d_buffer_t out)\n"
    "{ write_imageui(out, (int)X, read_imageui(in, (int)X)); }\n"
    "kernel void copy_1d_array(read_only image1d_array_t in, write_only image1d_array_t out)\n"
    "{ write_imageui(out, (int2)(X, Y), read_imageui(in, nearest, (int2)(X, Y))); }\n"
    "kernel void copy_2d(read_only image2d_t in, write_only image2d_t out)\n"
    "{ write_imageui(out, (int2)(X, Y), read_imageui(in, nearest, (int2)(X, Y))); }\n"
    "kernel void copy_2d_array(read_only image2d_array_t in, write_only image2d_array_t out)\n"
    "{ write_imageui(out, (int4)(X, Y, Z, 0), read_imageui(in, nearest, (int4)(X, Y, Z, 0))); }\n"
    "kernel void copy_3d(read_only image3d_t in, write_only image3d_t out)\n"
    "{ write_imageui(out, (int4)(X, Y, Z, 0), read_imageui(in, nearest, (int4)(X, Y, Z, 0))); }\n"
    "kernel void sizes(read_only image2d_array_t a, read_only image3d_t b, read_only image1d_t c,\n"
    "                  global int *out)\n"
    "{ out[0] = get_image_width(a); out[1] = get_image_height(a);\n"
    "  out[2] = (int)get_image_array_size(a); out[3] = get_image_width(b);\n"
    "  out[4] = get_image_height(b); out[5] = get_image_depth(b); out[6] = get_image_width(c); }\n"
    "kernel void sample_2d(read_only image2d_t in, sampler_t s, global const float4 *at,\n"
    "                      global float4 *out)\n"
    "{ out[X] = read_imagef(in, s, at[X].xy); }\n"
    "kernel void sample_3d(read_only image3d_t in, sampler_t s, global const float4 *at,\n"
    "                      global float4 *out)\n"
    "{ out[X] = read_imagef(in, s, at[X]); }\n";

static uint32_t seed = 3;

static int check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        printf("%s: OpenCL error %d\n", what, status);
    return status != CL_SUCCESS;
}

static int same(const char *what, const uint8_t *got, const uint8_t *want, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (got[i] != want[i]) {
            printf("%s: byte %zu is 0x%02x, not 0x%02x\n", what, i, got[i], want[i]);
            return 1;
        }
    return 0;
}

static uint8_t *random_bytes(size_t size)
{
    uint8_t *bytes = malloc(size);

    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(example_random(&seed) >> 8);
    return bytes;
}

struct kind {
    cl_mem_object_type type;
    const char *kernel;
    unsigned dimensions;
    size_t size[3];
};

static const struct kind kinds[] = {
    {CL_MEM_OBJECT_IMAGE1D, "copy_1d", 1, {77, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, "copy_buffer", 1, {4133, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "copy_1d_array", 2, {53, 7, 1}},
    {CL_MEM_OBJECT_IMAGE2D, "copy_2d", 2, {67, 45, 1}},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "copy_2d_array", 3, {35, 21, 5}},
    {CL_MEM_OBJECT_IMAGE3D, "copy_3d", 3, {33, 18, 6}},
};

static cl_mem make_image(struct example *example, const struct kind *kind, cl_channel_type type,
                         cl_mem_flags flags, void *data, size_t texel_bytes)
{
    cl_image_format format = {CL_RGBA, type};
    cl_image_desc description = {.image_type = kind->type, .image_width = kind->size[0]};
    size_t bytes = kind->size[0] * kind->size[1] * kind->size[2] * texel_bytes;
    cl_int status;

    if (kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        description.image_array_size = kind->size[1];
    else if (kind->dimensions > 1)
        description.image_height = kind->size[1];
    if (kind->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        description.image_array_size = kind->size[2];
    if (kind->type == CL_MEM_OBJECT_IMAGE3D)
        description.image_depth = kind->size[2];
    if (kind->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        description.buffer = example_buffer(example, bytes, data);
        data = NULL;
    }
    cl_mem image = clCreateImage(example->context, flags | (data ? CL_MEM_COPY_HOST_PTR : 0),
                                 &format, &description, data, &status);
    return check(status, "clCreateImage") ? NULL : image;
}

/* The rectangle from `origin` of a tightly packed image. */
static void cut(const struct kind *kind, const uint8_t *data, size_t texel, const size_t origin[3],
                const size_t region[3], uint8_t *out)
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++, out += region[0] * texel)
            memcpy(out,
                   data + (((origin[2] + z) * kind->size[1] + origin[1] + y) * kind->size[0] +
                           origin[0]) *
                              texel,
                   region[0] * texel);
}

static int check_image(struct example *example, const struct kind *kind, cl_mem image,
                       const uint8_t *want, size_t texel, const char *what)
{
    const size_t zero[3] = {0, 0, 0};
    size_t origin[3], region[3], bytes = kind->size[0] * kind->size[1] * kind->size[2] * texel;
    uint8_t *got = calloc(1, bytes), *part = malloc(bytes);
    int failures;

    for (unsigned i = 0; i < 3; i++) {
        origin[i] = kind->size[i] / 3;
        region[i] = kind->size[i] - origin[i] - (kind->size[i] > 3);
    }
    failures = check(clEnqueueReadImage(example->queue, image, CL_TRUE, zero, kind->size, 0, 0, got,
                                        0, NULL, NULL),
                     what) ||
               same(what, got, want, bytes);
    if (!failures) {
        cut(kind, want, texel, origin, region, part);
        failures = check(clEnqueueReadImage(example->queue, image, CL_TRUE, origin, region, 0, 0,
                                            got, 0, NULL, NULL),
                         what) ||
                   same("read of a part", got, part, region[0] * region[1] * region[2] * texel);
    }
    free(got);
    free(part);
    return failures;
}

static int test_kind(struct example *example, const struct kind *kind, cl_channel_type type,
                     size_t texel)
{
    size_t bytes = kind->size[0] * kind->size[1] * kind->size[2] * texel;
    uint8_t *data = random_bytes(bytes);
    cl_mem in = make_image(example, kind, type, CL_MEM_READ_ONLY, data, texel);
    cl_mem out = make_image(example, kind, type, CL_MEM_WRITE_ONLY, NULL, texel);
    cl_kernel kernel = example_kernel(example, kind->kernel);
    int failures = 1;

    if (in && out) {
        EXAMPLE_ARGUMENT(kernel, 0, in);
        EXAMPLE_ARGUMENT(kernel, 1, out);
        example_run(example, kernel, kind->dimensions, kind->size, NULL);
        failures = check_image(example, kind, in, data, texel, "image made from host memory") +
                   check_image(example, kind, out, data, texel, kind->kernel);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
    }
    clReleaseKernel(kernel);
    free(data);
    return failures;
}

/* Write, fill, copy and map rectangles of one image. */
static int test_commands(struct example *example, const struct kind *kind)
{
    size_t bytes = kind->size[0] * kind->size[1] * kind->size[2] * 4, origin[3], region[3];
    const size_t zero[3] = {0, 0, 0};
    uint8_t *data = random_bytes(bytes), *part = random_bytes(bytes), *want = malloc(bytes);
    const uint32_t colour[4] = {9, 200, 31, 77};
    cl_mem first = make_image(example, kind, CL_UNSIGNED_INT8, CL_MEM_READ_WRITE, data, 4);
    cl_mem second = make_image(example, kind, CL_UNSIGNED_INT8, CL_MEM_READ_WRITE, NULL, 4);
    cl_mem buffer = example_buffer(example, bytes, NULL);
    int failures = 0;

    if (!first || !second)
        return 1;
    for (unsigned i = 0; i < 3; i++) {
        origin[i] = kind->size[i] / 4;
        region[i] = (kind->size[i] + 1) / 2;
    }
    failures += check(
        clEnqueueCopyImage(example->queue, first, second, zero, zero, kind->size, 0, NULL, NULL),
        "clEnqueueCopyImage");
    failures += check_image(example, kind, second, data, 4, "clEnqueueCopyImage");
    failures += check(clEnqueueWriteImage(example->queue, second, CL_TRUE, origin, region, 0, 0,
                                          part, 0, NULL, NULL),
                      "clEnqueueWriteImage");
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(data + (((origin[2] + z) * kind->size[1] + origin[1] + y) * kind->size[0] +
                           origin[0]) *
                              4,
                   part + (z * region[1] + y) * region[0] * 4, region[0] * 4);
    failures += check_image(example, kind, second, data, 4, "clEnqueueWriteImage");
    failures += check(clEnqueueCopyImageToBuffer(example->queue, second, buffer, zero, kind->size,
                                                 0, 0, NULL, NULL),
                      "clEnqueueCopyImageToBuffer");
    example_read(example, buffer, bytes, want);
    failures += same("clEnqueueCopyImageToBuffer", want, data, bytes);
    failures +=
        check(clEnqueueFillImage(example->queue, second, colour, zero, kind->size, 0, NULL, NULL),
              "clEnqueueFillImage");
    for (size_t i = 0; i < bytes; i++)
        want[i] = (uint8_t)colour[i % 4];
    failures += check_image(example, kind, second, want, 4, "clEnqueueFillImage");
    failures += check(clEnqueueCopyBufferToImage(example->queue, buffer, second, 0, zero,
                                                 kind->size, 0, NULL, NULL),
                      "clEnqueueCopyBufferToImage");
    failures += check_image(example, kind, second, data, 4, "clEnqueueCopyBufferToImage");
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseMemObject(buffer);
    free(data);
    free(part);
    free(want);
    return failures;
}

static int test_map(struct example *example, const struct kind *kind)
{
    size_t bytes = kind->size[0] * kind->size[1] * kind->size[2] * 4, row = 0, slice = 0;
    const size_t zero[3] = {0, 0, 0};
    uint8_t *data = random_bytes(bytes), *mapped;
    cl_mem image = make_image(example, kind, CL_UNSIGNED_INT8, CL_MEM_READ_WRITE, data, 4);
    cl_int status = CL_SUCCESS;
    int failures = 0;

    if (!image)
        return 1;
    mapped = clEnqueueMapImage(example->queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, zero,
                               kind->size, &row, &slice, 0, NULL, NULL, &status);
    if (check(status, "clEnqueueMapImage"))
        return 1;
    if (kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        row = slice;
    for (size_t z = 0; z < kind->size[2]; z++)
        for (size_t y = 0; y < kind->size[1]; y++) {
            uint8_t *at = mapped + z * slice + y * row;
            uint8_t *line = data + (z * kind->size[1] + y) * kind->size[0] * 4;
            failures += failures ? 0 : same("clEnqueueMapImage", at, line, kind->size[0] * 4);
            for (size_t i = 0; i < kind->size[0] * 4; i++)
                line[i] = at[i] = (uint8_t)(at[i] + 13);
        }
    failures += check(clEnqueueUnmapMemObject(example->queue, image, mapped, 0, NULL, NULL),
                      "clEnqueueUnmapMemObject");
    failures += check_image(example, kind, image, data, 4, "image changed while mapped");
    clReleaseMemObject(image);
    free(data);
    return failures;
}

static int test_sizes(struct example *example)
{
    uint8_t *data = random_bytes(1 << 16);
    cl_mem array = make_image(example, &kinds[4], CL_UNSIGNED_INT8, CL_MEM_READ_ONLY, data, 4);
    cl_mem volume = make_image(example, &kinds[5], CL_UNSIGNED_INT8, CL_MEM_READ_ONLY, data, 4);
    cl_mem line = make_image(example, &kinds[0], CL_UNSIGNED_INT8, CL_MEM_READ_ONLY, data, 4);
    cl_mem out = example_buffer(example, 7 * 4, NULL);
    cl_kernel kernel = example_kernel(example, "sizes");
    const uint32_t want[7] = {35, 21, 5, 33, 18, 6, 77};
    uint32_t got[7];
    size_t one = 1;

    EXAMPLE_ARGUMENT(kernel, 0, array);
    EXAMPLE_ARGUMENT(kernel, 1, volume);
    EXAMPLE_ARGUMENT(kernel, 2, line);
    EXAMPLE_ARGUMENT(kernel, 3, out);
    example_run(example, kernel, 1, &one, NULL);
    example_read(example, out, sizeof got, got);
    free(data);
    return example_check_words("image sizes", got, want, 7);
}

enum { POINTS = 200 };

struct sampling {
    cl_addressing_mode mode;
    cl_filter_mode filter;
    cl_bool normalized;
};

static const struct kind sampled[2] = {{CL_MEM_OBJECT_IMAGE2D, "sample_2d", 2, {13, 7, 1}},
                                       {CL_MEM_OBJECT_IMAGE3D, "sample_3d", 3, {13, 7, 5}}};

/* Texels and fraction of one axis, by the OpenCL C specification. */
static void select_texels(const struct sampling *sampling, double s, int size, int index[2],
                          double *fraction)
{
    bool linear = sampling->filter == CL_FILTER_LINEAR;
    double u = sampling->normalized ? s * size : s;

    if (sampling->mode == CL_ADDRESS_REPEAT)
        u = (s - floor(s)) * size;
    if (sampling->mode == CL_ADDRESS_MIRRORED_REPEAT)
        u = fabs(s - 2 * rint(0.5 * s)) * size;
    index[0] = (int)floor(linear ? u - 0.5 : u);
    index[1] = index[0] + 1;
    *fraction = linear ? u - 0.5 - floor(u - 0.5) : 0;
    for (int i = 0; i < 2; i++) {
        if (sampling->mode == CL_ADDRESS_REPEAT)
            index[i] = (index[i] + size) % size;
        else if (sampling->mode != CL_ADDRESS_CLAMP)
            index[i] = index[i] < 0 ? 0 : index[i] >= size ? size - 1 : index[i];
    }
}

static double sample(const struct kind *kind, const struct sampling *sampling, const float *texels,
                     const float *at, unsigned component)
{
    int index[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    double fraction[3] = {0, 0, 0}, sum = 0;

    for (unsigned i = 0; i < kind->dimensions; i++)
        select_texels(sampling, (double)at[i], (int)kind->size[i], index[i], &fraction[i]);
    for (unsigned corner = 0; corner < 8; corner++) {
        double weight = 1;
        size_t place = 0;
        bool inside = true;
        for (unsigned i = 3; i-- > 0;) {
            int texel = index[i][corner >> i & 1];
            weight *= corner >> i & 1 ? fraction[i] : 1 - fraction[i];
            inside = inside && texel >= 0 && texel < (int)kind->size[i];
            place = place * kind->size[i] + (size_t)texel;
        }
        if (weight > 0 && inside)
            sum += weight * (double)texels[place * 4 + component];
    }
    return sum;
}

static int test_sampling(struct example *example, const struct kind *kind,
                         const struct sampling *sampling)
{
    size_t texels = kind->size[0] * kind->size[1] * kind->size[2], global = POINTS;
    float *image_data = malloc(texels * 16), at[POINTS][4], got[POINTS][4];
    cl_int status;
    int failures = 0;

    for (size_t i = 0; i < texels * 4; i++)
        image_data[i] = example_random_float(&seed) * 2 - 1;
    for (unsigned p = 0; p < POINTS; p++)
        for (unsigned i = 0; i < 4; i++) {
            /* 1/64 texel steps, not between two texels */
            float size = (float)(i < 3 ? kind->size[i] : 1);
            float u = floorf((example_random_float(&seed) * 3 - 1) * size * 64) / 64 + 1.0f / 256;
            at[p][i] = sampling->normalized ? u / size : u;
        }
    cl_mem image = make_image(example, kind, CL_FLOAT, CL_MEM_READ_ONLY, image_data, 16);
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                sampling->normalized,
                                                CL_SAMPLER_ADDRESSING_MODE,
                                                sampling->mode,
                                                CL_SAMPLER_FILTER_MODE,
                                                sampling->filter,
                                                0};
    cl_sampler sampler = clCreateSamplerWithProperties(example->context, properties, &status);
    cl_mem in = example_buffer(example, sizeof at, at),
           out = example_buffer(example, sizeof got, NULL);
    cl_kernel kernel = example_kernel(example, kind->kernel);
    if (!image || check(status, "clCreateSampler"))
        return 1;
    EXAMPLE_ARGUMENT(kernel, 0, image);
    EXAMPLE_ARGUMENT(kernel, 1, sampler);
    EXAMPLE_ARGUMENT(kernel, 2, in);
    EXAMPLE_ARGUMENT(kernel, 3, out);
    example_run(example, kernel, 1, &global, NULL);
    example_read(example, out, sizeof got, got);
    for (unsigned p = 0; p < POINTS && !failures; p++)
        for (unsigned i = 0; i < 4; i++) {
            double want = sample(kind, sampling, image_data, at[p], i);
            if (fabs((double)got[p][i] - want) > 1e-3 && !failures++)
                printf("%s mode 0x%x filter 0x%x normalized %u at (%g %g %g): %g, not %g\n",
                       kind->kernel, sampling->mode, sampling->filter, sampling->normalized,
                       (double)at[p][0], (double)at[p][1], (double)at[p][2], (double)got[p][i],
                       want);
        }
    clReleaseMemObject(image);
    clReleaseSampler(sampler);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    free(image_data);
    return failures;
}

static int test_samplers(struct example *example)
{
    static const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP,
                                               CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT};
    int failures = 0;

    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned mode = 0; mode < 4; mode++)
            for (unsigned form = mode < 2 ? 0 : 2; form < 4; form++) {
                struct sampling sampling = {
                    modes[mode], form % 2 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, form >= 2};
                failures += test_sampling(example, &sampled[kind], &sampling);
            }
    return failures;
}

int main(void)
{
    struct example example;
    int failures = 0;

    driver_server_start();
    example_open(&example, source, "");
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        failures += test_kind(&example, &kinds[i], CL_UNSIGNED_INT8, 4);
        failures += test_kind(&example, &kinds[i], CL_UNSIGNED_INT32, 16);
    }
    failures += test_commands(&example, &kinds[3]);
    failures += test_commands(&example, &kinds[4]);
    failures += test_commands(&example, &kinds[5]);
    failures += test_map(&example, &kinds[2]);
    failures += test_map(&example, &kinds[3]);
    failures += test_map(&example, &kinds[5]);
    failures += test_sizes(&example);
    failures += test_samplers(&example);
    printf("%d failures\n", failures);
    return driver_server_finish(failures, 0);
}
