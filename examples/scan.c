#include "example.h"
#include "scan.cl.h"

enum { LOCAL = 64, BLOCK = 2 * LOCAL, COUNT = BLOCK * BLOCK };

static uint32_t in[COUNT], got[COUNT], want[COUNT], zeros[BLOCK];

int main(void)
{
    uint32_t seed = 8, sum = 0;
    for (int i = 0; i < COUNT; i++) {
        in[i] = example_random(&seed);
        want[i] = sum;
        sum += in[i];
    }
    struct example example;
    example_open(&example, scan_source, "");
    cl_mem input = example_buffer(&example, sizeof in, in);
    cl_mem output = example_buffer(&example, sizeof got, got);
    cl_mem totals = example_buffer(&example, sizeof zeros, zeros);
    cl_mem scanned = example_buffer(&example, sizeof zeros, zeros);
    cl_mem total = example_buffer(&example, 4, zeros);
    cl_kernel scan = example_kernel(&example, "scan_blocks");
    cl_kernel add = example_kernel(&example, "add_totals");
    size_t global = COUNT / 2, local = LOCAL;
    EXAMPLE_ARGUMENT(scan, 0, input);
    EXAMPLE_ARGUMENT(scan, 1, output);
    EXAMPLE_ARGUMENT(scan, 2, totals);
    clSetKernelArg(scan, 3, BLOCK * sizeof(uint32_t), NULL);
    example_run(&example, scan, 1, &global, &local);
    EXAMPLE_ARGUMENT(scan, 0, totals);
    EXAMPLE_ARGUMENT(scan, 1, scanned);
    EXAMPLE_ARGUMENT(scan, 2, total);
    example_run(&example, scan, 1, &local, &local);
    EXAMPLE_ARGUMENT(add, 0, output);
    EXAMPLE_ARGUMENT(add, 1, scanned);
    example_run(&example, add, 1, &global, &local);
    example_read(&example, output, sizeof got, got);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseMemObject(totals);
    clReleaseMemObject(scanned);
    clReleaseMemObject(total);
    clReleaseKernel(scan);
    clReleaseKernel(add);
    example_close(&example);
    return example_check_words("scan", got, want, COUNT);
}
