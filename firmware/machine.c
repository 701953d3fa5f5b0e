/* A state machine that reads numbers and operators from text. */
#include "program.h"

enum state { SPACE, DECIMAL, HEXADECIMAL, ZERO, COMMENT, FAILED };
static const char text[] = "12 + 0x1f # all of it +\n- 7 0 0xBEEF +77 -0x10 # end\n 4095 - 9 zz 1";

static uint16_t sum, number;
static uint8_t negative;

static NOINLINE void finish(void)
{
    sum = (uint16_t)(negative ? sum - number : sum + number);
    number = 0;
    negative = 0;
}

static NOINLINE int8_t digit(char c)
{
    if (c >= '0' && c <= '9')
        return (int8_t)(c - '0');
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? (int8_t)(c - 'a' + 10) : (int8_t)-1;
}

static NOINLINE enum state step(enum state state, char c)
{
    int8_t d = digit(c);
    switch (state) {
    case SPACE:
        if (c == '#')
            return COMMENT;
        if (c == '-')
            negative = 1;
        if (c == '0')
            return ZERO;
        if (d >= 0 && d < 10) {
            number = (uint16_t)d;
            return DECIMAL;
        }
        return c == ' ' || c == '\n' || c == '+' || c == '-' ? SPACE : FAILED;
    case ZERO:
        if (c == 'x')
            return HEXADECIMAL;
        /* fall through */
    case DECIMAL:
        if (d >= 0 && d < 10) {
            number = (uint16_t)(number * 10 + (uint16_t)d);
            return DECIMAL;
        }
        finish();
        return c == '#' ? COMMENT : SPACE;
    case HEXADECIMAL:
        if (d >= 0) {
            number = (uint16_t)(number << 4 | (uint16_t)d);
            return HEXADECIMAL;
        }
        finish();
        return SPACE;
    case COMMENT:
        return c == '\n' ? SPACE : COMMENT;
    default:
        return FAILED;
    }
}

uint16_t run(void)
{
    enum state state = SPACE;
    uint16_t result = 0;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        state = step(state, text[i]);
        result = (uint16_t)(result * 5 + (uint16_t)state);
    }
    return (uint16_t)(result ^ sum);
}
