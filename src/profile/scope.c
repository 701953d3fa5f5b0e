#include "profile/scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

static const char *const field_names[SONDE_GEN_THREAD_FIELD_COUNT] = {
    [SONDE_GEN_THREAD_SLICE] = "slice",
    [SONDE_GEN_THREAD_SUBSLICE] = "subslice",
    [SONDE_GEN_THREAD_UNIT] = "eu",
    [SONDE_GEN_THREAD_SLOT] = "slot",
};

static bool take_number(const char **text, uint64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    bool hex = (*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X');
    errno = 0;
    *number = strtoull(*text, &end, hex ? 16 : 10);
    bool good = errno == 0 && *number <= UINT32_MAX && end != *text;
    *text = end;
    return good;
}

static enum sonde_status find_field(const char *word, size_t length, const char *source,
                                    unsigned *field, struct sonde_error *error)
{
    char name[32];
    struct base_suggestion suggestion;
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), word);
    base_suggestion_begin(&suggestion, name);
    for (*field = 0; *field < SONDE_GEN_THREAD_FIELD_COUNT; ++*field) {
        if (strcmp(field_names[*field], name) == 0)
            return SONDE_OK;
        base_suggestion_offer(&suggestion, field_names[*field]);
    }
    const char *meant = base_suggestion_end(&suggestion);
    return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                           "%s: threads are not chosen by '%s'%s%s%s (allowed: slice, subslice, "
                           "eu, slot)",
                           source, name, meant != NULL ? "; did you mean '" : "",
                           meant != NULL ? meant : "", meant != NULL ? "'?" : "");
}

enum sonde_status profile_scope_parse_threads(const char *text, const char *source,
                                              struct profile_scope *scope,
                                              struct sonde_error *error)
{
    do {
        unsigned field;
        uint64_t mask;
        size_t length = strcspn(text, "=,");
        if (text[length] != '=')
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                                   "%s: '%.40s' is no FIELD=MASK, such as eu=0x3", source, text);
        enum sonde_status status = find_field(text, length, source, &field, error);
        if (status != SONDE_OK)
            return status;
        text += length + 1;
        const char *value = text;
        if (!take_number(&text, &mask) || (*text != ',' && *text != '\0') || mask == 0)
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                                   "%s: %s takes a mask with a bit for each number, such as 0x3, "
                                   "not '%.20s'",
                                   source, field_names[field], value);
        if (scope->fields[field].is_given)
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "%s: %s comes twice", source,
                                   field_names[field]);
        scope->fields[field].is_given = true;
        scope->fields[field].mask = (uint32_t)mask;
    } while (*text++ == ',');
    return SONDE_OK;
}

static bool take_range(const char **text, struct profile_scope_range *range)
{
    uint64_t first, last;
    if (!take_number(text, &first))
        return false;
    last = first;
    if (**text == '-') {
        ++*text;
        if (!take_number(text, &last))
            return false;
    }
    *range = (struct profile_scope_range){(uint32_t)first, (uint32_t)last};
    return first <= last;
}

enum sonde_status profile_scope_parse_groups(const char *text, const char *source,
                                             struct profile_scope *scope, struct sonde_error *error)
{
    static const char *const axis_names[] = {"x", "y", "z"};
    unsigned axis = 0;
    do {
        const char *word = text;
        size_t *count = axis < 3 ? &scope->axes[axis].count : NULL;
        bool good = count != NULL;
        if (good)
            *count = 0;
        if (good && *text == '*') {
            text++;
        } else {
            for (bool more = good; more && good;) {
                good = *count < PROFILE_SCOPE_RANGES &&
                       take_range(&text, &scope->axes[axis].ranges[*count]);
                *count += good;
                more = good && *text == '+';
                text += more;
            }
        }
        if (!good || (*text != ',' && *text != '\0'))
            return axis < 3
                       ? sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                                         "%s: groups in %s are *, N or N-M, up to %u of them with "
                                         "+ between, not '%.40s'",
                                         source, axis_names[axis], PROFILE_SCOPE_RANGES, word)
                       : sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                                         "%s: groups have three numbers, x, y and z, and nothing "
                                         "behind them",
                                         source);
        axis++;
    } while (*text++ == ',');
    return SONDE_OK;
}

bool profile_scope_is_all(const struct profile_scope *scope)
{
    for (unsigned f = 0; f < SONDE_GEN_THREAD_FIELD_COUNT; f++)
        if (scope->fields[f].is_given)
            return false;
    return scope->axes[0].count + scope->axes[1].count + scope->axes[2].count == 0;
}

bool profile_scope_selects(const struct profile_scope *scope, enum sonde_gen_platform platform,
                           uint32_t state, const uint32_t group[3])
{
    for (unsigned f = 0; f < SONDE_GEN_THREAD_FIELD_COUNT; f++) {
        uint32_t number = sonde_gen_thread_field(platform, (enum sonde_gen_thread_field)f, state);
        if (scope->fields[f].is_given && (scope->fields[f].mask >> number & 1) == 0)
            return false;
    }
    for (unsigned axis = 0; axis < 3; axis++) {
        bool found = scope->axes[axis].count == 0;
        for (size_t i = 0; i < scope->axes[axis].count && !found; i++)
            found = group[axis] >= scope->axes[axis].ranges[i].first &&
                    group[axis] <= scope->axes[axis].ranges[i].last;
        if (!found)
            return false;
    }
    return true;
}
