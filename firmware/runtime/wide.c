/* 64-bit integers: multiplication, division and shifts that clang calls for
 * MSP430. Functions of two numbers are called through the entries of
 * builtin.S. */
#include <stdint.h>

uint64_t runtime_mpyll(uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    for (; b != 0; b >>= 1, a += a) {
        if (b & 1)
            sum += a;
    }
    return sum;
}

static uint64_t divide(uint64_t a, uint64_t b, uint64_t *rest)
{
    uint64_t quotient = 0, r = 0;
    for (uint8_t i = 0; i < 64; i++) {
        uint8_t carry = r >> 63 != 0;
        r = (r + r) | (a >> 63);
        a += a;
        quotient += quotient;
        if (carry || r >= b) {
            r -= b;
            quotient |= 1;
        }
    }
    *rest = r;
    return quotient;
}

static uint64_t magnitude(int64_t a)
{
    return a < 0 ? 0u - (uint64_t)a : (uint64_t)a;
}

uint64_t runtime_divull(uint64_t a, uint64_t b)
{
    uint64_t rest;
    return divide(a, b, &rest);
}

uint64_t runtime_remull(uint64_t a, uint64_t b)
{
    uint64_t rest;
    divide(a, b, &rest);
    return rest;
}

int64_t runtime_divlli(int64_t a, int64_t b)
{
    uint64_t rest, quotient = divide(magnitude(a), magnitude(b), &rest);
    return (int64_t)((a < 0) != (b < 0) ? 0u - quotient : quotient);
}

int64_t runtime_remlli(int64_t a, int64_t b)
{
    uint64_t rest;
    divide(magnitude(a), magnitude(b), &rest);
    return (int64_t)(a < 0 ? 0u - rest : rest);
}

uint64_t __ashldi3(uint64_t a, int n)
{
    for (; n > 0; n--)
        a += a;
    return a;
}

uint64_t __lshrdi3(uint64_t a, int n)
{
    for (; n > 0; n--)
        a >>= 1;
    return a;
}

int64_t __ashrdi3(int64_t a, int n)
{
    for (; n > 0; n--)
        a >>= 1;
    return a;
}
