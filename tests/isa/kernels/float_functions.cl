#define EACH(f) __kernel void f_##f(__global float *a) { size_t i = get_global_id(0); a[i] = f(a[i]); }
EACH(acos) EACH(acosh) EACH(acospi) EACH(asin) EACH(asinh) EACH(atan) EACH(atanh) EACH(cbrt) EACH(cosh) EACH(cospi) EACH(erf) EACH(erfc)
EACH(exp10) EACH(expm1) EACH(lgamma) EACH(log1p) EACH(logb) EACH(rint) EACH(round) EACH(sinpi) EACH(tan) EACH(tanpi) EACH(tgamma) EACH(trunc)
#define PAIR(f) __kernel void f_##f(__global float *a) { size_t i = get_global_id(0); a[i] = f(a[i], a[i + 1]); }
PAIR(atan2) PAIR(atan2pi) PAIR(copysign) PAIR(fdim) PAIR(fmod) PAIR(hypot) PAIR(maxmag) PAIR(minmag) PAIR(nextafter) PAIR(pow) PAIR(powr) PAIR(remainder)
__kernel void f_parts(__global float *a, __global int *b) { size_t i = get_global_id(0); float w; int e, q; a[i] = modf(a[i], &w) + w + frexp(a[i + 1], &e) + remquo(a[i + 2], a[i + 3], &q) + lgamma_r(a[i + 4], &b[i]); b[i] += e + q + ilogb(a[i]); a[i] += ldexp(a[i], e) + pown(a[i], q) + rootn(a[i], 3) + nan((uint)e); float c; a[i] += sincos(a[i], &c) * c + fract(a[i], &w); }
