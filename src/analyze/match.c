#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"

struct pattern {
    char *glob; /* NULL = regex is set */
    regex_t regex;
};

struct analyze_matcher {
    struct pattern *patterns;
    size_t count;
};

static enum sonde_status add_pattern(struct analyze_matcher *matcher, const char *text,
                                     struct sonde_error *error)
{
    struct pattern *pattern = &matcher->patterns[matcher->count];
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
        if (matcher->patterns[i].glob == NULL)
            regfree(&matcher->patterns[i].regex);
        free(matcher->patterns[i].glob);
    }
    free(matcher->patterns);
    free(matcher);
}

bool analyze_matcher_accepts(const struct analyze_matcher *matcher, const char *name)
{
    if (matcher == NULL || matcher->count == 0)
        return true;
    for (size_t i = 0; i < matcher->count; i++) {
        const struct pattern *pattern = &matcher->patterns[i];
        bool matches = pattern->glob != NULL ? fnmatch(pattern->glob, name, 0) == 0
                                             : regexec(&pattern->regex, name, 0, NULL, 0) == 0;
        if (matches)
            return true;
    }
    return false;
}
