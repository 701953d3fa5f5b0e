/* Under `sonde run`: a kernel that the emulated GPU stops gives the next call
 * that waits an error of OpenCL; what comes after it runs. */
#include <stdio.h>

#include "example.h"

static const char source[] =
    "kernel void bad(global uint *out, ulong at) { out[get_global_id(0)] = *(global uint *)at; }\n"
    "kernel void endless(global volatile uint *out) { while (out[0] != 77) out[1]++; }\n"
    "kernel void good(global uint *out) { out[get_global_id(0)] = get_global_id(0) * 3; }\n";

enum { ITEMS = 64 };

static struct example example;
static cl_mem buffer;

static int expect(const char *what, cl_int got, cl_int want)
{
    printf("%s: %d, %s\n", what, got, got == want ? "PASS" : "FAIL");
    return got != want;
}

static cl_event enqueue(const char *name)
{
    cl_kernel kernel = example_kernel(&example, name);
    cl_ulong nowhere = 0x123456789000u;
    size_t global = ITEMS;
    cl_event event = NULL;

    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    if (name[0] == 'b')
        EXAMPLE_ARGUMENT(kernel, 1, nowhere);
    clEnqueueNDRangeKernel(example.queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event);
    return event;
}

static int after(void)
{
    uint32_t got[ITEMS], want[ITEMS];

    enqueue("good");
    for (uint32_t i = 0; i < ITEMS; i++)
        want[i] = i * 3;
    int failures = expect("finish of a good kernel", clFinish(example.queue), CL_SUCCESS);
    failures += expect(
        "read after it",
        clEnqueueReadBuffer(example.queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
        CL_SUCCESS);
    return failures + example_check_words("its results", got, want, ITEMS);
}

int main(void)
{
    uint32_t words[ITEMS] = {0};
    cl_int status;
    int failures = 0;

    example_open(&example, source, "");
    buffer = example_buffer(&example, sizeof words, words);
    failures += after();
    enqueue("bad");
    failures += expect("clFinish", clFinish(example.queue), CL_OUT_OF_RESOURCES);
    failures += after();
    enqueue("bad");
    failures += expect(
        "blocking clEnqueueReadBuffer",
        clEnqueueReadBuffer(example.queue, buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL),
        CL_OUT_OF_RESOURCES);
    cl_event event = enqueue("bad");
    failures += expect("clWaitForEvents", clWaitForEvents(1, &event),
                       CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    enqueue("bad");
    clEnqueueMapBuffer(example.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status);
    failures += expect("blocking clEnqueueMapBuffer", status, CL_OUT_OF_RESOURCES);
    failures += after();
    enqueue("endless");
    failures +=
        expect("clFinish of an endless kernel", clFinish(example.queue), CL_OUT_OF_RESOURCES);
    failures += after();
    printf("%s\n", failures ? "errors are missing" : "every error came");
    return failures != 0;
}
