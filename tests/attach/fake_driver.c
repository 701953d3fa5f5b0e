#include "fake_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/neo/gtpin.h"

#define RESOURCE_LIMIT  4096
#define EXECUTION_LIMIT 65536

struct fake_context {
    struct fake_object object;
    uint32_t generation;
};

struct resource {
    uint8_t *memory;
    uint32_t size;
    bool alive;
};

struct execution { /* one entry of the driver's list */
    struct fake_queue *queue;
    struct fake_kernel *kernel;
    struct resource *resource;
    gtpin_handle command_buffer;
    uint32_t entry_offset;
    uint32_t task_count;
    bool has_task_count, resident;
};

static cl_icd_dispatch table;
static struct gtpin_events events;
static struct gtpin_igc_init *igc_init;
static bool connected, failing;
static struct resource resources[RESOURCE_LIMIT];
static unsigned resource_count;
static struct execution list[EXECUTION_LIMIT];
static unsigned list_count;
static struct execution waiting[64]; /* for an event of the program */
static unsigned waiting_count;
static uint32_t next_command_buffer = 1, next_task_count = 1;
static pthread_mutex_t lock;

__attribute__((constructor)) static void make_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
}

static int allocate(gtpin_handle context, uint32_t size, gtpin_handle *resource)
{
    (void)context;
    pthread_mutex_lock(&lock);
    struct resource *made = &resources[resource_count];
    bool fails = failing || resource_count == RESOURCE_LIMIT;
    if (!fails) {
        resource_count++;
        *made = (struct resource){malloc(size), size, true};
        memset(made->memory, 0xa5, size);
        *resource = made;
    }
    pthread_mutex_unlock(&lock);
    return fails ? GTPIN_ALLOCATION_FAILED : GTPIN_OK;
}

static int deallocate(gtpin_handle context, gtpin_handle handle)
{
    (void)context;
    struct resource *resource = handle;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < list_count; i++)
        if (list[i].resource == resource) {
            fprintf(stderr, "a buffer is freed that the driver's list names\n");
            abort();
        }
    if (!resource->alive)
        abort();
    resource->alive = false;
    free(resource->memory);
    pthread_mutex_unlock(&lock);
    return GTPIN_OK;
}

static int map(gtpin_handle context, gtpin_handle resource, uint8_t **address)
{
    (void)context;
    *address = ((struct resource *)resource)->memory;
    return GTPIN_OK;
}

static int unmap(gtpin_handle context, gtpin_handle resource)
{
    (void)context;
    (void)resource;
    return GTPIN_OK;
}

__attribute__((visibility("default"))) int GTPin_Init(const struct gtpin_events *given,
                                                      struct gtpin_services *services,
                                                      struct gtpin_version *version);
__attribute__((visibility("default"))) int GTPin_Init(const struct gtpin_events *given,
                                                      struct gtpin_services *services,
                                                      struct gtpin_version *version)
{
    if (connected)
        return GTPIN_ALREADY_CREATED;
    *version = (struct gtpin_version){GTPIN_OPENCL_VERSION, GTPIN_COMMON_VERSION};
    if (given == NULL || services == NULL)
        return GTPIN_OK;
    events = *given;
    *services = (struct gtpin_services){allocate, deallocate, map, unmap};
    connected = true;
    return GTPIN_OK;
}

/* The device: every thread of 32 counts each block b once more than b, behind
 * the 128 bytes of a profile buffer that control traces. */
static void execute(struct execution *execution)
{
    if (execution->entry_offset == 0)
        return;
    if (execution->resource == NULL || !execution->resident || !execution->resource->alive) {
        fprintf(stderr, "a profile buffer is used that is not resident\n");
        abort();
    }
    uint32_t blocks, chunk = 64;
    memcpy(&blocks, execution->kernel->heap + execution->entry_offset, 4);
    while (chunk < 4 * blocks)
        chunk *= 2;
    for (uint32_t bucket = 0; bucket < FAKE_BUCKETS; bucket++)
        for (uint32_t block = 0; block < blocks; block++) {
            uint32_t value;
            uint8_t *place = execution->resource->memory + 128 + bucket * chunk + 4 * block;
            memcpy(&value, place, 4);
            value += block + 1;
            memcpy(place, &value, 4);
        }
}

/* The buffer that this submission makes resident. */
static struct resource *make_resident(struct fake_kernel *kernel)
{
    for (unsigned n = 0; n < list_count; n++)
        if (list[n].kernel == kernel && !list[n].resident && list[n].resource != NULL) {
            list[n].resident = true;
            return list[n].resource;
        }
    return NULL;
}

static void flush(struct fake_queue *queue)
{
    queue->task_count = next_task_count++;
    for (unsigned n = 0; n < list_count; n++)
        if (list[n].queue == queue && !list[n].has_task_count) {
            list[n].has_task_count = true;
            list[n].task_count = queue->task_count;
            return;
        }
}

static void remove_execution(unsigned n)
{
    memmove(&list[n], &list[n + 1], (list_count - n - 1) * sizeof list[0]);
    list_count--;
}

static void complete(uint32_t task_count)
{
    pthread_mutex_lock(&lock);
    for (unsigned n = 0; n < list_count;)
        if (list[n].has_task_count && list[n].task_count <= task_count) {
            events.command_buffer_complete(list[n].command_buffer);
            remove_execution(n);
        } else {
            n++;
        }
    pthread_mutex_unlock(&lock);
}

static void complete_backwards(void)
{
    pthread_mutex_lock(&lock);
    for (unsigned n = list_count; n-- > 0;) {
        events.command_buffer_complete(list[n].command_buffer);
        remove_execution(n);
    }
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL enqueue(cl_command_queue queue_handle, cl_kernel kernel_handle,
                                  cl_uint dimensions, const size_t *offset, const size_t *global,
                                  const size_t *local, cl_uint wait_count,
                                  const cl_event *wait_list, cl_event *event)
{
    (void)dimensions, (void)offset, (void)wait_count, (void)wait_list, (void)event;
    struct fake_queue *queue = (struct fake_queue *)queue_handle;
    struct fake_kernel *kernel = (struct fake_kernel *)kernel_handle;
    struct execution execution = {.queue = queue, .kernel = kernel};
    if (kernel->has_surface && connected) {
        pthread_mutex_lock(&lock);
        execution.command_buffer = (gtpin_handle)(uintptr_t)next_command_buffer++;
        pthread_mutex_unlock(&lock);
        gtpin_handle resource = NULL;
        events.command_buffer_create(kernel->context, execution.command_buffer);
        events.kernel_submit(execution.command_buffer, kernel->kernel_id, &execution.entry_offset,
                             &resource);
        execution.resource = resource;
        pthread_mutex_lock(&lock);
        list[list_count++] = execution;
        pthread_mutex_unlock(&lock);
    }
    if (local != NULL && local[0] > 256)
        return CL_INVALID_WORK_GROUP_SIZE; /* after the submission, as the real one */
    if (global[0] == 0)
        return CL_SUCCESS;
    pthread_mutex_lock(&lock);
    struct resource *resident = make_resident(kernel);
    execution.resident = resident != NULL && resident == execution.resource;
    if (queue->blocked) {
        waiting[waiting_count++] = execution;
    } else {
        execute(&execution);
        flush(queue);
    }
    pthread_mutex_unlock(&lock);
    return CL_SUCCESS;
}

/* A copy, say: flushed without a submission, it takes the oldest one's place. */
static cl_int CL_API_CALL enqueue_barrier(cl_command_queue queue)
{
    pthread_mutex_lock(&lock);
    flush((struct fake_queue *)queue);
    pthread_mutex_unlock(&lock);
    return CL_SUCCESS;
}

static cl_event CL_API_CALL create_user_event(cl_context context, cl_int *result)
{
    if (result != NULL)
        *result = CL_SUCCESS;
    return (cl_event)context;
}

static void unblock(struct fake_queue *queue)
{
    pthread_mutex_lock(&lock);
    queue->blocked = false;
    for (unsigned n = 0; n < waiting_count; n++) {
        execute(&waiting[n]);
        flush(queue);
    }
    waiting_count = 0;
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL finish(cl_command_queue handle)
{
    struct fake_queue *queue = (struct fake_queue *)handle;
    if (queue->blocked) {
        fprintf(stderr, "the program hangs in clFinish\n");
        abort();
    }
    complete(queue->task_count);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL flush_queue(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL enqueue_marker(cl_command_queue queue, cl_uint count,
                                         const cl_event *list_of_events, cl_event *event)
{
    (void)count, (void)list_of_events;
    *event = (cl_event)queue;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL event_info(cl_event event, cl_event_info name, size_t size, void *value,
                                     size_t *size_back)
{
    (void)size_back;
    if (name != CL_EVENT_COMMAND_EXECUTION_STATUS || size != sizeof(cl_int))
        return CL_INVALID_VALUE;
    *(cl_int *)value = ((struct fake_queue *)event)->blocked ? CL_QUEUED : CL_SUBMITTED;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_event(cl_event event)
{
    (void)event;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL queue_info(cl_command_queue queue, cl_command_queue_info name,
                                     size_t size, void *value, size_t *size_back)
{
    (void)size_back;
    if (name != CL_QUEUE_REFERENCE_COUNT || size != sizeof(cl_uint))
        return CL_INVALID_VALUE;
    *(cl_uint *)value = ((struct fake_queue *)queue)->object.references;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_queue(cl_command_queue handle)
{
    struct fake_queue *queue = (struct fake_queue *)handle;
    if (--queue->object.references > 0)
        return CL_SUCCESS;
    pthread_mutex_lock(&lock);
    for (unsigned n = 0; n < list_count;)
        if (list[n].queue == queue)
            remove_execution(n);
        else
            n++;
    pthread_mutex_unlock(&lock);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL context_info(cl_context context, cl_context_info name, size_t size,
                                       void *value, size_t *size_back)
{
    (void)size, (void)size_back;
    if (name == CL_CONTEXT_REFERENCE_COUNT)
        *(cl_uint *)value = ((struct fake_context *)context)->object.references;
    else if (name == CL_CONTEXT_DEVICES)
        *(cl_device_id *)value = (cl_device_id)context;
    else
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_context(cl_context context)
{
    ((struct fake_context *)context)->object.references--;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size,
                                      void *value, size_t *size_back)
{
    (void)device, (void)size_back;
    if (name == CL_DRIVER_VERSION)
        snprintf(value, size, "1.2.3");
    else if (name == CL_DEVICE_NAME)
        snprintf(value, size, "Fake Graphics");
    else if (name == CL_DEVICE_PROFILING_TIMER_RESOLUTION)
        *(size_t *)value = 80;
    else
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_info name, size_t size,
                                      void *value, size_t *size_back)
{
    (void)size_back;
    if (name != CL_KERNEL_FUNCTION_NAME)
        return CL_INVALID_VALUE;
    snprintf(value, size, "%s", ((struct fake_kernel *)kernel)->name);
    return CL_SUCCESS;
}

static cl_icd_dispatch table = {
    .clEnqueueNDRangeKernel = enqueue,
    .clFinish = finish,
    .clEnqueueBarrier = enqueue_barrier,
    .clCreateUserEvent = create_user_event,
    .clFlush = flush_queue,
    .clEnqueueMarkerWithWaitList = enqueue_marker,
    .clGetEventInfo = event_info,
    .clReleaseEvent = release_event,
    .clGetCommandQueueInfo = queue_info,
    .clReleaseCommandQueue = release_queue,
    .clGetContextInfo = context_info,
    .clReleaseContext = release_context,
    .clGetDeviceInfo = device_info,
    .clGetKernelInfo = kernel_info,
};

static struct fake_context *create_context(uint32_t generation)
{
    struct fake_context *context = calloc(1, sizeof *context);
    context->object = (struct fake_object){&table, 1};
    struct gtpin_platform platform = {generation, 0x1902};
    if (connected)
        events.context_create(context, &platform, &igc_init);
    return context;
}

static struct fake_queue *create_queue(struct fake_context *context)
{
    struct fake_queue *queue = calloc(1, sizeof *queue);
    queue->object = (struct fake_object){&table, 1};
    queue->context = context;
    return queue;
}

static struct fake_kernel *create_kernel(struct fake_context *context, const char *name,
                                         const uint8_t *isa, uint32_t isa_size, bool has_surface,
                                         const void *igc_info)
{
    struct fake_kernel *kernel = calloc(1, sizeof *kernel);
    *kernel = (struct fake_kernel){{&table, 1}, context, name, has_surface, 0, isa, isa_size};
    if (!has_surface || !connected)
        return kernel;
    struct gtpin_kernel_in in = {.kernel_type = 5,
                                 .simd = 32,
                                 .binary = isa,
                                 .binary_size = isa_size,
                                 /* As no driver has been seen to do. */
                                 .buffer_type = strcmp(name, "stateless") == 0
                                                    ? GTPIN_BUFFER_STATELESS
                                                    : GTPIN_BUFFER_BINDFUL,
                                 .buffer_index = 1,
                                 .igc_hash = 0x1234,
                                 .name = name,
                                 .igc_info = igc_info};
    struct gtpin_kernel_out out = {0};
    events.kernel_create(context, &in, &out);
    if (out.binary == NULL || out.binary_size < isa_size || memcmp(out.binary, isa, isa_size) != 0)
        abort(); /* the original body comes first */
    kernel->heap = out.binary;
    kernel->heap_size = out.binary_size;
    kernel->kernel_id = out.kernel_id;
    return kernel;
}

static const void *get_events(void)
{
    return &events;
}

static unsigned live_buffers(void)
{
    unsigned alive = 0;
    for (unsigned i = 0; i < resource_count; i++)
        alive += resources[i].alive;
    return alive;
}

static void fail_allocations(bool fail)
{
    failing = fail;
}

static bool asked_compiler(void)
{
    return igc_init != NULL && igc_init->version == 5 && igc_init->report_registers == 1 &&
           igc_init->scratch_size > 0;
}

const struct fake_api *fake_api_get(void);
__attribute__((visibility("default"))) const struct fake_api *fake_api_get(void)
{
    static const struct fake_api api = {
        create_context, create_queue, create_kernel, complete,         complete_backwards,
        unblock,        get_events,   live_buffers,  fail_allocations, asked_compiler,
    };
    return &api;
}
