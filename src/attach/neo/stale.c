#include "attach/neo/stale.h"

#include <stddef.h>

#include "base/array.h"

struct stale {
    void *cl_kernel;
    unsigned count;
};

static struct stale *stales;
static size_t stale_count, stale_capacity;

static struct stale *find(const void *cl_kernel)
{
    for (size_t i = 0; i < stale_count; i++)
        if (stales[i].cl_kernel == cl_kernel)
            return &stales[i];
    return NULL;
}

void attach_stale_add(void *cl_kernel)
{
    struct stale *known = find(cl_kernel);
    if (known == NULL) {
        if (base_array_reserve((void **)&stales, &stale_capacity, stale_count + 1,
                               sizeof *stales) != SONDE_OK)
            return;
        known = &stales[stale_count++];
        known->cl_kernel = cl_kernel;
    }
    known->count++;
}

bool attach_stale_take(void *cl_kernel)
{
    struct stale *known = find(cl_kernel);
    if (known == NULL)
        return false;
    if (--known->count == 0)
        *known = stales[--stale_count];
    return true;
}

bool attach_stale_has(const void *cl_kernel)
{
    return find(cl_kernel) != NULL;
}
