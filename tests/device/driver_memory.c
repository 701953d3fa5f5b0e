/* Memory commands and events of OpenCL on the server under the unmodified
 * driver; each case checks its results against the host and exits 0 when they
 * agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

static const char source[] =
    "constant int table[4] = {3, 1, 4, 1};\n"
    "global int total = 40;\n"
    "kernel void twice(global int *o) { o[get_global_id(0)] *= 2; }\n"
    "kernel void step(global int *o, int k) { o[get_global_id(0)] = o[get_global_id(0)] * 3 + k; "
    "}\n"
    "kernel void globals(global int *o)\n"
    "{ int i = get_global_id(0); o[i] = table[i & 3] + total; if (i == 0) total += 1; }\n"
    "struct node { int value; global struct node *next; };\n"
    "kernel void walk(global struct node *n, global int *o)\n"
    "{ int s = 0; for (; n; n = n->next) s += n->value; *o = s; }\n";

static int failed(const char *what, size_t index, long got, long want)
{
    printf("%s: element %zu is %ld, expected %ld\n", what, index, got, want);
    return 1;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cl_int status_ = (call);                                                                   \
        if (status_ != CL_SUCCESS)                                                                 \
            return failed(#call, 0, status_, 0);                                                   \
    } while (0)

/* Fill, copy and copy of a rectangle are kernels of the driver's own. */
static int case_copies(struct example *e)
{
    static int a[64 * 64], b[64 * 64], want[64 * 64];
    for (int i = 0; i < 64 * 64; i++)
        a[i] = i;
    cl_mem from = example_buffer(e, sizeof a, a), to = example_buffer(e, sizeof b, NULL);
    int pattern = 0x5a5a1234;
    size_t origin[3] = {4 * 4, 7, 0}, target[3] = {8 * 4, 20, 0}, region[3] = {32 * 4, 16, 1};
    TRY(clEnqueueFillBuffer(e->queue, to, &pattern, 4, 0, sizeof b, 0, NULL, NULL));
    TRY(clEnqueueCopyBuffer(e->queue, from, to, 4 * 100, 4 * 64 * 60 + 4, 4 * 50, 0, NULL, NULL));
    TRY(clEnqueueCopyBufferRect(e->queue, from, to, origin, target, region, 64 * 4, 0, 64 * 4, 0, 0,
                                NULL, NULL));
    TRY(clEnqueueReadBuffer(e->queue, to, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    for (int i = 0; i < 64 * 64; i++)
        want[i] = pattern;
    for (int i = 0; i < 50; i++)
        want[64 * 60 + 1 + i] = a[100 + i];
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 32; x++)
            want[(y + 20) * 64 + x + 8] = a[(y + 7) * 64 + x + 4];
    for (size_t i = 0; i < 64 * 64; i++)
        if (b[i] != want[i])
            return failed("copies", i, b[i], want[i]);
    return 0;
}

struct node {
    int value;
    struct node *next;
};

/* Shared virtual memory: the device follows the host's own pointers. */
static int case_svm(struct example *e)
{
    struct node *nodes = clSVMAlloc(e->context, CL_MEM_READ_WRITE, 100 * sizeof *nodes, 0);
    int *sum = clSVMAlloc(e->context, CL_MEM_READ_WRITE, sizeof *sum, 0);
    if (nodes == NULL || sum == NULL)
        return failed("clSVMAlloc", 0, 0, 1);
    TRY(clEnqueueSVMMap(e->queue, CL_TRUE, CL_MAP_WRITE, nodes, 100 * sizeof *nodes, 0, NULL,
                        NULL));
    int want = 0;
    for (int i = 0; i < 100; i++) {
        nodes[i].value = i * i;
        nodes[i].next = i == 63 ? NULL : &nodes[(i + 37) % 100];
    }
    for (int i = 0, n = 0; n < 100; n++) {
        want += i * i;
        if (i == 63)
            break;
        i = (i + 37) % 100;
    }
    TRY(clEnqueueSVMUnmap(e->queue, nodes, 0, NULL, NULL));
    cl_kernel kernel = example_kernel(e, "walk");
    TRY(clSetKernelArgSVMPointer(kernel, 0, nodes));
    TRY(clSetKernelArgSVMPointer(kernel, 1, sum));
    size_t one = 1;
    example_run(e, kernel, 1, &one, NULL);
    TRY(clEnqueueSVMMap(e->queue, CL_TRUE, CL_MAP_READ, sum, sizeof *sum, 0, NULL, NULL));
    int got = *sum;
    TRY(clEnqueueSVMUnmap(e->queue, sum, 0, NULL, NULL));
    TRY(clFinish(e->queue));
    clSVMFree(e->context, nodes);
    clSVMFree(e->context, sum);
    return got == want ? 0 : failed("sum", 0, got, want);
}

/* Program-scope variables keep their value from dispatch to dispatch. */
static int case_globals(struct example *e)
{
    static const int table[4] = {3, 1, 4, 1};
    int data[64];
    cl_mem buffer = example_buffer(e, sizeof data, NULL);
    cl_kernel kernel = example_kernel(e, "globals");
    size_t size = 64;
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    for (int round = 0; round < 3; round++) {
        size_t local = 64;
        example_run(e, kernel, 1, &size, &local);
        example_read(e, buffer, sizeof data, data);
        for (int i = 32; i < 64; i++) /* the second thread: the first may see its own store */
            if (data[i] != table[i & 3] + 40 + round && data[i] != table[i & 3] + 41 + round)
                return failed("globals", (size_t)i, data[i], table[i & 3] + 40 + round);
    }
    return 0;
}

/* Memory of the application used in place, unaligned parts, and sub-buffers. */
static int case_host_pointers(struct example *e)
{
    int *memory = aligned_alloc(4096, 3 * 4096);
    for (int i = 0; i < 3072; i++)
        memory[i] = i;
    cl_int status;
    cl_mem whole = clCreateBuffer(e->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 3 * 4096,
                                  memory, &status);
    TRY(status);
    cl_buffer_region region = {1024 * 4, 1024 * 4};
    cl_mem part =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    TRY(status);
    cl_mem odd = clCreateBuffer(e->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 256 * 4,
                                memory + 2051, &status);
    TRY(status);
    cl_kernel kernel = example_kernel(e, "twice");
    size_t size = 1024, small = 256;
    EXAMPLE_ARGUMENT(kernel, 0, part);
    example_run(e, kernel, 1, &size, NULL);
    EXAMPLE_ARGUMENT(kernel, 0, odd);
    example_run(e, kernel, 1, &small, NULL);
    void *mapped = clEnqueueMapBuffer(e->queue, whole, CL_TRUE, CL_MAP_READ, 0, 3 * 4096, 0, NULL,
                                      NULL, &status);
    TRY(status);
    void *second =
        clEnqueueMapBuffer(e->queue, odd, CL_TRUE, CL_MAP_READ, 0, 256 * 4, 0, NULL, NULL, &status);
    TRY(status);
    if (mapped != memory || second != memory + 2051)
        return failed("mapped in place", 0, 0, 1);
    for (int i = 0; i < 3072; i++) {
        int doubled = (i >= 1024 && i < 2048) || (i >= 2051 && i < 2307);
        if (memory[i] != (doubled ? 2 * i : i))
            return failed("host pointers", (size_t)i, memory[i], doubled ? 2L * i : i);
    }
    return 0;
}

/* An out-of-order queue and a second one, held together by events. */
static int case_events(struct example *e)
{
    static const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    cl_int status;
    cl_command_queue queues[2] = {
        clCreateCommandQueueWithProperties(e->context, e->device, properties, &status), e->queue};
    TRY(status);
    int data[128] = {0}, want = 0;
    cl_mem buffer = example_buffer(e, sizeof data, data);
    cl_event gate = clCreateUserEvent(e->context, &status), last = gate;
    TRY(status);
    size_t size = 128;
    for (int k = 1; k < 12; k++) {
        cl_kernel kernel = example_kernel(e, "step");
        cl_event next;
        EXAMPLE_ARGUMENT(kernel, 0, buffer);
        EXAMPLE_ARGUMENT(kernel, 1, k);
        TRY(clEnqueueNDRangeKernel(queues[k & 1], kernel, 1, NULL, &size, NULL, 1, &last, &next));
        last = next;
        want = want * 3 + k;
    }
    TRY(clSetUserEventStatus(gate, CL_COMPLETE));
    TRY(clWaitForEvents(1, &last));
    example_read(e, buffer, sizeof data, data);
    for (size_t i = 0; i < 128; i++)
        if (data[i] != want)
            return failed("events", i, data[i], want);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(struct example *example);
} cases[] = {
    {"copies", case_copies},
    {"svm", case_svm},
    {"globals", case_globals},
    {"events", case_events},
    {"host-pointers", case_host_pointers},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        struct example e;
        example_open(&e, source, "-cl-std=CL2.0");
        int bad = cases[i].run(&e);
        example_close(&e);
        return bad;
    }
    return 2;
}
