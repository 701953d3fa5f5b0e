/* Double precision helpers that clang calls for MSP430 (SLAA534), and those
 * between the two precisions and 64-bit integers. Functions of two doubles are
 * called through the entries of builtin.S. */
#include <stdint.h>

#define WORD     uint64_t
#define SIGNED   int64_t
#define FRACTION 52
#define EXPONENT 2047
#define NAME(x)  double_##x
#include "float_template.h"

enum { SINGLE_FRACTION = 23, SINGLE_BIAS = 127, SINGLE_EXPONENT = 255 };
#define SINGLE_SIGN 0x80000000u

uint64_t runtime_addd(uint64_t a, uint64_t b)
{
    return double_add(a, b);
}

uint64_t runtime_subd(uint64_t a, uint64_t b)
{
    return double_add(a, b ^ SIGN);
}

uint64_t runtime_mpyd(uint64_t a, uint64_t b)
{
    return double_multiply(a, b);
}

uint64_t runtime_divd(uint64_t a, uint64_t b)
{
    return double_divide(a, b);
}

int16_t runtime_cmpd(uint64_t a, uint64_t b)
{
    return double_compare(a, b);
}

int16_t __unorddf2(uint64_t a, uint64_t b)
{
    return double_is_nan(a) || double_is_nan(b);
}

uint64_t __mspabi_fltulld(uint64_t a)
{
    return double_from_word(0, a);
}

uint64_t __mspabi_fltllid(int64_t a)
{
    return a < 0 ? double_from_word(SIGN, 0u - (uint64_t)a) : double_from_word(0, (uint64_t)a);
}

uint64_t __mspabi_fltuld(uint32_t a)
{
    return double_from_word(0, a);
}

uint64_t __mspabi_fltlid(int32_t a)
{
    return __mspabi_fltllid(a);
}

uint64_t __mspabi_fixdull(uint64_t a)
{
    return double_is_nan(a) ? 0 : double_to_unsigned(a);
}

int64_t __mspabi_fixdlli(uint64_t a)
{
    return double_is_nan(a) ? 0 : double_to_signed(a);
}

uint32_t __mspabi_fixdul(uint64_t a)
{
    uint64_t value = __mspabi_fixdull(a);
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

int32_t __mspabi_fixdli(uint64_t a)
{
    int64_t value = __mspabi_fixdlli(a);
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/* The sign, the exponent and the upper bits move; subnormal singles have a
 * leading bit as doubles. */
uint64_t __mspabi_cvtfd(uint32_t a)
{
    uint64_t sign = a & SINGLE_SIGN ? SIGN : 0;
    uint32_t rest = a & ~SINGLE_SIGN;
    int16_t exponent = (int16_t)(rest >> SINGLE_FRACTION);
    uint32_t fraction = rest & (((uint32_t)1 << SINGLE_FRACTION) - 1);
    if (exponent == SINGLE_EXPONENT)
        return fraction != 0 ? QUIET : sign | INFINITE;
    if (rest == 0)
        return sign;
    if (exponent == 0) {
        exponent = 1;
        for (; !(fraction >> SINGLE_FRACTION); exponent--)
            fraction += fraction;
        fraction -= (uint32_t)1 << SINGLE_FRACTION;
    }
    return sign | (uint64_t)(exponent + BIAS - SINGLE_BIAS) << FRACTION |
           (uint64_t)fraction << (FRACTION - SINGLE_FRACTION);
}

/* Rounded as the single precision's own results are. */
static uint32_t to_single(uint32_t sign, int16_t exponent, uint32_t value)
{
    uint32_t lost = 0;
    if (exponent >= SINGLE_EXPONENT)
        return sign | (uint32_t)SINGLE_EXPONENT << SINGLE_FRACTION;
    if (exponent <= 0) {
        for (; exponent <= 0 && value > 1; exponent++) {
            lost |= value & 1;
            value >>= 1;
        }
        value = exponent <= 0 ? 1 : value | lost;
        exponent = 0;
    } else {
        value -= (uint32_t)1 << (SINGLE_FRACTION + 3);
    }
    uint8_t rest = (uint8_t)(value & 7);
    value >>= 3;
    if (rest > 4 || (rest == 4 && (value & 1)))
        value++;
    return sign | (((uint32_t)exponent << SINGLE_FRACTION) + value);
}

uint32_t __mspabi_cvtdf(uint64_t a)
{
    uint32_t sign = a & SIGN ? SINGLE_SIGN : 0;
    if (double_is_nan(a))
        return (uint32_t)0x1ff << (SINGLE_FRACTION - 1);
    if ((a & ~SIGN) == INFINITE)
        return sign | (uint32_t)SINGLE_EXPONENT << SINGLE_FRACTION;
    int16_t exponent = (int16_t)(double_exponent_of(a) - BIAS + SINGLE_BIAS);
    if (exponent < -SINGLE_FRACTION - 4)
        return sign;
    uint64_t value = (a & (HIDDEN - 1)) | HIDDEN;
    uint32_t high = (uint32_t)(value >> (FRACTION - SINGLE_FRACTION - 3));
    if (value & (((uint64_t)1 << (FRACTION - SINGLE_FRACTION - 3)) - 1))
        high |= 1;
    return to_single(sign, exponent, high);
}

/* Between single precision and 64-bit integers: rounding once. */
static uint32_t wide_to_single(uint32_t sign, uint64_t value)
{
    int16_t exponent = SINGLE_BIAS + SINGLE_FRACTION + 3;
    if (value == 0)
        return 0;
    for (; value >= (uint64_t)1 << (SINGLE_FRACTION + 4); exponent++)
        value = value >> 1 | (value & 1);
    for (; value < (uint64_t)1 << (SINGLE_FRACTION + 3); exponent--)
        value += value;
    return to_single(sign, exponent, (uint32_t)value);
}

uint32_t __mspabi_fltullf(uint64_t a)
{
    return wide_to_single(0, a);
}

uint32_t __mspabi_fltllif(int64_t a)
{
    return a < 0 ? wide_to_single(SINGLE_SIGN, 0u - (uint64_t)a) : wide_to_single(0, (uint64_t)a);
}

uint64_t __mspabi_fixfull(uint32_t a)
{
    return __mspabi_fixdull(__mspabi_cvtfd(a));
}

int64_t __mspabi_fixflli(uint32_t a)
{
    return __mspabi_fixdlli(__mspabi_cvtfd(a));
}
