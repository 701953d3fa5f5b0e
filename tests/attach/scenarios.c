/* Programs to be profiled, one a name: each drives the fake driver in an order
 * that real programs produce. Run as `scenarios DRIVER NAME`. */
#include "fake_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/neo/gtpin.h"
#include "loop_isa.h"

static const struct fake_api *api;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)

static struct fake_kernel *make_kernel(struct fake_context *context, const char *name)
{
    return api->create_kernel(context, name, loop_isa, sizeof loop_isa, true, NULL);
}

static cl_int enqueue_sized(struct fake_queue *queue, struct fake_kernel *kernel, size_t global,
                            size_t local)
{
    return queue->object.dispatch->clEnqueueNDRangeKernel(
        (cl_command_queue)queue, (cl_kernel)kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

static void enqueue(struct fake_queue *queue, struct fake_kernel *kernel)
{
    CHECK(enqueue_sized(queue, kernel, 64, 8) == CL_SUCCESS);
}

static void finish(struct fake_queue *queue)
{
    CHECK(queue->object.dispatch->clFinish((cl_command_queue)queue) == CL_SUCCESS);
}

static void release_queue(struct fake_queue *queue)
{
    queue->object.dispatch->clReleaseCommandQueue((cl_command_queue)queue);
}

struct setup {
    struct fake_context *context;
    struct fake_queue *queue;
    struct fake_kernel *kernel;
};

static struct setup begin(void)
{
    struct setup s;
    s.context = api->create_context(2);
    s.queue = api->create_queue(s.context);
    s.kernel = make_kernel(s.context, "loop");
    return s;
}

static void basic(void)
{
    struct setup s = begin();
    for (int i = 0; i < 3; i++) {
        enqueue(s.queue, s.kernel);
        finish(s.queue);
    }
}

static void batched(void)
{
    struct setup s = begin();
    for (int i = 0; i < 300; i++)
        enqueue(s.queue, s.kernel);
    finish(s.queue);
    enqueue(s.queue, s.kernel); /* gives back the buffers of the batch */
    finish(s.queue);
    CHECK(api->live_buffers() <= 2 || getenv("SONDE_DEVICE") == NULL);
}

static void backwards(void)
{
    struct setup s = begin();
    struct fake_queue *other = api->create_queue(s.context);
    for (int i = 0; i < 10; i++)
        enqueue(i % 2 ? other : s.queue, s.kernel);
    api->complete_backwards();
}

static void failing(void)
{
    struct setup s = begin();
    struct fake_kernel *other = make_kernel(s.context, "other");
    enqueue(s.queue, s.kernel);
    CHECK(enqueue_sized(s.queue, s.kernel, 64, 1024) == CL_INVALID_WORK_GROUP_SIZE);
    enqueue(s.queue, s.kernel); /* lost, with a reason */
    enqueue(s.queue, s.kernel);
    enqueue(s.queue, other);
    CHECK(enqueue_sized(s.queue, other, 0, 8) == CL_SUCCESS); /* nothing runs */
    CHECK(enqueue_sized(s.queue, other, 0, 8) == CL_SUCCESS);
    enqueue(s.queue, other); /* lost */
    enqueue(s.queue, other);
    enqueue(s.queue, other);
    enqueue(s.queue, s.kernel);
    finish(s.queue);
    enqueue(s.queue, s.kernel);
    finish(s.queue);
}

static void unseen(void)
{
    struct setup s = begin();
    struct fake_kernel *hidden =
        api->create_kernel(s.context, "hidden", loop_isa, sizeof loop_isa, false, NULL);
    enqueue(s.queue, hidden);
    enqueue(s.queue, s.kernel);
    enqueue(s.queue, hidden);
    finish(s.queue);
}

static void no_wait(void)
{
    struct setup s = begin();
    for (int i = 0; i < 4; i++)
        enqueue(s.queue, s.kernel);
}

static void blocked(void)
{
    struct setup s = begin();
    enqueue(s.queue, s.kernel);
    finish(s.queue);
    struct fake_queue *other = api->create_queue(s.context);
    other->blocked = true;
    enqueue(other, s.kernel);
    enqueue(other, s.kernel);
}

static void unblocked(void)
{
    struct setup s = begin();
    s.queue->blocked = true;
    enqueue(s.queue, s.kernel);
    enqueue(s.queue, s.kernel);
    api->unblock(s.queue);
    finish(s.queue);
}

/* The driver reports a dispatch that has not run: its buffer must not be read
 * or freed before the queue is finished. */
static void reported_early(void)
{
    struct setup s = begin();
    struct fake_queue *other = api->create_queue(s.context);
    cl_icd_dispatch *table = other->object.dispatch;
    table->clCreateUserEvent((cl_context)s.context, NULL);
    other->blocked = true;
    enqueue(other, s.kernel);
    enqueue(other, s.kernel);
    table->clEnqueueBarrier((cl_command_queue)other);
    enqueue(s.queue, s.kernel);
    finish(s.queue); /* reports the first one of the other queue as well */
    enqueue(s.queue, s.kernel);
    finish(s.queue);
    api->unblock(other);
    finish(other);
    enqueue(s.queue, s.kernel);
    finish(s.queue);
    CHECK(api->live_buffers() <= 2);
}

static void *enqueue_barrier(void *queue)
{
    struct fake_queue *shared = queue;
    shared->object.dispatch->clEnqueueBarrier((cl_command_queue)shared);
    api->complete(shared->task_count);
    return NULL;
}

/* The same, because another thread enqueues into the queue. */
static void shared_queue(void)
{
    struct setup s = begin();
    pthread_t thread;
    s.queue->blocked = true; /* the submission is on its way to its flush */
    enqueue(s.queue, s.kernel);
    pthread_create(&thread, NULL, enqueue_barrier, s.queue);
    pthread_join(thread, NULL);
    api->unblock(s.queue);
    for (int i = 0; i < 300; i++)
        enqueue(s.queue, s.kernel);
    CHECK(api->live_buffers() < 200); /* finished now and then */
    finish(s.queue);
}

static void released(void)
{
    struct setup s = begin();
    enqueue(s.queue, s.kernel);
    release_queue(s.queue);
    struct fake_queue *stuck = api->create_queue(s.context);
    stuck->blocked = true;
    enqueue(stuck, s.kernel);
    release_queue(stuck);
}

static void context_freed(void)
{
    struct setup s = begin();
    enqueue(s.queue, s.kernel);
    finish(s.queue);
    release_queue(s.queue);

    s.queue->object.dispatch->clReleaseContext((cl_context)s.context);
    CHECK(api->live_buffers() == 0);
}

static void killed(void)
{
    struct setup s = begin();
    enqueue(s.queue, s.kernel);
    enqueue(s.queue, s.kernel);
    finish(s.queue);
    enqueue(s.queue, s.kernel);
    raise(SIGKILL);
}

static void left(void)
{
    struct setup s = begin();
    enqueue(s.queue, s.kernel);
    finish(s.queue);
    enqueue(s.queue, s.kernel);
    _exit(3);
}

static void forked(void)
{
    struct setup s = begin();
    enqueue(s.queue, s.kernel);
    if (fork() == 0) {
        struct setup own = begin();
        enqueue(own.queue, own.kernel);
        enqueue(own.queue, own.kernel);
        finish(own.queue);
        exit(0);
    }
    wait(NULL);
    finish(s.queue);
}

/* A child that only leaves must not finish or write for its parent. */
static void forked_idle(void)
{
    struct setup s = begin();
    enqueue(s.queue, s.kernel);
    if (fork() == 0)
        exit(0);
    wait(NULL);
    finish(s.queue);
}

static void *enqueue_many(void *context)
{
    struct fake_queue *queue = api->create_queue(context);
    struct fake_kernel *kernel = make_kernel(context, "threaded");
    for (int i = 0; i < 100; i++) {
        enqueue(queue, kernel);
        if (i % 7 == 0)
            finish(queue);
    }
    finish(queue);
    return NULL;
}

static void threads(void)
{
    struct fake_context *contexts[2] = {api->create_context(2), api->create_context(2)};
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, enqueue_many, contexts[i % 2]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

static void broken_code(void)
{
    struct setup s = begin();
    uint8_t junk[112];
    memset(junk, 0xee, sizeof junk);
    struct fake_kernel *kernel =
        api->create_kernel(s.context, "junk", junk, sizeof junk, true, NULL);
    struct fake_kernel *empty = api->create_kernel(s.context, "empty", junk, 0, true, NULL);
    struct fake_kernel *refused = make_kernel(s.context, "refused");
    struct fake_kernel *stateless = make_kernel(s.context, "stateless");
    enqueue(s.queue, kernel);
    enqueue(s.queue, empty);
    enqueue(s.queue, refused);
    enqueue(s.queue, stateless);
    enqueue(s.queue, s.kernel);
    finish(s.queue);
}

static void unknown_device(void)
{
    struct fake_context *context = api->create_context(99);
    struct fake_queue *queue = api->create_queue(context);
    struct fake_kernel *kernel = make_kernel(context, "loop");
    enqueue(queue, kernel);
    finish(queue);
}

/* The compiler's answer in its patch token, with lies in it. */
static void compiler_answer(void)
{
    struct setup s = begin();
    CHECK(api->asked_compiler());
    static const uint32_t good[] = {52, 8 + 20 + 28, 5, 1,          256,        16,        0, 1, 0,
                                    28, 0xdeadd00d,  2, 0x00200100, 0x01000200, 0xdeadbeef};
    uint32_t lies[4][15];
    for (int i = 0; i < 4; i++)
        memcpy(lies[i], good, sizeof good);
    lies[0][7] = 0xffffffff;  /* tokens */
    lies[1][9] = 0xfffffff0;  /* token size */
    lies[2][11] = 0x7fffffff; /* ranges */
    lies[3][1] = 9;           /* patch token size */
    const uint32_t *answers[] = {good, lies[0], lies[1], lies[2], lies[3]};
    for (int i = 0; i < 5; i++) {
        uint32_t *exact = malloc(sizeof good);
        memcpy(exact, answers[i], sizeof good);
        struct fake_kernel *kernel =
            api->create_kernel(s.context, "answered", loop_isa, sizeof loop_isa, true, exact + 2);
        enqueue(s.queue, kernel);
        finish(s.queue);
        free(exact);
    }
}

static void no_memory(void)
{
    struct setup s = begin();
    api->fail_allocations(true);
    enqueue(s.queue, s.kernel);
    api->fail_allocations(false);
    enqueue(s.queue, s.kernel);
    finish(s.queue);
}

/* Calls that no driver should make. */
static void nonsense(void)
{
    const struct gtpin_events *events = api->events();
    uint32_t entry = 77;
    gtpin_handle resource = &entry;
    events->command_buffer_complete((gtpin_handle)0x1234);
    events->kernel_submit((gtpin_handle)0x1234, 42, &entry, &resource);
    CHECK(entry == 0 && resource == NULL);
    struct setup s = begin();
    entry = 77;
    events->kernel_submit((gtpin_handle)0x5678, s.kernel->kernel_id, &entry, &resource);
    CHECK(entry == 0 && resource == NULL); /* no context: not instrumented, and recorded */
    events->command_buffer_complete((gtpin_handle)0x5678);
    events->command_buffer_complete((gtpin_handle)0x5678);
    events->kernel_submit((gtpin_handle)0x9999, 0, &entry, &resource);
    enqueue(s.queue, s.kernel);
    finish(s.queue);
    events->context_destroy(s.context);
    events->context_destroy(s.context);
}

static void named(void)
{
    struct setup s = begin();
    struct fake_kernel *kernels[] = {make_kernel(s.context, "sum_rows"),
                                     make_kernel(s.context, "sum_columns"),
                                     make_kernel(s.context, "copy")};
    for (int i = 0; i < 12; i++)
        enqueue(s.queue, kernels[i % 3]);
    finish(s.queue);
}

static void no_context(void)
{
}

static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    {"basic", basic},
    {"batched", batched},
    {"backwards", backwards},
    {"failing", failing},
    {"unseen", unseen},
    {"no_wait", no_wait},
    {"blocked", blocked},
    {"unblocked", unblocked},
    {"reported_early", reported_early},
    {"shared_queue", shared_queue},
    {"released", released},
    {"context_freed", context_freed},
    {"killed", killed},
    {"left", left},
    {"forked", forked},
    {"forked_idle", forked_idle},
    {"threads", threads},
    {"broken_code", broken_code},
    {"unknown_device", unknown_device},
    {"compiler_answer", compiler_answer},
    {"no_memory", no_memory},
    {"nonsense", nonsense},
    {"named", named},
    {"no_context", no_context},
};

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    void *handle = dlopen(argv[1], RTLD_NOW);
    CHECK(handle != NULL);
    fake_api_function *get;
    *(void **)&get = dlsym(handle, "fake_api_get");
    CHECK(get != NULL);
    api = get();
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        if (strcmp(scenarios[i].name, argv[2]) == 0) {
            scenarios[i].run();
            return 0;
        }
    return 2;
}
