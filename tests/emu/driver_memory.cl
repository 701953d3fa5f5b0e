#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define G get_global_id(0)
#define L get_local_id(0)
#define KERNEL(name) kernel void name(global const uint *in, global uint *out)

/* Bytes and shorts, one a work-item and with gaps. */
KERNEL(bytes)
{
    global const uchar *i = (global const uchar *)in;
    global uchar *o = (global uchar *)out;
    o[3 * G + 1] = i[5 * G + 2];
}
KERNEL(shorts)
{
    global const short *i = (global const short *)in;
    global int *o = (global int *)out;
    o[G] = i[3 * G + 1] * 3;
}
KERNEL(vectors)
{
    global const uchar *i = (global const uchar *)in;
    global uchar *o = (global uchar *)out;
    uchar3 a = vload3(G, i + 1);
    ushort4 b = vload4(0, (global const ushort *)(i + 2048) + G);
    vstore3(a.zxy, G, o + 3);
    vstore4(convert_uint4(b) + 7u, G, out + 1024);
}
KERNEL(longs)
{
    global const ulong *i = (global const ulong *)in;
    global ulong *o = (global ulong *)out;
    o[G] = i[511 - G] * 0x9e3779b97f4a7c15ul + G;
}
KERNEL(wide_vectors)
{
    global const uint8 *i = (global const uint8 *)in;
    global uint16 *o = (global uint16 *)out;
    if (G < 128)
        o[G] = (uint16)(i[G].s76543210, i[(G + 1) % 128]);
}
KERNEL(sparse)
{
    out[(G * 2654435761u) % 4093] = in[(G * 40503u) % 4093];
}
KERNEL(divergent)
{
    if (in[G] % 3 == 0)
        out[G] = in[G ^ 5];
    else if (G % 7 < 4)
        ((global uchar *)out)[4 * G + 2] = (uchar)in[G];
}

/* Atomics. */
KERNEL(atomics)
{
    atomic_add(out + 0, in[G]);
    atomic_sub(out + 1, in[G]);
    atomic_inc(out + 2);
    atomic_dec(out + 3);
    atomic_min(out + 4, in[G]);
    atomic_max(out + 5, in[G]);
    atomic_and(out + 6, in[G] | 0xff00ff);
    atomic_or(out + 7, in[G] & 0x10f0f);
    atomic_xor(out + 8, in[G]);
    atomic_min((global int *)out + 9, (int)in[G]);
    atomic_max((global int *)out + 10, (int)in[G]);
    atomic_cmpxchg(out + 11 + G % 16, 0u, 77u);
    out[1024 + atomic_inc(out + 40)] = 1;
    atomic_add(out + 64 + G % 61, G);
}
KERNEL(atomics_long)
{
    global ulong *o = (global ulong *)out;
    atom_add(o, (ulong)in[G] << 20);
    atom_inc(o + 1);
    atom_max(o + 2, (ulong)in[G] << 13);
    atom_xor(o + 3, (ulong)in[G] * in[G]);
    atom_cmpxchg(o + 4 + G % 8, 0ul, 0x123456789abul);
}
KERNEL(atomics_local)
{
    local uint cells[8];
    if (L < 8)
        cells[L] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint old = atomic_add(cells + L % 4, in[G]);
    atomic_max(cells + 4, in[G]);
    atomic_inc(cells + 5);
    atomic_xchg(cells + 6, 9u);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (L < 8)
        out[get_group_id(0) * 8 + L] = cells[L];
    out[1024 + G] = old == 0xffffffffu;
}

/* Local memory: every size of access. */
KERNEL(local_bytes)
{
    local uchar b[64];
    local ushort s[64];
    local ulong q[64];
    b[L] = (uchar)in[G];
    s[63 - L] = (ushort)(in[G] >> 3);
    q[L ^ 21] = (ulong)in[G] << 17;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[G] = b[63 - L] + s[L] * 3u + (uint)(q[L] >> 9);
}
KERNEL(local_sum)
{
    local uint4 v[64];
    v[L] = (uint4)(in[G], in[G] >> 1, G, 1);
    for (uint step = 32; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (L < step)
            v[L] += v[L + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore4(v[0] + (uint)L, G, out);
}
KERNEL(async_copy)
{
    local uint part[64];
    event_t e = async_work_group_copy(part, in + get_group_id(0) * 64, 64, 0);
    wait_group_events(1, &e);
    part[L] = part[L] * 5 + part[L] % 11;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + get_group_id(0) * 64, part, 64, 0);
    wait_group_events(1, &e);
}

/* Private memory: arrays indexed at run time, and more values than registers. */
KERNEL(private_array)
{
    uint a[96];
    for (uint i = 0; i < 96; i++)
        a[i] = in[(G + i * 7) % 1024];
    uint sum = 0;
    for (uint i = 0; i < 96; i++) {
        uint at = (in[i] + G) % 96;
        sum = sum * 31 + a[at];
        a[at] = sum;
    }
    out[G] = sum;
}
KERNEL(private_bytes)
{
    uchar a[64];
    ushort s[32];
    for (uint i = 0; i < 64; i++)
        a[i] = (uchar)(in[(G + i) % 1024] >> 5);
    for (uint i = 0; i < 32; i++)
        s[i] = (ushort)(in[(G + 3 * i) % 1024]);
    uint sum = 0;
    for (uint i = 0; i < 64; i++)
        sum = sum * 17 + a[in[G + i] % 64] + s[in[G + i] % 32];
    out[G] = sum;
}
KERNEL(pressure)
{
    uint16 v[24];
    for (int i = 0; i < 24; i++)
        v[i] = vload16((G + i) % 64, in) * (uint)(i + 1);
    uint16 t = 0;
    for (int round = 0; round < 3; round++)
#pragma unroll
        for (int i = 0; i < 24; i++) {
            t = t * 3u + v[(i * 7 + 1) % 24];
            v[i] ^= t.s123456789abcdef0;
        }
    uint sum = 0;
    for (int i = 0; i < 24; i++) {
        uint16 w = v[i];
        sum = sum * 7 + w.s0 + w.s5 * 3 + w.sf;
    }
    out[G] = sum;
}

/* Constant and program-scope memory, functions, generic pointers. */
constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
global uint counters[4] = {10, 20, 30, 40};
KERNEL(constants)
{
    out[G] = table[in[G] % 16] * 100 + counters[G % 4];
}
uint twice(const uint *p) { return 2 * *p; }
KERNEL(generic_pointers)
{
    local uint l[64];
    uint mine = in[G];
    l[L] = in[G] + 1;
    const uint *p = G % 3 == 0 ? (const uint *)(in + G) :
                    G % 3 == 1 ? (const uint *)&l[L] : (const uint *)&mine;
    out[G] = twice(p);
}
__attribute__((noinline)) uint mix(uint a, uint b, uint depth)
{
    for (uint i = 0; i < depth; i++)
        a = (a ^ b) * 16777619u + i;
    return a;
}
KERNEL(calls)
{
    uint a = in[G];
    if (G & 1)
        a = mix(a, G, 3 + G % 4);
    out[G] = mix(a, 5, 2);
}

/* Block reads and writes of a sub-group. */
__attribute__((intel_reqd_sub_group_size(16))) KERNEL(blocks)
{
    uint first = (uint)(G - get_sub_group_local_id());
    uint a = intel_sub_group_block_read(in + first);
    uint4 b = intel_sub_group_block_read4(in + 4 * first);
    ushort s = intel_sub_group_block_read_us((global const ushort *)in + first);
    intel_sub_group_block_write(out + first, a + 1);
    intel_sub_group_block_write4(out + 1024 + 4 * first, b.wzyx);
    intel_sub_group_block_write_us((global ushort *)(out + 3584) + first, s);
}
__attribute__((intel_reqd_sub_group_size(8))) KERNEL(blocks8)
{
    uint first = (uint)(G - get_sub_group_local_id());
    uint8 b = intel_sub_group_block_read8(in + 4 * (first / 8));
    intel_sub_group_block_write2(out + 2 * first, b.s15);
}

/* Doubles and halves. */
KERNEL(doubles)
{
    global double *o = (global double *)out;
    o[G] = (double)in[G] * 0.25 + (double)(int)in[511 - G];
}
KERNEL(halves)
{
    vstore_half((float)(in[G] % 2048) * 0.5f, G, (global half *)out);
    out[1024 + G] = as_uint(vload_half(G, (global const half *)in + 4096));
}
