#include "example.h"
#include "sha256.cl.h"

/* Constants are computed, not copied from the kernel, so that a wrong table
 * there shows: fractional parts of cube roots of the first 64 primes. */
static uint32_t round_constant(unsigned index)
{
    unsigned found = 0, candidate = 1;
    for (;;) {
        candidate++;
        unsigned divisor = 2;
        while (divisor * divisor <= candidate && candidate % divisor != 0)
            divisor++;
        if (divisor * divisor > candidate && found++ == index)
            break;
    }
    /* floor(cbrt(p) * 2^32): the largest x with x^3 <= p * 2^96. */
    uint64_t low = 0, high = (uint64_t)8 << 32;
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        long double cube = (long double)middle * (long double)middle * (long double)middle;
        if (cube <= (long double)candidate * 79228162514264337593543950336.0L)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static uint32_t rotate_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void host_sha256(const uint32_t message[8], const uint32_t k[64], uint32_t digest[8])
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint32_t w[64] = {0}, s[8];
    for (int i = 0; i < 8; i++) {
        w[i] = message[i];
        s[i] = start[i];
    }
    w[8] = 0x80000000u;
    w[15] = 256;
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] +
               (rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = s[7] + k[i] + w[i] + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                      (rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25));
        uint32_t t2 = ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])) +
                      (rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22));
        for (int j = 7; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        digest[i] = start[i] + s[i];
}

int main(int argc, char **argv)
{
    size_t count = example_size(argc, argv, 256, 1), size = count * sizeof(uint32_t[8]);
    uint32_t(*messages)[8] = example_memory(count, sizeof *messages);
    uint32_t(*got)[8] = example_memory(count, sizeof *got);
    uint32_t(*want)[8] = example_memory(count, sizeof *want);
    uint32_t seed = 6, k[64];
    for (unsigned i = 0; i < 64; i++)
        k[i] = round_constant(i);
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; j < 8; j++)
            messages[i][j] = example_random(&seed);
        host_sha256(messages[i], k, want[i]);
    }
    struct example example;
    example_open(&example, sha256_source, "");
    cl_mem input = example_buffer(&example, size, messages);
    cl_mem output = example_buffer(&example, size, got);
    cl_kernel kernel = example_kernel(&example, "sha256");
    EXAMPLE_ARGUMENT(kernel, 0, input);
    EXAMPLE_ARGUMENT(kernel, 1, output);
    size_t global = count;
    example_run(&example, kernel, 1, &global, NULL);
    example_read(&example, output, size, got);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseKernel(kernel);
    example_close(&example);
    return example_check_words("sha256", &got[0][0], &want[0][0], count * 8);
}
