/* sonde: the program. Everything else of Sonde neither prints nor exits. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "device/device.h"
#include "trace/format.h"

/* The first word names a group, and no command of it follows. */
static int incomplete_command(const char *group, const char *word)
{
    char list[256] = "";
    struct base_suggestion suggestion;
    const struct cli_command *command;
    size_t length = strlen(group);
    base_suggestion_begin(&suggestion, word != NULL ? word : "");
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (strncmp(command->name, group, length) != 0 || command->name[length] != ' ')
            continue;
        base_suggestion_offer(&suggestion, command->name + length + 1);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                 command->name + length + 1);
    }
    const char *meant = word != NULL ? base_suggestion_end(&suggestion) : NULL;
    if (meant != NULL)
        cli_error("there is no command '%s %s'; did you mean '%s %s'?", group, word, group, meant);
    else if (word != NULL)
        cli_error("there is no command '%s %s', but: %s", group, word, list);
    else
        cli_error("%s needs one of: %s", group, list);
    cli_hint("try 'sonde --help'");
    return CLI_EXIT_USAGE;
}

static int unknown_command(const char *word)
{
    struct base_suggestion suggestion;
    const struct cli_command *command;
    base_suggestion_begin(&suggestion, word);
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        base_suggestion_offer(&suggestion, command->name);
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        cli_error("there is no command '%s'; did you mean '%s'?", word, meant);
    else
        cli_error("there is no command '%s'", word);
    cli_hint("try 'sonde --help'");
    return CLI_EXIT_USAGE;
}

static void print_version(void)
{
    const struct device_model *model;
    printf("sonde " SONDE_VERSION "\ntrace format %u\ndevices hw", TRACE_VERSION);
    for (unsigned i = 0; (model = device_model_at(i)) != NULL; i++)
        printf(" emu:%s", model->name);
    putchar('\n');
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        cli_print_overview(stderr);
        return CLI_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_print_overview(stdout);
        return CLI_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        print_version();
        return CLI_EXIT_OK;
    }
    size_t words = 1;
    const struct cli_command *command = cli_command_match(argv + 1, (size_t)argc - 1, &words);
    if (command == NULL && cli_command_is_group(argv[1]))
        return incomplete_command(argv[1], argv[2]);
    if (command == NULL)
        return unknown_command(argv[1]);
    struct cli_arguments arguments;
    int status = cli_parse(command, argc - (int)words, argv + words, &arguments);
    if (status < 0)
        status = command->run(&arguments);
    cli_arguments_clear(&arguments);
    return status;
}

int main(int argc, char **argv)
{
    int status = run_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        if (errno != EPIPE)
            cli_error("cannot write the output: %s", strerror(errno));
        return status == CLI_EXIT_OK ? CLI_EXIT_FAILURE : status;
    }
    return status;
}
