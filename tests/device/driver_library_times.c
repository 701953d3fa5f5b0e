/* Asks for the time of a command through a library that nobody can see asking. */
#include <stdio.h>

#include "example.h"
#include "library_times.h"

static const char source[] = "kernel void step(global uint *data) {\n"
                             "    data[get_global_id(0)] += get_global_id(0) + 1;\n"
                             "}\n";

enum { ITEMS = 65536 };

int main(void)
{
    static const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
                                                     0};
    static uint32_t data[ITEMS];
    struct example example;
    cl_int status;
    example_open(&example, source, "");
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(example.context, example.device, properties, &status);
    cl_kernel kernel = example_kernel(&example, "step");
    cl_mem buffer = example_buffer(&example, sizeof data, data);
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    const size_t items = ITEMS;
    cl_event event;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event) !=
            CL_SUCCESS ||
        clFinish(queue) != CL_SUCCESS)
        return 1;
    cl_ulong span = library_times_span(event);
    printf("%llu ns\n", (unsigned long long)span);
    return span > 0 && span < 1000000000u ? 0 : 1;
}
