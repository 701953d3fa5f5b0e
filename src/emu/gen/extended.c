/* The x87 format is read as sign, exponent and a 64-bit integer mantissa; the
 * sum is formed in 128 bits with a sticky bit. Zeros, infinities and NaNs, and
 * hosts whose long double is another format, take quad precision instead. */
#include "emu/gen/extended.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef __float128 quad;

static quad slow_fma(long double a, long double b, long double c)
{
    return (quad)a + (quad)b * (quad)c;
}

#if LDBL_MANT_DIG == 64

typedef unsigned __int128 wide;

/* value = (-1)^negative * mantissa * 2^exponent */
struct parts {
    uint64_t mantissa; /* bit 63 set */
    int exponent;
    bool negative;
};

struct sum {
    wide mantissa; /* bit 127 set unless zero */
    int exponent;
    bool negative;
};

#define X87_BIAS     (16383 + 63)
#define X87_EXPONENT 0x7fff

/* False for zeros, denormals of the format, infinities and NaNs. */
static bool split(long double value, struct parts *parts)
{
    uint64_t words[2] = {0, 0};
    memcpy(words, &value, 10);
    int exponent = (int)(words[1] & X87_EXPONENT);
    parts->mantissa = words[0];
    parts->exponent = exponent - X87_BIAS;
    parts->negative = words[1] >> 15 & 1;
    return exponent != 0 && exponent != X87_EXPONENT && words[0] >> 63;
}

static wide shift_sticky(wide value, int count)
{
    if (count == 0)
        return value;
    if (count > 127)
        return value != 0;
    return value >> count | ((value << (128 - count)) != 0);
}

static int leading_zeros(wide value)
{
    uint64_t high = (uint64_t)(value >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)value);
}

static struct sum normalise(wide mantissa, int exponent, bool negative)
{
    struct sum sum = {mantissa, exponent, negative};
    if (mantissa) {
        int zeros = leading_zeros(mantissa);
        sum.mantissa = mantissa << zeros;
        sum.exponent = exponent - zeros;
    }
    return sum;
}

/* The larger exponent first; one carry bit is made room for when it occurs. */
static struct sum add(struct sum a, struct sum b)
{
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) {
        struct sum swap = a;
        a = b;
        b = swap;
    }
    wide small = shift_sticky(b.mantissa, a.exponent - b.exponent);
    if (a.negative != b.negative)
        return normalise(a.mantissa - small, a.exponent, a.negative);
    wide total = a.mantissa + small;
    if (total < a.mantissa) {
        total = (total >> 1) | (total & 1) | (wide)1 << 127;
        a.exponent++;
    }
    a.mantissa = total;
    return a;
}

static bool exact_sum(long double a, long double b, long double c, struct sum *sum)
{
    struct parts pa, pb, pc;
    bool zero = a == 0;
    if ((!zero && !split(a, &pa)) || !split(b, &pb) || !split(c, &pc))
        return false;
    struct sum product = normalise((wide)pb.mantissa * pc.mantissa, pb.exponent + pc.exponent,
                                   pb.negative != pc.negative);
    if (zero) {
        *sum = product;
        return true;
    }
    struct sum addend = {(wide)pa.mantissa << 64, pa.exponent - 64, pa.negative};
    *sum = add(addend, product);
    return sum->mantissa != 0;
}

/* Whether to go up by one, given the part that is cut off as a fraction of
 * 2^128 and the kept part. */
static bool round_up(wide rest, uint64_t kept, bool negative)
{
    const wide half = (wide)1 << 127;
    switch (fegetround()) {
    case FE_UPWARD:
        return rest != 0 && !negative;
    case FE_DOWNWARD:
        return rest != 0 && negative;
    case FE_TOWARDZERO:
        return false;
    default:
        return rest > half || (rest == half && (kept & 1));
    }
}

long double emu_extended_fma(long double a, long double b, long double c)
{
    struct sum sum;
    if (!exact_sum(a, b, c, &sum))
        return (long double)slow_fma(a, b, c);
    uint64_t kept = (uint64_t)(sum.mantissa >> 64);
    int exponent = sum.exponent + 64;
    if (round_up(sum.mantissa << 64, kept, sum.negative) && ++kept == 0) {
        kept = (uint64_t)1 << 63;
        exponent++;
    }
    exponent += X87_BIAS;
    if (exponent <= 0 || exponent >= X87_EXPONENT)
        return (long double)slow_fma(a, b, c);
    uint64_t words[2] = {kept, (uint64_t)exponent | (uint64_t)sum.negative << 15};
    long double result = 0;
    memcpy(&result, words, 10);
    return result;
}

double emu_extended_fma_double(long double a, long double b, long double c)
{
    struct sum sum;
    if (!exact_sum(a, b, c, &sum))
        return (double)slow_fma(a, b, c);
    int exponent = sum.exponent + 127 + 1023; /* biased, of the leading bit */
    if (exponent >= 2047 || exponent < -60)
        return (double)slow_fma(a, b, c);
    int cut = exponent > 0 ? 128 - 53 : 128 - 53 + 1 - exponent;
    uint64_t kept = cut > 127 ? 0 : (uint64_t)(sum.mantissa >> cut);
    wide rest = cut > 127 ? shift_sticky(sum.mantissa, cut - 128) : sum.mantissa << (128 - cut);
    uint64_t bits = exponent > 0 ? kept + ((uint64_t)(exponent - 1) << 52) : kept;
    bits += round_up(rest, kept, sum.negative); /* a carry moves the exponent */
    bits |= (uint64_t)sum.negative << 63;
    double result;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

#else

long double emu_extended_fma(long double a, long double b, long double c)
{
    return (long double)slow_fma(a, b, c);
}

double emu_extended_fma_double(long double a, long double b, long double c)
{
    return (double)slow_fma(a, b, c);
}

#endif
