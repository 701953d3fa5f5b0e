/* The host side that every example program shares: open the first GPU, build
 * a program, move buffers, compare. Every call exits with a message on an
 * OpenCL error, so that the examples show OpenCL, not error handling. */
#ifndef SONDE_EXAMPLE_H
#define SONDE_EXAMPLE_H

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct example {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

/* Open a device (a GPU when there is one) and build `source`. */
void example_open(struct example *example, const char *source, const char *options);
void example_close(struct example *example);
bool example_has_extension(const struct example *example, const char *name);

cl_kernel example_kernel(struct example *example, const char *name);
/* A buffer of `size` bytes, filled from `data` when not NULL. */
cl_mem example_buffer(struct example *example, size_t size, const void *data);
void example_read(struct example *example, cl_mem buffer, size_t size, void *data);
/* Run over a grid of 1 to 3 dimensions and wait. `local` may be NULL. */
void example_run(struct example *example, cl_kernel kernel, unsigned dimensions,
                 const size_t *global, const size_t *local);

/* Set argument `index` from a variable. */
#define EXAMPLE_ARGUMENT(kernel, index, value)                                                     \
    example_argument((kernel), (index), sizeof(value), &(value))
void example_argument(cl_kernel kernel, unsigned index, size_t size, const void *value);

/* The size given as first argument, else `standard`; benchmarks give larger
 * ones. Exits with a message unless it is a positive multiple of `step`. */
size_t example_size(int argc, char **argv, size_t standard, size_t step);
/* Zeroed memory, or exit. */
void *example_memory(size_t count, size_t size);

/* A small deterministic pseudo-random generator. */
uint32_t example_random(uint32_t *state);
float example_random_float(uint32_t *state); /* [0, 1) */

/* Print "NAME: PASS" or the first difference, return the exit status. */
int example_check_words(const char *name, const uint32_t *got, const uint32_t *want, size_t count);
int example_check_floats(const char *name, const float *got, const float *want, size_t count,
                         float tolerance);

#endif
