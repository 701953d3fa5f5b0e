/* Calls that are not inlined, recursion, variables of the program, and more
 * live values than the registers of a thread hold. */
#define G get_global_id(0)
#define CALLED __attribute__((noinline))

/* How deep it goes is the same for all work-items of a group: channels of one
 * thread that call a function again while others wait in it have no meaning in
 * the hardware, nor has recursion in OpenCL C. */
#define DEPTH(n) (in[get_group_id(0)] % (n))

CALLED uint fibonacci(uint n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
kernel void recursion(global const uint *in, global uint *out)
{
    out[G] = fibonacci(DEPTH(11) + 1);
}

uint odd(uint n, uint salt);
CALLED uint even(uint n, uint salt) { return n == 0 ? salt * 2 + 1 : odd(n - 1, salt * 3 + n); }
CALLED uint odd(uint n, uint salt) { return n == 0 ? salt * 2 : even(n - 1, salt ^ n << 4); }
kernel void mutual(global const uint *in, global uint *out)
{
    uint a = in[G];
    out[G] = a & 64 ? even(DEPTH(23), a) : odd(DEPTH(17), a >> 3);
}

/* An array of its own in every call. */
CALLED uint walk(uint depth, uint salt)
{
    uint kept[6];
    for (uint i = 0; i < 6; i++)
        kept[i] = salt * (i + 3) ^ depth;
    uint below = depth == 0 ? 1 : walk(depth - 1, kept[salt % 6]);
    for (uint i = 0; i < 6; i++)
        below = below * 5 + kept[(i + below) % 6];
    return below;
}
kernel void frames(global const uint *in, global uint *out)
{
    out[G] = walk(DEPTH(7), in[G] >> 8);
}

CALLED float power(float x, uint n) { return n == 0 ? 1.0f : x * power(x, n - 1); }
CALLED ulong wide(ulong a, uint4 b, uint n)
{
    return n == 0 ? a + b.x : wide(a * b.y + b.z, b.yzwx, n - 1) ^ a;
}
kernel void arguments(global const uint *in, global uint *out)
{
    ulong w = wide(in[G], (uint4)(in[G], 7, 11, in[G] >> 5), DEPTH(5));
    out[4 * G] = (uint)w;
    out[4 * G + 1] = (uint)(w >> 32);
    out[4 * G + 2] = (uint)power((float)(in[G] % 7), DEPTH(6));
    out[4 * G + 3] = in[G] & 1 ? fibonacci(DEPTH(6)) + even(DEPTH(4), 2) : walk(1, in[G]);
}

/* Variables of the program: initialised, pointed to, kept between kernels. */
global uint counter = 7;
global uint places[8] = {3, 1, 4, 1, 5, 9, 2, 6};
global uint *global last = &places[7];
constant uint primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
constant uint *constant first_primes[2] = {&primes[0], &primes[4]};
kernel void variables(global const uint *in, global uint *out)
{
    if (G == 0)
        out[0] = atomic_add(&counter, in[0]);
    else
        out[G] = places[G % 8] * 100 + first_primes[G & 1][G % 4] + *last;
}
kernel void change(global const uint *in, global uint *out)
{
    if (G == 0) {
        places[2] += in[1];
        last = &places[2];
    }
}

#ifdef LARGE
/* More than 128 registers hold. */
__attribute__((intel_reqd_sub_group_size(8))) kernel void pressure(global const uint *in,
                                                                  global uint *out)
{
    uint v[136];
#pragma unroll
    for (uint i = 0; i < 136; i++)
        v[i] = in[(G * 7 + i * 3) % 1024] + i;
    for (uint round = 0; round < 3; round++) {
#pragma unroll
        for (uint i = 0; i < 136; i++)
            v[i] = v[i] * 3 + v[(i * 7 + 1) % 136];
    }
    uint sum = 0;
#pragma unroll
    for (uint i = 0; i < 136; i++)
        sum = sum * 5 + v[i];
    out[G] = sum;
}
#endif
