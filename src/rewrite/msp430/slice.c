#include <ctype.h>
#include <string.h>

#include "rewrite/msp430/internal.h"

bool msp430_slice_equal(struct msp430_slice a, struct msp430_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
}

bool msp430_slice_begins(struct msp430_slice slice, const char *lower)
{
    size_t length = strlen(lower);
    if (slice.length < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (tolower((unsigned char)slice.text[i]) != lower[i])
            return false;
    }
    return true;
}

bool msp430_slice_is(struct msp430_slice slice, const char *lower)
{
    return slice.length == strlen(lower) && msp430_slice_begins(slice, lower);
}

struct msp430_slice msp430_slice_trim(struct msp430_slice slice)
{
    while (slice.length > 0 && isspace((unsigned char)slice.text[0])) {
        slice.text++;
        slice.length--;
    }
    while (slice.length > 0 && isspace((unsigned char)slice.text[slice.length - 1]))
        slice.length--;
    return slice;
}

bool msp430_is_symbol_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || (c & 0x80) != 0;
}

size_t msp430_skip_quoted(struct msp430_slice text, size_t at)
{
    if (text.text[at] == '\'') {
        at++;
        at += at < text.length && text.text[at] == '\\';
        at += at < text.length && text.text[at] != '\n';
        return at + (at < text.length && text.text[at] == '\'');
    }
    for (at++; at < text.length && text.text[at] != '"' && text.text[at] != '\n'; at++)
        at += text.text[at] == '\\' && at + 1 < text.length && text.text[at + 1] != '\n';
    return at + (at < text.length && text.text[at] == '"');
}

bool msp430_slice_next(struct msp430_slice *list, struct msp430_slice *item)
{
    size_t depth = 0, at = 0;
    if (list->length == 0)
        return false;
    while (at < list->length && (list->text[at] != ',' || depth > 0)) {
        if (list->text[at] == '"' || list->text[at] == '\'') {
            at = msp430_skip_quoted(*list, at);
            continue;
        }
        depth += list->text[at] == '(';
        depth -= list->text[at] == ')' && depth > 0;
        at++;
    }
    *item = msp430_slice_trim((struct msp430_slice){list->text, at});
    at += at < list->length;
    *list = (struct msp430_slice){list->text + at, list->length - at};
    return true;
}

bool msp430_slice_number(struct msp430_slice slice, int64_t *value)
{
    size_t at = 0;
    unsigned base = 10;
    int64_t number = 0;
    bool negative = slice.length > 0 && slice.text[0] == '-';
    at += slice.length > 0 && (slice.text[0] == '-' || slice.text[0] == '+');
    if (at + 2 < slice.length && slice.text[at] == '0' && (slice.text[at + 1] | 0x20) == 'x') {
        base = 16;
        at += 2;
    } else if (at + 2 < slice.length && slice.text[at] == '0' &&
               (slice.text[at + 1] | 0x20) == 'b') {
        base = 2;
        at += 2;
    } else if (at + 1 < slice.length && slice.text[at] == '0') {
        base = 8;
    }
    if (at >= slice.length || slice.length - at > 14)
        return false;
    for (; at < slice.length; at++) {
        char c = (char)tolower((unsigned char)slice.text[at]);
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                                                : 99;
        if (digit >= base)
            return false;
        number = number * (int64_t)base + (int64_t)digit;
    }
    *value = negative ? -number : number;
    return true;
}

int msp430_register(struct msp430_slice operand)
{
    static const char *const names[] = {"pc", "sp", "sr"};
    for (int i = 0; i < 3; i++) {
        if (msp430_slice_is(operand, names[i]))
            return i;
    }
    if (operand.length < 2 || operand.length > 3 || (operand.text[0] | 0x20) != 'r')
        return -1;
    int64_t number;
    if (!isdigit((unsigned char)operand.text[1]) ||
        (operand.length == 3 && operand.text[1] == '0') ||
        !msp430_slice_number((struct msp430_slice){operand.text + 1, operand.length - 1}, &number))
        return -1;
    return number <= 15 ? (int)number : -1;
}
