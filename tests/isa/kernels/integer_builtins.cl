__kernel void builtins(__global int *a, __global uint *u)
{ size_t i = get_global_id(0); a[i] = abs(a[i]) + abs_diff(a[i], a[i + 1]) + add_sat(a[i], a[i + 2]) + sub_sat(a[i], a[i + 3]) + hadd(a[i], a[i + 4]) + rhadd(a[i], a[i + 5]) + mad24(a[i], a[i + 1], 7) + mul24(a[i], a[i + 2]) + mul_hi(a[i], a[i + 3]) + mad_sat(a[i], a[i + 1], a[i + 2]);
  u[i] = clz(u[i]) + popcount(u[i + 1]) + rotate(u[i + 2], 5u) + upsample((ushort)u[i], (ushort)u[i + 3]) + mul_hi(u[i], u[i + 4]) + add_sat(u[i], u[i + 5]) + ctz(u[i + 6]); }
__kernel void shorts(__global short *a, __global ushort *u, __global uchar *c)
{ size_t i = get_global_id(0); a[i] = add_sat(a[i], a[i + 1]) + max(a[i], (short)3) + hadd(a[i], a[i + 2]); u[i] = clz(u[i]) + sub_sat(u[i], u[i + 1]); c[i] = add_sat(c[i], c[i + 1]) + rhadd(c[i], c[i + 2]) + abs_diff(c[i], c[i + 3]); }
__kernel void fields(__global uint *u) { size_t i = get_global_id(0); u[i] = ((u[i] >> 5) & 0x3f) | ((u[i + 1] & 0xf) << 9); u[i + 2] = (u[i + 2] & ~0xff0u) | ((u[i + 3] << 4) & 0xff0u); }
__kernel void divides(__global int *a, __global uint *u) { size_t i = get_global_id(0); a[i] = a[i] / 7 + a[i + 1] % 10; u[i] = u[i] / 1000u + u[i + 1] % 3u + u[i + 2] / u[i + 3]; }
