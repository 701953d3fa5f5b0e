/* Kernels whose memory accesses, channels and ways can be told by hand; the
 * test runs one by name, built with the options of a second argument, with a
 * third one in from shared virtual memory: 256 work-items in groups of
 * 64, 16 channels a thread. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ITEMS 256

static const char source[] =
    "#define K __attribute__((intel_reqd_sub_group_size(16))) kernel void\n"
    "K strides(global const int *in, global const int *table, global int *out) {\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = in[i] + in[2 * i] + in[table[i]];\n"
    "}\n"
    "K lanes(global const int *in, global const int *table, global int *out) {\n"
    "  int i = get_global_id(0);\n"
    "  if (table[i] % 4 == 0) out[i] = in[i] * 3;\n"
    "}\n"
    "K racing(global const int *in, global const int *table, global int *out) {\n"
    "  out[table[0]] = get_global_id(0);\n"
    "}\n"
    "K ordered(global const int *in, global const int *table, global int *out) {\n"
    "  local int shared[64];\n"
    "  int i = get_global_id(0), l = get_local_id(0);\n"
    "  shared[l] = in[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[i] = shared[63 - l];\n"
    "}\n"
    "K unordered(global const int *in, global const int *table, global int *out) {\n"
    "  local int shared[64];\n"
    "  int i = get_global_id(0), l = get_local_id(0);\n"
    "  shared[l] = in[i];\n"
    "  out[i] = shared[table[63 - l]];\n"
    "}\n"
    "K atomics(global const int *in, global const int *table, global int *out) {\n"
    "  atomic_add(&out[table[0]], 1);\n"
    "}\n"
    "K outside(global const int *in, global const int *table, global int *out) {\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = in[2 * i + 8];\n"
    "}\n"
    "K before(global const int *in, global const int *table, global int *out) {\n"
    "  int l = get_local_id(0);\n"
    "  out[l] = in[l - table[3]];\n"
    "}\n"
    "K atomics_outside(global const int *in, global const int *table, global int *out) {\n"
    "  atomic_add(&out[2 * get_global_id(0)], 1);\n"
    "}\n"
    "K local_outside(global const int *in, global const int *table, global int *out) {\n"
    "  local int shared[64];\n"
    "  int i = get_global_id(0), l = get_local_id(0);\n"
    "  shared[l] = in[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[i] = shared[l + table[2]];\n"
    "}\n"
    "K orders(global const int *in, global const int *table, global int *out) {\n"
    "  int i = get_global_id(0);\n"
    "  global volatile int *o = out;\n"
    "  global const volatile int *n = in;\n"
    "  o[i] = 1;\n"
    "  int first = o[i];\n"
    "  o[i] = first + n[i];\n"
    "  o[i] = first + n[i];\n"
    "}\n"
    /* 64 KiB from one place to the other; all values are 0, which nobody knows before. */
    "K conflicts(global const int *in, global const int *table, global int *out,\n"
    "            global const int *large) {\n"
    "  int i = get_global_id(0);\n"
    "  int a = large[i];\n"
    "  int b = large[i + 16384 + a];\n"
    "  int c = large[i + b];\n"
    "  out[i] = large[i + c];\n"
    "}\n"
    "K scaled(global const int *in, global const int *table, global int *out, int factor,\n"
    "         uchar b) {\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = in[i] * factor + b;\n"
    "}\n"
    "K seeded(global const int *in, global const int *table, global int *out, ulong seed,\n"
    "         ushort s) {\n"
    "  int i = get_global_id(0);\n"
    "  out[i] = in[i] + (int)(seed >> 32) + (int)seed + s;\n"
    "}\n"
    "K loop(global const int *in, global const int *table, global int *out) {\n"
    "  int i = get_global_id(0), sum = 0;\n"
    "  int n = table[10];\n"
    "  _Pragma(\"unroll 1\") for (int j = 0; j < n; j++) sum = sum * 3 + (sum >> 2) + 1;\n"
    "  out[i] = sum;\n"
    "}\n";

/* The same data, but in memory that program and device share. */
static void *share(cl_context context, cl_command_queue queue, cl_kernel kernel, const int *data,
                   size_t size)
{
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
    if (memory == NULL ||
        clEnqueueSVMMemcpy(queue, CL_TRUE, memory, data, size, 0, NULL, NULL) != CL_SUCCESS ||
        clSetKernelArgSVMPointer(kernel, 0, memory) != CL_SUCCESS)
        return NULL;
    return memory;
}

static int fail(const char *what, cl_int code)
{
    fprintf(stderr, "%s: %d\n", what, code);
    return 1;
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    int in[2 * ITEMS], table[ITEMS], out[ITEMS] = {0};
    if (argc < 2 || argc > 4)
        return 2;
    /* in[i] = i; the table is a shuffle of 0..255 that keeps the first 64. */
    for (int i = 0; i < 2 * ITEMS; i++)
        in[i] = i;
    for (int i = 0; i < ITEMS; i++)
        table[i] = i < 64 ? i : 64 + (i * 37 + 11) % 192;
    if (strcmp(argv[1], "strides") == 0)
        for (int i = 0; i < ITEMS; i++)
            table[i] = i * 37 % ITEMS;
    if ((code = clGetPlatformIDs(1, &platform, NULL)) != CL_SUCCESS ||
        (code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL)) != CL_SUCCESS)
        return fail("device", code);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    if ((code = clBuildProgram(program, 1, &device, argc > 2 ? argv[2] : "", NULL, NULL)) !=
        CL_SUCCESS) {
        char log[4000] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        return fail("build", code);
    }
    cl_kernel kernel = clCreateKernel(program, argv[1], &code);
    if (kernel == NULL)
        return fail(argv[1], code);
    cl_mem buffers[3] = {
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, &code),
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof table, table,
                       &code),
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof out, out, &code)};
    for (cl_uint i = 0; i < 3; i++)
        clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]);
    void *shared = argc > 3 ? share(context, queue, kernel, in, sizeof in) : NULL;
    if (argc > 3 && shared == NULL)
        return fail("shared memory", 0);
    cl_uint arguments = 0;
    static int large[2 * 16384];
    cl_mem far = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof large,
                                large, &code);
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
    if (arguments == 4)
        clSetKernelArg(kernel, 3, sizeof far, &far);
    if (strcmp(argv[1], "scaled") == 0) {
        cl_int factor = 7;
        cl_uchar b = 200;
        clSetKernelArg(kernel, 3, sizeof factor, &factor);
        clSetKernelArg(kernel, 4, sizeof b, &b);
    }
    if (strcmp(argv[1], "seeded") == 0) {
        cl_ulong seed = UINT64_C(0x123456789a);
        cl_ushort s = 300;
        clSetKernelArg(kernel, 3, sizeof seed, &seed);
        clSetKernelArg(kernel, 4, sizeof s, &s);
    }
    size_t global = ITEMS, local = 64;
    code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (code != CL_SUCCESS || (code = clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof out,
                                                          out, 0, NULL, NULL)) != CL_SUCCESS)
        return fail("run", code);
    long sum = 0;
    for (int i = 0; i < ITEMS; i++)
        sum += out[i];
    printf("%s %ld\n", argv[1], sum);
    if (shared != NULL)
        clSVMFree(context, shared);
    return 0;
}
