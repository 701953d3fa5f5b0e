#include "example.h"
#include "control_flow.cl.h"

enum { ITEMS = 512, LENGTH = 48 };

static uint8_t programs[ITEMS][LENGTH];
static uint32_t got[ITEMS], want[ITEMS];

static uint32_t inner_loop(uint32_t accumulator, uint32_t operation, uint32_t counter)
{
    for (uint32_t i = 0; i < operation >> 4; i++) {
        if (i == (accumulator & 7))
            continue;
        if ((accumulator & 0x30) == 0x30)
            break;
        accumulator += i * i + counter;
    }
    return accumulator;
}

static uint32_t host_item(uint32_t item)
{
    uint32_t a = item, counter = 0;
    for (int pc = 0; pc < LENGTH; pc++) {
        uint32_t operation = programs[item][pc], shift = (operation >> 3) & 31;
        uint32_t kind = operation & 7;
        if (kind == 0)
            a += operation;
        if (kind == 1)
            a ^= 0xa5a5a5a5u;
        if (kind == 1 || kind == 2)
            a = shift == 0 ? a : a << shift | a >> (32 - shift);
        if (kind == 3)
            a = inner_loop(a, operation, counter);
        if (kind == 4)
            a = !(a & 1) ? a / 3 : (a & 2) ? a >> 1 : a * 3 + 1;
        if (kind == 5 && operation == 0xfd)
            return a;
        if (kind == 5)
            counter++;
        if (kind == 6)
            do {
                a = a * 1103515245u + 12345u;
            } while (a >> 28 < operation >> 5);
        if (kind == 7)
            a -= counter;
    }
    return a + counter;
}

int main(void)
{
    uint32_t seed = 10;
    for (uint32_t i = 0; i < ITEMS; i++) {
        for (int j = 0; j < LENGTH; j++)
            programs[i][j] = (uint8_t)(example_random(&seed) >> 3);
        want[i] = host_item(i);
    }
    struct example example;
    example_open(&example, control_flow_source, "");
    cl_mem input = example_buffer(&example, sizeof programs, programs);
    cl_mem output = example_buffer(&example, sizeof got, got);
    cl_kernel kernel = example_kernel(&example, "control_flow");
    int length = LENGTH;
    EXAMPLE_ARGUMENT(kernel, 0, input);
    EXAMPLE_ARGUMENT(kernel, 1, length);
    EXAMPLE_ARGUMENT(kernel, 2, output);
    size_t global = ITEMS;
    example_run(&example, kernel, 1, &global, NULL);
    example_read(&example, output, sizeof got, got);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("control_flow", got, want, ITEMS);
}
