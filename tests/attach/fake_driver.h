/* A driver with Intel's GTPin interface and no device: it keeps the list of
 * submissions as the real one does (22.43, with its faults), and "executes" a
 * dispatch by adding to counters in the profile buffer, as instrumented code
 * would. A buffer that is used without being resident ends the process. */
#ifndef TESTS_ATTACH_FAKE_DRIVER_H
#define TESTS_ATTACH_FAKE_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_icd.h>

#include <stdbool.h>
#include <stdint.h>

/* First member of every object. */
struct fake_object {
    cl_icd_dispatch *dispatch;
    cl_uint references;
};

struct fake_queue {
    struct fake_object object;
    struct fake_context *context;
    bool blocked;        /* waits for an event of the program */
    uint32_t task_count; /* of the latest flush */
};

struct fake_kernel {
    struct fake_object object;
    struct fake_context *context;
    const char *name;
    bool has_surface;
    uint64_t kernel_id;
    const uint8_t *heap;
    uint32_t heap_size;
};

struct fake_api {
    struct fake_context *(*create_context)(uint32_t generation);
    struct fake_queue *(*create_queue)(struct fake_context *context);
    struct fake_kernel *(*create_kernel)(struct fake_context *context, const char *name,
                                         const uint8_t *isa, uint32_t isa_size, bool has_surface,
                                         const void *igc_info);
    /* As a wait in another place would: report everything flushed up to `task_count`. */
    void (*complete)(uint32_t task_count);
    void (*complete_backwards)(void);
    void (*unblock)(struct fake_queue *queue);
    /* The callbacks that GTPin_Init got, to be called in ways no driver would. */
    const void *(*events)(void);
    unsigned (*live_buffers)(void);
    void (*fail_allocations)(bool fail);
    bool (*asked_compiler)(void);
};

/* Counter of `block` after one instrumented dispatch, over all buckets. */
#define FAKE_BUCKETS      32u
#define FAKE_COUNT(block) (FAKE_BUCKETS * ((block) + 1u))

typedef const struct fake_api *fake_api_function(void);

#endif
