#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/msp430_setup.h"
#include "sonde/msp430_as.h"

enum { INPUT_LIMIT = 256 << 20 };

static const char *display_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* The whole file in *text (malloc'ed); false when it cannot be read (said). */
static bool read_input(const char *path, char **text, size_t *size)
{
    FILE *file = is_dash(path) ? stdin : fopen(path, "rb");
    *text = NULL;
    *size = 0;
    if (file == NULL) {
        cli_error("cannot open %s: %s", path, strerror(errno));
        return false;
    }
    size_t room = 0;
    bool right = true;
    do {
        if (*size == room) {
            room = room > 0 ? 2 * room : 65536;
            char *grown = room <= INPUT_LIMIT ? realloc(*text, room) : NULL;
            if (grown == NULL) {
                cli_error("%s is too large", path);
                right = false;
                break;
            }
            *text = grown;
        }
        *size += fread(*text + *size, 1, room - *size, file);
    } while (!feof(file) && !ferror(file));
    if (ferror(file)) {
        cli_error("cannot read %s: %s", path, strerror(errno));
        right = false;
    }
    if (file != stdin)
        fclose(file);
    return right;
}

static void report(const struct cli_arguments *arguments,
                   const struct sonde_msp430_as_result *result)
{
    const char *file = display_name(arguments->operands[0]);
    for (size_t i = 0; i < result->remark_count; i++) {
        const struct sonde_msp430_as_remark *remark = &result->remarks[i];
        char place[16] = "";
        if (remark->line > 0)
            snprintf(place, sizeof place, ":%u", remark->line);
        if (remark->kind == SONDE_MSP430_AS_UNCERTAIN)
            cli_warning("%s%s: %s", file, place, remark->text);
        else
            cli_note("%s%s: %s", file, place, remark->text);
    }
    cli_note("%s: %zu function%s, %zu entry and %zu exit markers, %zu jump%s widened", file,
             result->function_count, result->function_count == 1 ? "" : "s", result->enter_count,
             result->exit_count, result->widened_count, result->widened_count == 1 ? "" : "s");
}

static int mark(const struct cli_arguments *arguments, const char *output,
                const struct sonde_msp430_as_options *options)
{
    const char *input = arguments->operands[0];
    struct sonde_msp430_as_result result;
    struct sonde_error error;
    char *text;
    size_t size;
    int status = CLI_EXIT_FAILURE;
    if (read_input(input, &text, &size)) {
        if (sonde_msp430_as(display_name(input), text, size, options, &result, &error) !=
            SONDE_OK) {
            cli_error("%s", error.message);
        } else {
            if (msp430_write_file(output, result.text, result.size)) {
                report(arguments, &result);
                status = CLI_EXIT_OK;
            }
            sonde_msp430_as_clear(&result);
        }
    }
    free(text);
    return status;
}

int cmd_msp430_as(const struct cli_arguments *arguments)
{
    const char *core = cli_value(arguments, CLI_OPTION_CORE, "cpu");
    const char *output = cli_value(arguments, CLI_OPTION_OUTPUT_FILE, NULL);
    const struct cli_values *exclude = &arguments->options[CLI_OPTION_EXCLUDE_FUNCTION];
    struct sonde_msp430_as_options options = {
        .core = strcmp(core, "cpux") == 0 ? SONDE_MSP430_CORE_CPUX : SONDE_MSP430_CORE_CPU,
        .automatic = cli_given(arguments, CLI_OPTION_AUTO),
        .exclude = exclude->items,
        .exclude_count = exclude->count};
    struct sonde_error error;
    options.markers = sonde_msp430_default_markers(options.core);
    if (!msp430_take_markers(arguments, &options.markers))
        return CLI_EXIT_USAGE;
    if (sonde_msp430_markers_check(options.core, options.markers, &error) != SONDE_OK) {
        cli_error("%s", error.message);
        return CLI_EXIT_USAGE;
    }
    if (output == NULL) {
        cli_error("sonde msp430 as needs --output; '-o -' writes to stdout");
        return CLI_EXIT_USAGE;
    }
    if (exclude->count > 0 && !options.automatic) {
        cli_error("--exclude says what --auto leaves out; it needs --auto");
        return CLI_EXIT_USAGE;
    }
    return mark(arguments, output, &options);
}
