#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double kernel_seconds; /* from enqueue to finish, over the whole program */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s failed with OpenCL error %d\n", what, status);
    exit(2);
}

static cl_device_id find_device(cl_device_type type)
{
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < platform_count && i < 16; i++) {
        cl_device_id device;
        if (clGetDeviceIDs(platforms[i], type, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    return NULL;
}

void example_open(struct example *example, const char *source, const char *options)
{
    cl_int status;
    example->device = find_device(CL_DEVICE_TYPE_GPU);
    if (example->device == NULL)
        example->device = find_device(CL_DEVICE_TYPE_ALL);
    if (example->device == NULL) {
        fprintf(stderr, "no OpenCL device found\n");
        exit(2);
    }
    example->context = clCreateContext(NULL, 1, &example->device, NULL, NULL, &status);
    check(status, "clCreateContext");
    example->queue =
        clCreateCommandQueueWithProperties(example->context, example->device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    example->program = clCreateProgramWithSource(example->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(example->program, 1, &example->device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        static char log[16384];
        clGetProgramBuildInfo(example->program, example->device, CL_PROGRAM_BUILD_LOG,
                              sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(status, "clBuildProgram");
}

void example_close(struct example *example)
{
    /* For benchmarks, which compare devices without the compiler's time. */
    if (getenv("EXAMPLE_TIME") != NULL)
        fprintf(stderr, "kernel seconds: %.6f\n", kernel_seconds);
    clReleaseProgram(example->program);
    clReleaseCommandQueue(example->queue);
    clReleaseContext(example->context);
}

bool example_has_extension(const struct example *example, const char *name)
{
    static char extensions[16384];
    clGetDeviceInfo(example->device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
    return strstr(extensions, name) != NULL;
}

cl_kernel example_kernel(struct example *example, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(example->program, name, &status);
    check(status, "clCreateKernel");
    return kernel;
}

cl_mem example_buffer(struct example *example, size_t size, const void *data)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(example->context, CL_MEM_READ_WRITE, size, NULL, &status);
    check(status, "clCreateBuffer");
    if (data != NULL)
        check(clEnqueueWriteBuffer(example->queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
    return buffer;
}

void example_read(struct example *example, cl_mem buffer, size_t size, void *data)
{
    check(clEnqueueReadBuffer(example->queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL),
          "clEnqueueReadBuffer");
}

void example_run(struct example *example, cl_kernel kernel, unsigned dimensions,
                 const size_t *global, const size_t *local)
{
    double start = now();
    check(clEnqueueNDRangeKernel(example->queue, kernel, dimensions, NULL, global, local, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(example->queue), "clFinish");
    kernel_seconds += now() - start;
}

void example_argument(cl_kernel kernel, unsigned index, size_t size, const void *value)
{
    check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

size_t example_size(int argc, char **argv, size_t standard, size_t step)
{
    if (argc < 2)
        return standard;
    char *end;
    size_t size = strtoul(argv[1], &end, 10);
    if (*end != '\0' || size == 0 || size % step != 0) {
        fprintf(stderr, "usage: %s [SIZE], a multiple of %zu (default %zu)\n", argv[0], step,
                standard);
        exit(2);
    }
    return size;
}

void *example_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu elements\n", count);
        exit(2);
    }
    return memory;
}

uint32_t example_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state ^ (*state >> 15);
}

float example_random_float(uint32_t *state)
{
    return (float)(example_random(state) >> 8) / 16777216.0f;
}

int example_check_words(const char *name, const uint32_t *got, const uint32_t *want, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (got[i] != want[i]) {
            printf("%s: FAIL: element %zu is 0x%08x, expected 0x%08x\n", name, i, got[i], want[i]);
            return 1;
        }
    }
    printf("%s: PASS (%zu elements)\n", name, count);
    return 0;
}

int example_check_floats(const char *name, const float *got, const float *want, size_t count,
                         float tolerance)
{
    for (size_t i = 0; i < count; i++) {
        float difference = fabsf(got[i] - want[i]);
        if (!(difference <= tolerance * fmaxf(1.0f, fabsf(want[i])))) {
            printf("%s: FAIL: element %zu is %.9g, expected %.9g\n", name, i, (double)got[i],
                   (double)want[i]);
            return 1;
        }
    }
    printf("%s: PASS (%zu elements)\n", name, count);
    return 0;
}
