/* Preloaded into an OpenCL program, on any implementation: the time of its
 * kernels as the program sees it, each from enqueue to finish, and the memory
 * that it asked for. KERNEL_TIME names the file that a line of JSON is added
 * to when the program ends:
 *   kernel_seconds, launches,
 *   ends: kernel_seconds after each of the first launches, so that a run that was stopped can be
 *   compared with another over the launches that both have done,
 *   unfinished: 1 if SIGTERM ended the program; kernel_seconds then has the time so far of
 *   the kernel that was running,
 *   buffer_bytes: buffers and images that existed at a time, at most,
 *   server_bytes: resident memory of the emulated GPU, at most; 0 without one. */
#define CL_TARGET_OPENCL_VERSION 300
#pragma GCC visibility push(default)
#include <CL/cl.h>
#pragma GCC visibility pop
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double kernel_seconds;
static volatile double running_since; /* 0 = no kernel runs */
static unsigned long launches;
static double ends[1 << 17]; /* a signal handler reads it: it never moves */
static size_t live_bytes, peak_bytes;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The function that would have been called without this library. */
#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (real == NULL)                                                                              \
        *(void **)&real = dlsym(RTLD_NEXT, #name)

static void report(int unfinished);

/* What the program has done so far counts as "at least". */
static void stopped(int number)
{
    if (running_since > 0)
        kernel_seconds += now() - running_since;
    report(1);
    _exit(128 + number);
}

static double start_clock(void)
{
    static bool catches;
    if (!catches)
        signal(SIGTERM, stopped);
    catches = true;
    running_since = now();
    return running_since;
}

static cl_int finish_and_add(cl_command_queue queue, double start, cl_int status)
{
    if (status == CL_SUCCESS)
        clFinish(queue);
    running_since = 0;
    if (status != CL_SUCCESS)
        return status;
    pthread_mutex_lock(&lock);
    kernel_seconds += now() - start;
    if (launches < sizeof ends / sizeof *ends)
        ends[launches] = kernel_seconds;
    launches++;
    pthread_mutex_unlock(&lock);
    return status;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint wait_count, const cl_event *wait, cl_event *event)
{
    REAL(clEnqueueNDRangeKernel);
    double start = start_clock();
    return finish_and_add(
        queue, start,
        real(queue, kernel, dimensions, offset, global, local, wait_count, wait, event));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                     const cl_event *wait, cl_event *event)
{
    REAL(clEnqueueTask);
    double start = start_clock();
    return finish_and_add(queue, start, real(queue, kernel, wait_count, wait, event));
}
#pragma GCC diagnostic pop

static cl_mem note_memory(cl_mem memory)
{
    size_t size = 0;
    if (memory == NULL || clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL) != 0)
        return memory;
    pthread_mutex_lock(&lock);
    live_bytes += size;
    if (live_bytes > peak_bytes)
        peak_bytes = live_bytes;
    pthread_mutex_unlock(&lock);
    return memory;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *status)
{
    REAL(clCreateBuffer);
    return note_memory(real(context, flags, size, host, status));
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *description, void *host, cl_int *status)
{
    REAL(clCreateImage);
    return note_memory(real(context, flags, format, description, host, status));
}

cl_int clReleaseMemObject(cl_mem memory)
{
    REAL(clReleaseMemObject);
    cl_uint references = 0;
    size_t size = 0;
    if (clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL) ==
            CL_SUCCESS &&
        references == 1 &&
        clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL) == CL_SUCCESS) {
        pthread_mutex_lock(&lock);
        live_bytes -= size < live_bytes ? size : live_bytes;
        pthread_mutex_unlock(&lock);
    }
    return real(memory);
}

/* One line of /proc/PID/NAME that starts with `key`, behind the key. */
static bool read_line(long process, const char *name, const char *key, char *line, int size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", process, name);
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file != NULL && !found && fgets(line, size, file) != NULL)
        found = strncmp(line, key, strlen(key)) == 0;
    if (file != NULL)
        fclose(file);
    if (found)
        memmove(line, line + strlen(key), strlen(line) - strlen(key) + 1);
    return found;
}

/* The emulated GPU is a brother of the program. */
static unsigned long long server_bytes(void)
{
    char name[64], children[4096], line[256];
    snprintf(name, sizeof name, "task/%d/children", (int)getppid());
    if (!read_line(getppid(), name, "", children, sizeof children))
        return 0;
    for (char *at = children, *end;; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at)
            return 0;
        if (read_line(child, "comm", "sonde-emu", line, sizeof line) &&
            read_line(child, "status", "VmHWM:", line, sizeof line))
            return strtoull(line, NULL, 10) * 1024;
    }
}

static void report(int unfinished)
{
    const char *path = getenv("KERNEL_TIME");
    FILE *file = path != NULL && kernel_seconds > 0 ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    fprintf(file,
            "{\"kernel_seconds\": %.9f, \"launches\": %lu, \"buffer_bytes\": %zu, "
            "\"server_bytes\": %llu, \"unfinished\": %d, \"ends\": [",
            kernel_seconds, launches, peak_bytes, server_bytes(), unfinished);
    for (unsigned long i = 0; i < launches && i < sizeof ends / sizeof *ends; i++)
        fprintf(file, "%s%.7f", i > 0 ? ", " : "", ends[i]);
    fprintf(file, "]}\n");
    fclose(file);
}

static void __attribute__((destructor)) report_at_end(void)
{
    report(0);
}
