#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { LONG_BASE = 256 }; /* getopt values of options: LONG_BASE + id */

static int usage_status(const struct cli_command *command)
{
    return command->wraps_program ? CLI_EXIT_SONDE : CLI_EXIT_USAGE;
}

static int usage_hint(const struct cli_command *command)
{
    cli_hint("try 'sonde %s --help'", command->name);
    return usage_status(command);
}

/* The tables of getopt_long for one command. */
struct getopt_tables {
    char letters[3 * CLI_OPTION_COUNT];
    struct option longs[CLI_OPTION_COUNT + 1];
    size_t count;
};

static void add_option(struct getopt_tables *tables, const struct cli_option *option)
{
    int argument = option->argument != NULL ? required_argument : no_argument;
    tables->longs[tables->count++] =
        (struct option){option->name, argument, NULL, LONG_BASE + (int)option->id};
    if (option->letter == '\0' || option->letter == '-')
        return;
    size_t end = strlen(tables->letters);
    tables->letters[end++] = option->letter;
    if (argument == required_argument)
        tables->letters[end++] = ':';
    tables->letters[end] = '\0';
}

static void make_tables(const struct cli_command *command, struct getopt_tables *tables)
{
    memset(tables, 0, sizeof *tables);
    /* '+': the first operand ends the options; ':': tell a missing value from
     * an unknown option. */
    strcpy(tables->letters, command->wraps_program ? "+:" : ":");
    for (const enum cli_option_id *id = command->options; *id != CLI_OPTION_END; id++)
        add_option(tables, cli_option_find(*id));
    add_option(tables, cli_option_find(CLI_OPTION_COLOR));
    add_option(tables, cli_option_find(CLI_OPTION_HELP));
}

static const struct cli_option *option_of_value(const struct getopt_tables *tables, int value)
{
    if (value >= LONG_BASE)
        return cli_option_find((enum cli_option_id)(value - LONG_BASE));
    for (size_t i = 0; i < tables->count; i++) {
        const struct cli_option *option =
            cli_option_find((enum cli_option_id)(tables->longs[i].val - LONG_BASE));
        if (option->letter == value)
            return option;
    }
    return NULL;
}

static int unknown_option(const struct cli_command *command, const struct getopt_tables *tables,
                          const char *word)
{
    char name[64];
    if (strncmp(word, "--", 2) != 0) {
        cli_error("sonde %s has no option -%c", command->name, optopt);
        return usage_hint(command);
    }
    snprintf(name, sizeof name, "%s", word + 2);
    name[strcspn(name, "=")] = '\0';
    struct base_suggestion suggestion;
    base_suggestion_begin(&suggestion, name);
    for (size_t i = 0; i < tables->count; i++)
        base_suggestion_offer(&suggestion, tables->longs[i].name);
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        cli_error("sonde %s has no option --%s; did you mean --%s?", command->name, name, meant);
    else
        cli_error("sonde %s has no option --%s", command->name, name);
    return usage_hint(command);
}

static int check_choice(const struct cli_command *command, const struct cli_option *option,
                        const char *value)
{
    if (option->choices == NULL)
        return -1;
    struct base_suggestion suggestion;
    base_suggestion_begin(&suggestion, value);
    char list[256] = "";
    for (const char *const *choice = option->choices; *choice != NULL; choice++) {
        if (strcmp(*choice, value) == 0)
            return -1;
        base_suggestion_offer(&suggestion, *choice);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", *choice);
    }
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        cli_error("--%s takes no '%s'; did you mean '%s'? (one of %s)", option->name, value, meant,
                  list);
    else
        cli_error("--%s takes no '%s', but one of: %s", option->name, value, list);
    return usage_hint(command);
}

static bool add_value(struct cli_values *values, const struct cli_option *option, const char *value)
{
    if (values->count > 0 && !option->repeated) {
        values->items[0] = value;
        return true;
    }
    const char **grown = realloc(values->items, (values->count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    values->items = grown;
    values->items[values->count++] = value;
    return true;
}

static int take_option(const struct cli_command *command, const struct cli_option *option,
                       struct cli_arguments *arguments)
{
    if (option->id == CLI_OPTION_HELP) {
        cli_print_command_help(command, stdout);
        return CLI_EXIT_OK;
    }
    const char *value = option->argument != NULL ? optarg : "";
    if (option->argument != NULL) {
        int status = check_choice(command, option, value);
        if (status >= 0)
            return status;
    }
    if (option->id == CLI_OPTION_COLOR)
        cli_message_set_color(strcmp(value, "always") == 0  ? CLI_COLOR_ALWAYS
                              : strcmp(value, "never") == 0 ? CLI_COLOR_NEVER
                                                            : CLI_COLOR_AUTO);
    if (option->id == CLI_OPTION_QUIET)
        cli_message_set_quiet(true);
    if (!add_value(&arguments->options[option->id], option, value)) {
        cli_error("out of memory");
        return CLI_EXIT_FAILURE;
    }
    return -1;
}

static int check_operands(const struct cli_command *command, const struct cli_arguments *arguments)
{
    if (arguments->operand_count < command->operand_minimum) {
        cli_error("sonde %s needs %s", command->name, command->operands);
        return usage_hint(command);
    }
    if (arguments->operand_count > command->operand_maximum) {
        cli_error("sonde %s does not know what to do with '%s'", command->name,
                  arguments->operands[command->operand_maximum]);
        return usage_hint(command);
    }
    return -1;
}

/* Give options that also take a single dash the second one, which is what
 * getopt_long understands. */
static bool double_dashes(const struct cli_command *command, int argc, char **argv,
                          struct cli_arguments *arguments)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        for (const enum cli_option_id *id = command->options; *id != CLI_OPTION_END; id++) {
            const struct cli_option *option = cli_option_find(*id);
            size_t length = strlen(option->name);
            if (option->letter != '-' || argv[i][0] != '-' ||
                strncmp(argv[i] + 1, option->name, length) != 0 ||
                (argv[i][1 + length] != '\0' && argv[i][1 + length] != '='))
                continue;
            size_t size = strlen(argv[i]) + 2;
            char **grown = realloc(arguments->own, (arguments->own_count + 1) * sizeof *grown);
            if (grown == NULL)
                return false;
            arguments->own = grown;
            char *word = malloc(size);
            if (word == NULL)
                return false;
            snprintf(word, size, "-%s", argv[i]);
            argv[i] = arguments->own[arguments->own_count++] = word;
            break;
        }
    }
    return true;
}

int cli_parse(const struct cli_command *command, int argc, char **argv,
              struct cli_arguments *arguments)
{
    struct getopt_tables tables;
    make_tables(command, &tables);
    memset(arguments, 0, sizeof *arguments);
    arguments->command = command;
    if (!double_dashes(command, argc, argv, arguments)) {
        cli_error("out of memory");
        return CLI_EXIT_FAILURE;
    }
    optind = 0;
    opterr = 0;
    for (;;) {
        int before = optind > 0 ? optind : 1;
        int value = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
        if (value == -1)
            break;
        if (value == '?')
            return unknown_option(command, &tables, argv[optind > before ? optind - 1 : before]);
        const struct cli_option *option = option_of_value(&tables, value == ':' ? optopt : value);
        if (value == ':') {
            cli_error("--%s needs a value: --%s %s", option->name, option->name, option->argument);
            return usage_hint(command);
        }
        int status = take_option(command, option, arguments);
        if (status >= 0)
            return status;
    }
    arguments->operands = argv + optind;
    arguments->operand_count = (size_t)(argc - optind);
    return check_operands(command, arguments);
}

void cli_arguments_clear(struct cli_arguments *arguments)
{
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        free(arguments->options[i].items);
    for (size_t i = 0; i < arguments->own_count; i++)
        free(arguments->own[i]);
    free(arguments->own);
    memset(arguments, 0, sizeof *arguments);
}

bool cli_given(const struct cli_arguments *arguments, enum cli_option_id id)
{
    return arguments->options[id].count > 0;
}

const char *cli_value(const struct cli_arguments *arguments, enum cli_option_id id,
                      const char *fallback)
{
    const struct cli_values *values = &arguments->options[id];
    return values->count > 0 ? values->items[values->count - 1] : fallback;
}

bool cli_value_number(const struct cli_arguments *arguments, enum cli_option_id id,
                      unsigned long maximum, unsigned long *number)
{
    const char *text = cli_value(arguments, id, NULL);
    if (text == NULL)
        return true;
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value > maximum) {
        cli_error("--%s takes a number from 0 to %lu, not '%s'", cli_option_find(id)->name, maximum,
                  text);
        return false;
    }
    *number = value;
    return true;
}

bool cli_value_size(const struct cli_arguments *arguments, enum cli_option_id id, uint64_t maximum,
                    uint64_t *size)
{
    static const char units[] = "KMG";
    const char *text = cli_value(arguments, id, NULL);
    if (text == NULL)
        return true;
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end & ~0x20) : NULL;
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    bool good = *text >= '0' && *text <= '9' && (*end == '\0' || (unit != NULL && end[1] == '\0'));
    if (!good || value > maximum >> shift) {
        cli_error("--%s takes a number of bytes up to %llu, such as 64M, not '%s'",
                  cli_option_find(id)->name, (unsigned long long)maximum, text);
        return false;
    }
    *size = (uint64_t)value << shift;
    return true;
}
