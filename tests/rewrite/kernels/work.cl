kernel void reduce(global int *a, global const int *b, int n)
{
    local int part[64];
    int l = get_local_id(0);
    part[l] = b[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (l < s && l + s < get_local_size(0))
            part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        a[get_group_id(0)] = part[0] + n;
}

kernel void wide(global long *a, global const long *b, long n)
{
    int i = get_global_id(0);
    long x = b[i] * n;
    ulong y = (ulong)b[i + 1] << (i & 31);
    a[i] = mul_hi(x, (long)y) + (x >> (b[i] & 31)) + (x < (long)y ? x : -x);
}

kernel void doubles(global double *a, global const int *b, int n)
{
    int i = get_global_id(0);
    double x = b[i] + 1.0, s = 0;
    for (int k = 1; k < n; k++)
        s += sqrt(x * k) / (x + k);
    a[i] = s;
}

kernel void bytes(global uchar *a, global const uchar *b, int n)
{
    int i = get_global_id(0);
    uchar x = b[i];
    for (int k = 0; k < n; k++)
        if (x & 1)
            x = (uchar)(x * 3 + 1);
        else
            x >>= 1;
    a[i] = x;
    a[i + 4096] = convert_uchar_sat(convert_short(b[i]) * 9 - 20);
}

kernel void divide(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    int d = b[i] | 1;
    a[i] = (b[i + 1] * 1000) / d + (b[i + 2] * 77) % d + (int)((uint)b[i + 3] / (uint)n);
    a[i + 2048] = as_int(native_sin((float)b[i]) + exp((float)b[i] / 9.0f));
}

kernel void private_array(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    int stack[16];
    int top = 0;
    for (int k = 0; k < 16; k++)
        stack[k] = b[i + k];
    for (int k = 0; k < n; k++)
        top = (top + stack[(top + k) & 15]) & 15;
    a[i] = top;
}

int helper(int x, global const int *b) __attribute__((noinline));
int helper(int x, global const int *b)
{
    int s = x;
    for (int k = 0; k < (x & 7); k++)
        s += b[k];
    return s;
}

kernel void calls(global int *a, global const int *b, int n)
{
    int i = get_global_id(0);
    a[i] = helper(b[i], b) + helper(b[i + 1] + n, b);
}

kernel void vector_regions(global int4 *a, global const int4 *b, int n)
{
    int i = get_global_id(0);
    int4 v = b[i];
    if (v.x > v.y)
        v = v.wzyx;
    a[i] = v + (int4)(n, 1, 2, 3) * b[i + 1].yxwz;
}
