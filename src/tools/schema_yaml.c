/* Schema files: YAML, as little of it as a schema needs. Events are taken one
 * by one and refused where they do not belong, so that neither deep nesting
 * nor aliases cost anything. */
#include "tools/schema.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/words.h"
#include "profile/scope.h"

enum top_key {
    TOP_VERSION,
    TOP_NAME,
    TOP_SUMMARY,
    TOP_REPORT,
    TOP_KERNEL,
    TOP_EXCLUDE,
    TOP_THREADS,
    TOP_GROUPS,
    TOP_PROBES,
    TOP_COUNT
};

static const char *const top_names[TOP_COUNT] = {
    "schema", "name", "summary", "report", "kernel", "exclude", "threads", "groups", "probes"};

struct reader {
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
    struct schema *schema;
    struct schema_probe shared; /* keys of the file that hold for every probe */
    struct schema_place seen[TOP_COUNT];
    size_t first; /* probe of this file */
    char name[64];
    const char *file;
    struct sonde_error *error;
};

static struct schema_place place_of(const yaml_mark_t *mark)
{
    return (struct schema_place){(uint32_t)mark->line + 1, (uint32_t)mark->column + 1};
}

static struct schema_place here(const struct reader *reader)
{
    return place_of(&reader->event.start_mark);
}

/* The next event; anchors, aliases and tags are refused wherever they stand. */
static enum sonde_status next(struct reader *reader)
{
    if (reader->has_event)
        yaml_event_delete(&reader->event);
    reader->has_event = false;
    if (!yaml_parser_parse(&reader->parser, &reader->event)) {
        struct schema_place place = place_of(&reader->parser.problem_mark);
        return schema_fail(reader->error, reader->file, place, "this is no YAML: %s%s%s",
                           reader->parser.problem != NULL ? reader->parser.problem : "bad bytes",
                           reader->parser.context != NULL ? " " : "",
                           reader->parser.context != NULL ? reader->parser.context : "");
    }
    reader->has_event = true;
    const yaml_event_t *event = &reader->event;
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (event->type == YAML_ALIAS_EVENT || anchor != NULL || tag != NULL)
        return schema_fail(reader->error, reader->file, here(reader),
                           "anchors, aliases and tags have no place in a schema");
    return SONDE_OK;
}

static enum sonde_status unexpected(const struct reader *reader, const char *wanted)
{
    static const char *const names[] = {
        [YAML_SCALAR_EVENT] = "a value",
        [YAML_SEQUENCE_START_EVENT] = "a list",
        [YAML_MAPPING_START_EVENT] = "a table",
        [YAML_STREAM_END_EVENT] = "the end of the file",
        [YAML_DOCUMENT_END_EVENT] = "the end of the document",
        [YAML_DOCUMENT_START_EVENT] = "a second document",
    };
    unsigned type = (unsigned)reader->event.type;
    const char *found = type < sizeof names / sizeof *names ? names[type] : NULL;
    return schema_fail(reader->error, reader->file, here(reader), "%s belongs here, not %s", wanted,
                       found != NULL ? found : "this");
}

/* The scalar at hand as text; NULL when it has a zero byte. */
static const char *scalar(const struct reader *reader)
{
    const char *text = (const char *)reader->event.data.scalar.value;
    return strlen(text) == reader->event.data.scalar.length ? text : NULL;
}

static enum sonde_status add(struct reader *reader, struct schema_probe *probe, enum schema_key key)
{
    const char *text = scalar(reader);
    if (text == NULL)
        return schema_fail(reader->error, reader->file, here(reader), "a zero byte in a value");
    return schema_probe_add(probe, key, text, reader->file, here(reader), reader->error);
}

/* A value or a list of values; the next event is taken. */
static enum sonde_status take_values(struct reader *reader, struct schema_probe *probe,
                                     enum schema_key key)
{
    struct schema_place place = here(reader);
    if (probe->values[key].count > 0)
        return schema_fail(reader->error, reader->file, place,
                           "the key %s comes twice; several values are a list: [A, B]",
                           schema_key_at(key)->name);
    enum sonde_status status = next(reader);
    if (status == SONDE_OK && reader->event.type == YAML_SCALAR_EVENT) {
        status = add(reader, probe, key);
    } else if (status == SONDE_OK && reader->event.type == YAML_SEQUENCE_START_EVENT) {
        place = here(reader);
        status = next(reader);
        while (status == SONDE_OK && reader->event.type == YAML_SCALAR_EVENT) {
            status = add(reader, probe, key);
            if (status == SONDE_OK)
                status = next(reader);
        }
        if (status == SONDE_OK && reader->event.type != YAML_SEQUENCE_END_EVENT)
            status = unexpected(reader, "a value");
        if (status == SONDE_OK && probe->values[key].count == 0)
            status = schema_fail(reader->error, reader->file, place, "the list is empty");
    } else if (status == SONDE_OK) {
        status = unexpected(reader, "a value or a list of values");
    }
    return status;
}

static enum sonde_status unknown_key(const struct reader *reader, const char *owner,
                                     const char *name, struct base_suggestion *suggestion,
                                     const char *list)
{
    const char *meant = base_suggestion_end(suggestion);
    if (meant != NULL)
        return schema_fail(reader->error, reader->file, here(reader),
                           "%s has no key '%.40s'; did you mean '%s'? (allowed: %s)", owner, name,
                           meant, list);
    return schema_fail(reader->error, reader->file, here(reader),
                       "%s has no key '%.40s' (allowed: %s)", owner, name, list);
}

static enum sonde_status find_key(const struct reader *reader, enum schema_key *key)
{
    const char *name = scalar(reader) != NULL ? scalar(reader) : "";
    struct base_suggestion suggestion;
    char list[300] = "";
    base_suggestion_begin(&suggestion, name);
    for (unsigned k = 0; k < SCHEMA_KEY_COUNT; k++) {
        const char *row = schema_key_at((enum schema_key)k)->name;
        *key = (enum schema_key)k;
        if (strcmp(row, name) == 0)
            return SONDE_OK;
        base_suggestion_offer(&suggestion, row);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", row);
    }
    return unknown_key(reader, "a probe", name, &suggestion, list);
}

static enum sonde_status find_top(const struct reader *reader, enum top_key *key)
{
    const char *name = scalar(reader) != NULL ? scalar(reader) : "";
    struct base_suggestion suggestion;
    char list[200] = "";
    base_suggestion_begin(&suggestion, name);
    for (unsigned k = 0; k < TOP_COUNT; k++) {
        *key = (enum top_key)k;
        if (strcmp(top_names[k], name) == 0)
            return SONDE_OK;
        base_suggestion_offer(&suggestion, top_names[k]);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", top_names[k]);
    }
    return unknown_key(reader, "a schema", name, &suggestion, list);
}

/* The mapping of one probe, whose start is at hand. */
static enum sonde_status take_probe(struct reader *reader)
{
    struct schema *schema = reader->schema;
    if (reader->event.type != YAML_MAPPING_START_EVENT)
        return unexpected(reader, "a table of keys and values");
    if (schema->count >= SCHEMA_PROBE_LIMIT)
        return schema_fail(reader->error, reader->file, here(reader), "more than %u probes",
                           SCHEMA_PROBE_LIMIT);
    struct schema_probe *probe = schema_add_probe(schema, here(reader));
    if (probe == NULL)
        return sonde_error_set(reader->error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status status = next(reader);
    while (status == SONDE_OK && reader->event.type != YAML_MAPPING_END_EVENT) {
        enum schema_key key = SCHEMA_NAME;
        if (reader->event.type != YAML_SCALAR_EVENT)
            return unexpected(reader, "a key");
        status = find_key(reader, &key);
        if (status == SONDE_OK)
            status = take_values(reader, probe, key);
        if (status == SONDE_OK)
            status = next(reader);
    }
    return status;
}

static enum sonde_status take_probes(struct reader *reader)
{
    enum sonde_status status = next(reader);
    if (status == SONDE_OK && reader->event.type != YAML_SEQUENCE_START_EVENT)
        return unexpected(reader, "a list of probes");
    if (status == SONDE_OK)
        status = next(reader);
    while (status == SONDE_OK && reader->event.type != YAML_SEQUENCE_END_EVENT) {
        status = take_probe(reader);
        if (status == SONDE_OK)
            status = next(reader);
    }
    return status;
}

static enum sonde_status take_text(struct reader *reader, char **text)
{
    enum sonde_status status = next(reader);
    if (status != SONDE_OK)
        return status;
    if (reader->event.type != YAML_SCALAR_EVENT || scalar(reader) == NULL)
        return unexpected(reader, "one value");
    free(*text);
    *text = strdup(scalar(reader));
    return *text != NULL ? SONDE_OK
                         : sonde_error_set(reader->error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

typedef enum sonde_status scope_parser(const char *text, const char *source,
                                       struct profile_scope *scope, struct sonde_error *error);

static enum sonde_status take_scope(struct reader *reader, char **text, scope_parser *parse,
                                    const char *name)
{
    struct profile_scope scope = {.fields = {{.is_given = false}}};
    struct sonde_error why;
    if (*text != NULL)
        return schema_fail(reader->error, reader->file, here(reader),
                           "another schema of this run chooses %s", name);
    enum sonde_status status = take_text(reader, text);
    if (status == SONDE_OK && parse(*text, name, &scope, &why) != SONDE_OK)
        status = schema_fail(reader->error, reader->file, here(reader), "%s", why.message);
    return status;
}

static enum sonde_status take_version(struct reader *reader)
{
    enum sonde_status status = next(reader);
    if (status == SONDE_OK && (reader->event.type != YAML_SCALAR_EVENT || scalar(reader) == NULL ||
                               strcmp(scalar(reader), "1") != 0))
        status = schema_fail(reader->error, reader->file, here(reader),
                             "this Sonde reads schemas of version 1");
    return status;
}

static enum sonde_status take_top(struct reader *reader)
{
    enum top_key key = TOP_COUNT;
    if (reader->event.type != YAML_SCALAR_EVENT)
        return unexpected(reader, "a key");
    enum sonde_status status = find_top(reader, &key);
    if (status != SONDE_OK)
        return status;
    if (reader->seen[key].line != 0)
        return schema_fail(reader->error, reader->file, here(reader),
                           "the key %s comes twice, first in line %u", top_names[key],
                           reader->seen[key].line);
    reader->seen[key] = here(reader);
    switch (key) {
    case TOP_VERSION:
        return take_version(reader);
    case TOP_NAME:
        return take_values(reader, &reader->shared, SCHEMA_NAME);
    case TOP_REPORT:
        return take_values(reader, &reader->shared, SCHEMA_REPORT);
    case TOP_KERNEL:
        return take_values(reader, &reader->shared, SCHEMA_KERNEL);
    case TOP_EXCLUDE:
        return take_values(reader, &reader->shared, SCHEMA_EXCLUDE);
    case TOP_SUMMARY:
        return take_text(reader, &reader->schema->summary);
    case TOP_THREADS:
        return take_scope(reader, &reader->schema->threads, profile_scope_parse_threads,
                          top_names[key]);
    case TOP_GROUPS:
        return take_scope(reader, &reader->schema->groups, profile_scope_parse_groups,
                          top_names[key]);
    case TOP_PROBES:
        return take_probes(reader);
    case TOP_COUNT:
        break;
    }
    return SONDE_OK;
}

/* What the file says for all of its probes, where they do not say it. */
static enum sonde_status share(struct reader *reader, struct schema_probe *probe)
{
    static const enum schema_key keys[] = {SCHEMA_REPORT, SCHEMA_KERNEL, SCHEMA_EXCLUDE};
    enum sonde_status status = SONDE_OK;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const struct schema_values *from = &reader->shared.values[keys[k]];
        if (probe->values[keys[k]].count > 0)
            continue;
        for (size_t i = 0; i < from->count && status == SONDE_OK; i++)
            status = schema_probe_add(probe, keys[k], from->items[i], reader->file, from->place,
                                      reader->error);
    }
    return status;
}

static enum sonde_status finish(struct reader *reader)
{
    struct schema *schema = reader->schema;
    struct schema_place top = {1, 1};
    if (reader->seen[TOP_VERSION].line == 0)
        return schema_fail(reader->error, reader->file, top,
                           "the key schema is missing: a schema begins with 'schema: 1'");
    if (schema->count == reader->first)
        return schema_fail(reader->error, reader->file,
                           reader->seen[TOP_PROBES].line != 0 ? reader->seen[TOP_PROBES] : top,
                           "the schema has no probes");
    enum sonde_status status = SONDE_OK;
    for (size_t i = reader->first; i < schema->count && status == SONDE_OK; i++) {
        status = share(reader, &schema->probes[i]);
        if (status == SONDE_OK)
            status = schema_probe_check(&schema->probes[i], reader->file, reader->error);
    }
    const char *name = schema_text(&reader->shared, SCHEMA_NAME);
    if (status == SONDE_OK)
        status = schema_name_probes(schema, reader->first, name != NULL ? name : reader->name,
                                    reader->file, reader->error);
    return status;
}

static enum sonde_status take_document(struct reader *reader)
{
    enum sonde_status status = next(reader); /* start of the stream */
    if (status == SONDE_OK)
        status = next(reader);
    if (status == SONDE_OK && reader->event.type != YAML_DOCUMENT_START_EVENT)
        return schema_fail(reader->error, reader->file, (struct schema_place){1, 1},
                           "the file is empty");
    if (status == SONDE_OK)
        status = next(reader);
    if (status == SONDE_OK && reader->event.type != YAML_MAPPING_START_EVENT)
        return unexpected(reader, "a table of keys and values");
    if (status == SONDE_OK)
        status = next(reader);
    while (status == SONDE_OK && reader->event.type != YAML_MAPPING_END_EVENT) {
        status = take_top(reader);
        if (status == SONDE_OK)
            status = next(reader);
    }
    if (status == SONDE_OK)
        status = next(reader); /* end of the document */
    if (status == SONDE_OK)
        status = next(reader);
    if (status == SONDE_OK && reader->event.type != YAML_STREAM_END_EVENT)
        return unexpected(reader, "the end of the file");
    return status == SONDE_OK ? finish(reader) : status;
}

/* "dir/gathers.yaml" -> "gathers", of characters that a name may have. */
static void name_of_file(const char *file, char *name, size_t size)
{
    const char *slash = strrchr(file, '/');
    snprintf(name, size, "%.40s", slash != NULL ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name)
        *dot = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (strchr(" \t\n,\"'=/:", *c) != NULL || (unsigned char)*c < ' ')
            *c = '-';
    if (*name == '\0')
        snprintf(name, size, "probe");
}

enum sonde_status schema_parse_yaml(struct schema *schema, const char *text, size_t size,
                                    const char *file, struct sonde_error *error)
{
    struct reader reader = {.schema = schema, .first = schema->count, .file = file, .error = error};
    if (size > SCHEMA_FILE_LIMIT)
        return schema_fail(error, file, (struct schema_place){0, 0},
                           "the file has %zu bytes, more than the %u of a schema", size,
                           SCHEMA_FILE_LIMIT);
    if (!yaml_parser_initialize(&reader.parser))
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, size);
    name_of_file(file, reader.name, sizeof reader.name);
    enum sonde_status status = take_document(&reader);
    if (reader.has_event)
        yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    schema_probe_clear(&reader.shared);
    return status;
}
