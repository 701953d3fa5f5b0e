/* Help text, 80 columns at most, from the tables. */
#include <string.h>

#include "cli/cli.h"

enum { PAGE_WIDTH = 79, OPTION_COLUMN = 28 };

/* Words of `text` in lines up to PAGE_WIDTH, continued at column `indent`;
 * the cursor stands at `column`. */
static void print_wrapped(FILE *out, const char *text, size_t column, size_t indent)
{
    bool first = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        if (!first && column + 1 + length > PAGE_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", (int)length, text);
        column += length + (first ? 0 : 1);
        first = false;
        text += length;
        if (*text == '\n') {
            fprintf(out, "\n\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        text += *text != '\0';
    }
    fputc('\n', out);
}

static void print_entry(FILE *out, const char *left, const char *right, size_t column)
{
    size_t used = (size_t)fprintf(out, "  %s", left);
    if (used + 2 > column) {
        fputc('\n', out);
        used = 0;
    }
    fprintf(out, "%*s", (int)(column - used), "");
    print_wrapped(out, right, column, column);
}

static void print_option(FILE *out, const struct cli_option *option)
{
    char left[128];
    char letter[8] = "    ";
    bool single = option->letter == '-';
    if (option->letter != '\0' && !single)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s%s%s%s%s", letter, single ? "-" : "--", option->name,
             option->argument == NULL ? ""
             : single                 ? " "
                                      : "=",
             option->argument != NULL ? option->argument : "");
    print_entry(out, left, option->help, OPTION_COLUMN);
}

static void print_examples(FILE *out, const struct cli_example *example)
{
    fputs("\nExamples:\n", out);
    for (; example->command != NULL; example++)
        fprintf(out, "  %s\n      %s\n", example->command, example->what);
}

void cli_print_command_help(const struct cli_command *command, FILE *out)
{
    bool takes_operands = command->operands[0] != '\0';
    fprintf(out, "Usage: sonde %s [OPTION]...%s%s\n\n", command->name, takes_operands ? " " : "",
            command->operands);
    print_wrapped(out, command->description, 0, 0);
    fputs("\nOptions:\n", out);
    for (const enum cli_option_id *id = command->options; *id != CLI_OPTION_END; id++) {
        if (!cli_option_find(*id)->hidden)
            print_option(out, cli_option_find(*id));
    }
    print_option(out, cli_option_find(CLI_OPTION_COLOR));
    print_option(out, cli_option_find(CLI_OPTION_HELP));
    print_examples(out, command->examples);
}

void cli_print_overview(FILE *out)
{
    fputs("Usage: sonde COMMAND [OPTION]... [OPERAND]...\n\n", out);
    print_wrapped(out,
                  "Sonde counts and traces what GPU kernels execute, inside unmodified programs, "
                  "and proves that its figures are right.",
                  0, 0);
    fputs("\nCommands:\n", out);
    const struct cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        print_entry(out, command->name, command->summary, 16);
    fputs("\nOptions:\n", out);
    print_option(out, cli_option_find(CLI_OPTION_HELP));
    print_option(out, cli_option_find(CLI_OPTION_VERSION));
    fputs("\nExit status:\n", out);
    for (const struct cli_fact *fact = cli_exit_facts(); fact->name != NULL; fact++)
        print_entry(out, fact->name, fact->what, 12);
    fputs("\nExample:\n  sonde run -t opcodeprof -- ./my_opencl_program\n", out);
    fputs("\n'sonde COMMAND --help' explains a command.\n", out);
}

static void print_group(const char *group, FILE *out)
{
    const struct cli_command *command;
    size_t length = strlen(group);
    fprintf(out, "Usage: sonde %s COMMAND [OPTION]... [OPERAND]...\n\nCommands:\n", group);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (strncmp(command->name, group, length) == 0 && command->name[length] == ' ')
            print_entry(out, command->name, command->summary, 16);
    }
}

int cmd_help(const struct cli_arguments *arguments)
{
    if (cli_given(arguments, CLI_OPTION_MAN)) {
        cli_print_man(stdout);
        return CLI_EXIT_OK;
    }
    if (cli_given(arguments, CLI_OPTION_COMPLETION)) {
        cli_print_completion(stdout);
        return CLI_EXIT_OK;
    }
    if (arguments->operand_count == 0) {
        cli_print_overview(stdout);
        return CLI_EXIT_OK;
    }
    size_t used = 1;
    const struct cli_command *command =
        cli_command_match(arguments->operands, arguments->operand_count, &used);
    if (command == NULL && arguments->operand_count == 1 &&
        cli_command_is_group(arguments->operands[0])) {
        print_group(arguments->operands[0], stdout);
        return CLI_EXIT_OK;
    }
    if (command == NULL || used < arguments->operand_count) {
        cli_error("there is no command '%s%s%s'", arguments->operands[0],
                  arguments->operand_count > 1 ? " " : "",
                  arguments->operand_count > 1 ? arguments->operands[1] : "");
        cli_hint("try 'sonde --help'");
        return CLI_EXIT_USAGE;
    }
    cli_print_command_help(command, stdout);
    return CLI_EXIT_OK;
}
