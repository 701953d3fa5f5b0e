/* Sum of n words: one partial sum a work-group by a tree in local memory, one
 * atomic add a work-group. */
kernel void reduction(global const uint *data, global uint *sum, uint n, local uint *partial)
{
    uint lid = get_local_id(0), size = get_local_size(0);
    uint total = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        total += data[i];
    partial[lid] = total;
    for (uint half_size = size / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            partial[lid] += partial[lid + half_size];
    }
    if (lid == 0)
        atomic_add(sum, partial[0]);
}
