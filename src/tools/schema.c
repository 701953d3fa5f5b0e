/* Schemas in memory: values, and what they have to be. */
#include "tools/schema.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "base/array.h"
#include "base/words.h"
#include "sonde/gen.h"

/* Registers of the largest register file. */
#define REGISTERS 256u

enum sonde_status schema_fail(struct sonde_error *error, const char *source,
                              struct schema_place place, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (place.line == 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "%s: %s", source, text);
    return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "%s:%u:%u: %s", source, place.line,
                           place.column, text);
}

static enum sonde_status no_memory(struct sonde_error *error)
{
    return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
}

struct schema_probe *schema_add_probe(struct schema *schema, struct schema_place place)
{
    if (base_array_reserve((void **)&schema->probes, &schema->capacity, schema->count + 1,
                           sizeof *schema->probes) != SONDE_OK)
        return NULL;
    struct schema_probe *probe = &schema->probes[schema->count++];
    *probe = (struct schema_probe){.place = place};
    return probe;
}

/* --- parts of values ---------------------------------------------------------------- */

static bool take_number(const char **text, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    bool hex = (*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X');
    *number = strtoull(*text, &end, hex ? 16 : 10);
    bool good = errno == 0 && end != *text;
    *text = end;
    return good;
}

bool schema_range_parse(const char *text, struct schema_range *range)
{
    if (!take_number(&text, &range->first))
        return false;
    range->last = range->first;
    if (*text == '-') {
        text++;
        if (!take_number(&text, &range->last))
            return false;
    }
    return *text == '\0' && range->first <= range->last;
}

static bool take_register(const char **text, uint32_t *number)
{
    uint64_t value;
    if (**text != 'r')
        return false;
    ++*text;
    if (!take_number(text, &value) || value >= REGISTERS)
        return false;
    *number = (uint32_t)value;
    return true;
}

bool schema_grf_parse(const char *text, struct schema_grf *grf)
{
    static const char *const operands[] = {"dst", "src0", "src1", "src2"};
    *grf = (struct schema_grf){.operand = SCHEMA_GRF, .count = 1, .dword = UINT32_MAX};
    for (unsigned o = 0; o < sizeof operands / sizeof *operands; o++)
        if (strcmp(text, operands[o]) == 0) {
            grf->operand = (enum schema_operand)o;
            return true;
        }
    uint32_t last;
    uint64_t dword;
    if (!take_register(&text, &grf->first))
        return false;
    if (*text == '-') {
        text++;
        if (!take_register(&text, &last) || last < grf->first)
            return false;
        grf->count = last - grf->first + 1;
    } else if (*text == '.') {
        text++;
        if (!take_number(&text, &dword) || dword >= 16)
            return false;
        grf->dword = (uint32_t)dword;
    }
    return *text == '\0';
}

bool schema_line_parse(const char *text, struct schema_line *line)
{
    const char *colon = strrchr(text, ':');
    line->file_length = colon == NULL ? 0 : (size_t)(colon - text);
    return schema_range_parse(colon == NULL ? text : colon + 1, &line->lines) &&
           line->lines.first != 0 && (colon == NULL || colon != text);
}

/* --- values ------------------------------------------------------------------------------ */

static bool any_opcode(const char *pattern, struct base_suggestion *suggestion)
{
    bool found = false;
    for (unsigned o = 0; o < SONDE_GEN_OPCODE_COUNT; o++) {
        const char *mnemonic = sonde_gen_opcode_mnemonic((enum sonde_gen_opcode)o);
        if (mnemonic == NULL || *mnemonic == '\0')
            continue;
        base_suggestion_offer(suggestion, mnemonic);
        found = found || fnmatch(pattern, mnemonic, 0) == 0;
    }
    return found;
}

static const struct schema_word *find_word(const struct schema_word *words, const char *value,
                                           struct base_suggestion *suggestion, char *list,
                                           size_t size)
{
    *list = '\0';
    for (; words->name != NULL; words++) {
        if (strcmp(words->name, value) == 0)
            return words;
        base_suggestion_offer(suggestion, words->name);
        size_t used = strlen(list);
        snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", words->name);
    }
    return NULL;
}

static enum sonde_status check_word(struct schema_probe *probe, enum schema_key key,
                                    const char *value, const char *source,
                                    struct schema_place place, struct sonde_error *error)
{
    const struct schema_key_row *row = schema_key_at(key);
    struct base_suggestion suggestion;
    char list[300];
    base_suggestion_begin(&suggestion, value);
    const struct schema_word *word = find_word(row->words, value, &suggestion, list, sizeof list);
    if (word != NULL) {
        probe->masks[key] |= 1u << word->value;
        return SONDE_OK;
    }
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        return schema_fail(error, source, place,
                           "%s takes no '%.40s'; did you mean '%s'? (allowed: %s)", row->name,
                           value, meant, list);
    return schema_fail(error, source, place, "%s takes no '%.40s' (allowed: %s)", row->name, value,
                       list);
}

static enum sonde_status check_opcode(const char *value, const char *source,
                                      struct schema_place place, struct sonde_error *error)
{
    struct base_suggestion suggestion;
    base_suggestion_begin(&suggestion, value);
    if (any_opcode(value, &suggestion))
        return SONDE_OK;
    const char *meant = base_suggestion_end(&suggestion);
    return schema_fail(error, source, place, "no mnemonic matches '%.40s'%s%s%s", value,
                       meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                       meant != NULL ? "'?" : "");
}

static enum sonde_status check_kernel(const char *value, const char *source,
                                      struct schema_place place, struct sonde_error *error)
{
    struct analyze_matcher *matcher;
    struct sonde_error why;
    enum sonde_status status = analyze_matcher_create(&value, 1, &matcher, &why);
    if (status != SONDE_OK)
        return schema_fail(error, source, place, "%s", why.message);
    analyze_matcher_destroy(matcher);
    return SONDE_OK;
}

static enum sonde_status check_form(struct schema_probe *probe, enum schema_key key,
                                    const char *value, const char *source,
                                    struct schema_place place, struct sonde_error *error)
{
    const struct schema_key_row *row = schema_key_at(key);
    struct schema_range range;
    struct schema_line line;
    struct schema_grf grf;
    bool good = *value != '\0';
    switch (row->form) {
    case SCHEMA_WORD:
    case SCHEMA_WORDS:
        return check_word(probe, key, value, source, place, error);
    case SCHEMA_KERNELS:
        return check_kernel(value, source, place, error);
    case SCHEMA_OPCODES:
        return check_opcode(value, source, place, error);
    case SCHEMA_TEXT:
        good = good && strlen(value) <= 60 && strpbrk(value, " \t\n,\"'=/:") == NULL;
        break;
    case SCHEMA_RANGES:
        good = schema_range_parse(value, &range);
        break;
    case SCHEMA_LINES:
        good = schema_line_parse(value, &line);
        break;
    case SCHEMA_GRFS:
        good = schema_grf_parse(value, &grf);
        break;
    }
    return good ? SONDE_OK
                : schema_fail(error, source, place, "%s takes %s, not '%.60s'", row->name,
                              row->values, value);
}

enum sonde_status schema_probe_add(struct schema_probe *probe, enum schema_key key,
                                   const char *value, const char *source, struct schema_place place,
                                   struct sonde_error *error)
{
    const struct schema_key_row *row = schema_key_at(key);
    struct schema_values *values = &probe->values[key];
    bool single = row->form == SCHEMA_TEXT || row->form == SCHEMA_WORD;
    if (*value == '\0')
        return schema_fail(error, source, place, "%s needs a value", row->name);
    if (strlen(value) > 4000)
        return schema_fail(error, source, place, "the value of %s is too long", row->name);
    for (const char *c = value; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return schema_fail(error, source, place,
                               "%s takes no control characters such as 0x%02x", row->name,
                               (unsigned)(unsigned char)*c);
    if (values->count >= (single ? 1u : SCHEMA_VALUE_LIMIT))
        return schema_fail(error, source, place,
                           single ? "%s takes one value, not also '%.40s'"
                                  : "%s has too many values, at '%.40s'",
                           row->name, value);
    enum sonde_status status = check_form(probe, key, value, source, place, error);
    if (status != SONDE_OK)
        return status;
    char *copy = strdup(value);
    if (copy == NULL || base_array_reserve((void **)&values->items, &values->capacity,
                                           values->count + 1, sizeof *values->items) != SONDE_OK) {
        free(copy);
        return no_memory(error);
    }
    if (values->count == 0)
        values->place = place;
    values->items[values->count++] = copy;
    return SONDE_OK;
}

bool schema_value(const struct schema_probe *probe, enum schema_key key, uint32_t *value)
{
    if (probe->masks[key] == 0)
        return false;
    *value = (uint32_t)__builtin_ctz(probe->masks[key]);
    return true;
}

const char *schema_text(const struct schema_probe *probe, enum schema_key key)
{
    return probe->values[key].count > 0 ? probe->values[key].items[0] : NULL;
}

bool schema_is_at_instructions(const struct schema_probe *probe)
{
    for (unsigned k = 0; k < SCHEMA_KEY_COUNT; k++)
        if (schema_key_at((enum schema_key)k)->chooses_instructions && probe->values[k].count > 0)
            return true;
    return false;
}

bool schema_has(const struct schema *schema, enum schema_key key)
{
    for (size_t i = 0; i < schema->count; i++)
        if (schema->probes[i].values[key].count > 0)
            return true;
    return false;
}

bool schema_is_at_kernel(const struct schema_probe *probe)
{
    return (probe->masks[SCHEMA_BLOCK] & 1u << SCHEMA_BLOCK_KERNEL) != 0;
}

void schema_probe_clear(struct schema_probe *probe)
{
    for (unsigned k = 0; k < SCHEMA_KEY_COUNT; k++) {
        struct schema_values *values = &probe->values[k];
        for (size_t i = 0; i < values->count; i++)
            free(values->items[i]);
        free(values->items);
    }
    *probe = (struct schema_probe){.place = {0, 0}};
}

void schema_clear(struct schema *schema)
{
    for (size_t p = 0; p < schema->count; p++)
        schema_probe_clear(&schema->probes[p]);
    free(schema->probes);
    free(schema->summary);
    free(schema->threads);
    free(schema->groups);
    *schema = (struct schema){.probes = NULL};
}
