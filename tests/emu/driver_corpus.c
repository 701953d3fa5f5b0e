/* Runs every kernel of an OpenCL source over buffers of small deterministic
 * values, with one work-item and with eight, and prints what each buffer holds
 * afterwards: corpus.py compares devices. Arguments: source file, index of the
 * first kernel to run, build options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver_server.h"
#include "example.h"

enum { BYTES = 1 << 16, ARGUMENTS = 64, KERNELS = 128, EDGE = 16 };

static struct example example;

struct argument {
    char type[64];
    cl_mem memory; /* buffer or image, NULL when none */
    bool image;
};

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static bool is_type(const struct argument *argument, const char *name)
{
    return strncmp(argument->type, name, strlen(name)) == 0;
}

/* Floats of a few bits, integers from 0 to 11, so that indices stay inside. */
static void fill(const struct argument *argument, uint32_t seed, uint8_t *data)
{
    for (size_t i = 0; i < BYTES; i += 8) {
        uint32_t small = example_random(&seed) >> 8;
        if (is_type(argument, "float")) {
            float values[2] = {(float)(small % 61) * 0.25f - 6, (float)(small / 64 % 37) * 0.5f};
            memcpy(data + i, values, 8);
        } else if (is_type(argument, "double")) {
            double value = (double)(small % 61) * 0.25 - 6;
            memcpy(data + i, &value, 8);
        } else if (is_type(argument, "half")) {
            static const uint16_t halves[] = {0x3c00, 0xc200, 0x3555, 0x4700,
                                              0x0000, 0xb800, 0x4a40};
            for (unsigned k = 0; k < 4; k++)
                memcpy(data + i + 2 * k, &halves[(small >> 4 * k) % 7], 2);
        } else {
            bool bytes = is_type(argument, "char") || is_type(argument, "uchar");
            bool words = is_type(argument, "short") || is_type(argument, "ushort");
            bool longs = is_type(argument, "long") || is_type(argument, "ulong");
            unsigned step = bytes ? 1 : words ? 2 : longs ? 8 : 4;
            memset(data + i, 0, 8);
            for (unsigned k = 0; k < 8; k += step)
                data[i + k] = (uint8_t)((small >> k) % 12);
        }
    }
}

/* Any bits, but floats of sizes that let sums and products stay finite, and few
 * of the special ones. With SONDE_CORPUS_SEED in the environment; kernels that
 * then read out of their buffers are for corpus.py to leave out. */
static void fill_widely(const struct argument *argument, uint32_t seed, uint8_t *data)
{
    static const uint32_t specials[] = {0,          0x80000000, 0x3f800000, 0x7f800000,
                                        0xff800000, 0x7fc00000, 0x00000001, 0x807fffff};
    for (size_t i = 0; i < BYTES; i += 8) {
        uint32_t words[2] = {example_random(&seed) ^ example_random(&seed) << 9,
                             example_random(&seed) ^ example_random(&seed) << 11};
        uint32_t choice = example_random(&seed) >> 8;
        if (is_type(argument, "float")) {
            for (unsigned k = 0; k < 2; k++)
                words[k] = (words[k] & 0x807fffff) |
                           (0x3f800000 + ((choice >> 8 * k) % 24) * 0x800000 - 12 * 0x800000);
            if (choice % 32 == 0)
                words[0] = specials[choice / 32 % 8];
        } else if (is_type(argument, "double")) {
            words[1] =
                (words[1] & 0x800fffff) | (0x3ff00000 + choice % 40 * 0x100000 - 20 * 0x100000);
        } else if (is_type(argument, "half")) {
            words[0] &= 0xbfffbfff; /* below two */
            words[1] &= 0xbfffbfff;
        } else if (choice % 4 == 0) {
            words[0] &= 15;
            words[1] &= choice & 64 ? 0 : 15;
        }
        memcpy(data + i, words, 8);
    }
}

static cl_mem make_image(const char *type)
{
    uint8_t *texels = example_memory(EDGE * EDGE * EDGE, 16);
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, EDGE, EDGE, 0, 0, 0, 0, 0, 0, {NULL}};
    cl_int status;
    if (strstr(type, "image3d")) {
        desc.image_type = CL_MEM_OBJECT_IMAGE3D;
        desc.image_depth = EDGE;
    } else if (strstr(type, "image2d_array")) {
        desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
        desc.image_array_size = EDGE;
    } else if (strstr(type, "image1d_array")) {
        desc.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY;
        desc.image_array_size = EDGE;
        desc.image_height = 0;
    } else if (strstr(type, "image1d")) {
        desc.image_type = CL_MEM_OBJECT_IMAGE1D;
        desc.image_height = 0;
    }
    for (unsigned i = 0; i < EDGE * EDGE * EDGE * 4; i++) {
        float value = (float)(i % 23) * 0.125f;
        memcpy(texels + 4 * (size_t)i, &value, 4);
    }
    cl_mem image = clCreateImage(example.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format,
                                 &desc, texels, &status);
    free(texels);
    return status == CL_SUCCESS ? image : NULL;
}

static size_t size_of_type(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } bases[] = {{"char", 1}, {"uchar", 1}, {"short", 2},  {"ushort", 2}, {"half", 2}, {"int", 4},
                 {"uint", 4}, {"float", 4}, {"double", 8}, {"long", 8},   {"ulong", 8}};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        size_t length = strlen(bases[i].name);
        size_t count = type[length] ? strtoul(type + length, NULL, 10) : 1;
        if (strncmp(type, bases[i].name, length) == 0 && count)
            return bases[i].size * (count == 3 ? 4 : count);
    }
    return 4;
}

static bool set_scalar(cl_kernel kernel, cl_uint index, const struct argument *argument)
{
    uint8_t zero[128] = {0};
    float single = 1.5f;
    double twice = 1.5;
    uint16_t half = 0x3e00;
    uint64_t number = 3;
    if (is_type(argument, "float"))
        memcpy(zero, &single, sizeof single);
    else if (is_type(argument, "double"))
        memcpy(zero, &twice, sizeof twice);
    else if (is_type(argument, "half"))
        memcpy(zero, &half, sizeof half);
    else
        memcpy(zero, &number, sizeof number);
    return clSetKernelArg(kernel, index, size_of_type(argument->type), zero) == CL_SUCCESS;
}

static bool set_argument(cl_kernel kernel, cl_uint index, struct argument *argument)
{
    cl_kernel_arg_address_qualifier where;
    size_t length;
    if (clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof argument->type,
                           argument->type, &length) != CL_SUCCESS ||
        clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where,
                           NULL) != CL_SUCCESS)
        return false;
    if (strstr(argument->type, "image")) {
        argument->image = true;
        argument->memory = make_image(argument->type);
        return argument->memory && clSetKernelArg(kernel, index, sizeof argument->memory,
                                                  &argument->memory) == CL_SUCCESS;
    }
    if (strstr(argument->type, "sampler")) {
        const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                    CL_FALSE,
                                                    CL_SAMPLER_ADDRESSING_MODE,
                                                    CL_ADDRESS_CLAMP_TO_EDGE,
                                                    CL_SAMPLER_FILTER_MODE,
                                                    CL_FILTER_NEAREST,
                                                    0};
        cl_sampler sampler = clCreateSamplerWithProperties(example.context, properties, NULL);
        return clSetKernelArg(kernel, index, sizeof sampler, &sampler) == CL_SUCCESS;
    }
    if (where == CL_KERNEL_ARG_ADDRESS_LOCAL)
        return clSetKernelArg(kernel, index, 4096, NULL) == CL_SUCCESS;
    if (where == CL_KERNEL_ARG_ADDRESS_PRIVATE)
        return set_scalar(kernel, index, argument);
    uint8_t *data = example_memory(BYTES, 1);
    const char *wide = getenv("SONDE_CORPUS_SEED");
    if (wide)
        fill_widely(argument, (uint32_t)strtoul(wide, NULL, 10) * 64 + index + 1, data);
    else
        fill(argument, index + 1, data);
    argument->memory = example_buffer(&example, BYTES, data);
    free(data);
    return clSetKernelArg(kernel, index, sizeof argument->memory, &argument->memory) == CL_SUCCESS;
}

static void print_argument(const char *kernel, size_t items, cl_uint index,
                           const struct argument *argument)
{
    static uint8_t data[BYTES];
    size_t used = 4096;
    memset(data, 0, sizeof data);
    if (argument->image) {
        const size_t origin[3] = {0, 0, 0}, region[3] = {EDGE, 1, 1};
        used = EDGE * 16;
        if (clEnqueueReadImage(example.queue, argument->memory, CL_TRUE, origin, region, 0, 0, data,
                               0, NULL, NULL) != CL_SUCCESS)
            return;
    } else {
        example_read(&example, argument->memory, BYTES, data);
    }
    printf("%s %zu %u %s ", kernel, items, index, argument->image ? "float*" : argument->type);
    for (size_t i = 0; i < used; i++)
        printf("%02x", data[i]);
    printf("\n");
}

static void run(const char *name, size_t items)
{
    struct argument arguments[ARGUMENTS] = {0};
    cl_kernel kernel = example_kernel(&example, name);
    cl_uint count = 0;
    size_t local[3] = {items, 1, 1}, required[3] = {0};
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    clGetKernelWorkGroupInfo(kernel, example.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                             sizeof required, required, NULL);
    if (required[0])
        memcpy(local, required, sizeof local);
    for (cl_uint i = 0; i < count && i < ARGUMENTS; i++)
        if (!set_argument(kernel, i, &arguments[i])) {
            printf("%s: argument %u of type %s cannot be set\n", name, i, arguments[i].type);
            clReleaseKernel(kernel);
            return;
        }
    fprintf(stderr, "running %s\n", name);
    cl_int status =
        clEnqueueNDRangeKernel(example.queue, kernel, 3, NULL, local, local, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clFinish(example.queue);
    if (status != CL_SUCCESS)
        printf("%s: does not run: %d\n", name, status);
    for (cl_uint i = 0; i < count && i < ARGUMENTS; i++) {
        if (!arguments[i].memory)
            continue;
        if (status == CL_SUCCESS)
            print_argument(name, items, i, &arguments[i]);
        clReleaseMemObject(arguments[i].memory);
    }
    clReleaseKernel(kernel);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    cl_kernel kernels[KERNELS];
    cl_uint count = 0;
    if (argc < 4)
        return 2;
    driver_server_start();
    example_open(&example, read_text(argv[1]), argv[3]);
    clCreateKernelsInProgram(example.program, KERNELS, kernels, &count);
    for (cl_uint i = (cl_uint)atoi(argv[2]); i < count && i < KERNELS; i++) {
        char name[256];
        clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        run(name, 1);
        run(name, 8);
    }
    printf("kernels %u\n", count);
    fflush(stdout);
    _exit(0); /* the server's threads need no orderly end */
}
