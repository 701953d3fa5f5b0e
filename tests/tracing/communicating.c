/* Work-groups that do as many turns of a loop as groups have ended before they
 * begin: how many that is depends on the order in which they run. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char source[] =
    "__attribute__((intel_reqd_sub_group_size(16)))\n"
    "kernel void communicating(global volatile int *ended, global uint *out) {\n"
    "    uint value = get_global_id(0);\n"
    "    int turns = 1500 + 20 * atomic_add(ended, 0);\n"
    "    _Pragma(\"unroll 1\") for (int i = 0; i < turns; i++)\n"
    "        value = value * 3 + (value >> 2) + 1;\n"
    "    out[get_global_id(0)] = value;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) atomic_inc(ended);\n"
    "}\n";

enum { GROUPS = 16, GROUP = 64 };

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status, ended = 0;
    const char *text = source;
    const size_t global = GROUPS * GROUP, local = GROUP;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (clBuildProgram(program, 1, &device, NULL, NULL, NULL) != CL_SUCCESS)
        return 2;
    cl_kernel kernel = clCreateKernel(program, "communicating", &status);
    cl_mem counter = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof ended,
                                    &ended, &status);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * global, NULL, &status);
    clSetKernelArg(kernel, 0, sizeof counter, &counter);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (status != CL_SUCCESS || clEnqueueReadBuffer(queue, counter, CL_TRUE, 0, sizeof ended,
                                                    &ended, 0, NULL, NULL) != CL_SUCCESS)
        return 2;
    printf("communicating: %s\n", ended == GROUPS ? "PASS" : "FAIL");
    clReleaseMemObject(counter);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return ended != GROUPS;
}
