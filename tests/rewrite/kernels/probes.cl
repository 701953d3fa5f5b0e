// Probes for hli.c, each with the kernel that calls it once. Not run as they are.
__attribute__((noinline)) ulong note(uint value, __global ulong *cells, uint limit, ulong weight)
{
    uint steps = 0;
    uint x = value;
    while (x > limit) {
        x = x / 2 + 1;
        steps++;
        if (steps == 3)
            break;
    }
    __global atomic_uint *count = (__global atomic_uint *)(cells + 1);
    atomic_fetch_add_explicit(count, steps + 1, memory_order_relaxed, memory_scope_device);
    if (weight > value)
        cells[2] = weight * 3;
    else
        cells[3] = weight + 1;
    return (ulong)steps << 32 | value;
}

__kernel void call_note(__global ulong *cells, uint value, uint limit, ulong weight)
{
    cells[0] = note(value, cells, limit, weight);
}

__attribute__((noinline)) uint look(__global uint *registers, uint mask, uint offset)
{
    uint sum = 0;
    for (uint i = 0; i < 8; i++)
        sum += registers[i];
    registers[8] = sum; /* the next register */
    return sum + popcount(mask) * offset;
}

__kernel void call_look(__global uint *registers, uint mask, uint offset)
{
    registers[0] = look(registers, mask, offset);
}

__attribute__((noinline)) uint weigh(uint mask, uint thread, ulong block)
{
    uint weight = popcount(mask);
    for (uint i = thread & 3; i != 0; i--)
        weight += i * (uint)(block >> i);
    return mask == 0 ? 1 : weight;
}

__kernel void call_weigh(__global uint *out, uint mask, uint thread, ulong block)
{
    out[0] = weigh(mask, thread, block);
}

__attribute__((noinline)) uint array(uint value, uint index)
{
    uint kept[64];
    for (uint i = 0; i < 64; i++)
        kept[i ^ index] = value * i;
    return kept[value & 63];
}

__kernel void call_array(__global uint *out, uint value, uint index)
{
    out[0] = array(value, index);
}

__kernel void calls_nothing(__global uint *out)
{
    out[0] = 1;
}
