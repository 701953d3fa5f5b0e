/* OpenCL programs for the test of the server under the unmodified driver: each
 * case checks its results against the host and exits 0 when they agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "example.h"

#include <CL/cl_ext.h>

static const char source[] =
    "kernel void add(global const int *a, global const int *b, global int *c, int k)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + b[i] + k; }\n"
    "kernel void reverse(global int *o, local int *l)\n"
    "{ local int s[256]; int i = get_local_id(0); s[i] = o[get_global_id(0)]; l[i] = i;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)] = s[255 - i] + 1000 * l[i ^ 1]; }\n"
    "kernel void array(global int *o, int n)\n"
    "{ int a[1024]; for (int i = 0; i < n; i++) a[i] = o[i]; int s = 0;\n"
    "  for (int i = 0; i < n; i++) s += a[(i * 7 + o[i]) & 1023];\n"
    "  o[1024 + get_global_id(0)] = s + get_global_id(0); }\n"
    "kernel void place(global int *o)\n"
    "{ size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1),\n"
    "  z = get_global_id(2) - get_global_offset(2);\n"
    "  o[(z * get_global_size(1) + y) * get_global_size(0) + x] = (int)(get_group_id(0) * 100000 "
    "+\n"
    "  get_group_id(1) * 10000 + get_group_id(2) * 1000 + get_local_id(2) * 100 +\n"
    "  get_local_id(1) * 10 + get_local_id(0) + get_global_offset(0) * 1000000); }\n"
    "kernel void say(global int *o) { printf(\"item %d\\n\", o[get_global_id(0)]); }\n"
    "kernel void twice(global int *o) { o[get_global_id(0)] *= 2; }\n"
    "kernel void forever(global volatile int *o) { while (o[0] == 0) o[1]++; }\n"
    "kernel void wild(global int *o, ulong a) { o[0] = 7; *(global int *)a = 1; }\n";

static int failed(const char *what, size_t index, long got, long want)
{
    printf("%s: element %zu is %ld, expected %ld\n", what, index, got, want);
    return 1;
}

static int check_add(struct example *e, cl_command_queue queue, size_t n, int k)
{
    int *a = malloc(n * 4), *b = malloc(n * 4), *c = malloc(n * 4);
    for (size_t i = 0; i < n; i++) {
        a[i] = (int)i;
        b[i] = (int)(i * 1000 + 3);
    }
    cl_kernel kernel = example_kernel(e, "add");
    cl_mem buffers[3] = {example_buffer(e, n * 4, a), example_buffer(e, n * 4, b),
                         example_buffer(e, n * 4, NULL)};
    for (unsigned i = 0; i < 3; i++)
        EXAMPLE_ARGUMENT(kernel, i, buffers[i]);
    EXAMPLE_ARGUMENT(kernel, 3, k);
    int bad = 0;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL) != CL_SUCCESS ||
        clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, n * 4, c, 0, NULL, NULL) != CL_SUCCESS)
        bad = failed("enqueue", 0, 0, 0);
    for (size_t i = 0; i < n && !bad; i++)
        if (c[i] != a[i] + b[i] + k)
            bad = failed("add", i, c[i], a[i] + b[i] + k);
    for (unsigned i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
    free(a);
    free(b);
    free(c);
    return bad;
}

static int case_add(struct example *e)
{
    size_t largest = 0;
    clGetDeviceInfo(e->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof largest, &largest, NULL);
    if (largest < 256)
        return failed("largest work-group", 0, (long)largest, 256);
    return check_add(e, e->queue, 1000, 7) || check_add(e, e->queue, 100000, -5);
}

static int case_barrier(struct example *e)
{
    static int data[1024];
    for (int i = 0; i < 1024; i++)
        data[i] = 3 * i;
    cl_mem buffer = example_buffer(e, sizeof data, data);
    cl_kernel kernel = example_kernel(e, "reverse");
    size_t global = 1024, local = 256;
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    example_argument(kernel, 1, 256 * 4, NULL);
    example_run(e, kernel, 1, &global, &local);
    example_read(e, buffer, sizeof data, data);
    for (int i = 0; i < 1024; i++) {
        int l = i % 256, want = 3 * (i - l + 255 - l) + 1000 * (l ^ 1);
        if (data[i] != want)
            return failed("reverse", (size_t)i, data[i], want);
    }
    return 0;
}

static int case_scratch(struct example *e)
{
    static int data[2048];
    for (int i = 0; i < 1024; i++)
        data[i] = i * 5 + 1;
    int n = 1024, sum = 0;
    for (int i = 0; i < n; i++)
        sum += data[(i * 7 + data[i]) & 1023];
    cl_mem buffer = example_buffer(e, sizeof data, data);
    cl_kernel kernel = example_kernel(e, "array");
    size_t global = 512, local = 64;
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    EXAMPLE_ARGUMENT(kernel, 1, n);
    example_run(e, kernel, 1, &global, &local);
    example_read(e, buffer, sizeof data, data);
    for (int i = 0; i < 512; i++)
        if (data[1024 + i] != sum + i)
            return failed("array", (size_t)i, data[1024 + i], sum + i);
    return 0;
}

static int case_three_dimensions(struct example *e)
{
    static int data[30 * 10 * 6];
    cl_mem buffer = example_buffer(e, sizeof data, NULL);
    cl_kernel kernel = example_kernel(e, "place");
    size_t offset[3] = {11, 0, 2}, global[3] = {30, 10, 6}, local[3] = {5, 5, 3};
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    if (clEnqueueNDRangeKernel(e->queue, kernel, 3, offset, global, local, 0, NULL, NULL))
        return failed("enqueue", 0, 0, 0);
    example_read(e, buffer, sizeof data, data);
    for (int i = 0; i < 30 * 10 * 6; i++) {
        int x = i % 30, y = i / 30 % 10, z = i / 300;
        int want = x / 5 * 100000 + y / 5 * 10000 + z / 3 * 1000 + z % 3 * 100 + y % 5 * 10 +
                   x % 5 + 11000000;
        if (data[i] != want)
            return failed("place", (size_t)i, data[i], want);
    }
    return 0;
}

static int case_printf(struct example *e)
{
    int data[64];
    for (int i = 0; i < 64; i++)
        data[i] = 100 + i;
    cl_mem buffer = example_buffer(e, sizeof data, data);
    cl_kernel kernel = example_kernel(e, "say");
    size_t global = 64;
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    example_run(e, kernel, 1, &global, NULL);
    return 0;
}

static cl_command_queue profiling_queue(struct example *e)
{
    static const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
                                                     0};
    cl_int status;
    return clCreateCommandQueueWithProperties(e->context, e->device, properties, &status);
}

/* A command's end lies after its begin by the time of the device's clock. The
 * times themselves mean nothing where Sonde is not in the program (case_times): without a kernel
 * driver this driver adds an offset that it never sets. */
static int case_profiling(struct example *e)
{
    cl_command_queue queue = profiling_queue(e);
    static int data[65536];
    cl_mem buffer = example_buffer(e, sizeof data, data);
    cl_kernel kernel = example_kernel(e, "twice");
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    cl_ulong spans[3];
    for (unsigned i = 0; i < 3; i++) {
        size_t global = 4096u << 2 * i; /* more than a tick */
        cl_event event;
        cl_ulong begin = 0, end = 0;
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event) ||
            clFinish(queue))
            return failed("enqueue", 0, 0, 0);
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 8, &begin, NULL);
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &end, NULL);
        spans[i] = end - begin;
        if (spans[i] == 0 || spans[i] > 1000000000u)
            return failed("nanoseconds", i, (long)spans[i], 1000);
        clReleaseEvent(event);
    }
    return spans[2] > spans[0] ? 0 : failed("longer", 0, (long)spans[2], (long)spans[0]);
}

static cl_ulong host_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (cl_ulong)t.tv_sec * 1000000000u + (cl_ulong)t.tv_nsec;
}

/* The times of commands, of the device and of the driver, in order and by the host's
 * clock: for a program with Sonde in it. */
static int case_times(struct example *e)
{
    static int data[65536];
    size_t global = 65536;
    cl_event events[5];
    cl_command_queue queue = profiling_queue(e);
    cl_mem buffer = example_buffer(e, sizeof data, data);
    cl_kernel kernel = example_kernel(e, "twice");
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    cl_ulong before = host_time(), seconds = 1000000000u;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &events[0]) ||
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &events[1]) ||
        clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, data, 0, NULL, &events[2]) ||
        clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4096, 64, 0, NULL, &events[3]) ||
        clEnqueueMarkerWithWaitList(queue, 0, NULL, &events[4]) || clFinish(queue))
        return failed("enqueue", 0, 0, 0);
    for (size_t i = 0; i < 5; i++) {
        cl_ulong times[4];
        for (cl_uint k = 0; k < 4; k++)
            if (clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_QUEUED + k, 8, &times[k],
                                        NULL))
                return failed("profiling", k, 0, 0);
        if (times[0] < before || times[1] < times[0] || times[2] < times[1] ||
            times[3] < times[2] || times[3] > host_time() + seconds)
            return failed("order", i, (long)(times[3] - times[2]), 0);
        clReleaseEvent(events[i]);
    }
    return 0;
}

/* Take turns on one buffer. */
static int check_queues(struct example *e, cl_command_queue second)
{
    int data[512];
    for (int i = 0; i < 512; i++)
        data[i] = i;
    cl_mem buffer = example_buffer(e, sizeof data, data);
    cl_kernel kernel = example_kernel(e, "twice");
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    for (int i = 0; i < 6; i++) {
        size_t global = 512;
        cl_command_queue queue = i & 1 ? second : e->queue;
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) ||
            clFinish(queue))
            return failed("enqueue", 0, 0, 0);
    }
    example_read(e, buffer, sizeof data, data);
    for (int i = 0; i < 512; i++)
        if (data[i] != i * 64)
            return failed("twice", (size_t)i, data[i], i * 64);
    return 0;
}

/* A second queue of the same priority shares the engine context. */
static int case_queues(struct example *e)
{
    cl_int status;
    cl_command_queue second =
        clCreateCommandQueueWithProperties(e->context, e->device, NULL, &status);
    return check_queues(e, second) || check_add(e, second, 3000, 1);
}

/* A queue of low priority has an engine context of its own, to which the driver
 * does not send again what it sent to the other one: its results cannot come
 * back, and the server must say so. */
static int case_priorities(struct example *e)
{
    static const cl_queue_properties low[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, 0};
    cl_int status;
    cl_command_queue second =
        clCreateCommandQueueWithProperties(e->context, e->device, low, &status);
    check_queues(e, second);
    return 0;
}

/* Host writes between dispatches reach the device again. */
static int case_host_writes(struct example *e)
{
    int data[256];
    cl_mem buffer = example_buffer(e, sizeof data, NULL);
    cl_kernel kernel = example_kernel(e, "twice");
    size_t global = 256;
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    for (int round = 1; round < 4; round++) {
        cl_int status;
        int *mapped = clEnqueueMapBuffer(e->queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, sizeof data, 0,
                                         NULL, NULL, &status);
        if (status != CL_SUCCESS)
            return failed("map", 0, status, 0);
        for (int i = 0; i < 256; i++)
            mapped[i] = i * round;
        clEnqueueUnmapMemObject(e->queue, buffer, mapped, 0, NULL, NULL);
        example_run(e, kernel, 1, &global, NULL);
        example_run(e, kernel, 1, &global, NULL);
        example_read(e, buffer, sizeof data, data);
        for (int i = 0; i < 256; i++)
            if (data[i] != 4 * i * round)
                return failed("mapped", (size_t)i, data[i], 4L * i * round);
    }
    return 0;
}

/* Nanoseconds of the processor that this program takes for some dispatches. */
static long dispatches_cost(cl_command_queue queue, cl_kernel kernel)
{
    struct timespec begin, end;
    size_t global = 8;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int i = 0; i < 250; i++)
        if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL))
            return failed("dispatch", (size_t)i, 0, 0);
    if (clFinish(queue))
        return failed("finish", 0, 0, 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return (end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec - begin.tv_nsec;
}

/* Of thousands of dispatches the last cost about what the first do. */
static int case_many(struct example *e)
{
    cl_mem buffer = example_buffer(e, 64, NULL);
    cl_kernel kernel = example_kernel(e, "twice");
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    long first = dispatches_cost(e->queue, kernel), last = 0;
    for (int i = 0; i < 24; i++)
        last = dispatches_cost(e->queue, kernel);
    fprintf(stderr, "first: %ld ns, last: %ld ns\n", first, last);
    return 2 * last < 5 * first ? 0 : failed("grows", 0, last, first);
}

/* Enqueues of no work-items, and an end without a wait for anything. */
static int case_empty(struct example *e)
{
    cl_mem buffer = example_buffer(e, 64, NULL);
    cl_kernel kernel = example_kernel(e, "twice");
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    for (int i = 0; i < 40; i++) {
        size_t global = i % 4 == 0 ? 16 : 0;
        if (clEnqueueNDRangeKernel(e->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL))
            return failed("empty", (size_t)i, 0, 0);
    }
    size_t none = 0;
    if (clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, &none, NULL, 0, NULL, NULL) !=
            CL_INVALID_COMMAND_QUEUE ||
        clEnqueueNDRangeKernel(e->queue, NULL, 1, NULL, &none, NULL, 0, NULL, NULL) !=
            CL_INVALID_KERNEL)
        return failed("refused", 0, 0, 0);
    exit(clFinish(e->queue) != CL_SUCCESS);
}

/* Three buffers that together pass 512 MiB of physical pages. */
static int case_large(struct example *e)
{
    return check_add(e, e->queue, 48u << 20, 3);
}

static int start_forever(struct example *e)
{
    static const int zeros[1024];
    cl_mem buffer = example_buffer(e, sizeof zeros, zeros);
    cl_kernel kernel = example_kernel(e, "forever");
    size_t global = 8;
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    printf("started\n");
    fflush(stdout);
    clEnqueueNDRangeKernel(e->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clFlush(e->queue);
    return 0;
}

static int case_no_finish(struct example *e)
{
    start_forever(e);
    _exit(0);
}

static int case_forever(struct example *e)
{
    start_forever(e);
    clFinish(e->queue);
    return 0;
}

/* A store to memory that nobody has: the application is told by the server's
 * own fault count, and still ends. */
static int case_wild(struct example *e)
{
    int data[16] = {0};
    cl_mem buffer = example_buffer(e, sizeof data, data);
    cl_kernel kernel = example_kernel(e, "wild");
    cl_ulong address = 0x123456789000;
    size_t global = 1;
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    EXAMPLE_ARGUMENT(kernel, 1, address);
    example_run(e, kernel, 1, &global, NULL);
    example_read(e, buffer, sizeof data, data);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(struct example *example);
} cases[] = {
    {"add", case_add},
    {"barrier", case_barrier},
    {"scratch", case_scratch},
    {"three-dimensions", case_three_dimensions},
    {"printf", case_printf},
    {"profiling", case_profiling},
    {"times", case_times},
    {"queues", case_queues},
    {"priorities", case_priorities},
    {"host-writes", case_host_writes},
    {"large", case_large},
    {"many", case_many},
    {"empty", case_empty},
    {"no-finish", case_no_finish},
    {"forever", case_forever},
    {"wild", case_wild},
};

static int run_case(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, name) != 0)
            continue;
        struct example e;
        example_open(&e, source, "");
        int bad = cases[i].run(&e);
        example_close(&e);
        return bad;
    }
    printf("no case %s\n", name);
    return 2;
}

/* "fork NAME": the parent and a child of it, each with a device of its own. */
int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "fork") == 0) {
        pid_t child = fork();
        int bad = run_case(argv[2]), status = 0;
        if (child == 0)
            _exit(bad);
        waitpid(child, &status, 0);
        return bad || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    return argc == 2 ? run_case(argv[1]) : 2;
}
