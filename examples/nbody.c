#include "example.h"
#include "nbody.cl.h"

#include <math.h>

enum { N = 256, STEPS = 2 };

static float position[N][4], velocity[N][4], got[N][4], want[N][4], want_velocity[N][4];

static void host_step(float (*p)[4], float (*v)[4], float dt)
{
    static double next[N][3];
    for (int i = 0; i < N; i++) {
        double a[3] = {0, 0, 0};
        for (int j = 0; j < N; j++) {
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
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            p[i][k] = (float)next[i][k];
}

int main(void)
{
    uint32_t seed = 5;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            want[i][k] = position[i][k] = example_random_float(&seed) * 2.0f - 1.0f;
        want[i][3] = position[i][3] = example_random_float(&seed);
    }
    float dt = 0.001f;
    for (int step = 0; step < STEPS; step++)
        host_step(want, want_velocity, dt);
    struct example example;
    example_open(&example, nbody_source, "");
    cl_mem buffers[2] = {example_buffer(&example, sizeof position, position),
                         example_buffer(&example, sizeof position, position)};
    cl_mem speed = example_buffer(&example, sizeof velocity, velocity);
    cl_kernel kernel = example_kernel(&example, "nbody_step");
    int n = N;
    size_t global = N;
    for (int step = 0; step < STEPS; step++) {
        EXAMPLE_ARGUMENT(kernel, 0, buffers[step % 2]);
        EXAMPLE_ARGUMENT(kernel, 1, speed);
        EXAMPLE_ARGUMENT(kernel, 2, buffers[(step + 1) % 2]);
        EXAMPLE_ARGUMENT(kernel, 3, n);
        EXAMPLE_ARGUMENT(kernel, 4, dt);
        example_run(&example, kernel, 1, &global, NULL);
    }
    example_read(&example, buffers[STEPS % 2], sizeof got, got);
    clReleaseMemObject(buffers[0]);
    clReleaseMemObject(buffers[1]);
    clReleaseMemObject(speed);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_floats("nbody", &got[0][0], &want[0][0], N * 4, 1e-4f);
}
