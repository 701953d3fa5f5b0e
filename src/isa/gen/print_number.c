/* Immediates as iga64 prints them. A float takes the first of three forms that
 * reads back as the same bits: shortest decimal of six digits, scientific
 * with six decimals, hexadecimal bits. */
#include "isa/gen/print.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct float_format {
    unsigned mantissa_bits;
    unsigned exponent_bits;
};

static const struct float_format half_format = {10, 5};
static const struct float_format single_format = {23, 8};
static const struct float_format double_format = {52, 11};

/* NaN with quiet bit apart from the payload; infinity. False for the rest. */
static bool print_special(struct print_text *out, const struct float_format *format, uint64_t bits)
{
    uint64_t mantissa = bits & ((UINT64_C(1) << format->mantissa_bits) - 1);
    uint64_t maximum = (UINT64_C(1) << format->exponent_bits) - 1;
    if ((bits >> format->mantissa_bits & maximum) != maximum)
        return false;
    const char *sign = bits >> (format->mantissa_bits + format->exponent_bits) & 1 ? "-" : "";
    uint64_t quiet = UINT64_C(1) << (format->mantissa_bits - 1);
    if (mantissa == 0)
        print_uncounted(out, "%sinf", sign);
    else
        print_uncounted(out, "%s%snan(0x%llX)", sign, mantissa & quiet ? "q" : "s",
                        (unsigned long long)(mantissa & (quiet - 1)));
    return true;
}

static bool reads_back(const char *text, double value, bool is_double)
{
    double read = strtod(text, NULL);
    if (!is_double)
        read = (double)(float)read;
    return !(read < value) && !(read > value);
}

/* The application may have set a locale with another decimal point. */
static void use_point(char *text)
{
    const char *point = localeconv()->decimal_point;
    char *found = strstr(text, point);
    size_t length = strlen(point);
    if (found == NULL || length == 0)
        return;
    *found = '.';
    memmove(found + 1, found + length, strlen(found + length) + 1);
}

static void print_float(struct print_text *out, double value, bool is_double, uint64_t bits)
{
    char text[64];
    snprintf(text, sizeof text, "%g", value);
    if (reads_back(text, value, is_double)) {
        use_point(text);
        print_uncounted(out, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
        return;
    }
    snprintf(text, sizeof text, "%e", value);
    if (reads_back(text, value, is_double)) {
        use_point(text);
        print_uncounted(out, "%s", text);
    } else {
        print_uncounted(out, "0x%llX", (unsigned long long)bits);
    }
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double mantissa = bits & 1023;
    double magnitude = exponent == 0 ? ldexp(mantissa, -24) : ldexp(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static void print_half(struct print_text *out, uint16_t bits)
{
    if (!print_special(out, &half_format, bits))
        print_float(out, half_value(bits), false, bits);
}

static void print_single(struct print_text *out, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!print_special(out, &single_format, bits))
        print_float(out, (double)value, false, bits);
}

static void print_double(struct print_text *out, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!print_special(out, &double_format, bits))
        print_float(out, value, true, bits);
}

void print_immediate(struct print_text *out, uint8_t type, uint64_t bits)
{
    switch (type) {
    case SONDE_GEN_TYPE_W:
        print_uncounted(out, "%d", (int16_t)bits);
        break;
    case SONDE_GEN_TYPE_D:
        print_uncounted(out, "%d", (int32_t)bits);
        break;
    case SONDE_GEN_TYPE_Q:
        print_uncounted(out, "%lld", (long long)bits);
        break;
    case SONDE_GEN_TYPE_UW:
        print_uncounted(out, "0x%X", (unsigned)(uint16_t)bits);
        break;
    case SONDE_GEN_TYPE_UQ:
        print_uncounted(out, "0x%llX", (unsigned long long)bits);
        break;
    case SONDE_GEN_TYPE_HF:
        print_half(out, (uint16_t)bits);
        break;
    case SONDE_GEN_TYPE_F:
        print_single(out, (uint32_t)bits);
        break;
    case SONDE_GEN_TYPE_DF:
        print_double(out, bits);
        break;
    default: /* ud and the packed vectors */
        print_uncounted(out, "0x%X", (unsigned)(uint32_t)bits);
        break;
    }
}
