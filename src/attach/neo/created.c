#include "attach/neo/created.h"

#include <string.h>

#include "base/array.h"

/* Kernels that one call creates. */
#define ATTACH_CREATED_LIMIT 256u

struct pair {
    const void *cl_kernel;
    struct attach_kernel *kernel;
};

static struct pair *pairs;
static size_t pair_count, pair_capacity;

static __thread struct {
    struct attach_kernel *kernels[ATTACH_CREATED_LIMIT];
    size_t count; /* beyond the limit: they cannot be told */
} offered;

void attach_created_begin(void)
{
    offered.count = 0;
}

void attach_created_note(struct attach_kernel *kernel)
{
    if (offered.count < ATTACH_CREATED_LIMIT)
        offered.kernels[offered.count] = kernel;
    offered.count++;
}

static struct pair *find(const void *cl_kernel)
{
    for (size_t i = 0; i < pair_count; i++)
        if (pairs[i].cl_kernel == cl_kernel)
            return &pairs[i];
    return NULL;
}

/* Lock held. Addresses are used again: the latest holds, and NULL is unknown. */
static void set(const void *cl_kernel, struct attach_kernel *kernel)
{
    struct pair *pair = find(cl_kernel);
    if (pair == NULL && base_array_reserve((void **)&pairs, &pair_capacity, pair_count + 1,
                                           sizeof *pairs) == SONDE_OK) {
        pair = &pairs[pair_count++];
        pair->cl_kernel = cl_kernel;
    }
    if (pair != NULL)
        pair->kernel = kernel;
}

void attach_created_end(void *const *cl_kernels, size_t count,
                        bool (*has_name)(void *cl_kernel, const char *name))
{
    bool known = count == offered.count && count <= ATTACH_CREATED_LIMIT;
    for (size_t i = 0; i < count && known; i++)
        known = has_name(cl_kernels[i], offered.kernels[i]->name);
    if (!attach_session_lock())
        return;
    for (size_t i = 0; i < count; i++)
        set(cl_kernels[i], known ? offered.kernels[i] : NULL);
    attach_session_unlock();
}

struct attach_kernel *attach_created_find(const void *cl_kernel)
{
    struct pair *pair = find(cl_kernel);
    return pair == NULL ? NULL : pair->kernel;
}
