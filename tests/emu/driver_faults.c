/* A kernel that reads or writes where nothing is mapped is stopped; the
 * program goes on, and so do other work in the same context and other
 * contexts. Accesses outside a surface read zero and write nothing. */
#include <stdio.h>
#include <string.h>

#include "driver_server.h"
#include "example.h"

static const char source[] =
    "#define G get_global_id(0)\n"
    "kernel void read_at(global uint *out, ulong address)\n"
    "{ out[G] = *(global const uint *)(address + 4 * G); }\n"
    "kernel void write_at(global uint *out, ulong address)\n"
    "{ out[G] = 1; *(global uint *)(address + 4 * G) = 5; }\n"
    "kernel void add(global uint *out, global const uint *in) { out[G] += in[G]; }\n"
    "kernel void beyond(global uint *out, global const uint *in)\n"
    "{ out[G] = in[G + 1000000] + 1; out[G + 2000000] = 7; }\n";

enum { ITEMS = 64 };

static uint32_t in[ITEMS], got[ITEMS], want[ITEMS];

static int run_bad(struct example *example, const char *name, uint64_t address)
{
    cl_kernel kernel = example_kernel(example, name);
    cl_mem out = example_buffer(example, sizeof got, in);
    size_t global = ITEMS;

    EXAMPLE_ARGUMENT(kernel, 0, out);
    EXAMPLE_ARGUMENT(kernel, 1, address);
    example_run(example, kernel, 1, &global, NULL);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    return 0;
}

static int run_good(struct example *example, const char *name, const char *what)
{
    cl_kernel kernel = example_kernel(example, name);
    cl_mem target = example_buffer(example, sizeof got, in);
    cl_mem more = example_buffer(example, sizeof in, in);
    size_t global = ITEMS;

    EXAMPLE_ARGUMENT(kernel, 0, target);
    EXAMPLE_ARGUMENT(kernel, 1, more);
    example_run(example, kernel, 1, &global, NULL);
    example_read(example, target, sizeof got, got);
    clReleaseMemObject(target);
    clReleaseMemObject(more);
    clReleaseKernel(kernel);
    return example_check_words(what, got, want, ITEMS);
}

int main(void)
{
    struct example first, second;
    int failures = 0;

    driver_server_start();
    example_open(&first, source, "");
    example_open(&second, source, "");
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = i * i + 1;
        want[i] = 2 * in[i];
    }
    failures += run_good(&first, "add", "before the faults");
    failures += run_bad(&first, "read_at", 0);
    failures += run_good(&first, "add", "after a read at 0");
    failures += run_bad(&first, "write_at", UINT64_C(0x123456789000));
    failures += run_good(&first, "add", "after a stray write");
    failures += run_good(&second, "add", "in another context");
    for (uint32_t i = 0; i < ITEMS; i++)
        want[i] = 1;
    failures += run_good(&second, "beyond", "beyond a buffer");
    return driver_server_finish(failures, 2);
}
