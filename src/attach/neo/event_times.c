#include "attach/neo/event_times.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define NANOSECONDS 1000000000u

/* The entry under this one. */
static cl_int(CL_API_CALL *below)(cl_event event, cl_profiling_info name, size_t size, void *value,
                                  size_t *size_back);

static bool read_time(cl_event event, cl_profiling_info name, cl_ulong *time)
{
    return below(event, name, sizeof *time, time, NULL) == CL_SUCCESS;
}

/* Of the clock that the driver takes for the host's. */
static cl_ulong now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (cl_ulong)t.tv_sec * NANOSECONDS + (cl_ulong)t.tv_nsec;
}

static cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t size,
                                         void *value, size_t *size_back)
{
    cl_ulong submit, start, time;
    cl_int result = below(event, name, size, value, size_back);
    if (result != CL_SUCCESS || value == NULL || size < sizeof time ||
        !read_time(event, CL_PROFILING_COMMAND_SUBMIT, &submit) ||
        !read_time(event, CL_PROFILING_COMMAND_START, &start) ||
        (start >= submit && start <= now()))
        return result;
    memcpy(&time, value, sizeof time);
    if (name == CL_PROFILING_COMMAND_QUEUED || name == CL_PROFILING_COMMAND_START)
        time = submit;
    else if (name == CL_PROFILING_COMMAND_END || name == CL_PROFILING_COMMAND_COMPLETE)
        time = submit + (time - start);
    memcpy(value, &time, sizeof time);
    return result;
}

void attach_event_times_hook(cl_icd_dispatch *table)
{
    below = table->clGetEventProfilingInfo;
    if (below != NULL)
        table->clGetEventProfilingInfo = profiling_info;
}
