// The probe of shapes.c.

// Groups of neighbouring lanes.
__attribute__((noinline)) uint runs(uint mask)
{
    uint count = 0;
    for (; mask != 0; count++) {
        mask |= mask - 1;  // down to the first lane
        mask &= mask + 1;  // without the lowest group
    }
    return count;
}

__attribute__((noinline)) void note(__global uint *counts, uint mask, uint width)
{
    uint lanes = popcount(mask), shape;
    if (lanes == width)
        shape = 0;
    else if (lanes <= 1)
        shape = 1;
    else
        shape = runs(mask) == 1 ? 2 : 3;
    atomic_inc(counts + shape);
}

// By this name the tool finds the probe.
__kernel void call_note(__global uint *counts, uint mask, uint width)
{
    note(counts, mask, width);
}
