/* The text under construction: characters, columns, and formatting of the few
 * conversions that the printer needs. The C library's formatting took nine
 * tenths of the printer's time. */
#include "isa/gen/print.h"

#include <stdarg.h>
#include <string.h>

/* The last byte of the buffer is kept for the NUL. */
static size_t room_for(const struct print_text *out, size_t length)
{
    size_t room = out->used + 1 < out->size ? out->size - 1 - out->used : 0;
    return length < room ? length : room;
}

static void put_bytes(struct print_text *out, const char *bytes, size_t length)
{
    size_t kept = room_for(out, length);
    for (size_t n = 0; n < kept; n++) /* mostly a few bytes */
        out->text[out->used + n] = bytes[n];
    out->used += length;
}

static void put_repeated(struct print_text *out, char byte, size_t length)
{
    size_t kept = room_for(out, length);
    if (kept > 0)
        memset(out->text + out->used, byte, kept);
    out->used += length;
}

/* A conversion: %[-][0][width|*][ll]{s,c,u,d,x,X}. */
struct conversion {
    bool left;
    bool zeros;
    bool is_long;
    int width;
    char letter;
};

static const char *parse_conversion(const char *format, struct conversion *conversion,
                                    va_list *arguments)
{
    *conversion = (struct conversion){0};
    for (; *format == '-' || *format == '0'; format++) {
        conversion->left |= *format == '-';
        conversion->zeros |= *format == '0';
    }
    if (*format == '*') {
        conversion->width = va_arg(*arguments, int);
        format++;
    }
    for (; *format >= '0' && *format <= '9'; format++)
        conversion->width = conversion->width * 10 + (*format - '0');
    for (; *format == 'l'; format++)
        conversion->is_long = true;
    conversion->letter = *format;
    return format + (*format != '\0');
}

static void put_padded(struct print_text *out, const struct conversion *conversion,
                       const char *bytes, size_t length)
{
    size_t width = conversion->width > 0 ? (size_t)conversion->width : 0;
    size_t padding = width > length ? width - length : 0;
    if (!conversion->left && padding > 0)
        put_repeated(out, conversion->zeros ? '0' : ' ', padding);
    put_bytes(out, bytes, length);
    if (conversion->left && padding > 0)
        put_repeated(out, ' ', padding);
}

static void put_number(struct print_text *out, const struct conversion *conversion, uint64_t value,
                       bool negative)
{
    const char *digits = conversion->letter == 'x' ? "0123456789abcdef" : "0123456789ABCDEF";
    bool decimal = conversion->letter == 'u' || conversion->letter == 'd';
    char text[24];
    char *end = text + sizeof text, *start = end;
    if (decimal) {
        for (; value >= 10; value /= 10)
            *--start = (char)('0' + value % 10);
        *--start = (char)('0' + value);
    } else {
        for (; value >= 16; value >>= 4)
            *--start = digits[value & 15];
        *--start = digits[value];
    }
    if (negative)
        *--start = '-';
    put_padded(out, conversion, start, (size_t)(end - start));
}

static void put_conversion(struct print_text *out, const struct conversion *conversion,
                           va_list *arguments)
{
    switch (conversion->letter) {
    case 's': {
        const char *text = va_arg(*arguments, const char *);
        put_padded(out, conversion, text, strlen(text));
        break;
    }
    case 'c': {
        char text = (char)va_arg(*arguments, int);
        put_padded(out, conversion, &text, 1);
        break;
    }
    case 'd': {
        int64_t value = conversion->is_long ? va_arg(*arguments, long long)
                                            : (int64_t)va_arg(*arguments, int);
        put_number(out, conversion, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
        break;
    }
    default: /* u, x, X */
        put_number(out, conversion,
                   conversion->is_long ? va_arg(*arguments, unsigned long long)
                                       : (uint64_t)va_arg(*arguments, unsigned),
                   false);
        break;
    }
}

static void append(struct print_text *out, const char *format, va_list *arguments)
{
    while (*format != '\0') {
        size_t literal = 0;
        while (format[literal] != '\0' && format[literal] != '%')
            literal++;
        if (literal > 0)
            put_bytes(out, format, literal);
        format += literal;
        if (*format == '%') {
            struct conversion conversion;
            format = parse_conversion(format + 1, &conversion, arguments);
            put_conversion(out, &conversion, arguments);
        }
    }
}

void print_counted(struct print_text *out, const char *format, ...)
{
    size_t before = out->used;
    va_list arguments;
    va_start(arguments, format);
    append(out, format, &arguments);
    va_end(arguments);
    out->column_used += out->used - before;
}

void print_uncounted(struct print_text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(out, format, &arguments);
    va_end(arguments);
}

void print_word(struct print_text *out, const char *word)
{
    size_t length = strlen(word);
    put_bytes(out, word, length);
    out->column_used += length;
}

void print_unsigned(struct print_text *out, unsigned value)
{
    static const struct conversion plain = {.letter = 'u'};
    size_t before = out->used;
    put_number(out, &plain, value, false);
    out->column_used += out->used - before;
}

void print_spaces(struct print_text *out, size_t count)
{
    put_repeated(out, ' ', count);
    out->column_used += count;
}

void print_column_open(struct print_text *out, size_t width)
{
    out->column_width = width;
    out->column_used = 0;
}

void print_column_close(struct print_text *out)
{
    if (out->column_used > out->column_width) {
        out->debt += out->column_used - out->column_width;
        return;
    }
    size_t padding = out->column_width - out->column_used;
    size_t repaid = padding < out->debt ? padding : out->debt;
    out->debt -= repaid;
    print_spaces(out, padding - repaid);
}

void print_finish(struct print_text *out)
{
    if (out->size > 0)
        out->text[out->used < out->size ? out->used : out->size - 1] = '\0';
}
