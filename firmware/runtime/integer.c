/* Integer helpers that clang calls for MSP430 (the names are those of the
 * MSP430 EABI, SLAA534): multiplication, division and shifts. */
#include <stdint.h>

uint16_t __mspabi_mpyi(uint16_t a, uint16_t b)
{
    uint16_t sum = 0;
    for (; b != 0; b >>= 1, a = (uint16_t)(a + a)) {
        if (b & 1)
            sum = (uint16_t)(sum + a);
    }
    return sum;
}

uint32_t __mspabi_mpyl(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (; b != 0; b >>= 1, a += a) {
        if (b & 1)
            sum += a;
    }
    return sum;
}

static uint16_t divide16(uint16_t a, uint16_t b, uint16_t *rest)
{
    uint16_t quotient = 0, r = 0;
    for (int i = 0; i < 16; i++) {
        r = (uint16_t)((r << 1) | (a >> 15));
        a = (uint16_t)(a << 1);
        quotient = (uint16_t)(quotient << 1);
        if (r >= b) {
            r = (uint16_t)(r - b);
            quotient |= 1;
        }
    }
    *rest = r;
    return quotient;
}

static uint32_t divide32(uint32_t a, uint32_t b, uint32_t *rest)
{
    uint32_t quotient = 0, r = 0;
    for (int i = 0; i < 32; i++) {
        r = (r << 1) | (a & 0x80000000u ? 1 : 0);
        a <<= 1;
        quotient <<= 1;
        if (r >= b) {
            r -= b;
            quotient |= 1;
        }
    }
    *rest = r;
    return quotient;
}

uint16_t __mspabi_divu(uint16_t a, uint16_t b)
{
    uint16_t rest;
    return divide16(a, b, &rest);
}

uint16_t __mspabi_remu(uint16_t a, uint16_t b)
{
    uint16_t rest;
    divide16(a, b, &rest);
    return rest;
}

int16_t __mspabi_divi(int16_t a, int16_t b)
{
    uint16_t rest;
    uint16_t q = divide16((uint16_t)(a < 0 ? -a : a), (uint16_t)(b < 0 ? -b : b), &rest);
    return (int16_t)((a < 0) != (b < 0) ? -q : q);
}

int16_t __mspabi_remi(int16_t a, int16_t b)
{
    uint16_t rest;
    divide16((uint16_t)(a < 0 ? -a : a), (uint16_t)(b < 0 ? -b : b), &rest);
    return (int16_t)(a < 0 ? -rest : rest);
}

uint32_t __mspabi_divul(uint32_t a, uint32_t b)
{
    uint32_t rest;
    return divide32(a, b, &rest);
}

uint32_t __mspabi_remul(uint32_t a, uint32_t b)
{
    uint32_t rest;
    divide32(a, b, &rest);
    return rest;
}

int32_t __mspabi_divli(int32_t a, int32_t b)
{
    uint32_t rest;
    uint32_t q = divide32(a < 0 ? 0u - (uint32_t)a : (uint32_t)a,
                          b < 0 ? 0u - (uint32_t)b : (uint32_t)b, &rest);
    return (int32_t)((a < 0) != (b < 0) ? 0u - q : q);
}

int32_t __mspabi_remli(int32_t a, int32_t b)
{
    uint32_t rest;
    divide32(a < 0 ? 0u - (uint32_t)a : (uint32_t)a, b < 0 ? 0u - (uint32_t)b : (uint32_t)b, &rest);
    return (int32_t)(a < 0 ? 0u - rest : rest);
}

uint16_t __mspabi_slli(uint16_t a, uint16_t n)
{
    for (; n != 0; n--)
        a = (uint16_t)(a + a);
    return a;
}

uint16_t __mspabi_srli(uint16_t a, uint16_t n)
{
    for (; n != 0; n--)
        a >>= 1;
    return a;
}

int16_t __mspabi_srai(int16_t a, uint16_t n)
{
    for (; n != 0; n--)
        a >>= 1;
    return a;
}

uint32_t __mspabi_slll(uint32_t a, uint16_t n)
{
    for (; n != 0; n--)
        a += a;
    return a;
}

uint32_t __mspabi_srll(uint32_t a, uint16_t n)
{
    for (; n != 0; n--)
        a >>= 1;
    return a;
}

int32_t __mspabi_sral(int32_t a, uint16_t n)
{
    for (; n != 0; n--)
        a >>= 1;
    return a;
}
