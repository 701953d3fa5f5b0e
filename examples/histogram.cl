/* 256-bin histogram of bytes: atomics on local memory, then one atomic add a
 * bin to global memory. */
kernel void histogram(global const uchar *data, uint n, global uint *bins)
{
    local uint counts[256];
    uint lid = get_local_id(0), size = get_local_size(0);
    for (uint i = lid; i < 256; i += size)
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < 256; i += size)
        if (counts[i] != 0)
            atomic_add(&bins[i], counts[i]);
}
