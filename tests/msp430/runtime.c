/* The firmware's soft floating point and 64-bit helpers, compiled for the host
 * and held against its own arithmetic, bit for bit. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t __mspabi_addf(uint32_t a, uint32_t b);
uint32_t __mspabi_subf(uint32_t a, uint32_t b);
uint32_t __mspabi_mpyf(uint32_t a, uint32_t b);
uint32_t __mspabi_divf(uint32_t a, uint32_t b);
int16_t __mspabi_cmpf(uint32_t a, uint32_t b);
uint32_t __mspabi_fltulf(uint32_t a);
uint32_t __mspabi_fltlif(int32_t a);
uint32_t __mspabi_fixful(uint32_t a);
int32_t __mspabi_fixfli(uint32_t a);
uint64_t runtime_addd(uint64_t a, uint64_t b);
uint64_t runtime_subd(uint64_t a, uint64_t b);
uint64_t runtime_mpyd(uint64_t a, uint64_t b);
uint64_t runtime_divd(uint64_t a, uint64_t b);
int16_t runtime_cmpd(uint64_t a, uint64_t b);
uint64_t __mspabi_fltulld(uint64_t a);
uint64_t __mspabi_fltllid(int64_t a);
uint64_t __mspabi_fltuld(uint32_t a);
uint64_t __mspabi_fltlid(int32_t a);
uint64_t __mspabi_fixdull(uint64_t a);
int64_t __mspabi_fixdlli(uint64_t a);
uint32_t __mspabi_fixdul(uint64_t a);
int32_t __mspabi_fixdli(uint64_t a);
uint64_t __mspabi_cvtfd(uint32_t a);
uint32_t __mspabi_cvtdf(uint64_t a);
uint32_t __mspabi_fltullf(uint64_t a);
uint32_t __mspabi_fltllif(int64_t a);
uint64_t __mspabi_fixfull(uint32_t a);
int64_t __mspabi_fixflli(uint32_t a);
uint64_t runtime_mpyll(uint64_t a, uint64_t b);
uint64_t runtime_divull(uint64_t a, uint64_t b);
uint64_t runtime_remull(uint64_t a, uint64_t b);
int64_t runtime_divlli(int64_t a, int64_t b);
int64_t runtime_remlli(int64_t a, int64_t b);

static uint64_t state = 1;

static uint64_t any(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t high = state >> 32;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return high << 32 | state >> 32;
}

/* Numbers that are likely to meet at an edge: near each other, few bits set,
 * subnormal, infinite, NaN. */
static uint64_t interesting(unsigned bits, unsigned fraction)
{
    uint64_t value = any(), mask = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    uint64_t fractions = (1ull << fraction) - 1, exponent = value >> 8 & 7;
    switch (value & 7) {
    case 0:
        return value & mask;
    case 1: /* few bits in the fraction */
        return (any() & mask & ~fractions) | (1ull << (value >> 8) % fraction);
    case 2: /* subnormal and the smallest */
        return ((value >> 16 & 1) << (bits - 1)) | (any() & fractions) | (exponent & 1) << fraction;
    case 3: /* infinite, NaN, the largest */
        return ((value >> 16 & 1) << (bits - 1)) |
               ((mask >> 1 & ~fractions) - ((exponent & 1) << fraction)) |
               (value & 0x20 ? 0 : any() & fractions);
    case 4: /* all ones at the end */
        return (any() & mask) | (fractions >> (value >> 8) % fraction);
    default: { /* exponents near the middle */
        uint64_t bias = (mask >> 1 >> fraction) / 2;
        return ((value >> 16 & 1) << (bits - 1)) | (bias + (value >> 20) % 60 - 30) << fraction |
               (any() & fractions);
    }
    }
}

static float to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check32(const char *what, uint32_t got, float expected, uint64_t a, uint64_t b)
{
    uint32_t bits;
    memcpy(&bits, &expected, sizeof bits);
    bool both_nan = expected != expected && (got & 0x7fffffff) > 0x7f800000;
    if (got != bits && !both_nan) {
        printf("%s(0x%" PRIx64 ", 0x%" PRIx64 ") = 0x%08x, not 0x%08x\n", what, a, b, got, bits);
        exit(1);
    }
}

static void check64(const char *what, uint64_t got, double expected, uint64_t a, uint64_t b)
{
    uint64_t bits;
    memcpy(&bits, &expected, sizeof bits);
    bool both_nan = expected != expected && (got & INT64_MAX) > 0x7ff0000000000000u;
    if (got != bits && !both_nan) {
        printf("%s(0x%" PRIx64 ", 0x%" PRIx64 ") = 0x%016" PRIx64 ", not 0x%016" PRIx64 "\n", what,
               a, b, got, bits);
        exit(1);
    }
}

static void check(const char *what, uint64_t got, uint64_t expected, uint64_t a, uint64_t b)
{
    if (got != expected) {
        printf("%s(0x%" PRIx64 ", 0x%" PRIx64 ") = 0x%" PRIx64 ", not 0x%" PRIx64 "\n", what, a, b,
               got, expected);
        exit(1);
    }
}

static int order(double a, double b)
{
    return a != a || b != b || a > b ? 1 : a < b ? -1 : 0;
}

static void single(void)
{
    uint32_t a = (uint32_t)interesting(32, 23), b = (uint32_t)interesting(32, 23);
    float x = to_float(a), y = to_float(b);
    check32("addf", __mspabi_addf(a, b), x + y, a, b);
    check32("subf", __mspabi_subf(a, b), x - y, a, b);
    check32("mpyf", __mspabi_mpyf(a, b), x * y, a, b);
    check32("divf", __mspabi_divf(a, b), x / y, a, b);
    check("cmpf", (uint64_t)__mspabi_cmpf(a, b), (uint64_t)order((double)x, (double)y), a, b);
    check("cmpf", (uint64_t)__mspabi_cmpf(a, a), (uint64_t)order((double)x, (double)x), a, a);
    check32("fltulf", __mspabi_fltulf(a), (float)a, a, 0);
    check32("fltlif", __mspabi_fltlif((int32_t)a), (float)(int32_t)a, a, 0);
    check64("cvtfd", __mspabi_cvtfd(a), (double)x, a, 0);
    if (x > -2147483648.0f && x < 2147483648.0f)
        check("fixfli", (uint64_t)__mspabi_fixfli(a), (uint64_t)(int32_t)x, a, 0);
    if (x > -9.2e18f && x < 9.2e18f)
        check("fixflli", (uint64_t)__mspabi_fixflli(a), (uint64_t)(int64_t)x, a, 0);
    if (x >= 0 && x < 4294967296.0f)
        check("fixful", __mspabi_fixful(a), (uint32_t)x, a, 0);
    if (x >= 0 && x < 1.8e19f)
        check("fixfull", __mspabi_fixfull(a), (uint64_t)x, a, 0);
}

static void both(void)
{
    uint64_t a = interesting(64, 52), b = interesting(64, 52), i = any() >> (any() & 63);
    double x = to_double(a), y = to_double(b);
    check64("addd", runtime_addd(a, b), x + y, a, b);
    check64("subd", runtime_subd(a, b), x - y, a, b);
    check64("mpyd", runtime_mpyd(a, b), x * y, a, b);
    check64("divd", runtime_divd(a, b), x / y, a, b);
    check("cmpd", (uint64_t)runtime_cmpd(a, b), (uint64_t)order(x, y), a, b);
    check64("fltulld", __mspabi_fltulld(i), (double)i, i, 0);
    check64("fltllid", __mspabi_fltllid((int64_t)i), (double)(int64_t)i, i, 0);
    check64("fltuld", __mspabi_fltuld((uint32_t)i), (double)(uint32_t)i, i, 0);
    check64("fltlid", __mspabi_fltlid((int32_t)i), (double)(int32_t)i, i, 0);
    check32("fltullf", __mspabi_fltullf(i), (float)i, i, 0);
    check32("fltllif", __mspabi_fltllif((int64_t)i), (float)(int64_t)i, i, 0);
    /* Doubles near the range of singles, too. */
    check32("cvtdf", __mspabi_cvtdf(a), (float)x, a, 0);
    uint64_t near = (a & 0x800fffffffffffffu) | (uint64_t)(1023 - 160 + any() % 300) << 52;
    check32("cvtdf", __mspabi_cvtdf(near), (float)to_double(near), near, 0);
    if (x > -2147483649.0 && x < 2147483648.0)
        check("fixdli", (uint64_t)__mspabi_fixdli(a), (uint64_t)(int32_t)x, a, 0);
    if (x > -9.2e18 && x < 9.2e18)
        check("fixdlli", (uint64_t)__mspabi_fixdlli(a), (uint64_t)(int64_t)x, a, 0);
    if (x >= 0 && x < 4294967296.0)
        check("fixdul", __mspabi_fixdul(a), (uint32_t)x, a, 0);
    if (x >= 0 && x < 1.8e19)
        check("fixdull", __mspabi_fixdull(a), (uint64_t)x, a, 0);
}

static void integers(void)
{
    uint64_t a = any() >> (any() & 63), b = any() >> (any() & 63);
    if (b == 0)
        b = 1;
    int64_t x = (int64_t)(any() & 1 ? a : 0 - a), y = (int64_t)(any() & 1 ? b : 0 - b);
    check("mpyll", runtime_mpyll(a, b), a * b, a, b);
    check("divull", runtime_divull(a, b), a / b, a, b);
    check("remull", runtime_remull(a, b), a % b, a, b);
    if (x == INT64_MIN && y == -1)
        return;
    check("divlli", (uint64_t)runtime_divlli(x, y), (uint64_t)(x / y), (uint64_t)x, (uint64_t)y);
    check("remlli", (uint64_t)runtime_remlli(x, y), (uint64_t)(x % y), (uint64_t)x, (uint64_t)y);
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    for (unsigned long i = 0; i < count; i++) {
        single();
        both();
        integers();
    }
    printf("%lu rounds agree\n", count);
    return 0;
}
