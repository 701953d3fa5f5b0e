#include "report/export_proto.h"

#include <string.h>

static void proto_put_varint(struct report_text *text, uint64_t value)
{
    char out[10];
    size_t size = 0;
    do {
        out[size++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    report_text_add_bytes(text, out, size);
}

void proto_put_number(struct report_text *text, unsigned field, uint64_t value)
{
    proto_put_varint(text, field << 3);
    proto_put_varint(text, value);
}

void proto_put_bytes(struct report_text *text, unsigned field, const char *bytes, size_t size)
{
    proto_put_varint(text, field << 3 | 2);
    proto_put_varint(text, size);
    report_text_add_bytes(text, bytes, size);
}

void proto_put_string(struct report_text *text, unsigned field, const char *string)
{
    proto_put_bytes(text, field, string, strlen(string));
}

void proto_put_message(struct report_text *text, unsigned field, struct report_text *from)
{
    proto_put_bytes(text, field, from->data, from->size);
    text->failed = text->failed || from->failed;
    from->size = 0;
}
