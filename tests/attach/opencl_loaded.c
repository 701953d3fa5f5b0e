/* A program that does not link OpenCL, but loads it while it runs, and finds
 * every function by dlsym: no symbol of ours is in its way. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <stdlib.h>

#include "opencl_orders.h"

static void *library;

static void *find(const char *name)
{
    void *function = dlsym(library, name);
    if (function == NULL)
        exit(98);
    return function;
}

#define CALL(name) ((cl_api_##name)find(#name))

int main(void)
{
    static const char *source = "kernel void loop(global int *d, int n) {\n"
                                "    int s = 0;\n"
                                "    __attribute__((opencl_unroll_hint(1)))\n"
                                "    for (int i = 0; i < n; i++) s += d[64 + ((i + s) & 31)];\n"
                                "    d[get_global_id(0) & 63] = s; }\n";
    library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return 97;
    cl_platform_id platform;
    cl_device_id device;
    if (CALL(clGetPlatformIDs)(1, &platform, NULL) != CL_SUCCESS ||
        CALL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS)
        return 96;
    cl_context context = CALL(clCreateContext)(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = CALL(clCreateCommandQueue)(context, device, 0, NULL);
    cl_program program = CALL(clCreateProgramWithSource)(context, 1, &source, NULL, NULL);
    if (CALL(clBuildProgram)(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 95;
    cl_kernel kernel = CALL(clCreateKernel)(program, "loop", NULL);
    cl_mem data = CALL(clCreateBuffer)(context, CL_MEM_READ_WRITE, 1024, NULL, NULL);
    int iterations = ORDERS_ITERATIONS;
    CALL(clSetKernelArg)(kernel, 0, sizeof data, &data);
    CALL(clSetKernelArg)(kernel, 1, sizeof iterations, &iterations);
    size_t items = ORDERS_ITEMS;
    cl_int status =
        CALL(clEnqueueNDRangeKernel)(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    /* The end of the program waits for it, in a driver that is unloaded for
     * all that the program knows. */
    dlclose(library);
    return status;
}
