/* The command line: one table of commands and one of options. Parsing, help,
 * the man page and shell completion are all derived from the two. */
#ifndef SONDE_CLI_CLI_H
#define SONDE_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/words.h"
#include "sonde/status.h"

enum cli_exit {
    CLI_EXIT_OK = 0,
    CLI_EXIT_FAILURE = 1,
    CLI_EXIT_USAGE = 2,
    /* Around a program, as env(1) and timeout(1) use them. */
    CLI_EXIT_SONDE = 125,
    CLI_EXIT_CANNOT_EXECUTE = 126,
    CLI_EXIT_PROGRAM_NOT_FOUND = 127,
};

enum cli_option_id {
    CLI_OPTION_END,
    CLI_OPTION_TOOL,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_INPUT,
    CLI_OPTION_KERNEL,
    CLI_OPTION_EXCLUDE,
    CLI_OPTION_SKIP,
    CLI_OPTION_TAKE,
    CLI_OPTION_THREAD_MASK,
    CLI_OPTION_GROUPS,
    CLI_OPTION_REGISTERS,
    CLI_OPTION_ADDRESSING,
    CLI_OPTION_RECORDS,
    CLI_OPTION_MAX_BUFFER,
    CLI_OPTION_COUNTS,
    CLI_OPTION_SCHEMA,
    CLI_OPTION_AT,
    CLI_OPTION_VALUES,
    CLI_OPTION_VALUES_AT,
    CLI_OPTION_DEVICE,
    CLI_OPTION_QUIET,
    CLI_OPTION_REPORT,
    CLI_OPTION_COMPARE,
    CLI_OPTION_COLUMNS,
    CLI_OPTION_SORT,
    CLI_OPTION_FORMAT,
    CLI_OPTION_JSON,
    CLI_OPTION_DISPATCH,
    CLI_OPTION_THREAD,
    CLI_OPTION_TIME,
    CLI_OPTION_LIMIT,
    CLI_OPTION_TOTAL,
    CLI_OPTION_PLATFORM,
    CLI_OPTION_PORT,
    CLI_OPTION_THREADS,
    CLI_OPTION_TRUTH,
    CLI_OPTION_MAX_INSTRUCTIONS,
    CLI_OPTION_TIMING,
    CLI_OPTION_CHECK,
    CLI_OPTION_ARGUMENTS,
    CLI_OPTION_LINES,
    CLI_OPTION_MCU,
    CLI_OPTION_UNTIL,
    CLI_OPTION_UART,
    CLI_OPTION_INTERRUPT,
    CLI_OPTION_EVENTS,
    CLI_OPTION_RECORD,
    CLI_OPTION_EXPORT_FORMAT,
    CLI_OPTION_EXPORT_FILE,
    CLI_OPTION_MINIMUM_CYCLES,
    CLI_OPTION_DEPTH,
    CLI_OPTION_FROM,
    CLI_OPTION_TO,
    CLI_OPTION_OUTPUT_FILE,
    CLI_OPTION_ENTER_WORD,
    CLI_OPTION_EXIT_WORD,
    CLI_OPTION_AUTO,
    CLI_OPTION_CORE,
    CLI_OPTION_EXCLUDE_FUNCTION,
    CLI_OPTION_SIDE_TABLE,
    CLI_OPTION_COLOR,
    CLI_OPTION_HELP,
    CLI_OPTION_VERSION,
    CLI_OPTION_MAN,
    CLI_OPTION_COMPLETION,
    CLI_OPTION_COUNT
};

struct cli_option {
    enum cli_option_id id;
    /* 0 = long form only; '-' = that also with a single dash: -name VALUE */
    char letter;
    const char *name;
    const char *argument; /* NULL = a switch */
    const char *help;
    const char *const *choices; /* NULL-terminated, or NULL = free */
    bool repeated;
    bool hidden;
};

/* What a command line said. Options given more than once keep every value
 * when they are `repeated`, else the last. */
struct cli_values {
    const char **items;
    size_t count;
};

struct cli_command;
struct cli_arguments {
    const struct cli_command *command;
    struct cli_values options[CLI_OPTION_COUNT];
    char **operands; /* NULL-terminated */
    size_t operand_count;
    char **own; /* words that parsing made */
    size_t own_count;
};

struct cli_example {
    const char *command;
    const char *what;
};

struct cli_command {
    const char *name; /* one word, or two: "GROUP WORD" */
    const char *summary;
    const char *operands;
    size_t operand_minimum, operand_maximum;
    const char *description;            /* paragraphs, separated by a newline */
    const struct cli_example *examples; /* ends with a NULL command */
    /* The operands are a program to run: the first one ends the options, and
     * every failure of ours is CLI_EXIT_SONDE. */
    bool wraps_program;
    int (*run)(const struct cli_arguments *arguments);
    enum cli_option_id options[24]; /* ends with CLI_OPTION_END */
};

/* --- the tables (table.c) ---------------------------------------------- */
const struct cli_command *cli_command_at(size_t index); /* NULL at the end */
const struct cli_command *cli_command_find(const char *name);
/* The command that words[] begins with, and how many words name it; NULL when
 * there is none. */
const struct cli_command *cli_command_match(char *const *words, size_t count, size_t *used);
/* Whether `word` is the first of commands with two words. */
bool cli_command_is_group(const char *word);
const struct cli_option *cli_option_find(enum cli_option_id id);
/* Exit statuses and environment variables, for help and the man page. */
struct cli_fact {
    const char *name;
    const char *what;
};
const struct cli_fact *cli_exit_facts(void);        /* end with a NULL name */
const struct cli_fact *cli_environment_facts(void); /* end with a NULL name */

/* --- parsing (parse.c) --------------------------------------------------- */
/* argv[0] is the command's own word. Returns -1 when the command is to run,
 * else the exit status (--help, usage errors), everything said. */
int cli_parse(const struct cli_command *command, int argc, char **argv,
              struct cli_arguments *arguments);
void cli_arguments_clear(struct cli_arguments *arguments);
bool cli_given(const struct cli_arguments *arguments, enum cli_option_id id);
/* The last value of an option, or `fallback`. */
const char *cli_value(const struct cli_arguments *arguments, enum cli_option_id id,
                      const char *fallback);
/* A decimal option value up to `maximum`; false when it is none (said). */
bool cli_value_number(const struct cli_arguments *arguments, enum cli_option_id id,
                      unsigned long maximum, unsigned long *number);

/* A number of bytes, with K, M or G for powers of 1024. */
bool cli_value_size(const struct cli_arguments *arguments, enum cli_option_id id, uint64_t maximum,
                    uint64_t *size);

/* --- texts derived from the tables --------------------------------------- */
void cli_print_overview(FILE *out);
void cli_print_command_help(const struct cli_command *command, FILE *out);
void cli_print_man(FILE *out);
void cli_print_completion(FILE *out);

/* --- messages (message.c) ------------------------------------------------ */
enum cli_color {
    CLI_COLOR_AUTO,
    CLI_COLOR_ALWAYS,
    CLI_COLOR_NEVER,
};
void cli_message_set_color(enum cli_color color);
bool cli_message_uses_color(FILE *stream);
void cli_message_set_quiet(bool quiet);
/* One line each on stderr; cli_note is silent when quiet. */
void cli_error(const char *format, ...) SONDE_PRINTF(1, 2);
void cli_warning(const char *format, ...) SONDE_PRINTF(1, 2);
void cli_note(const char *format, ...) SONDE_PRINTF(1, 2);
/* What follows the error before it: what to do about it. */
void cli_hint(const char *format, ...) SONDE_PRINTF(1, 2);

/* --- commands (cmd_*.c) --------------------------------------------------- */
int cmd_help(const struct cli_arguments *arguments);

#endif
