/* The manual page sonde(1) and the bash completion script, from the tables. */
#include <string.h>

#include "cli/cli.h"

/* Text for troff: a leading dot or quote, backslashes and hyphens escaped. */
static void print_roff(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\n')
            fputs("\n.PP\n", out);
        else
            fputc(*text, out);
    }
}

static void print_tagged(FILE *out, const char *tag, const char *text)
{
    fputs(".TP\n.B ", out);
    print_roff(out, tag);
    fputc('\n', out);
    print_roff(out, text);
    fputc('\n', out);
}

static void print_option(FILE *out, const struct cli_option *option)
{
    fputs(".TP\n", out);
    bool single = option->letter == '-';
    if (option->letter != '\0' && !single)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs(single ? "\\fB\\-" : "\\fB\\-\\-", out);
    print_roff(out, option->name);
    fputs("\\fR", out);
    if (option->argument != NULL) {
        fputs(single ? " \\fI" : "=\\fI", out);
        print_roff(out, option->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    print_roff(out, option->help);
    fputc('\n', out);
}

static void print_command(FILE *out, const struct cli_command *command)
{
    fprintf(out, ".SS sonde %s [OPTION]... ", command->name);
    print_roff(out, command->operands);
    fputc('\n', out);
    print_roff(out, command->summary);
    fputs(".\n.PP\n", out);
    print_roff(out, command->description);
    fputc('\n', out);
    for (const enum cli_option_id *id = command->options; *id != CLI_OPTION_END; id++) {
        if (!cli_option_find(*id)->hidden)
            print_option(out, cli_option_find(*id));
    }
}

void cli_print_man(FILE *out)
{
    const struct cli_command *command;
    fputs(".TH SONDE 1 \"\" \"Sonde " SONDE_VERSION "\" \"User Commands\"\n"
          ".SH NAME\nsonde \\- count and trace what GPU kernels execute\n"
          ".SH SYNOPSIS\n.B sonde\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n"
          ".SH DESCRIPTION\n"
          "Sonde inserts instrumentation into the kernels of unmodified programs, records what it\n"
          "counts, and proves that its figures are right.\n"
          ".SH COMMANDS\n",
          out);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        print_command(out, command);
    fputs(".SH COMMON OPTIONS\n", out);
    print_option(out, cli_option_find(CLI_OPTION_COLOR));
    print_option(out, cli_option_find(CLI_OPTION_HELP));
    print_option(out, cli_option_find(CLI_OPTION_VERSION));
    fputs(".SH EXIT STATUS\n", out);
    for (const struct cli_fact *fact = cli_exit_facts(); fact->name != NULL; fact++)
        print_tagged(out, fact->name, fact->what);
    fputs(".SH ENVIRONMENT\n", out);
    for (const struct cli_fact *fact = cli_environment_facts(); fact->name != NULL; fact++)
        print_tagged(out, fact->name, fact->what);
    fputs(".SH FILES\n.TP\n.I sonde.data\nThe recorded run, a directory.\n"
          ".TP\n.I sonde.data.old\nThe run before it.\n.SH EXAMPLES\n",
          out);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        for (const struct cli_example *example = command->examples; example->command != NULL;
             example++)
            print_tagged(out, example->command, example->what);
    }
}

static void print_completion_case(FILE *out, const struct cli_command *command)
{
    fprintf(out, "    \"%s\") words=\"", command->name);
    for (const enum cli_option_id *id = command->options; *id != CLI_OPTION_END; id++) {
        if (!cli_option_find(*id)->hidden)
            fprintf(out, "%s%s ", cli_option_find(*id)->letter == '-' ? "-" : "--",
                    cli_option_find(*id)->name);
    }
    fputs("--color --help\" ;;\n", out);
}

static bool is_first_of_group(size_t index)
{
    const char *name = cli_command_at(index)->name;
    size_t length = strcspn(name, " ");
    for (size_t i = 0; i < index; i++) {
        const char *other = cli_command_at(i)->name;
        if (strncmp(other, name, length) == 0 && other[length] == ' ')
            return false;
    }
    return true;
}

static void print_first_word(FILE *out, size_t index)
{
    const char *name = cli_command_at(index)->name;
    if (is_first_of_group(index))
        fprintf(out, "%.*s ", (int)strcspn(name, " "), name);
}

/* The second words of a group, and its commands by both words. */
static void print_group_case(FILE *out, size_t index)
{
    const struct cli_command *command = cli_command_at(index);
    size_t length = strcspn(command->name, " ");
    if (command->name[length] == '\0' || !is_first_of_group(index))
        return;
    fprintf(out,
            "    %.*s) command=\"$command ${COMP_WORDS[2]}\"\n      [ \"$COMP_CWORD\" -eq 2 ] "
            "&& words=\"",
            (int)length, command->name);
    const char *group = command->name;
    for (size_t i = index; (command = cli_command_at(i)) != NULL; i++) {
        if (strncmp(command->name, group, length + 1) == 0)
            fprintf(out, "%s ", command->name + length + 1);
    }
    fputs("\" ;;\n", out);
}

void cli_print_completion(FILE *out)
{
    const struct cli_command *command;
    fputs("# Completion of sonde for bash, made from its table of commands.\n"
          "_sonde()\n{\n"
          "  local word=\"${COMP_WORDS[COMP_CWORD]}\" words=\"\" command=\"${COMP_WORDS[1]}\"\n"
          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words=\"",
          out);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        print_first_word(out, i);
    fputs("--help --version\"\n  else\n"
          "    case \"${COMP_WORDS[1]}\" in\n",
          out);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        print_group_case(out, i);
    fputs("    esac\n    case \"$command\" in\n", out);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        print_completion_case(out, command);
    fputs(
        "    esac\n"
        "    if [ \"${COMP_WORDS[1]}\" = list ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
        "      words=\"tools devices columns kernels\"\n    fi\n"
        "    if [ \"${COMP_WORDS[COMP_CWORD-1]}\" = --format ]; then words=\"text csv json\"; fi\n"
        "    if [ \"${COMP_WORDS[COMP_CWORD-1]}\" = -t ]; then\n"
        "      words=\"$(sonde list tools 2>/dev/null | cut -d' ' -f1)\"\n    fi\n"
        "  fi\n"
        "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "}\ncomplete -o default -F _sonde sonde\n",
        out);
}
