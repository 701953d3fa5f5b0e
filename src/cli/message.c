#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static enum cli_color color_choice;
static bool quiet_choice;

void cli_message_set_color(enum cli_color color)
{
    color_choice = color;
}

void cli_message_set_quiet(bool quiet)
{
    quiet_choice = quiet;
}

/* no-color.org: any non-empty NO_COLOR turns colour off. */
bool cli_message_uses_color(FILE *stream)
{
    if (color_choice != CLI_COLOR_AUTO)
        return color_choice == CLI_COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    if (no_color != NULL && *no_color != '\0')
        return false;
    const char *terminal = getenv("TERM");
    if (terminal == NULL || strcmp(terminal, "dumb") == 0)
        return false;
    return isatty(fileno(stream)) != 0;
}

static void say(const char *kind, const char *color, const char *format, va_list arguments)
{
    fflush(stdout);
    bool colored = *color != '\0' && cli_message_uses_color(stderr);
    flockfile(stderr);
    fprintf(stderr, "sonde: %s%s%s", colored ? color : "", kind, colored ? "\033[0m" : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void cli_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("error: ", "\033[1;31m", format, arguments);
    va_end(arguments);
}

void cli_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("warning: ", "\033[1;33m", format, arguments);
    va_end(arguments);
}

void cli_note(const char *format, ...)
{
    if (quiet_choice)
        return;
    va_list arguments;
    va_start(arguments, format);
    say("", "", format, arguments);
    va_end(arguments);
}

void cli_hint(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", "", format, arguments);
    va_end(arguments);
}

/* Edit distance with adjacent transpositions, over words of up to 63 bytes. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { MAXIMUM = 63 };
    size_t m = strlen(a), n = strlen(b);
    if (m > MAXIMUM || n > MAXIMUM)
        return MAXIMUM + 1;
    size_t rows[3][MAXIMUM + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 1; i <= m; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

void cli_suggestion_begin(struct cli_suggestion *suggestion, const char *word)
{
    *suggestion = (struct cli_suggestion){.word = word, .distance = (size_t)-1};
}

void cli_suggestion_offer(struct cli_suggestion *suggestion, const char *candidate)
{
    size_t distance = edit_distance(suggestion->word, candidate);
    size_t length = strlen(suggestion->word);
    if (length >= 3 && strncmp(candidate, suggestion->word, length) == 0)
        distance = 1;
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        suggestion->best = candidate;
    }
}

const char *cli_suggestion_end(const struct cli_suggestion *suggestion)
{
    size_t allowed = 1 + strlen(suggestion->word) / 4;
    return suggestion->best != NULL && suggestion->distance <= allowed ? suggestion->best : NULL;
}
