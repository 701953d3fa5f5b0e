#include "example.h"
#include "nbody.cl.h"

#include <math.h>

enum { STEPS = 2 };

static void host_step(int n, float (*p)[4], float (*v)[4], double (*next)[3], float dt)
{
    for (int i = 0; i < n; i++) {
        double a[3] = {0, 0, 0};
        for (int j = 0; j < n; j++) {
            double d[3], r2 = 0.01;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)p[j][k] - (double)p[i][k];
                r2 += d[k] * d[k];
            }
            double scale = (double)p[j][3] / (r2 * sqrt(r2));
            for (int k = 0; k < 3; k++)
                a[k] += d[k] * scale;
        }
        for (int k = 0; k < 3; k++) {
            v[i][k] = (float)((double)v[i][k] + a[k] * (double)dt);
            next[i][k] = (double)p[i][k] + (double)v[i][k] * (double)dt;
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            p[i][k] = (float)next[i][k];
}

int main(int argc, char **argv)
{
    int n = (int)example_size(argc, argv, 256, 16);
    size_t count = (size_t)n, size = count * sizeof(float[4]);
    float(*position)[4] = example_memory(count, sizeof *position);
    float(*velocity)[4] = example_memory(count, sizeof *velocity);
    float(*got)[4] = example_memory(count, sizeof *got);
    float(*want)[4] = example_memory(count, sizeof *want);
    float(*want_velocity)[4] = example_memory(count, sizeof *want_velocity);
    double(*next)[3] = example_memory(count, sizeof *next);
    uint32_t seed = 5;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            want[i][k] = position[i][k] = example_random_float(&seed) * 2.0f - 1.0f;
        want[i][3] = position[i][3] = example_random_float(&seed);
    }
    float dt = 0.001f;
    for (int step = 0; step < STEPS; step++)
        host_step(n, want, want_velocity, next, dt);
    struct example example;
    example_open(&example, nbody_source, "");
    cl_mem buffers[2] = {example_buffer(&example, size, position),
                         example_buffer(&example, size, position)};
    cl_mem speed = example_buffer(&example, size, velocity);
    cl_kernel kernel = example_kernel(&example, "nbody_step");
    size_t global = count;
    for (int step = 0; step < STEPS; step++) {
        EXAMPLE_ARGUMENT(kernel, 0, buffers[step % 2]);
        EXAMPLE_ARGUMENT(kernel, 1, speed);
        EXAMPLE_ARGUMENT(kernel, 2, buffers[(step + 1) % 2]);
        EXAMPLE_ARGUMENT(kernel, 3, n);
        EXAMPLE_ARGUMENT(kernel, 4, dt);
        example_run(&example, kernel, 1, &global, NULL);
    }
    example_read(&example, buffers[STEPS % 2], size, got);
    clReleaseMemObject(buffers[0]);
    clReleaseMemObject(buffers[1]);
    clReleaseMemObject(speed);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_floats("nbody", &got[0][0], &want[0][0], count * 4, 1e-4f);
}
