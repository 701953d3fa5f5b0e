/* Every image format of the driver: a kernel reads random texels (compared
 * with a conversion in double precision), and writes them into another image
 * (compared byte for byte). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_server.h"
#include "example.h"

enum { WIDTH = 29, HEIGHT = 11, TEXELS = WIDTH * HEIGHT };

static const char source[] =
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |\n"
    "                             CLK_FILTER_NEAREST;\n"
    "#define PLACE (int2)(get_global_id(0), get_global_id(1))\n"
    "#define INDEX (get_global_id(1) * get_global_size(0) + get_global_id(0))\n"
    "kernel void read_float(read_only image2d_t image, global float4 *out)\n"
    "{ out[INDEX] = read_imagef(image, nearest, PLACE); }\n"
    "kernel void read_int(read_only image2d_t image, global int4 *out)\n"
    "{ out[INDEX] = read_imagei(image, nearest, PLACE); }\n"
    "kernel void read_uint(read_only image2d_t image, global uint4 *out)\n"
    "{ out[INDEX] = read_imageui(image, nearest, PLACE); }\n"
    "kernel void write_float(write_only image2d_t image, global const float4 *in)\n"
    "{ write_imagef(image, PLACE, in[INDEX]); }\n"
    "kernel void write_int(write_only image2d_t image, global const int4 *in)\n"
    "{ write_imagei(image, PLACE, in[INDEX]); }\n"
    "kernel void write_uint(write_only image2d_t image, global const uint4 *in)\n"
    "{ write_imageui(image, PLACE, in[INDEX]); }\n";

struct format {
    cl_channel_order order;
    cl_channel_type type;
};

/* Memory position of red, green, blue, alpha; -1: absent, reads 0 (alpha 1). */
static unsigned order_of(cl_channel_order order, int position[4])
{
    static const struct {
        cl_channel_order order;
        unsigned components;
        int position[4];
    } rows[] = {
        {CL_R, 1, {0, -1, -1, -1}},       {CL_A, 1, {-1, -1, -1, 0}},
        {CL_RG, 2, {0, 1, -1, -1}},       {CL_RGBA, 4, {0, 1, 2, 3}},
        {CL_BGRA, 4, {2, 1, 0, 3}},       {CL_INTENSITY, 1, {0, 0, 0, 0}},
        {CL_LUMINANCE, 1, {0, 0, 0, -1}}, {CL_DEPTH, 1, {0, -1, -1, -1}},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].order == order) {
            memcpy(position, rows[i].position, sizeof rows[i].position);
            return rows[i].components;
        }
    return 0;
}

static unsigned size_of(cl_channel_type type)
{
    switch (type) {
    case CL_UNORM_INT8:
    case CL_SNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
        return 1;
    case CL_UNORM_INT16:
    case CL_SNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
        return 2;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
        return 4;
    default:
        return 0;
    }
}

static char kind_of(cl_channel_type type)
{
    if (type == CL_SIGNED_INT8 || type == CL_SIGNED_INT16 || type == CL_SIGNED_INT32)
        return 'i';
    if (type == CL_UNSIGNED_INT8 || type == CL_UNSIGNED_INT16 || type == CL_UNSIGNED_INT32)
        return 'u';
    return 'f';
}

static double component_value(cl_channel_type type, const uint8_t *at)
{
    uint16_t word;
    uint32_t dword;
    float single;
    _Float16 half;

    memcpy(&word, at, size_of(type) >= 2 ? 2 : 1);
    switch (type) {
    case CL_UNORM_INT8:
        return *at / 255.0;
    case CL_SNORM_INT8:
        return fmax((int8_t)*at / 127.0, -1);
    case CL_UNORM_INT16:
        return word / 65535.0;
    case CL_SNORM_INT16:
        return fmax((int16_t)word / 32767.0, -1);
    case CL_SIGNED_INT8:
        return (int8_t)*at;
    case CL_UNSIGNED_INT8:
        return *at;
    case CL_SIGNED_INT16:
        return (int16_t)word;
    case CL_UNSIGNED_INT16:
        return word;
    case CL_HALF_FLOAT:
        memcpy(&half, at, 2);
        return (double)(float)half;
    case CL_FLOAT:
        memcpy(&single, at, 4);
        return (double)single;
    default:
        memcpy(&dword, at, 4);
        return type == CL_SIGNED_INT32 ? (double)(int32_t)dword : (double)dword;
    }
}

static cl_mem make_image(struct example *example, cl_mem_flags flags, struct format format,
                         void *data)
{
    cl_image_format image_format = {format.order, format.type};
    cl_image_desc description = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_int status;
    cl_mem image = clCreateImage(example->context, flags | (data ? CL_MEM_COPY_HOST_PTR : 0),
                                 &image_format, &description, data, &status);

    if (status != CL_SUCCESS) {
        fprintf(stderr, "clCreateImage of order 0x%x type 0x%x: error %d\n", format.order,
                format.type, status);
        return NULL;
    }
    return image;
}

/* Random texels: halves and floats finite and normal, no lowest SNORM value
 * (it has two encodings). */
static void fill(uint8_t *texels, size_t components, cl_channel_type type, uint32_t *seed)
{
    unsigned size = size_of(type);

    for (size_t i = 0; i < components; i++) {
        uint32_t bits = example_random(seed) ^ example_random(seed) << 16;
        float single = (float)(int32_t)bits / 65536.0f;
        _Float16 half = (_Float16)((float)(int16_t)bits / 64.0f);

        if (type == CL_FLOAT)
            memcpy(&bits, &single, 4);
        if (type == CL_HALF_FLOAT)
            memcpy(&bits, &half, 2);
        if (type == CL_SNORM_INT8 && (uint8_t)bits == 0x80)
            bits = 0x81;
        if (type == CL_SNORM_INT16 && (uint16_t)bits == 0x8000)
            bits = 0x8001;
        memcpy(texels + i * size, &bits, size);
    }
}

static double got_value(char kind, const uint32_t *at)
{
    float single;

    memcpy(&single, at, 4);
    return kind == 'f' ? (double)single : kind == 'i' ? (double)(int32_t)*at : (double)*at;
}

static int check_read(struct format format, const uint8_t *texels, const uint32_t *values)
{
    int position[4];
    unsigned components = order_of(format.order, position), size = size_of(format.type);
    char kind = kind_of(format.type);

    for (unsigned t = 0; t < TEXELS; t++)
        for (unsigned i = 0; i < 4; i++) {
            double want = i == 3, got = got_value(kind, &values[4 * t + i]);
            if (format.order == CL_DEPTH && i > 0)
                continue; /* read_imagef of a depth image gives one value */
            if (position[i] >= 0)
                want = component_value(format.type,
                                       texels + (t * components + (unsigned)position[i]) * size);
            if (fabs(got - want) > fabs(want) * 1e-6) {
                printf("order 0x%x type 0x%x: texel %u component %u reads %.9g, not %.9g\n",
                       format.order, format.type, t, i, got, want);
                return 1;
            }
        }
    return 0;
}

static int test_read(struct example *example, struct format format, const uint8_t *texels,
                     uint32_t *values)
{
    const char *name = kind_of(format.type) == 'f'   ? "read_float"
                       : kind_of(format.type) == 'i' ? "read_int"
                                                     : "read_uint";
    size_t global[2] = {WIDTH, HEIGHT}, bytes = TEXELS * 16;
    cl_mem image = make_image(example, CL_MEM_READ_ONLY, format, (void *)(uintptr_t)texels);
    cl_mem out = example_buffer(example, bytes, NULL);
    cl_kernel kernel = example_kernel(example, name);

    if (!image)
        return 1;
    EXAMPLE_ARGUMENT(kernel, 0, image);
    EXAMPLE_ARGUMENT(kernel, 1, out);
    example_run(example, kernel, 2, global, NULL);
    example_read(example, out, bytes, values);
    clReleaseMemObject(image);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    return check_read(format, texels, values);
}

static int test_write(struct example *example, struct format format, const uint8_t *texels,
                      size_t texel_bytes, const uint32_t *values)
{
    static uint8_t back[TEXELS * 16];
    const char *name = kind_of(format.type) == 'f'   ? "write_float"
                       : kind_of(format.type) == 'i' ? "write_int"
                                                     : "write_uint";
    size_t global[2] = {WIDTH, HEIGHT}, origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    cl_mem image = make_image(example, CL_MEM_WRITE_ONLY, format, NULL);
    cl_mem in = example_buffer(example, TEXELS * 16, values);
    cl_kernel kernel = example_kernel(example, name);

    if (!image)
        return 1;
    EXAMPLE_ARGUMENT(kernel, 0, image);
    EXAMPLE_ARGUMENT(kernel, 1, in);
    example_run(example, kernel, 2, global, NULL);
    cl_int status = clEnqueueReadImage(example->queue, image, CL_TRUE, origin, region, 0, 0, back,
                                       0, NULL, NULL);
    clReleaseMemObject(image);
    clReleaseMemObject(in);
    clReleaseKernel(kernel);
    for (size_t i = 0; status == CL_SUCCESS && i < TEXELS * texel_bytes; i++)
        if (back[i] != texels[i]) {
            printf("order 0x%x type 0x%x: byte %zu of the written image is 0x%02x, not 0x%02x\n",
                   format.order, format.type, i, back[i], texels[i]);
            return 1;
        }
    if (status != CL_SUCCESS)
        printf("clEnqueueReadImage: error %d\n", status);
    return status != CL_SUCCESS;
}

static unsigned supported(struct example *example, cl_mem_flags flags, cl_image_format *formats)
{
    cl_uint count = 0;

    clGetSupportedImageFormats(example->context, flags, CL_MEM_OBJECT_IMAGE2D, 128, formats,
                               &count);
    return count;
}

static bool writable(struct example *example, struct format format)
{
    cl_image_format formats[128];
    unsigned count = supported(example, CL_MEM_WRITE_ONLY, formats);

    for (unsigned i = 0; i < count; i++)
        if (formats[i].image_channel_order == format.order &&
            formats[i].image_channel_data_type == format.type)
            return true;
    return false;
}

int main(void)
{
    static uint8_t texels[TEXELS * 16];
    static uint32_t values[TEXELS * 4];
    cl_image_format formats[128];
    struct example example;
    int failures = 0, tested = 0;
    uint32_t seed = 5;

    driver_server_start();
    example_open(&example, source, "");
    unsigned count = supported(&example, CL_MEM_READ_ONLY, formats);
    for (unsigned i = 0; i < count; i++) {
        struct format format = {formats[i].image_channel_order, formats[i].image_channel_data_type};
        int position[4];
        unsigned components = order_of(format.order, position), size = size_of(format.type);

        if (!components || !size || format.order == CL_DEPTH)
            continue; /* sRGB, YUV and depth-stencil formats */
        fill(texels, (size_t)TEXELS * components, format.type, &seed);
        failures += test_read(&example, format, texels, values);
        if (writable(&example, format))
            failures += test_write(&example, format, texels, (size_t)components * size, values);
        tested++;
    }
    printf("%d formats, %d failures\n", tested, failures);
    return driver_server_finish(failures + (tested < 20), 0);
}
