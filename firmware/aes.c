/* AES-128 encryption (FIPS 197); the S-box is computed, not stored. */
#include "program.h"

static NOINLINE uint8_t times(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b != 0; b >>= 1) {
        if (b & 1)
            product ^= a;
        a = (uint8_t)(a & 0x80 ? (uint8_t)(a << 1) ^ 0x1b : a << 1);
    }
    return product;
}

static NOINLINE uint8_t substitute(uint8_t x)
{
    /* x to the power of 254 is its inverse. */
    uint8_t inverse = 1, power = x;
    for (uint8_t bit = 1; bit < 8; bit++) {
        power = times(power, power);
        inverse = times(inverse, power);
    }
    uint8_t result = 0x63;
    for (uint8_t i = 0; i < 5; i++) {
        result ^= inverse;
        inverse = (uint8_t)(inverse << 1 | inverse >> 7);
    }
    return result;
}

static uint8_t state[16], key[16];

static NOINLINE void next_key(uint8_t constant)
{
    for (uint8_t i = 0; i < 4; i++)
        key[i] ^= substitute(key[12 + (i + 1) % 4]);
    key[0] ^= constant;
    for (uint8_t i = 4; i < 16; i++)
        key[i] ^= key[i - 4];
}

static NOINLINE void substitute_and_shift(void)
{
    uint8_t old[16];
    for (uint8_t i = 0; i < 16; i++)
        old[i] = substitute(state[i]);
    for (uint8_t i = 0; i < 16; i++)
        state[i] = old[(i + 4 * (i % 4)) % 16];
}

static NOINLINE void mix_columns(void)
{
    for (uint8_t c = 0; c < 16; c = (uint8_t)(c + 4)) {
        uint8_t all = state[c] ^ state[c + 1] ^ state[c + 2] ^ state[c + 3], first = state[c];
        for (uint8_t i = 0; i < 4; i++) {
            uint8_t next = i == 3 ? first : state[c + i + 1];
            state[c + i] ^= (uint8_t)(all ^ times((uint8_t)(state[c + i] ^ next), 2));
        }
    }
}

static NOINLINE void add_key(void)
{
    for (uint8_t i = 0; i < 16; i++)
        state[i] ^= key[i];
}

uint16_t run(void)
{
    /* FIPS 197, appendix C.1. */
    static const uint8_t expected[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                         0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
    uint8_t constant = 1;
    for (uint8_t i = 0; i < 16; i++) {
        state[i] = (uint8_t)(i << 4 | i);
        key[i] = i;
    }
    add_key();
    for (uint8_t round = 1; round <= 10; round++) {
        substitute_and_shift();
        if (round < 10)
            mix_columns();
        next_key(constant);
        constant = times(constant, 2);
        add_key();
    }
    uint16_t result = 0;
    for (uint8_t i = 0; i < 16; i++) {
        if (state[i] != expected[i])
            return 0xdead;
        result = (uint16_t)(result * 13 + state[i]);
    }
    return result;
}
