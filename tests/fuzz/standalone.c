/* Drive a libFuzzer target without libFuzzer: `standalone ROUNDS SEED...`
 * mutates each seed ROUNDS times, always in the same way. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FUZZ_PACKED_SEEDS
#include <zstd.h>
#endif

#define SEED_MAX (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* A target may know better mutations. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
    __attribute__((weak));

static uint64_t state = 88172645463325252u;

static uint32_t next_random(uint32_t bound)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

static size_t mutate(uint8_t *data, size_t size)
{
    static const uint8_t interesting[] = {0, 1, 7, 8, 0x7f, 0x80, 0xff};
    for (uint32_t n = 1 + next_random(6); n > 0 && size > 0; n--) {
        uint32_t at = next_random((uint32_t)size);
        switch (next_random(4)) {
        case 0:
            data[at] ^= (uint8_t)(1u << next_random(8));
            break;
        case 1:
            data[at] = interesting[next_random(sizeof interesting)];
            break;
        case 2:
            memset(data + at, data[at], next_random((uint32_t)(size - at) % 9 + 1));
            break;
        default:
            size = next_random(8) == 0 ? at : size;
            break;
        }
    }
    return size;
}

static size_t read_seed(const char *path, uint8_t *seed)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        exit(2);
    size_t size = fread(seed, 1, SEED_MAX, file);
    fclose(file);
#ifdef FUZZ_PACKED_SEEDS
    uint8_t *packed = malloc(size + 1);
    memcpy(packed, seed, size);
    size_t unpacked = ZSTD_decompress(seed, SEED_MAX, packed, size);
    free(packed);
    if (ZSTD_isError(unpacked))
        exit(2);
    size = unpacked;
#endif
    return size;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    for (int i = 2; i < argc; i++) {
        static uint8_t seed[SEED_MAX];
        size_t size = read_seed(argv[i], seed);
        LLVMFuzzerTestOneInput(seed, size);
        for (long round = strtol(argv[1], NULL, 10); round > 0; round--) {
            /* An own block of the exact size, so that a sanitizer sees every overrun. */
            size_t most = size + 65536;
            uint8_t *copy = malloc(most);
            memcpy(copy, seed, size);
            size_t mutated = LLVMFuzzerCustomMutator
                                 ? LLVMFuzzerCustomMutator(copy, size, most, next_random(1u << 31))
                                 : mutate(copy, size);
            copy = realloc(copy, mutated + (mutated == 0));
            LLVMFuzzerTestOneInput(copy, mutated);
            free(copy);
        }
    }
    return 0;
}
