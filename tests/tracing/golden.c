/* Kernels whose memory accesses, channels and ways can be told by hand; the
 * test runs one by name, built with the options of a second argument, with a
 * third one in from memory of that kind (svm, host, device, shared): 256 work-items in groups of
 * 64, 16 channels a thread. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_ext.h>
#include <stdbool.h>
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
    /* Does something else each time, if the clock goes on. */
    "ulong __attribute__((overloadable)) intel_get_cycle_counter(void);\n"
    "K clocked(global const int *in, global const int *table, global int *out) {\n"
    "  int n = in[get_global_id(0)] + (int)intel_get_cycle_counter() & 31, sum = 0;\n"
    "  for (int j = 0; j < n; j++) sum += sum * j + in[j];\n"
    "  out[get_global_id(0)] = sum;\n"
    "}\n"
    /* The mode of rounding changes in between: behind the change stands a message. */
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "K rounded(global const int *in, global const int *table, global int *out) {\n"
    "  int i = get_global_id(0);\n"
    "  half a = convert_half_rtz(in[i]);\n"
    "  half b = convert_half_rtp(in[i + 256] + a);\n"
    "  out[i] = convert_int_rtp(a * b + convert_half_rtn(table[i]));\n"
    "}\n"
    "K loop(global const int *in, global const int *table, global int *out) {\n"
    "  int i = get_global_id(0), sum = 0;\n"
    "  int n = table[10];\n"
    "  _Pragma(\"unroll 1\") for (int j = 0; j < n; j++) sum = sum * 3 + (sum >> 2) + 1;\n"
    "  out[i] = sum;\n"
    "}\n";

static struct {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
} gpu;

static int fail(const char *what, cl_int code)
{
    fprintf(stderr, "%s: %d\n", what, code);
    return 1;
}

/* What the driver offers by name only. */
static void *extension(const char *name)
{
    return clGetExtensionFunctionAddressForPlatform(gpu.platform, name);
}

/* Memory that program and device address alike: "svm", or by the extension of the driver, on the
 * host, on the device or wherever it is needed. */
static void *allocate(const char *how, size_t size)
{
    clHostMemAllocINTEL_fn host;
    clDeviceMemAllocINTEL_fn device;
    *(void **)&host = extension("clHostMemAllocINTEL");
    *(void **)&device =
        extension(strcmp(how, "device") == 0 ? "clDeviceMemAllocINTEL" : "clSharedMemAllocINTEL");
    if (strcmp(how, "svm") == 0)
        return clSVMAlloc(gpu.context, CL_MEM_READ_WRITE, size, 0);
    if (host == NULL || device == NULL)
        return NULL;
    return strcmp(how, "host") == 0 ? host(gpu.context, NULL, size, 0, NULL)
                                    : device(gpu.context, gpu.device, NULL, size, 0, NULL);
}

/* An argument, in such memory. */
static void *share(const char *how, cl_uint index, const void *data, size_t size)
{
    void *memory = allocate(how, size);
    clEnqueueMemcpyINTEL_fn copy;
    clSetKernelArgMemPointerINTEL_fn set;
    *(void **)&copy = extension("clEnqueueMemcpyINTEL");
    *(void **)&set = extension("clSetKernelArgMemPointerINTEL");
    if (memory == NULL)
        return NULL;
    bool good = strcmp(how, "svm") == 0
                    ? clEnqueueSVMMemcpy(gpu.queue, CL_TRUE, memory, data, size, 0, NULL, NULL) ==
                              CL_SUCCESS &&
                          clSetKernelArgSVMPointer(gpu.kernel, index, memory) == CL_SUCCESS
                    : copy(gpu.queue, CL_TRUE, memory, data, size, 0, NULL, NULL) == CL_SUCCESS &&
                          set(gpu.kernel, index, memory) == CL_SUCCESS;
    return good ? memory : NULL;
}

static void release(const char *how, void *memory)
{
    clMemFreeINTEL_fn free_memory;
    *(void **)&free_memory = extension("clMemFreeINTEL");
    if (memory != NULL && strcmp(how, "svm") == 0)
        clSVMFree(gpu.context, memory);
    else if (memory != NULL)
        free_memory(gpu.context, memory);
}

static int build(const char *name, const char *options)
{
    cl_int code;
    const char *text = source;
    if ((code = clGetPlatformIDs(1, &gpu.platform, NULL)) != CL_SUCCESS ||
        (code = clGetDeviceIDs(gpu.platform, CL_DEVICE_TYPE_GPU, 1, &gpu.device, NULL)) !=
            CL_SUCCESS)
        return fail("device", code);
    gpu.context = clCreateContext(NULL, 1, &gpu.device, NULL, NULL, &code);
    gpu.queue = clCreateCommandQueue(gpu.context, gpu.device, 0, &code);
    cl_program program = clCreateProgramWithSource(gpu.context, 1, &text, NULL, &code);
    if ((code = clBuildProgram(program, 1, &gpu.device, options, NULL, NULL)) != CL_SUCCESS) {
        char log[4000] = "";
        clGetProgramBuildInfo(program, gpu.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        return fail("build", code);
    }
    gpu.kernel = clCreateKernel(program, name, &code);
    return gpu.kernel == NULL ? fail(name, code) : 0;
}

static cl_mem buffer(cl_mem_flags flags, size_t size, void *data)
{
    return clCreateBuffer(gpu.context, flags | CL_MEM_COPY_HOST_PTR, size, data, NULL);
}

/* What some kernels get besides in, table and out. */
static void set_more(const char *name)
{
    static int large[2 * 16384];
    cl_uint arguments = 0;
    clGetKernelInfo(gpu.kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
    if (arguments == 4) {
        cl_mem far = buffer(CL_MEM_READ_ONLY, sizeof large, large);
        clSetKernelArg(gpu.kernel, 3, sizeof far, &far);
    } else if (strcmp(name, "scaled") == 0) {
        cl_int factor = 7;
        cl_uchar b = 200;
        clSetKernelArg(gpu.kernel, 3, sizeof factor, &factor);
        clSetKernelArg(gpu.kernel, 4, sizeof b, &b);
    } else if (strcmp(name, "seeded") == 0) {
        cl_ulong seed = UINT64_C(0x123456789a);
        cl_ushort s = 300;
        clSetKernelArg(gpu.kernel, 3, sizeof seed, &seed);
        clSetKernelArg(gpu.kernel, 4, sizeof s, &s);
    }
}

/* in[i] = i; the table is a shuffle of 0..255 that keeps the first 64. */
static void fill(const char *name, int *in, int *table)
{
    for (int i = 0; i < 2 * ITEMS; i++)
        in[i] = i;
    for (int i = 0; i < ITEMS; i++)
        table[i] = i < 64 ? i : 64 + (i * 37 + 11) % 192;
    for (int i = 0; i < ITEMS && strcmp(name, "strides") == 0; i++)
        table[i] = i * 37 % ITEMS;
}

int main(int argc, char **argv)
{
    int in[2 * ITEMS], table[ITEMS], out[ITEMS] = {0};
    if (argc < 2 || argc > 4)
        return 2;
    fill(argv[1], in, table);
    if (build(argv[1], argc > 2 ? argv[2] : "") != 0)
        return 1;
    cl_mem buffers[3] = {buffer(CL_MEM_READ_ONLY, sizeof in, in),
                         buffer(CL_MEM_READ_ONLY, sizeof table, table),
                         buffer(CL_MEM_READ_WRITE, sizeof out, out)};
    for (cl_uint i = 0; i < 3; i++)
        clSetKernelArg(gpu.kernel, i, sizeof buffers[i], &buffers[i]);
    void *shared = NULL;
    if (argc > 3 && strcmp(argv[1], "atomics") == 0) /* which reads it by address */
        shared = share(argv[3], 1, table, sizeof table);
    else if (argc > 3)
        shared = share(argv[3], 0, in, sizeof in);
    if (argc > 3 && shared == NULL)
        return fail("shared memory", 0);
    set_more(argv[1]);
    size_t global = ITEMS, local = 64;
    cl_int code =
        clEnqueueNDRangeKernel(gpu.queue, gpu.kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (code != CL_SUCCESS ||
        (code = clEnqueueReadBuffer(gpu.queue, buffers[2], CL_TRUE, 0, sizeof out, out, 0, NULL,
                                    NULL)) != CL_SUCCESS)
        return fail("run", code);
    long sum = 0;
    for (int i = 0; i < ITEMS; i++)
        sum += out[i];
    printf("%s %ld\n", argv[1], sum);
    release(argc > 3 ? argv[3] : "", shared);
    return 0;
}
