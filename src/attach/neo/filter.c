#include "attach/neo/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct attach_pattern {
    bool include;
    bool is_regex;
    char *glob;
    regex_t regex;
};

static enum sonde_status add_pattern(struct attach_filter *filter, const char *line,
                                     struct sonde_error *error)
{
    if (base_array_reserve((void **)&filter->patterns, &filter->capacity, filter->count + 1,
                           sizeof *filter->patterns) != SONDE_OK)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    struct attach_pattern *pattern = &filter->patterns[filter->count];
    *pattern = (struct attach_pattern){.include = line[0] == '+'};
    const char *text = line + 1;
    if (strncmp(text, "re:", 3) == 0) {
        int failure = regcomp(&pattern->regex, text + 3, REG_EXTENDED | REG_NOSUB);
        if (failure != 0) {
            char reason[128];
            regerror(failure, &pattern->regex, reason, sizeof reason);
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "kernel filter %s: %s", text,
                                   reason);
        }
        pattern->is_regex = true;
    } else if ((pattern->glob = strdup(text)) == NULL) {
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    }
    filter->has_include = filter->has_include || pattern->include;
    filter->count++;
    return SONDE_OK;
}

static enum sonde_status take_number(const char *line, uint64_t *number, struct sonde_error *error)
{
    const char *digits = strchr(line, '=') + 1;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end != '\0' || errno != 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "filter %s: no number", line);
    *number = value;
    return SONDE_OK;
}

static enum sonde_status take_line(struct attach_filter *filter, const char *line,
                                   struct sonde_error *error)
{
    if (line[0] == '+' || line[0] == '-')
        return add_pattern(filter, line, error);
    if (strncmp(line, "skip=", 5) == 0)
        return take_number(line, &filter->skip, error);
    if (strncmp(line, "count=", 6) == 0)
        return take_number(line, &filter->take, error);
    if (strncmp(line, "threads=", 8) == 0)
        return profile_scope_parse_threads(line + 8, "threads", &filter->scope, error);
    if (strncmp(line, "groups=", 7) == 0)
        return profile_scope_parse_groups(line + 7, "groups", &filter->scope, error);
    return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "filter line not understood: %s", line);
}

enum sonde_status attach_filter_parse(struct attach_filter *filter, const char *text,
                                      struct sonde_error *error)
{
    *filter = (struct attach_filter){.take = UINT64_MAX};
    if (text == NULL)
        return SONDE_OK;
    char *copy = strdup(text);
    if (copy == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    enum sonde_status result = SONDE_OK;
    char *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        struct sonde_error problem;
        enum sonde_status status = take_line(filter, line, &problem);
        if (status != SONDE_OK && result == SONDE_OK) {
            result = status;
            if (error != NULL)
                *error = problem;
        }
    }
    free(copy);
    return result;
}

/* sub:TEXT, simd:N, hash:HEX; otherwise a pattern over the name. */
static bool matches(const struct attach_pattern *pattern, const char *name, uint32_t simd_width,
                    uint64_t hash)
{
    const char *glob = pattern->glob;
    if (!pattern->is_regex && strncmp(glob, "sub:", 4) == 0)
        return strstr(name, glob + 4) != NULL;
    if (!pattern->is_regex && strncmp(glob, "simd:", 5) == 0)
        return strtoul(glob + 5, NULL, 10) == simd_width;
    if (!pattern->is_regex && strncmp(glob, "hash:", 5) == 0)
        return strtoull(glob + 5, NULL, 16) == hash;
    return pattern->is_regex ? regexec(&pattern->regex, name, 0, NULL, 0) == 0
                             : fnmatch(pattern->glob, name, 0) == 0;
}

bool attach_filter_selects_kernel(const struct attach_filter *filter, const char *name,
                                  uint32_t simd_width, uint64_t hash)
{
    bool included = !filter->has_include;
    for (size_t i = 0; i < filter->count; i++) {
        if (!matches(&filter->patterns[i], name, simd_width, hash))
            continue;
        if (!filter->patterns[i].include)
            return false;
        included = true;
    }
    return included;
}

bool attach_filter_selects_dispatch(const struct attach_filter *filter, uint64_t number)
{
    return number >= filter->skip && number - filter->skip < filter->take;
}

void attach_filter_clear(struct attach_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        free(filter->patterns[i].glob);
        if (filter->patterns[i].is_regex)
            regfree(&filter->patterns[i].regex);
    }
    free(filter->patterns);
    *filter = (struct attach_filter){.take = UINT64_MAX};
}
