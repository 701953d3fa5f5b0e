/* Exclusive prefix sum: scan each block of 2 * local size in local memory,
 * scan the block totals, add them back. */
kernel void scan_blocks(global const uint *in, global uint *out, global uint *totals,
                        local uint *temporary)
{
    uint lid = get_local_id(0), n = 2 * get_local_size(0);
    uint base = get_group_id(0) * n;
    temporary[2 * lid] = in[base + 2 * lid];
    temporary[2 * lid + 1] = in[base + 2 * lid + 1];
    uint offset = 1;
    for (uint d = n / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d)
            temporary[offset * (2 * lid + 2) - 1] += temporary[offset * (2 * lid + 1) - 1];
        offset *= 2;
    }
    if (lid == 0) {
        totals[get_group_id(0)] = temporary[n - 1];
        temporary[n - 1] = 0;
    }
    for (uint d = 1; d < n; d *= 2) {
        offset /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            uint left = offset * (2 * lid + 1) - 1, right = offset * (2 * lid + 2) - 1;
            uint t = temporary[left];
            temporary[left] = temporary[right];
            temporary[right] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * lid] = temporary[2 * lid];
    out[base + 2 * lid + 1] = temporary[2 * lid + 1];
}

kernel void add_totals(global uint *out, global const uint *totals)
{
    uint n = 2 * get_local_size(0), base = get_group_id(0) * n + 2 * get_local_id(0);
    uint total = totals[get_group_id(0)];
    out[base] += total;
    out[base + 1] += total;
}
