#include "attach/neo/fault.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/neo/socket.h"

/* The entries under these. */
static cl_icd_dispatch below;
static atomic_uint_fast32_t told;

/* Whether there are faults that no call has returned yet. */
static bool is_new(void)
{
    uint32_t count;
    if (!attach_socket_read_faults(&count))
        return false;
    uint_fast32_t before = atomic_exchange(&told, count);
    return count != before;
}

static cl_int waited(cl_int result, cl_int error)
{
    return result == CL_SUCCESS && is_new() ? error : result;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    return waited(below.clFinish(queue), CL_OUT_OF_RESOURCES);
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *events)
{
    return waited(below.clWaitForEvents(count, events),
                  CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                      size_t offset, size_t size, void *data, cl_uint wait_count,
                                      const cl_event *wait_list, cl_event *event)
{
    cl_int result = below.clEnqueueReadBuffer(queue, buffer, blocking, offset, size, data,
                                              wait_count, wait_list, event);
    return blocking ? waited(result, CL_OUT_OF_RESOURCES) : result;
}

static cl_int CL_API_CALL read_image(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                     const size_t *origin, const size_t *region, size_t row_pitch,
                                     size_t slice_pitch, void *data, cl_uint wait_count,
                                     const cl_event *wait_list, cl_event *event)
{
    cl_int result = below.clEnqueueReadImage(queue, image, blocking, origin, region, row_pitch,
                                             slice_pitch, data, wait_count, wait_list, event);
    return blocking ? waited(result, CL_OUT_OF_RESOURCES) : result;
}

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                    cl_map_flags flags, size_t offset, size_t size,
                                    cl_uint wait_count, const cl_event *wait_list, cl_event *event,
                                    cl_int *result)
{
    cl_int own = CL_SUCCESS;
    void *mapped = below.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size,
                                            wait_count, wait_list, event, &own);
    if (blocking)
        own = waited(own, CL_OUT_OF_RESOURCES);
    if (result != NULL)
        *result = own;
    return mapped;
}

void attach_fault_hook(cl_icd_dispatch *table)
{
    below = *table;
    table->clFinish = finish;
    table->clWaitForEvents = wait_for_events;
    table->clEnqueueReadBuffer = read_buffer;
    table->clEnqueueReadImage = read_image;
    table->clEnqueueMapBuffer = map_buffer;
}
