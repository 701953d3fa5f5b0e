#include "attach/neo/icd.h"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "attach/neo/arguments.h"
#include "attach/neo/buffer.h"
#include "attach/neo/created.h"
#include "attach/neo/dispatch.h"
#include "attach/neo/event_times.h"
#include "attach/neo/fault.h"
#include "attach/neo/session.h"
#include "attach/neo/thunk.h"
#include "attach/neo/trust.h"

/* Queues that are waited for at the end of the program. */
#define ATTACH_QUEUE_LIMIT 256
/* Properties of a queue that are looked at. */
#define ATTACH_PROPERTY_LIMIT 16

/* The driver's own entries. */
static cl_icd_dispatch real;
static bool hooked;
/* Calls into the driver that this thread is in. */
static __thread unsigned depth;

static bool has_work_items(cl_uint dimensions, const size_t *sizes)
{
    if (sizes == NULL)
        return false; /* OpenCL 2.1: like a size of zero */
    for (cl_uint i = 0; i < dimensions && i < 3; i++)
        if (sizes[i] == 0)
            return false;
    return true;
}

static void report_unseen(cl_kernel kernel)
{
    char name[512] = "";
    if (real.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) !=
        CL_SUCCESS)
        strcpy(name, "(a kernel with a very long name)");
    attach_dispatch_unseen(name);
}

/* The driver notes a submission and, later in the same call, gives its task
 * count to the oldest submission of that queue that has none: two threads that
 * enqueue into one queue at a time get each other's. So one enqueue is done at
 * a time. A callback of the driver that enqueues while it holds the driver's
 * locks must not wait for ever: it goes ahead after a while. */
static pthread_mutex_t enqueue_lock = PTHREAD_MUTEX_INITIALIZER;

static bool lock_enqueues(void)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    return depth == 0 && pthread_mutex_timedlock(&enqueue_lock, &deadline) == 0;
}

/* What was submitted last when no enqueue is under way: of one that is, the driver
 * has told already, and does not wait for it yet. */
static uint64_t latest_enqueued(void)
{
    bool locked = lock_enqueues();
    uint64_t latest = attach_dispatch_latest();
    if (locked)
        pthread_mutex_unlock(&enqueue_lock);
    return latest;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    uint64_t latest = latest_enqueued();
    depth++;
    cl_int result = real.clFinish(queue);
    depth--;
    if (result == CL_SUCCESS)
        attach_queue_finished(queue, latest);
    return result;
}

/* A queue that waits for an event which only the program can set would never
 * finish. A marker behind everything in it tells: it stays "queued". */
static bool ends_by_itself(cl_command_queue queue)
{
    cl_event marker = NULL;
    cl_int status = CL_QUEUED;
    if (real.clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker) != CL_SUCCESS)
        return false;
    real.clFlush(queue);
    if (real.clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                            NULL) != CL_SUCCESS)
        status = CL_QUEUED;
    real.clReleaseEvent(marker);
    return status != CL_QUEUED;
}

static bool finish_queue(cl_command_queue queue)
{
    depth++;
    bool ends = ends_by_itself(queue);
    depth--;
    return ends && finish(queue) == CL_SUCCESS;
}

static bool enter_enqueue(void *queue, void *kernel, uint32_t parts)
{
    bool locked = lock_enqueues();
    attach_trust_note_call(queue);
    attach_enqueue_begin(queue, kernel, parts);
    depth++;
    return locked;
}

static void leave_enqueue(bool locked, bool runs, cl_command_queue queue, cl_kernel kernel)
{
    depth--;
    if (locked)
        pthread_mutex_unlock(&enqueue_lock);
    if (attach_enqueue_end(runs))
        report_unseen(kernel);
    if (depth == 0 && attach_queue_needs_finish(queue))
        finish_queue(queue);
}

/* Whether every event has come, so that waiting for what follows them ends. */
static bool all_complete(cl_uint count, const cl_event *events)
{
    for (cl_uint i = 0; i < count; i++) {
        cl_int status = CL_QUEUED;
        cl_command_queue queue = NULL;
        if (events == NULL)
            return false;
        real.clGetEventInfo(events[i], CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
        if (queue != NULL)
            real.clFlush(queue);
        if (real.clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                &status, NULL) != CL_SUCCESS ||
            status != CL_COMPLETE)
            return false;
    }
    return true;
}

/* How a kernel is enqueued. */
struct range {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_uint dimensions;
    const size_t *offset, *global, *local;
    cl_uint wait_count;
    const cl_event *wait_list;
};

/* Where work-groups do not divide the range in some dimension, the driver
 * dispatches what is left over by itself. */
static uint32_t count_parts(const struct range *range)
{
    uint32_t parts = 1;
    for (cl_uint i = 0; i < range->dimensions && i < 3 && range->local != NULL; i++)
        if (range->global != NULL && range->local[i] != 0 && range->global[i] > range->local[i] &&
            range->global[i] % range->local[i] != 0)
            parts *= 2;
    return parts;
}

/* Count the records of a dispatch by a dry run before it. *result is that of
 * the dry enqueue: one that fails does so again. UINT64_MAX: not counted. */
static uint64_t count_records(const struct range *range, cl_int *result)
{
    cl_context context = NULL;
    bool counts = false;
    *result = CL_SUCCESS;
    if (depth > 0 || !has_work_items(range->dimensions, range->global))
        return UINT64_MAX;
    depth++;
    if (real.clGetCommandQueueInfo(range->queue, CL_QUEUE_CONTEXT, sizeof context, &context,
                                   NULL) == CL_SUCCESS)
        counts = attach_count_begin(context, range->kernel);
    if (counts &&
        !(all_complete(range->wait_count, range->wait_list) && ends_by_itself(range->queue))) {
        attach_count_end();
        counts = false;
    }
    depth--;
    if (!counts)
        return UINT64_MAX;
    bool locked = enter_enqueue(range->queue, range->kernel, count_parts(range));
    *result = real.clEnqueueNDRangeKernel(range->queue, range->kernel, range->dimensions,
                                          range->offset, range->global, range->local,
                                          range->wait_count, range->wait_list, NULL);
    leave_enqueue(locked, *result == CL_SUCCESS, range->queue, range->kernel);
    if (*result == CL_SUCCESS)
        finish(range->queue);
    return attach_count_end();
}

static bool has_name(void *kernel, const char *name)
{
    char actual[512] = "";
    return real.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof actual, actual, NULL) ==
               CL_SUCCESS &&
           strcmp(actual, name) == 0;
}

/* The program's binary for its first device that has one. Only tools want to
 * know of arguments. */
static void begin_creating(cl_program program)
{
    size_t sizes[64] = {0}, bytes = 0;
    unsigned char *binaries[64] = {NULL}, *first = NULL;
    attach_created_begin();
    if (attach_session.tools.count == 0 ||
        real.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &bytes) !=
            CL_SUCCESS)
        return;
    size_t count = bytes / sizeof *sizes, chosen = 0;
    while (chosen < count && sizes[chosen] == 0)
        chosen++;
    if (chosen < count)
        first = binaries[chosen] = malloc(sizes[chosen]);
    if (first != NULL &&
        real.clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries,
                              NULL) == CL_SUCCESS)
        attach_arguments_begin(first, sizes[chosen]);
    else
        free(first);
}

static void end_creating(void *const *kernels, size_t count, const void *source)
{
    attach_arguments_end();
    attach_created_end(kernels, count, has_name);
    for (size_t i = 0; i < count; i++)
        attach_bind_reset(kernels[i], source);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *result)
{
    begin_creating(program);
    cl_kernel kernel = real.clCreateKernel(program, name, result);
    end_creating((void *const *)&kernel, kernel != NULL, NULL);
    return kernel;
}

static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint count, cl_kernel *kernels,
                                         cl_uint *made)
{
    cl_uint number = 0;
    begin_creating(program);
    cl_int result = real.clCreateKernelsInProgram(program, count, kernels, &number);
    if (made != NULL)
        *made = number;
    end_creating((void *const *)kernels, result == CL_SUCCESS && kernels != NULL ? number : 0,
                 NULL);
    return result;
}

static cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int *result)
{
    cl_program program = NULL;
    real.clGetKernelInfo(source, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    begin_creating(program);
    cl_kernel kernel = real.clCloneKernel(source, result);
    end_creating((void *const *)&kernel, kernel != NULL, source);
    return kernel;
}

/* What is bound to an argument, as tools want to know it. */
static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size,
                                       const void *value)
{
    cl_int result = real.clSetKernelArg(kernel, index, size, value);
    enum attach_bind kind =
        result == CL_SUCCESS ? attach_bind_kind(kernel, index) : ATTACH_BIND_NONE;
    if (kind == ATTACH_BIND_LOCAL)
        attach_bind(kernel, index, 0, size);
    if (kind != ATTACH_BIND_MEMORY)
        return result;
    cl_mem memory = value != NULL && size == sizeof memory ? *(const cl_mem *)value : NULL;
    size_t bytes = 0;
    uint64_t known = memory == NULL ? 0 : UINT64_MAX;
    if (memory != NULL &&
        real.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS)
        known = bytes;
    attach_bind(kernel, index, 0, known);
    return result;
}

static cl_int CL_API_CALL set_shared_argument(cl_kernel kernel, cl_uint index, const void *value)
{
    cl_int result = real.clSetKernelArgSVMPointer(kernel, index, value);
    if (result == CL_SUCCESS)
        attach_bind_pointer(kernel, index, value);
    return result;
}

static void *CL_API_CALL allocate_shared(cl_context context, cl_svm_mem_flags flags, size_t size,
                                         cl_uint alignment)
{
    void *memory = real.clSVMAlloc(context, flags, size, alignment);
    if (memory != NULL)
        attach_shared_add(memory, size);
    return memory;
}

static void CL_API_CALL free_shared(cl_context context, void *memory)
{
    attach_shared_remove(memory);
    real.clSVMFree(context, memory);
}

/* An enqueue of no work-items that nothing can wait for. The driver would keep
 * note of it as a submission that never ends, and when such notes are left at
 * the end of the program it releases their memory twice. The price: what is
 * wrong with its arguments but for queue, kernel and sizes goes unseen. */
static bool has_no_effect(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                          const size_t *global)
{
    cl_context of_queue, of_kernel;
    if (dimensions < 1 || dimensions > 3 || global == NULL || has_work_items(dimensions, global))
        return false;
    depth++;
    bool known = real.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue,
                                            NULL) == CL_SUCCESS &&
                 real.clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof of_kernel, &of_kernel,
                                      NULL) == CL_SUCCESS;
    depth--;
    return known && of_queue == of_kernel;
}

static cl_int CL_API_CALL enqueue_nd_range(cl_command_queue queue, cl_kernel kernel,
                                           cl_uint dimensions, const size_t *offset,
                                           const size_t *global, const size_t *local,
                                           cl_uint wait_count, const cl_event *wait_list,
                                           cl_event *event)
{
    const struct range range = {queue,  kernel, dimensions, offset,
                                global, local,  wait_count, wait_list};
    cl_int result;
    if (wait_count == 0 && event == NULL && has_no_effect(queue, kernel, dimensions, global))
        return CL_SUCCESS;
    uint64_t bytes = count_records(&range, &result);
    if (result != CL_SUCCESS)
        return result;
    attach_count_use(bytes);
    bool locked = enter_enqueue(queue, kernel, count_parts(&range));
    result = real.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                         wait_count, wait_list, event);
    attach_count_use(UINT64_MAX);
    leave_enqueue(locked, result == CL_SUCCESS && has_work_items(dimensions, global), queue,
                  kernel);
    return result;
}

static cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                                       const cl_event *wait_list, cl_event *event)
{
    bool locked = enter_enqueue(queue, kernel, 1);
    cl_int result = real.clEnqueueTask(queue, kernel, wait_count, wait_list, event);
    leave_enqueue(locked, result == CL_SUCCESS, queue, kernel);
    return result;
}

/* The driver reports the end of a dispatch only to those who wait. A program
 * that asks until it hears "complete" never does, and would let buffers pile
 * up; waiting for an event that is complete costs nothing. */
static cl_int CL_API_CALL event_info(cl_event event, cl_event_info name, size_t size, void *value,
                                     size_t *size_back)
{
    cl_command_queue queue = NULL;
    cl_int result = real.clGetEventInfo(event, name, size, value, size_back);
    if (result != CL_SUCCESS || name != CL_EVENT_COMMAND_EXECUTION_STATUS || value == NULL ||
        *(cl_int *)value != CL_COMPLETE || depth > 0)
        return result;
    depth++;
    if (real.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) ==
            CL_SUCCESS &&
        queue != NULL && attach_queue_is_pending(queue))
        real.clWaitForEvents(1, &event);
    depth--;
    return result;
}

/* The driver's simulator connection sends memory to the engine of one priority
 * only, and cannot read back what another one did with it. A priority is a hint,
 * and on an emulated device it says nothing: every queue gets the same one. */
static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 const cl_queue_properties *properties,
                                                 cl_int *result)
{
    cl_queue_properties copy[2 * ATTACH_PROPERTY_LIMIT + 1];
    size_t count = 0;
    while (properties != NULL && count < 2 * ATTACH_PROPERTY_LIMIT && properties[count] != 0) {
        copy[count] = properties[count];
        copy[count + 1] = properties[count + 1];
        if (copy[count] == CL_QUEUE_PRIORITY_KHR && copy[count + 1] == CL_QUEUE_PRIORITY_LOW_KHR)
            copy[count + 1] = CL_QUEUE_PRIORITY_MED_KHR;
        count += 2;
    }
    copy[count] = 0;
    if (attach_session.emulated && properties != NULL && properties[count] == 0)
        properties = copy;
    return real.clCreateCommandQueueWithProperties(context, device, properties, result);
}

/* The driver forgets the submissions of a queue that is deleted. */
static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
    cl_uint references = 0;
    if (real.clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references,
                                   NULL) != CL_SUCCESS)
        references = 0;
    if (references == 1 && attach_queue_is_pending(queue) && !finish_queue(queue))
        attach_queue_abandon(queue, "its queue was released while it waited for an event of the "
                                    "program");
    if (references == 1)
        attach_queue_forgotten(queue);
    return real.clReleaseCommandQueue(queue);
}

/* Profile buffers hold a reference to their context, which would keep it alive. */
static cl_int CL_API_CALL release_context(cl_context context)
{
    cl_uint references = 0;
    if (real.clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references,
                              NULL) == CL_SUCCESS &&
        references == 1)
        attach_buffer_release(context);
    return real.clReleaseContext(context);
}

static cl_event CL_API_CALL create_user_event(cl_context context, cl_int *result)
{
    attach_trust_note_user_event();
    return real.clCreateUserEvent(context, result);
}

/* Enqueue calls other than of kernels. */
static const size_t noted[] = {
#define NOTED(name) offsetof(cl_icd_dispatch, name)
    NOTED(clEnqueueReadBuffer),
    NOTED(clEnqueueWriteBuffer),
    NOTED(clEnqueueCopyBuffer),
    NOTED(clEnqueueReadImage),
    NOTED(clEnqueueWriteImage),
    NOTED(clEnqueueCopyImage),
    NOTED(clEnqueueCopyImageToBuffer),
    NOTED(clEnqueueCopyBufferToImage),
    NOTED(clEnqueueMapBuffer),
    NOTED(clEnqueueMapImage),
    NOTED(clEnqueueUnmapMemObject),
    NOTED(clEnqueueNativeKernel),
    NOTED(clEnqueueMarker),
    NOTED(clEnqueueWaitForEvents),
    NOTED(clEnqueueBarrier),
    NOTED(clEnqueueReadBufferRect),
    NOTED(clEnqueueWriteBufferRect),
    NOTED(clEnqueueCopyBufferRect),
    NOTED(clEnqueueFillBuffer),
    NOTED(clEnqueueFillImage),
    NOTED(clEnqueueMigrateMemObjects),
    NOTED(clEnqueueMarkerWithWaitList),
    NOTED(clEnqueueBarrierWithWaitList),
    NOTED(clEnqueueSVMFree),
    NOTED(clEnqueueSVMMemcpy),
    NOTED(clEnqueueSVMMemFill),
    NOTED(clEnqueueSVMMap),
    NOTED(clEnqueueSVMUnmap),
    NOTED(clEnqueueSVMMigrateMem),
#undef NOTED
};

static void hook_noted(cl_icd_dispatch *table)
{
    for (size_t i = 0; i < sizeof noted / sizeof noted[0]; i++) {
        void **entry = (void **)((char *)table + noted[i]);
        void *thunk = attach_thunk_make(*entry);
        if (thunk != NULL)
            *entry = thunk;
    }
}

static bool table_is_plausible(const cl_icd_dispatch *table)
{
    Dl_info table_place, function_place;
    return table != NULL && dladdr(table, &table_place) != 0 &&
           table->clEnqueueNDRangeKernel != NULL &&
           dladdr((const void *)(uintptr_t)table->clEnqueueNDRangeKernel, &function_place) != 0 &&
           table_place.dli_fbase == function_place.dli_fbase;
}

bool attach_icd_hook(void *context)
{
    cl_icd_dispatch *table = *(cl_icd_dispatch **)context;
    if (hooked)
        return true;
    if (!table_is_plausible(table))
        return false;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)table & ~(page - 1);
    size_t size = ((uintptr_t)(table + 1) - first + page - 1) & ~(page - 1);
    if (mprotect((void *)first, size, PROT_READ | PROT_WRITE) != 0)
        return false;
    real = *table;
    hooked = true;
    table->clEnqueueNDRangeKernel = enqueue_nd_range;
    table->clEnqueueTask = enqueue_task;
    table->clCreateKernel = create_kernel;
    table->clCreateKernelsInProgram = create_kernels;
    if (real.clCloneKernel != NULL)
        table->clCloneKernel = clone_kernel;
    table->clSetKernelArg = set_argument;
    table->clSetKernelArgSVMPointer = set_shared_argument;
    table->clSVMAlloc = allocate_shared;
    table->clSVMFree = free_shared;
    table->clFinish = finish;
    table->clGetEventInfo = event_info;
    if (real.clCreateCommandQueueWithProperties != NULL)
        table->clCreateCommandQueueWithProperties = create_queue;
    table->clReleaseCommandQueue = release_queue;
    table->clReleaseContext = release_context;
    table->clCreateUserEvent = create_user_event;
    hook_noted(table);
    if (attach_session.emulated) {
        attach_fault_hook(table);
        attach_event_times_hook(table);
    }
    return true;
}

void attach_icd_describe(void *context, char *driver, size_t driver_size, char *device,
                         size_t device_size, uint64_t *clock_frequency)
{
    cl_device_id first[64];
    size_t resolution = 0;
    driver[0] = device[0] = '\0';
    *clock_frequency = 0;
    if (!hooked ||
        real.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof first, first, NULL) != CL_SUCCESS)
        return;
    real.clGetDeviceInfo(first[0], CL_DRIVER_VERSION, driver_size, driver, NULL);
    real.clGetDeviceInfo(first[0], CL_DEVICE_NAME, device_size, device, NULL);
    if (real.clGetDeviceInfo(first[0], CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof resolution,
                             &resolution, NULL) == CL_SUCCESS &&
        resolution > 0)
        *clock_frequency = 1000000000u / resolution;
}

void attach_icd_finish_queues(void)
{
    void *queues[ATTACH_QUEUE_LIMIT];
    /* From a signal handler in the middle of a driver call: the driver's locks are held. */
    if (!hooked || depth > 0)
        return;
    size_t count = attach_pending_queues(queues, ATTACH_QUEUE_LIMIT);
    for (size_t i = 0; i < count; i++)
        finish_queue(queues[i]);
}
