__kernel void tiles(__global float *a, __global float *b)
{ __local float t[16][17]; int x = get_local_id(0), y = get_local_id(1); t[y][x] = a[get_global_id(1) * 64 + get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); b[get_global_id(1) * 64 + get_global_id(0)] = t[x][y]; }
__kernel void bytes(__global uchar *a) { __local uchar l[256]; int i = get_local_id(0); l[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[255 - i]; }
__kernel void shorts(__global short *a) { __local short l[256]; int i = get_local_id(0); l[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[i ^ 3]; }
__kernel void longs(__global long *a) { __local long l[128]; int i = get_local_id(0); l[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); a[i] = l[127 - i]; }
__kernel void vectors(__global float4 *a, __local float4 *l) { int i = get_local_id(0); l[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[i ^ 1]; }
__kernel void reduce(__global int *a, __local int *l) { int i = get_local_id(0); l[i] = a[get_global_id(0)]; for (int s = get_local_size(0) / 2; s > 0; s >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (i < s) l[i] += l[i + s]; } if (i == 0) a[get_group_id(0)] = l[0]; }
