#include "report/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FLUSH_FROM ((size_t)1 << 18)

static void flush(struct report_text *text)
{
    if (text->flush == NULL || text->size < FLUSH_FROM || text->failed)
        return;
    text->failed = !text->flush(text->context, text->data, text->size);
    text->size = 0;
}

static bool make_room(struct report_text *text, size_t size)
{
    if (!text->failed && base_array_reserve((void **)&text->data, &text->capacity,
                                            text->size + size + 1, 1) != SONDE_OK)
        text->failed = true;
    return !text->failed;
}

void report_text_add_bytes(struct report_text *text, const char *bytes, size_t size)
{
    if (!make_room(text, size))
        return;
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
    flush(text);
}

void report_text_add(struct report_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && make_room(text, (size_t)length)) {
        vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
        flush(text);
    }
    va_end(again);
}

/* Bytes of the UTF-8 sequence at `text`, 0 when it is none. */
static size_t utf8_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = *byte < 0x80   ? 1
                    : *byte < 0xc2 ? 0
                    : *byte < 0xe0 ? 2
                    : *byte < 0xf0 ? 3
                    : *byte < 0xf5 ? 4
                                   : 0;
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

static void json_quote(struct report_text *text, const char *value)
{
    report_text_add_bytes(text, "\"", 1);
    while (*value != '\0') {
        size_t length = utf8_length(value);
        unsigned char c = (unsigned char)*value;
        if (length == 0)
            report_text_add(text, "\\ufffd");
        else if (c == '"' || c == '\\')
            report_text_add(text, "\\%c", c);
        else if (c < 0x20)
            report_text_add(text, "\\u%04x", c);
        else
            report_text_add_bytes(text, value, length);
        value += length > 0 ? length : 1;
    }
    report_text_add_bytes(text, "\"", 1);
}

static void json_item(struct report_json *json, const char *key)
{
    if (json->has_items[json->depth])
        report_text_add_bytes(json->text, ",", 1);
    if (json->depth > 0)
        report_text_add(json->text, "\n%*s", (int)json->depth, "");
    json->has_items[json->depth] = true;
    if (key != NULL) {
        json_quote(json->text, key);
        report_text_add_bytes(json->text, ":", 1);
    }
}

static void json_begin(struct report_json *json, const char *key, const char *bracket)
{
    json_item(json, key);
    report_text_add_bytes(json->text, bracket, 1);
    if (json->depth + 1 < sizeof json->has_items / sizeof *json->has_items)
        json->depth++;
    else
        json->text->failed = true;
    json->has_items[json->depth] = false;
}

static void json_end(struct report_json *json, const char *bracket)
{
    bool had_items = json->has_items[json->depth];
    json->depth--;
    if (had_items)
        report_text_add(json->text, "\n%*s", (int)json->depth, "");
    report_text_add_bytes(json->text, bracket, 1);
    if (json->depth == 0)
        report_text_add_bytes(json->text, "\n", 1);
}

void report_json_begin_object(struct report_json *json, const char *key)
{
    json_begin(json, key, "{");
}

void report_json_end_object(struct report_json *json)
{
    json_end(json, "}");
}

void report_json_begin_array(struct report_json *json, const char *key)
{
    json_begin(json, key, "[");
}

void report_json_end_array(struct report_json *json)
{
    json_end(json, "]");
}

void report_json_string(struct report_json *json, const char *key, const char *value)
{
    json_item(json, key);
    if (value == NULL)
        report_text_add_bytes(json->text, "null", 4);
    else
        json_quote(json->text, value);
}

void report_json_number(struct report_json *json, const char *key, uint64_t value)
{
    json_item(json, key);
    report_text_add(json->text, "%llu", (unsigned long long)value);
}

void report_json_bool(struct report_json *json, const char *key, bool value)
{
    report_json_raw(json, key, value ? "true" : "false");
}

void report_json_raw(struct report_json *json, const char *key, const char *value)
{
    json_item(json, key);
    report_text_add(json->text, "%s", value);
}
