/* Programs to be profiled under the real driver, one a name: orders of calls
 * in which a dispatch, or its end, is easily missed. The kernel's block counts
 * follow from its source: ITERATIONS times round the loop a hardware thread. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "opencl_orders.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "example.h"
#include <CL/cl_ext.h>

static const char source[] = "kernel void loop(global int *data, int n) {\n"
                             "    int sum = 0;\n"
                             "    __attribute__((opencl_unroll_hint(1)))\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        sum += data[64 + ((i * 3 + sum) & 31)];\n"
                             "    data[get_global_id(0) & 63] = sum;\n"
                             "}\n"
                             "kernel void empty(void) {}\n";

static struct example cl;
static cl_kernel kernel;
static cl_mem data;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cl_int status_ = (call);                                                                   \
        if (status_ != CL_SUCCESS) {                                                               \
            fprintf(stderr, "%s: %d\n", #call, status_);                                           \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)

static cl_kernel make_kernel(cl_mem buffer)
{
    cl_kernel made = example_kernel(&cl, "loop");
    int iterations = ORDERS_ITERATIONS;
    EXAMPLE_ARGUMENT(made, 0, buffer);
    EXAMPLE_ARGUMENT(made, 1, iterations);
    return made;
}

static void open_device(void)
{
    example_open(&cl, source, "");
    data = example_buffer(&cl, 1024, NULL);
    kernel = make_kernel(data);
}

static cl_int try_enqueue(size_t global, size_t local)
{
    return clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, local ? &local : NULL, 0,
                                  NULL, NULL);
}

static void enqueue(void)
{
    CHECK(try_enqueue(ORDERS_ITEMS, ORDERS_ITEMS));
}

static void never_waits(void)
{
    enqueue();
    enqueue();
}

static void leaves(void)
{
    enqueue();
    CHECK(clFinish(cl.queue));
    enqueue();
    _exit(0);
}

static void aborts(void)
{
    enqueue();
    CHECK(clFinish(cl.queue));
    abort();
}

static void fails(void)
{
    enqueue();
    if (try_enqueue(ORDERS_ITEMS, 4096) != CL_INVALID_WORK_GROUP_SIZE)
        exit(98);
    enqueue(); /* its profile is lost */
    enqueue();
    CHECK(try_enqueue(0, 0));
    enqueue(); /* kept: the driver does not see what has no work-items */
    enqueue();
    CHECK(clFinish(cl.queue));
    enqueue();
    CHECK(clFinish(cl.queue));
}

static cl_event block(void)
{
    cl_int status;
    size_t global = ORDERS_ITEMS;
    cl_event gate = clCreateUserEvent(cl.context, &status);
    CHECK(status);
    enqueue();
    CHECK(clFinish(cl.queue));
    CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &global, 1, &gate, NULL));
    enqueue();
    return gate;
}

static void blocked(void)
{
    block();
}

static void unblocked(void)
{
    cl_event gate = block();
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(cl.queue));
}

static void waits_for_event(void)
{
    size_t global = ORDERS_ITEMS;
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &global, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    _exit(0);
}

static void polls(void)
{
    size_t global = ORDERS_ITEMS;
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &global, 0, NULL, &event));
    CHECK(clFlush(cl.queue));
    cl_int state = CL_QUEUED;
    while (state > CL_COMPLETE)
        CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    _exit(0);
}

static void reads(void)
{
    int value;
    enqueue();
    CHECK(clEnqueueReadBuffer(cl.queue, data, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    _exit(0);
}

static void out_of_order(void)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(cl.context, cl.device,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    CHECK(status);
    size_t global = ORDERS_ITEMS;
    for (int i = 0; i < 20; i++)
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
    CHECK(clFinish(queue));
}

/* Dispatches wait for the program while others, in other queues and behind
 * them, do not. */
static void overtaken(void)
{
    cl_int status;
    size_t global = ORDERS_ITEMS;
    cl_command_queue queue = clCreateCommandQueue(cl.context, cl.device,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    CHECK(status);
    cl_kernel other = make_kernel(data);
    for (int i = 0; i < 10; i++) {
        cl_event gate = clCreateUserEvent(cl.context, &status);
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &global, 1, &gate, NULL));
        CHECK(clEnqueueCopyBuffer(queue, data, data, 0, 512, 64, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(queue, other, 1, NULL, &global, &global, 0, NULL, NULL));
        CHECK(clFlush(queue));
        for (int n = 0; n < 3; n++)
            enqueue();
        CHECK(clFinish(cl.queue));
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        enqueue();
        CHECK(clFinish(cl.queue));
        CHECK(clFinish(queue));
    }
}

static void releases(void)
{
    enqueue();
    CHECK(clReleaseCommandQueue(cl.queue));
    CHECK(clReleaseContext(cl.context));
    _exit(0);
}

static void without_surface(void)
{
    size_t global = ORDERS_ITEMS;
    CHECK(clEnqueueNDRangeKernel(cl.queue, example_kernel(&cl, "empty"), 1, NULL, &global, NULL, 0,
                                 NULL, NULL));
    enqueue();
    CHECK(clFinish(cl.queue));
}

static void many(void)
{
    for (int i = 0; i < 400; i++) {
        enqueue();
        if (i % 50 == 49)
            CHECK(clFinish(cl.queue));
    }
}

static bool share_queue;

static void *work(void *unused)
{
    (void)unused;
    cl_int status;
    int value;
    size_t global = ORDERS_ITEMS;
    cl_command_queue queue = cl.queue;
    if (!share_queue)
        queue = clCreateCommandQueue(cl.context, cl.device, 0, &status);
    cl_mem own_data = example_buffer(&cl, 1024, NULL);
    cl_kernel own = make_kernel(own_data);
    for (int i = 0; i < 100; i++) {
        CHECK(clEnqueueNDRangeKernel(queue, own, 1, NULL, &global, &global, 0, NULL, NULL));
        if (i % 3 == 0)
            CHECK(clFinish(queue));
        if (i % 7 == 0)
            CHECK(clEnqueueReadBuffer(queue, own_data, CL_TRUE, 0, sizeof value, &value, 0, NULL,
                                      NULL));
    }
    CHECK(clFinish(queue));
    return NULL;
}

static void threads(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

static void threads_one_queue(void)
{
    share_queue = true;
    threads();
}

static void check_first(cl_command_queue queue, int expected)
{
    int value = 0;
    CHECK(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    if (value != expected) {
        fprintf(stderr, "data[0] is %d, not %d\n", value, expected);
        exit(98);
    }
}

/* The driver gives a queue of low priority an engine context of its own. */
static void priorities(void)
{
    static const cl_queue_properties low[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
                                              CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, 0};
    int values[256], pattern = 7;
    cl_int status;
    size_t global = ORDERS_ITEMS;
    for (size_t i = 0; i < 256; i++)
        values[i] = 3;
    CHECK(clEnqueueWriteBuffer(cl.queue, data, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    enqueue();
    check_first(cl.queue, 3 * ORDERS_ITERATIONS);
    cl_command_queue second =
        clCreateCommandQueueWithProperties(cl.context, cl.device, low, &status);
    CHECK(status);
    CHECK(clEnqueueFillBuffer(second, data, &pattern, sizeof pattern, 0, 256, 0, NULL, NULL));
    check_first(second, pattern);
    CHECK(clEnqueueNDRangeKernel(second, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
    CHECK(clFinish(second));
    check_first(cl.queue, 3 * ORDERS_ITERATIONS);
}

static void forks(void)
{
    if (fork() == 0) {
        open_device();
        enqueue();
        CHECK(clFinish(cl.queue));
        exit(0);
    }
    wait(NULL);
    open_device();
    enqueue();
    CHECK(clFinish(cl.queue));
}

/* A child that only leaves has its parent's memory, and must not act on it. */
static void forks_idle(void)
{
    enqueue();
    if (fork() == 0)
        exit(0);
    wait(NULL);
    enqueue();
    CHECK(clFinish(cl.queue));
}

static const struct {
    const char *name;
    void (*run)(void);
    bool opens_itself;
} orders[] = {
    {"never_waits", never_waits, false},
    {"leaves", leaves, false},
    {"aborts", aborts, false},
    {"fails", fails, false},
    {"blocked", blocked, false},
    {"unblocked", unblocked, false},
    {"waits_for_event", waits_for_event, false},
    {"polls", polls, false},
    {"reads", reads, false},
    {"out_of_order", out_of_order, false},
    {"overtaken", overtaken, false},
    {"releases", releases, false},
    {"without_surface", without_surface, false},
    {"many", many, false},
    {"threads", threads, false},
    {"threads_one_queue", threads_one_queue, false},
    {"priorities", priorities, false},
    {"forks", forks, true},
    {"forks_idle", forks_idle, false},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof orders / sizeof orders[0]; i++)
        if (strcmp(orders[i].name, argv[1]) == 0) {
            if (!orders[i].opens_itself)
                open_device();
            orders[i].run();
            return 0;
        }
    return 2;
}
