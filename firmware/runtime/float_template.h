/* IEEE 754 arithmetic in integers, rounded to nearest even, with subnormal
 * numbers, infinities and NaN. An instance defines:
 *   WORD      unsigned type of the format's width
 *   SIGNED    signed type of the same width
 *   FRACTION  bits of the fraction
 *   EXPONENT  the largest biased exponent (of infinities and NaN)
 *   NAME(x)   name of the instance's function
 * A number on its way is a sign, a biased exponent and a significand whose
 * leading bit is FRACTION + 3; the three bits below the format's last are the
 * guard, the round and the sticky bit. */

#define SIGN     ((WORD)1 << (FRACTION + (EXPONENT > 255 ? 11 : 8)))
#define HIDDEN   ((WORD)1 << FRACTION)
#define INFINITE ((WORD)EXPONENT << FRACTION)
#define QUIET    (INFINITE | HIDDEN >> 1)
#define LEADING  ((WORD)1 << (FRACTION + 3))
#define BIAS     (EXPONENT / 2)

static int16_t NAME(exponent_of)(WORD a)
{
    return (int16_t)((a & ~SIGN) >> FRACTION);
}

/* Shift right; what leaves stays as the sticky bit. */
static WORD NAME(shift_sticky)(WORD value, int16_t count)
{
    WORD lost = 0;
    if (count > FRACTION + 4)
        return value != 0;
    for (; count > 0; count--) {
        lost |= value & 1;
        value >>= 1;
    }
    return value | lost;
}

static WORD NAME(finish)(WORD sign, int16_t exponent, WORD value)
{
    if (value == 0)
        return sign;
    if (exponent >= EXPONENT)
        return sign | INFINITE;
    if (exponent <= 0) {
        value = NAME(shift_sticky)(value, (int16_t)(1 - exponent));
        exponent = 0;
    } else {
        value -= LEADING;
    }
    uint8_t rest = (uint8_t)(value & 7);
    value >>= 3;
    if (rest > 4 || (rest == 4 && (value & 1)))
        value++;
    /* A carry out of the fraction is the next exponent. */
    return sign | (((WORD)exponent << FRACTION) + value);
}

/* The leading bit to its place; `value` is not 0 and below 2 LEADING. */
static WORD NAME(normalize)(WORD value, int16_t *exponent)
{
    while (value < LEADING) {
        value += value;
        (*exponent)--;
    }
    return value;
}

/* A finite number that is not 0: significand with its leading bit in place. */
static WORD NAME(unpack)(WORD a, int16_t *exponent)
{
    WORD value = a & (HIDDEN - 1);
    *exponent = NAME(exponent_of)(a);
    if (*exponent != 0)
        return (value | HIDDEN) << 3;
    *exponent = 1;
    return NAME(normalize)(value << 3, exponent);
}

static uint8_t NAME(is_nan)(WORD a)
{
    return (a & ~SIGN) > INFINITE;
}

static WORD NAME(add)(WORD a, WORD b)
{
    if (NAME(is_nan)(a) || NAME(is_nan)(b))
        return QUIET;
    if ((a & ~SIGN) < (b & ~SIGN)) {
        WORD larger = b;
        b = a;
        a = larger;
    }
    if ((a & ~SIGN) == INFINITE)
        return b == (a ^ SIGN) ? QUIET : a;
    if ((b & ~SIGN) == 0)
        return (a & ~SIGN) == 0 ? a & b : a;
    int16_t exponent, other;
    WORD x = NAME(unpack)(a, &exponent), y = NAME(unpack)(b, &other);
    y = NAME(shift_sticky)(y, (int16_t)(exponent - other));
    if (((a ^ b) & SIGN) == 0) {
        x += y;
        if (x >= LEADING << 1) {
            x = x >> 1 | (x & 1);
            exponent++;
        }
        return NAME(finish)(a & SIGN, exponent, x);
    }
    x -= y;
    if (x == 0)
        return 0;
    x = NAME(normalize)(x, &exponent);
    return NAME(finish)(a & SIGN, exponent, x);
}

static WORD NAME(multiply)(WORD a, WORD b)
{
    WORD sign = (a ^ b) & SIGN, sum = 0, lost = 0;
    if (NAME(is_nan)(a) || NAME(is_nan)(b))
        return QUIET;
    a &= ~SIGN;
    b &= ~SIGN;
    if (a == INFINITE || b == INFINITE)
        return a == 0 || b == 0 ? QUIET : sign | INFINITE;
    if (a == 0 || b == 0)
        return sign;
    int16_t exponent, other;
    WORD x = NAME(unpack)(a, &exponent), y = NAME(unpack)(b, &other) >> 3;
    for (uint8_t i = 0; i <= FRACTION; i++) {
        if (y & 1)
            sum += x;
        y >>= 1;
        lost |= sum & 1;
        sum >>= 1;
    }
    exponent = (int16_t)(exponent + other - BIAS + 1);
    if (sum < LEADING) {
        sum += sum;
        exponent--;
    }
    return NAME(finish)(sign, exponent, sum | lost);
}

static WORD NAME(divide)(WORD a, WORD b)
{
    WORD sign = (a ^ b) & SIGN, quotient = 0;
    if (NAME(is_nan)(a) || NAME(is_nan)(b))
        return QUIET;
    a &= ~SIGN;
    b &= ~SIGN;
    if (a == INFINITE || b == 0)
        return a == b || (a == 0 && b == 0) ? QUIET : sign | INFINITE;
    if (b == INFINITE || a == 0)
        return sign;
    int16_t exponent, other;
    WORD x = NAME(unpack)(a, &exponent) >> 3, y = NAME(unpack)(b, &other) >> 3;
    exponent = (int16_t)(exponent - other + BIAS);
    if (x < y) {
        x += x;
        exponent--;
    }
    for (uint8_t i = 0; i < FRACTION + 4; i++) {
        quotient += quotient;
        if (x >= y) {
            x -= y;
            quotient |= 1;
        }
        x += x;
    }
    return NAME(finish)(sign, exponent, quotient | (x != 0));
}

/* -1, 0 or 1; 1 when the two have no order. */
static int16_t NAME(compare)(WORD a, WORD b)
{
    if (NAME(is_nan)(a) || NAME(is_nan)(b))
        return 1;
    if (((a | b) & ~SIGN) == 0 || a == b)
        return 0;
    if ((a ^ b) & SIGN)
        return a & SIGN ? -1 : 1;
    return (a < b) == ((a & SIGN) == 0) ? -1 : 1;
}

static WORD NAME(from_word)(WORD sign, WORD value)
{
    int16_t exponent = BIAS + FRACTION + 3;
    if (value == 0)
        return 0;
    while (value >= LEADING << 1) {
        value = value >> 1 | (value & 1);
        exponent++;
    }
    value = NAME(normalize)(value, &exponent);
    return NAME(finish)(sign, exponent, value);
}

/* The integer part's magnitude; all ones when it does not fit. */
static WORD NAME(to_word)(WORD a)
{
    int16_t exponent = (int16_t)(NAME(exponent_of)(a) - BIAS);
    WORD value = (a & (HIDDEN - 1)) | HIDDEN;
    if (exponent < 0)
        return 0;
    if (exponent >= (int16_t)(8 * sizeof(WORD)))
        return ~(WORD)0;
    for (; exponent < FRACTION; exponent++)
        value >>= 1;
    for (; exponent > FRACTION; exponent--)
        value += value;
    return value;
}

/* To a signed integer towards zero; what does not fit becomes the limit. */
static SIGNED NAME(to_signed)(WORD a)
{
    WORD value = NAME(to_word)(a), limit = (WORD)1 << (8 * sizeof(WORD) - 1);
    if (a & SIGN)
        return value >= limit ? (SIGNED)limit : (SIGNED)(0 - value);
    return value >= limit ? (SIGNED)(limit - 1) : (SIGNED)value;
}

static WORD NAME(to_unsigned)(WORD a)
{
    return a & SIGN ? 0 : NAME(to_word)(a);
}
