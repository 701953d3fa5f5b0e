/* Work-groups that do not divide the range: the driver makes several device
 * dispatches of each enqueue. Checks its own result. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] = "kernel void split(global uint *out, uint width) {\n"
                             "    uint x = get_global_id(0), y = get_global_id(1), sum = 0;\n"
                             "    for (uint i = 0; i < (x & 3u); i++)\n"
                             "        sum += i * y + get_local_size(0);\n"
                             "    out[y * width + x] = sum + get_group_id(0);\n"
                             "}\n";

enum { WIDTH = 100, HEIGHT = 7, GROUP_WIDTH = 16, GROUP_HEIGHT = 2, ENQUEUES = 3 };

static cl_uint expected(cl_uint x, cl_uint y)
{
    cl_uint sum = 0, group = x / GROUP_WIDTH;
    cl_uint size = group == WIDTH / GROUP_WIDTH ? WIDTH % GROUP_WIDTH : GROUP_WIDTH;
    for (cl_uint i = 0; i < (x & 3u); i++)
        sum += i * y + size;
    return sum + group;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    const char *text = source;
    const size_t global[2] = {WIDTH, HEIGHT}, local[2] = {GROUP_WIDTH, GROUP_HEIGHT};
    static cl_uint got[WIDTH * HEIGHT];
    const cl_uint width = WIDTH;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL) != CL_SUCCESS)
        return 2;
    cl_kernel kernel = clCreateKernel(program, "split", &status);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof got, NULL, &status);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof width, &width);
    for (int i = 0; i < ENQUEUES; i++) {
        status = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
        if (status != CL_SUCCESS) {
            printf("enqueue: %d\n", status);
            return 2;
        }
    }
    if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL) !=
        CL_SUCCESS)
        return 2;
    int wrong = 0;
    for (cl_uint y = 0; y < HEIGHT; y++)
        for (cl_uint x = 0; x < WIDTH; x++)
            wrong += got[y * WIDTH + x] != expected(x, y);
    printf("split: %s\n", wrong == 0 ? "PASS" : "FAIL");
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0;
}
