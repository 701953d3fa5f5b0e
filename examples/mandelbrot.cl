/* Escape times: every work-item leaves the loop at its own time. No contraction,
 * so that the host can repeat every rounding. */
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global uint *iterations, int width, int height, int limit)
{
    int x = get_global_id(0), y = get_global_id(1);
    float cr = -2.0f + (float)x * 0.0234375f, ci = -1.5f + (float)y * 0.0234375f;
    float zr = 0.0f, zi = 0.0f;
    int n = 0;
    while (n < limit) {
        float rr = zr * zr, ii = zi * zi;
        if (rr + ii > 4.0f)
            break;
        float ri = zr * zi;
        zr = rr - ii + cr;
        zi = ri + ri + ci;
        n++;
    }
    iterations[y * width + x] = n;
}
