#include "attach/neo/extensions.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/neo/arguments.h"
#include "attach/neo/session.h"
#include "attach/neo/thunk.h"

typedef void *CL_API_CALL find_function(cl_platform_id platform, const char *name);
typedef void *CL_API_CALL find_any_function(const char *name);

/* The driver's own. */
static struct {
    find_function *find;
    clHostMemAllocINTEL_fn allocate_host;
    clDeviceMemAllocINTEL_fn allocate_device;
    clSharedMemAllocINTEL_fn allocate_shared;
    clMemFreeINTEL_fn free;
    clMemBlockingFreeINTEL_fn free_blocking;
    clSetKernelArgMemPointerINTEL_fn set_argument;
} real;

static void *note_memory(void *memory, size_t size)
{
    if (memory != NULL)
        attach_shared_add(memory, size);
    return memory;
}

static void *CL_API_CALL allocate_host(cl_context context,
                                       const cl_mem_properties_intel *properties, size_t size,
                                       cl_uint alignment, cl_int *result)
{
    return note_memory(real.allocate_host(context, properties, size, alignment, result), size);
}

static void *CL_API_CALL allocate_device(cl_context context, cl_device_id device,
                                         const cl_mem_properties_intel *properties, size_t size,
                                         cl_uint alignment, cl_int *result)
{
    return note_memory(real.allocate_device(context, device, properties, size, alignment, result),
                       size);
}

static void *CL_API_CALL allocate_shared(cl_context context, cl_device_id device,
                                         const cl_mem_properties_intel *properties, size_t size,
                                         cl_uint alignment, cl_int *result)
{
    return note_memory(real.allocate_shared(context, device, properties, size, alignment, result),
                       size);
}

static cl_int CL_API_CALL free_memory(cl_context context, void *memory)
{
    attach_shared_remove(memory);
    return real.free(context, memory);
}

static cl_int CL_API_CALL free_blocking(cl_context context, void *memory)
{
    attach_shared_remove(memory);
    return real.free_blocking(context, memory);
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, const void *value)
{
    cl_int result = real.set_argument(kernel, index, value);
    if (result == CL_SUCCESS)
        attach_bind_pointer(kernel, index, value);
    return result;
}

/* What the program gets instead; the driver's own goes to `real`. */
static const struct {
    const char *name;
    void *ours;
    void **real;
} functions[] = {
#define FUNCTION(name, member)                                                                     \
    {                                                                                              \
        name, (void *)(uintptr_t)member, (void **)(void *)&real.member                             \
    }
    FUNCTION("clHostMemAllocINTEL", allocate_host),
    FUNCTION("clDeviceMemAllocINTEL", allocate_device),
    FUNCTION("clSharedMemAllocINTEL", allocate_shared),
    FUNCTION("clMemBlockingFreeINTEL", free_blocking),
    FUNCTION("clSetKernelArgMemPointerINTEL", set_argument),
#undef FUNCTION
    {"clMemFreeINTEL", (void *)(uintptr_t)free_memory, (void **)(void *)&real.free},
};

/* Enqueues: it is enough to know that they happen, and in which queue. */
static struct {
    const char *name;
    void *thunk;
} enqueues[] = {
    {"clEnqueueMemcpyINTEL", NULL},    {"clEnqueueMemFillINTEL", NULL},
    {"clEnqueueMemsetINTEL", NULL},    {"clEnqueueMigrateMemINTEL", NULL},
    {"clEnqueueMemAdviseINTEL", NULL},
};

static void *note_enqueue(const char *name, void *found)
{
    for (size_t i = 0; i < sizeof enqueues / sizeof *enqueues; i++) {
        if (strcmp(enqueues[i].name, name) != 0)
            continue;
        if (!attach_session_lock())
            return found;
        if (enqueues[i].thunk == NULL)
            enqueues[i].thunk = attach_thunk_make(found);
        attach_session_unlock();
        return enqueues[i].thunk != NULL ? enqueues[i].thunk : found;
    }
    return found;
}

static void *CL_API_CALL find(cl_platform_id platform, const char *name)
{
    void *found = real.find(platform, name);
    if (found == NULL || name == NULL)
        return found;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            *functions[i].real = found;
            return functions[i].ours;
        }
    }
    return note_enqueue(name, found);
}

/* In the object `handle` is of. */
static bool is_of(void *handle, const void *address)
{
    Dl_info of_address, of_handle;
    void *known = dlsym(handle, "clGetExtensionFunctionAddress");
    return dladdr(address, &of_address) != 0 && dladdr(known, &of_handle) != 0 &&
           of_address.dli_fbase == of_handle.dli_fbase;
}

void attach_extensions_hook(void *handle)
{
    find_any_function *find_any;
    clIcdGetPlatformIDsKHR_fn get_platforms = NULL;
    cl_platform_id platform = NULL;
    *(void **)&find_any = dlsym(handle, "clGetExtensionFunctionAddress");
    if (find_any != NULL)
        *(void **)&get_platforms = find_any("clIcdGetPlatformIDsKHR");
    /* What every loader asks next. */
    if (get_platforms == NULL || get_platforms(1, &platform, NULL) != CL_SUCCESS ||
        platform == NULL)
        return;
    cl_icd_dispatch *table = *(cl_icd_dispatch **)(void *)platform;
    if (table == NULL || !is_of(handle, table) ||
        table->clGetExtensionFunctionAddressForPlatform == NULL)
        return;
    void **entry = (void **)(void *)&table->clGetExtensionFunctionAddressForPlatform;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)entry & ~(page - 1);
    size_t size = ((uintptr_t)(entry + 1) - first + page - 1) & ~(page - 1);
    if (mprotect((void *)first, size, PROT_READ | PROT_WRITE) != 0)
        return;
    real.find = table->clGetExtensionFunctionAddressForPlatform;
    table->clGetExtensionFunctionAddressForPlatform = find;
}
