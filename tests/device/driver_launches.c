/* Launches in two parts: says "begun" after the first and "ended" after the second,
 * and waits for a line each time, so that launches_memory.py can look at the server.
 * Arguments: launches of the first part and of the second. */
#include <stdio.h>
#include <stdlib.h>

#include "example.h"

enum { ITEMS = 64, FINISH = 100 };

static const char source[] = "kernel void step(global uint *data) {\n"
                             "    data[get_global_id(0)] += get_global_id(0) + 1;\n"
                             "}\n";

static uint32_t launched;

static void launch(struct example *example, cl_kernel kernel, unsigned long count)
{
    const size_t items = ITEMS;
    for (unsigned long i = 0; i < count; i++) {
        if (clEnqueueNDRangeKernel(example->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) !=
                CL_SUCCESS ||
            (++launched % FINISH == 0 && clFinish(example->queue) != CL_SUCCESS)) {
            fprintf(stderr, "launch %u failed\n", launched);
            exit(1);
        }
    }
    clFinish(example->queue);
}

static void pause_after(const char *part)
{
    char line[16];
    puts(part);
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) == NULL)
        exit(1);
}

int main(int argc, char **argv)
{
    struct example example;
    uint32_t data[ITEMS] = {0}, want[ITEMS];
    if (argc < 3)
        return 2;
    example_open(&example, source, "");
    cl_kernel kernel = example_kernel(&example, "step");
    cl_mem buffer = example_buffer(&example, sizeof data, data);
    EXAMPLE_ARGUMENT(kernel, 0, buffer);
    launch(&example, kernel, strtoul(argv[1], NULL, 10));
    pause_after("begun");
    launch(&example, kernel, strtoul(argv[2], NULL, 10));
    pause_after("ended");
    example_read(&example, buffer, sizeof data, data);
    for (uint32_t i = 0; i < ITEMS; i++)
        want[i] = (i + 1) * launched;
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("launches", data, want, ITEMS);
}
