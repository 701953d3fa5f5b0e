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
