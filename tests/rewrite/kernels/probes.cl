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

// The same parameters; with an array and a call.
__attribute__((noinline)) uint look_up(uint mask, uint thread, ulong block)
{
    uint table[24];
    for (uint i = 0; i < 24; i++)
        table[(i + thread) % 24] = mask >> i;
    return table[block % 24] + weigh(mask, thread, block);
}

__kernel void call_look_up(__global uint *out, uint mask, uint thread, ulong block)
{
    out[0] = look_up(mask, thread, block);
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

// Calls, with arrays in registers and in memory, three levels deep.
typedef struct {
    uint words[40];
    uint count;
} box;

__attribute__((noinline)) void fill(box *b, uint value)
{
    for (uint i = 0; i < 40; i++)
        b->words[i] = value * i;
    b->count = value;
}

__attribute__((noinline)) uint leaf(uint value, uint step)
{
    uint kept[8];
    for (uint i = 0; i < 8; i++)
        kept[i ^ (step & 7)] = value + i;
    return kept[value & 7];
}

__attribute__((noinline)) ulong middle(uint value, uint index)
{
    box b;
    fill(&b, value);
    uint table[8] = {0};
    for (uint i = 0; i < 8; i++)
        table[(i * value) & 7] = leaf(value + i, i);
    ulong sum = b.words[index % 40] + b.count;
    for (uint i = 0; i < 8; i++)
        sum += table[i];
    return sum;
}

__attribute__((noinline)) ulong deep(uint value, uint index, __global ulong *cells)
{
    ulong sum = middle(value, index) + cells[5];
    if ((value & 1) != 0)
        sum += middle(value + 1, index + 1) << 32;
    return sum;
}

__kernel void call_deep(__global ulong *cells, uint value, uint index)
{
    cells[0] = deep(value, index, cells);
}

// What takes helpers, tables and switches.
__attribute__((noinline)) ulong mixed(uint value, ulong wide, int sign)
{
    ulong sum = wide / (value + 1) + wide % (value + 3);
    long quotient = (long)wide / (sign - (int)value);
    float root = sqrt((float)value) + (float)sign / 3.0f;
    switch (value & 7) {
    case 0:
        sum += 11;
        break;
    case 1:
        sum ^= (ulong)(uint)sign << 17;
        break;
    case 2:
        return sum - 5;
    case 5:
        sum = rotate(sum, (ulong)13);
        break;
    case 6:
        for (uint i = 0; i < value; i++)
            sum = sum * 31 + i;
        break;
    default:
        sum += clz(value) + popcount(wide);
    }
    uchar4 bytes = as_uchar4(value * 0x01020304u);
    short2 halves = (short2)((short)value, (short)sign) * (short)-3;
    sum += bytes.x + bytes.w * 3 + (uint)(ushort)halves.x + (uint)(ushort)halves.y;
    return sum + (ulong)quotient + (ulong)(long)convert_int_rte(root * 1024.0f);
}

__kernel void call_mixed(__global ulong *out, uint value, ulong wide, int sign)
{
    out[0] = mixed(value, wide, sign);
}

// Sets how numbers are rounded.
__attribute__((noinline)) uint round(float value, float small)
{
    half up = convert_half_rtp(value + small);
    half down = convert_half_rtn(value - small);
    return (uint)as_ushort(up) << 16 | as_ushort(down);
}

__kernel void call_round(__global uint *out, float value, float small)
{
    out[0] = round(value, small);
}

// Group memory. The pointer comes from a number: of a __local argument the
// compiler knows where it is, and passes none.
__attribute__((noinline)) uint share(__local uint *words, uint thread)
{
    words[thread] += thread + 1;
    return words[thread];
}

__kernel void call_share(__global uint *out, uint words, uint thread)
{
    out[0] = share((__local uint *)(size_t)words, thread);
}

// One parameter for all.
typedef struct {
    uint a;
    ulong b;
    uint c;
    __global uint *at;
} combined;

__attribute__((noinline)) ulong combine(__global combined *all)
{
    return all->a + all->b * all->c + all->at[0];
}

__kernel void call_combine(__global ulong *out, __global combined *all)
{
    out[0] = combine(all);
}

// A pointer of any origin: adds to a cell and returns what was there.
__attribute__((noinline)) uint touch(__global uint *cell, uint value)
{
    uint before = *cell;
    *cell = before + value;
    return before;
}

__kernel void call_touch(__global uint *cell, uint value)
{
    cell[0] = touch(cell, value);
}

__kernel void calls_nothing(__global uint *out)
{
    out[0] = 1;
}
