/* Larger root of x^2 + b x + c in double precision: multiply-add, square root
 * and division. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void larger_root(global const double *b, global const double *c, global double *root)
{
    size_t i = get_global_id(0);
    double discriminant = fma(b[i], b[i], -4.0 * c[i]);
    double s = sqrt(discriminant);
    root[i] = b[i] >= 0.0 ? (-2.0 * c[i]) / (b[i] + s) : (s - b[i]) / 2.0;
}
