/* Probes in short: KEY=VALUE[,VALUE]... separated by spaces, a probe a line.
 * A value with a space, a comma or a quote stands in double quotes; in them
 * \" and \\ are a quote and a backslash. */
#include "tools/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"

struct reader {
    const char *start, *at; /* of the line */
    const char *end;
    uint32_t line;
    const char *source;
    struct sonde_error *error;
};

static struct schema_place here(const struct reader *reader, const char *at)
{
    return (struct schema_place){reader->line, (uint32_t)(at - reader->start) + 1};
}

static enum sonde_status find_key(const struct reader *reader, const char *word, size_t length,
                                  enum schema_key *key)
{
    struct base_suggestion suggestion;
    char name[64], list[200] = "";
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    base_suggestion_begin(&suggestion, name);
    for (unsigned k = 0; k < SCHEMA_KEY_COUNT; k++) {
        const char *row = schema_key_at((enum schema_key)k)->name;
        *key = (enum schema_key)k;
        if (strlen(row) == length && strncmp(row, word, length) == 0)
            return SONDE_OK;
        base_suggestion_offer(&suggestion, row);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", row);
    }
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        return schema_fail(reader->error, reader->source, here(reader, word),
                           "a probe has no key '%s'; did you mean '%s'?", name, meant);
    return schema_fail(reader->error, reader->source, here(reader, word),
                       "a probe has no key '%s' (allowed: %s)", name, list);
}

/* One value up to a comma or space, quotes resolved, into `value`. */
static enum sonde_status take_value(struct reader *reader, char *value)
{
    const char *first = reader->at;
    if (reader->at < reader->end && *reader->at == '"') {
        reader->at++;
        while (reader->at < reader->end && *reader->at != '"') {
            if (*reader->at == '\\' && reader->at + 1 < reader->end)
                reader->at++;
            *value++ = *reader->at++;
        }
        *value = '\0';
        if (reader->at == reader->end)
            return schema_fail(reader->error, reader->source, here(reader, first),
                               "the quote is not closed");
        reader->at++;
        if (reader->at < reader->end && strchr(", \t", *reader->at) == NULL)
            return schema_fail(reader->error, reader->source, here(reader, reader->at),
                               "a comma or a space belongs behind a quoted value");
        return SONDE_OK;
    }
    while (reader->at < reader->end && strchr(", \t", *reader->at) == NULL)
        *value++ = *reader->at++;
    *value = '\0';
    return SONDE_OK;
}

static enum sonde_status take_pair(struct reader *reader, struct schema_probe *probe, char *value)
{
    const char *word = reader->at;
    size_t length = 0;
    while (word + length < reader->end && strchr("= \t,", word[length]) == NULL)
        length++;
    enum schema_key key;
    if (word + length == reader->end || word[length] != '=' || length == 0)
        return schema_fail(reader->error, reader->source, here(reader, word),
                           "'%.*s' is no KEY=VALUE", (int)(length < 40 ? length : 40), word);
    enum sonde_status status = find_key(reader, word, length, &key);
    if (status == SONDE_OK && probe->values[key].count > 0)
        status = schema_fail(reader->error, reader->source, here(reader, word),
                             "the key %s comes twice; several values are separated by commas",
                             schema_key_at(key)->name);
    reader->at += length;
    while (status == SONDE_OK) {
        reader->at++; /* = or , */
        struct schema_place place = here(reader, reader->at);
        status = take_value(reader, value);
        if (status == SONDE_OK)
            status = schema_probe_add(probe, key, value, reader->source, place, reader->error);
        if (reader->at >= reader->end || *reader->at != ',')
            break;
    }
    return status;
}

static enum sonde_status take_line(struct reader *reader, struct schema *schema, char *value)
{
    while (reader->at < reader->end && strchr(" \t", *reader->at) != NULL)
        reader->at++;
    if (reader->at == reader->end)
        return SONDE_OK;
    if (schema->count >= SCHEMA_PROBE_LIMIT)
        return schema_fail(reader->error, reader->source, here(reader, reader->at),
                           "more than %u probes", SCHEMA_PROBE_LIMIT);
    struct schema_probe *probe = schema_add_probe(schema, here(reader, reader->at));
    if (probe == NULL)
        return sonde_error_set(reader->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = SONDE_OK;
    while (reader->at < reader->end && status == SONDE_OK) {
        status = take_pair(reader, probe, value);
        while (reader->at < reader->end && strchr(" \t", *reader->at) != NULL)
            reader->at++;
    }
    return status == SONDE_OK ? schema_probe_check(probe, reader->source, reader->error) : status;
}

enum sonde_status schema_parse_short(struct schema *schema, const char *text, const char *source,
                                     struct sonde_error *error)
{
    size_t first = schema->count, length = strlen(text);
    struct schema_place nowhere = {0, 0};
    if (length > SCHEMA_FILE_LIMIT)
        return schema_fail(error, source, nowhere, "more than %u bytes", SCHEMA_FILE_LIMIT);
    char *value = malloc(length + 1);
    if (value == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct reader reader = {.at = text, .source = source, .error = error};
    enum sonde_status status = SONDE_OK;
    while (*reader.at != '\0' && status == SONDE_OK) {
        reader.start = reader.at;
        reader.end = reader.at + strcspn(reader.at, "\n");
        reader.line++;
        status = take_line(&reader, schema, value);
        reader.at = reader.end + (*reader.end == '\n');
    }
    free(value);
    return status == SONDE_OK ? schema_name_probes(schema, first, "probe", source, error) : status;
}

/* --- writing --- */

static void put_value(FILE *out, const char *value)
{
    if (strpbrk(value, ", \t\"\\") == NULL) {
        fputs(value, out);
        return;
    }
    putc('"', out);
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\')
            putc('\\', out);
        putc(*value, out);
    }
    putc('"', out);
}

static void put_probe(FILE *out, const struct schema_probe *probe)
{
    const char *separator = "";
    for (unsigned k = 0; k < SCHEMA_KEY_COUNT; k++) {
        const struct schema_values *values = &probe->values[k];
        if (values->count == 0)
            continue;
        fprintf(out, "%s%s=", separator, schema_key_at((enum schema_key)k)->name);
        for (size_t i = 0; i < values->count; i++) {
            fputs(i > 0 ? "," : "", out);
            put_value(out, values->items[i]);
        }
        separator = " ";
    }
    putc('\n', out);
}

char *schema_to_short(const struct schema *schema)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < schema->count; i++)
        put_probe(out, &schema->probes[i]);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
