/* Work for the simulators: calls, memory, arithmetic and branches, about 100
 * million instructions. */
#include <stdint.h>

#define NOINLINE __attribute__((noinline))

static uint16_t table[64];

static NOINLINE uint16_t fibonacci(uint16_t n)
{
    return n < 2 ? n : (uint16_t)(fibonacci((uint16_t)(n - 1)) + fibonacci((uint16_t)(n - 2)));
}

static NOINLINE uint16_t crc(const uint8_t *data, uint16_t size)
{
    uint16_t sum = 0xffff;
    for (uint16_t i = 0; i < size; i++) {
        sum ^= (uint16_t)(data[i] << 8);
        for (uint8_t bit = 0; bit < 8; bit++)
            sum = (uint16_t)(sum & 0x8000 ? (sum << 1) ^ 0x1021 : sum << 1);
    }
    return sum;
}

static NOINLINE void sort(uint16_t *values, uint16_t count)
{
    for (uint16_t i = 1; i < count; i++) {
        uint16_t value = values[i], k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}

int main(void)
{
    uint16_t seed = 1, result = 0;
    for (uint16_t round = 0; round < ROUNDS; round++) {
        for (uint16_t i = 0; i < 64; i++) {
            seed = (uint16_t)(seed + (seed << 2) + 12345u);
            table[i] = seed;
        }
        sort(table, 64);
        result ^= crc((const uint8_t *)table, sizeof table);
        result = (uint16_t)(result + fibonacci(12));
    }
    return (int)result;
}
