#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"

struct pattern {
    char *glob; /* NULL = regex is set, or a number is asked for */
    regex_t regex;
    char what; /* 's' SIMD width, 'h' hash, 0 the name */
    uint64_t number;
};

struct analyze_matcher {
    struct pattern *patterns;
    size_t count;
};

static enum sonde_status take_number(struct pattern *pattern, struct analyze_matcher *matcher,
                                     const char *text, struct sonde_error *error)
{
    char *end;
    errno = 0;
    pattern->what = text[0];
    pattern->number = strtoull(text + 5, &end, text[0] == 'h' ? 16 : 10);
    if (text[5] == '\0' || *end != '\0' || errno != 0)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0, "'%s' names no %s", text,
                               text[0] == 'h' ? "hash of a kernel" : "SIMD width");
    matcher->count++;
    return SONDE_OK;
}

static enum sonde_status add_pattern(struct analyze_matcher *matcher, const char *text,
                                     struct sonde_error *error)
{
    struct pattern *pattern = &matcher->patterns[matcher->count];
    if (strncmp(text, "simd:", 5) == 0 || strncmp(text, "hash:", 5) == 0)
        return take_number(pattern, matcher, text, error);
    if (strncmp(text, "re:", 3) != 0) {
        pattern->glob = strdup(text);
        if (pattern->glob == NULL)
            return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    } else {
        int code = regcomp(&pattern->regex, text + 3, REG_EXTENDED | REG_NOSUB);
        if (code != 0) {
            char why[160];
            regerror(code, &pattern->regex, why, sizeof why);
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                                   "'%s' is no regular expression: %s", text + 3, why);
        }
    }
    matcher->count++;
    return SONDE_OK;
}

enum sonde_status analyze_matcher_create(const char *const *patterns, size_t count,
                                         struct analyze_matcher **matcher,
                                         struct sonde_error *error)
{
    struct analyze_matcher *made = calloc(1, sizeof *made);
    if (made == NULL)
        return sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    made->patterns = calloc(count + 1, sizeof *made->patterns);
    enum sonde_status status = SONDE_OK;
    if (made->patterns == NULL)
        status = sonde_error_set(error, SONDE_ERROR_MEMORY, 0, "out of memory");
    for (size_t i = 0; i < count && status == SONDE_OK; i++)
        status = add_pattern(made, patterns[i], error);
    if (status != SONDE_OK) {
        analyze_matcher_destroy(made);
        return status;
    }
    *matcher = made;
    return SONDE_OK;
}

void analyze_matcher_destroy(struct analyze_matcher *matcher)
{
    if (matcher == NULL)
        return;
    for (size_t i = 0; i < matcher->count; i++) {
        if (matcher->patterns[i].glob == NULL && matcher->patterns[i].what == 0)
            regfree(&matcher->patterns[i].regex);
        free(matcher->patterns[i].glob);
    }
    free(matcher->patterns);
    free(matcher);
}

static bool matches_name(const struct pattern *pattern, const char *name)
{
    if (pattern->what != 0)
        return false;
    if (pattern->glob == NULL)
        return regexec(&pattern->regex, name, 0, NULL, 0) == 0;
    if (strncmp(pattern->glob, "sub:", 4) == 0)
        return strstr(name, pattern->glob + 4) != NULL;
    return fnmatch(pattern->glob, name, 0) == 0;
}

bool analyze_matcher_accepts(const struct analyze_matcher *matcher, const char *name)
{
    if (matcher == NULL || matcher->count == 0)
        return true;
    for (size_t i = 0; i < matcher->count; i++) {
        const struct pattern *pattern = &matcher->patterns[i];
        if (matches_name(pattern, name))
            return true;
    }
    return false;
}

bool analyze_matcher_accepts_kernel(const struct analyze_matcher *matcher,
                                    const struct sonde_trace_kernel *kernel)
{
    if (analyze_matcher_accepts(matcher, kernel->name))
        return true;
    for (size_t i = 0; i < matcher->count; i++) {
        const struct pattern *pattern = &matcher->patterns[i];
        if (pattern->what != 0 &&
            pattern->number == (pattern->what == 'h' ? kernel->hash : kernel->simd_width))
            return true;
    }
    return false;
}
