__kernel void to_char(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global char *r)
{ size_t i = get_global_id(0); r[i] = convert_char_sat(c[i]) + convert_char(us[i]) + (char)n[i] + (char)u[i] + (char)l[i] + convert_char_sat(f[i]) + (char)s[i] + (char)uc[i]; }
__kernel void to_uchar(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global uchar *r)
{ size_t i = get_global_id(0); r[i] = convert_uchar_sat(c[i]) + convert_uchar(us[i]) + (uchar)n[i] + (uchar)u[i] + (uchar)l[i] + convert_uchar_sat(f[i]) + (uchar)s[i] + (uchar)uc[i]; }
__kernel void to_short(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global short *r)
{ size_t i = get_global_id(0); r[i] = convert_short_sat(c[i]) + convert_short(us[i]) + (short)n[i] + (short)u[i] + (short)l[i] + convert_short_sat(f[i]) + (short)s[i] + (short)uc[i]; }
__kernel void to_ushort(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global ushort *r)
{ size_t i = get_global_id(0); r[i] = convert_ushort_sat(c[i]) + convert_ushort(us[i]) + (ushort)n[i] + (ushort)u[i] + (ushort)l[i] + convert_ushort_sat(f[i]) + (ushort)s[i] + (ushort)uc[i]; }
__kernel void to_int(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global int *r)
{ size_t i = get_global_id(0); r[i] = convert_int_sat(c[i]) + convert_int(us[i]) + (int)n[i] + (int)u[i] + (int)l[i] + convert_int_sat(f[i]) + (int)s[i] + (int)uc[i]; }
__kernel void to_uint(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global uint *r)
{ size_t i = get_global_id(0); r[i] = convert_uint_sat(c[i]) + convert_uint(us[i]) + (uint)n[i] + (uint)u[i] + (uint)l[i] + convert_uint_sat(f[i]) + (uint)s[i] + (uint)uc[i]; }
__kernel void to_long(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global long *r)
{ size_t i = get_global_id(0); r[i] = convert_long_sat(c[i]) + convert_long(us[i]) + (long)n[i] + (long)u[i] + (long)l[i] + convert_long_sat(f[i]) + (long)s[i] + (long)uc[i]; }
__kernel void to_ulong(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global ulong *r)
{ size_t i = get_global_id(0); r[i] = convert_ulong_sat(c[i]) + convert_ulong(us[i]) + (ulong)n[i] + (ulong)u[i] + (ulong)l[i] + convert_ulong_sat(f[i]) + (ulong)s[i] + (ulong)uc[i]; }
__kernel void to_float(__global char *c, __global uchar *uc, __global short *s, __global ushort *us, __global int *n, __global uint *u, __global long *l, __global float *f, __global float *r)
{ size_t i = get_global_id(0); r[i] = convert_float_rtz(c[i]) + convert_float(us[i]) + (float)n[i] + (float)u[i] + (float)l[i] + convert_float(f[i]) + (float)s[i] + (float)uc[i]; }
