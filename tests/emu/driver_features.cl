#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#define G get_global_id(0)
#define L get_local_id(0)

constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

/* Block access to images: a row of a sub-group's items. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void
image_blocks(read_only image2d_t in, write_only image2d_t out)
{
    int2 at = (int2)(get_group_id(0) * 16 * 4, get_global_id(1) * 2);
    uint2 a = intel_sub_group_block_read2(in, at);
    intel_sub_group_block_write2(out, at, a.yx + 1u);
}
__attribute__((intel_reqd_sub_group_size(8))) kernel void
image_block_rows(read_only image2d_t in, global uint *out)
{
    uint8 a = intel_sub_group_block_read8(in, (int2)(-8, 5));
    vstore8(a, L, out);
}

kernel void read_depth(read_only image2d_depth_t in, global float *out)
{
    out[G] = read_imagef(in, nearest, (int2)(G % 16, G / 16));
}
kernel void read_half(read_only image2d_t in, global float4 *out)
{
    out[G] = convert_float4(read_imageh(in, nearest, (int2)(G % 16, G / 16)));
}
kernel void read_color(read_only image2d_t in, global float4 *out)
{
    out[G] = read_imagef(in, nearest, (int2)(G % 16, G / 16));
}
kernel void increment(read_write image2d_t image)
{
    int2 at = (int2)(G % 16, G / 16);
    write_imageui(image, at, read_imageui(image, at) + (uint4)(1, 2, 3, 4));
}

/* OpenCL 2 atomics in every address space. */
kernel void atomics_2(global uint *out, global const uint *in)
{
    local atomic_uint here;
    global atomic_uint *there = (global atomic_uint *)out;
    global atomic_float *real = (global atomic_float *)out;
    if (L == 0)
        atomic_init(&here, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_uint *any = G & 1 ? (atomic_uint *)&here : (atomic_uint *)(there + 1);
    atomic_fetch_add_explicit(any, in[G], memory_order_relaxed, memory_scope_device);
    atomic_fetch_max(there + 2, in[G]);
    atomic_fetch_or_explicit(there + 3, in[G] & 0xf00f, memory_order_acq_rel,
                             memory_scope_work_group);
    uint expected = 5;
    if (atomic_compare_exchange_strong(there + 4, &expected, 6))
        atomic_fetch_add(there + 5, 1);
    else
        atomic_fetch_add(there + 6, expected);
    atomic_exchange(real + 7, 3.5f);
    atom_add((global ulong *)out + 4, (ulong)in[G] << 8);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (L == 0)
        atomic_fetch_add(there, atomic_load(&here));
}

struct node {
    global struct node *next;
    uint value;
};
/* Pointers in shared virtual memory. */
kernel void walk(global struct node *first, global uint *out)
{
    uint sum = 0;
    for (global struct node *node = first; node; node = node->next)
        sum = sum * 3 + node->value;
    out[G] = sum + G;
}

kernel void print(global const uint *in)
{
    if (G == 3)
        printf("item %d: %u %.2f %s\n", (int)G, in[G], 0.25f, "end");
}

kernel void shuffles(global const uint *in, global uint *out)
{
    uint a = in[G], lane = get_sub_group_local_id(), size = get_max_sub_group_size();
    uint b = intel_sub_group_shuffle(a, (lane * 5 + 1) % size);
    uint c = intel_sub_group_shuffle_xor(a, 3);
    uint d = sub_group_broadcast(a, 2) + sub_group_reduce_add(a & 0xff);
    uint e = sub_group_scan_inclusive_max(a >> 4);
    out[4 * G] = b;
    out[4 * G + 1] = c;
    out[4 * G + 2] = d;
    out[4 * G + 3] = e;
    out[4096 + G] = size;
}
