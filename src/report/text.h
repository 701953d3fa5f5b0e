/* Growing text that reports are written into; the caller prints it. */
#ifndef SONDE_REPORT_TEXT_H
#define SONDE_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sonde/status.h"

/* Zero-initialise; free `data` when done. After a failed allocation nothing
 * more is added and `failed` stays set.
 *
 * With `flush`, text is handed over and forgotten whenever it has grown large;
 * the caller takes what is left. `failed` is set when flush returns false. */
struct report_text {
    char *data; /* NUL-terminated once anything was added */
    size_t size, capacity;
    bool failed;
    bool (*flush)(void *context, const char *data, size_t size);
    void *context;
};

void report_text_add(struct report_text *text, const char *format, ...) SONDE_PRINTF(2, 3);
void report_text_add_bytes(struct report_text *text, const char *bytes, size_t size);

/* JSON on top of it: commas, line breaks and escapes are put in here. `key`
 * is NULL inside arrays. */
struct report_json {
    struct report_text *text;
    unsigned depth;
    bool has_items[16];
};
void report_json_begin_object(struct report_json *json, const char *key);
void report_json_end_object(struct report_json *json);
void report_json_begin_array(struct report_json *json, const char *key);
void report_json_end_array(struct report_json *json);
void report_json_string(struct report_json *json, const char *key, const char *value);
void report_json_number(struct report_json *json, const char *key, uint64_t value);
void report_json_bool(struct report_json *json, const char *key, bool value);
/* `value` is written as it stands. */
void report_json_raw(struct report_json *json, const char *key, const char *value);

#endif
