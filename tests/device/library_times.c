/* A library that gets the function for times by its name: nothing imports it. */
#define CL_TARGET_OPENCL_VERSION 300
#include "library_times.h"

#include <dlfcn.h>

typedef cl_int(CL_API_CALL *info_function)(cl_event, cl_profiling_info, size_t, void *, size_t *);

cl_ulong library_times_span(cl_event event)
{
    cl_ulong begin = 0, end = 0;
    info_function info;
    *(void **)&info = dlsym(RTLD_DEFAULT, "clGetEventProfilingInfo");
    if (info == NULL ||
        info(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) != CL_SUCCESS ||
        info(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) != CL_SUCCESS)
        return 0;
    return end - begin;
}
