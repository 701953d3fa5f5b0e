/* An OpenCL program that behaves badly on demand:
 *     behave HOW
 * "ok" runs one kernel, "debug" one with source lines; every other HOW leaves the good path at some
 * point. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "kernel void add_one(global int *a) { a[get_global_id(0)] += 1; }\n"
    "kernel void add_two(global int *a) { a[get_global_id(0)] += 2; }\n"
    "kernel void forever(global volatile int *a) { while (a[0] == 0) ; }\n"
    "kernel void outside(global int *a)\n"
    "{ a = (global int *)(ulong)0x123456789000; a[get_global_id(0)] = 1; }\n"
    "__attribute__((noinline)) int sum(int a, int n)\n"
    "{ int s = 0; for (int i = 0; i < n; i++) s = s * a + i; return s; }\n"
    "kernel void calls(global int *a)\n"
    "{ int i = get_global_id(0); a[i] = sum(a[i] + 1, 3) + sum(a[i] + 1, 2 + a[i]); }\n";

enum { ITEMS = 64 };

static const char *build_options = "";
static cl_context context;
static cl_command_queue queue;

static void need(cl_int code, const char *call)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "behave: %s: error %d\n", call, code);
    exit(3);
}

static void open_device(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    need(code, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    need(code, "clCreateCommandQueue");
}

static cl_program build(const char *text)
{
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    need(code, "clCreateProgramWithSource");
    need(clBuildProgram(program, 0, NULL, build_options, NULL, NULL), "clBuildProgram");
    return program;
}

/* Run `name` over ITEMS zeros and check that each became `expected`. */
static void run_kernel(cl_program program, const char *name, int expected, bool wait)
{
    int items[ITEMS] = {0};
    size_t size = ITEMS;
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    need(code, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof items,
                                   items, &code);
    need(code, "clCreateBuffer");
    need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL), "enqueue");
    if (!wait)
        return;
    need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof items, items, 0, NULL, NULL),
         "read");
    for (int i = 0; i < ITEMS; i++) {
        if (items[i] != expected) {
            printf("item %d is %d\n", i, items[i]);
            exit(4);
        }
    }
    need(clReleaseMemObject(buffer), "clReleaseMemObject");
    need(clReleaseKernel(kernel), "clReleaseKernel");
}

static void close_device(void)
{
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

static void run_all(const char *kernel, int expected)
{
    open_device();
    cl_program program = build(source);
    run_kernel(program, kernel, expected, true);
    clReleaseProgram(program);
    close_device();
}

static int run_children(void)
{
    int worst = 0;
    for (int i = 0; i < 2; i++) {
        if (fork() == 0) {
            run_all(i == 0 ? "add_one" : "add_two", i + 1);
            exit(0);
        }
    }
    for (int status; wait(&status) > 0;)
        worst = status != 0 ? 5 : worst;
    return worst;
}

static void on_terminate(int number)
{
    (void)number;
    static const char text[] = "terminated\n";
    _exit(write(STDOUT_FILENO, text, sizeof text - 1) > 0 ? 17 : 18);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "ok";
    if (strcmp(how, "no-opencl") == 0)
        return 0;
    if (strcmp(how, "debug") == 0)
        build_options = "-g";
    if (strcmp(how, "forks") == 0)
        return run_children();
    if (strcmp(how, "waits") == 0) {
        signal(SIGTERM, on_terminate);
        open_device();
        run_kernel(build(source), "add_one", 1, true);
        puts("ready");
        fflush(stdout);
        for (;;)
            pause();
    }
    open_device();
    if (strcmp(how, "no-program") == 0)
        return 0;
    if (strcmp(how, "build-error") == 0)
        build("kernel void broken(global int *a) { a[0] = undeclared; }");
    cl_program program = build(source);
    if (strcmp(how, "no-kernel") == 0)
        return 0;
    if (strcmp(how, "no-dispatch") == 0) {
        cl_int code;
        clCreateKernel(program, "add_one", &code);
        need(code, "clCreateKernel");
        return 0;
    }
    if (strcmp(how, "calls") == 0)
        run_kernel(program, "calls", 4, true);
    for (int i = 0; strcmp(how, "many") == 0 && i < 2000; i++)
        run_kernel(program, i % 2 ? "add_one" : "add_two", 2 - i % 2, true);
    if (strcmp(how, "loops") == 0)
        run_kernel(program, "forever", 0, true);
    if (strcmp(how, "outside") == 0)
        run_kernel(program, "outside", 0, true);
    if (strcmp(how, "outside-unheard") == 0) {
        run_kernel(program, "outside", 0, false);
        clFinish(queue); /* whose error is not looked at */
    }
    run_kernel(program, "add_one", 1, true);
    if (strcmp(how, "crashes") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "exits-9") == 0)
        _exit(9);
    if (strcmp(how, "leaves-work") == 0) {
        run_kernel(program, "add_two", 2, false);
        _exit(0);
    }
    puts("fine");
    clReleaseProgram(program);
    close_device();
    return 0;
}
