/* Single precision helpers that clang calls for MSP430; the names are those
 * of the MSP430 EABI (SLAA534). A float is passed as the 32 bits that it is. */
#include <stdint.h>

#define WORD     uint32_t
#define SIGNED   int32_t
#define FRACTION 23
#define EXPONENT 255
#define NAME(x)  single_##x
#include "float_template.h"

uint32_t __mspabi_addf(uint32_t a, uint32_t b)
{
    return single_add(a, b);
}

uint32_t __mspabi_subf(uint32_t a, uint32_t b)
{
    return single_add(a, b ^ SIGN);
}

uint32_t __mspabi_mpyf(uint32_t a, uint32_t b)
{
    return single_multiply(a, b);
}

uint32_t __mspabi_divf(uint32_t a, uint32_t b)
{
    return single_divide(a, b);
}

int16_t __mspabi_cmpf(uint32_t a, uint32_t b)
{
    return single_compare(a, b);
}

int16_t __unordsf2(uint32_t a, uint32_t b)
{
    return single_is_nan(a) || single_is_nan(b);
}

uint32_t __mspabi_fltulf(uint32_t a)
{
    return single_from_word(0, a);
}

uint32_t __mspabi_fltlif(int32_t a)
{
    return a < 0 ? single_from_word(SIGN, 0u - (uint32_t)a) : single_from_word(0, (uint32_t)a);
}

uint32_t __mspabi_fixful(uint32_t a)
{
    return single_is_nan(a) ? 0 : single_to_unsigned(a);
}

int32_t __mspabi_fixfli(uint32_t a)
{
    return single_is_nan(a) ? 0 : single_to_signed(a);
}
