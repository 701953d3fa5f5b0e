/* IEEE binary16 conversions. */
#ifndef SONDE_EMU_GEN_HALF_H
#define SONDE_EMU_GEN_HALF_H

#include <stdint.h>
#include <string.h>

static inline float emu_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 31u;
    uint32_t mantissa = half & 0x3ffu;
    uint32_t bits;
    if (exponent == 31) {
        bits = sign | 0x7f800000u | mantissa << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    } else {
        /* mantissa * 2^-24 is exact in binary32 */
        float value = (float)mantissa * 0x1p-24f;
        memcpy(&bits, &value, sizeof(bits));
        bits |= sign;
    }
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Rounding codes are those of cr0: 0 nearest even, 1 up, 2 down, 3 to zero. */
static inline uint16_t emu_float_to_half(float value, unsigned rounding)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude == 0x7f800000u)
        return (uint16_t)(sign | 0x7c00u);
    int32_t exponent = (int32_t)(magnitude >> 23) - 127;
    uint32_t mantissa = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0);
    /* bits that do not fit: 13 for normal results, more for denormal ones */
    int32_t shift = exponent < -14 ? 13 + (-14 - exponent) : 13;
    if (shift > 25)
        shift = 25;
    uint32_t result = mantissa >> shift;
    uint32_t rest = mantissa & ((1u << shift) - 1);
    uint32_t half = 1u << (shift - 1);
    if (exponent >= -14)
        result = ((uint32_t)(exponent + 15) << 10) + (result & 0x3ffu);
    int up = 0;
    if (rounding == 0)
        up = rest > half || (rest == half && (result & 1));
    else if (rounding == 1)
        up = rest && !sign;
    else if (rounding == 2)
        up = rest && sign;
    if (exponent > 15) {
        int infinite = rounding == 0 || (rounding == 1 && !sign) || (rounding == 2 && sign);
        return (uint16_t)(sign | (infinite ? 0x7c00u : 0x7bffu));
    }
    return (uint16_t)(sign | (result + (uint32_t)up));
}

/* A double rounded to binary32 such that a later rounding to binary16 is as
 * if done from the double at once (round to odd). */
static inline float emu_double_to_odd_float(double value)
{
    float result = (float)value;
    double back = (double)result;
    if (back == value || value != value)
        return result;
    uint32_t bits;
    memcpy(&bits, &result, sizeof(bits));
    double size = back < 0 ? -back : back;
    double wanted = value < 0 ? -value : value;
    if (size > wanted)
        bits--; /* now truncated */
    bits |= 1;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

#endif
