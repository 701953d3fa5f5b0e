/* The program that `sonde run` and `sonde verify` wrap: its environment, its
 * start, its signals, its end. */
#ifndef SONDE_CLI_PROGRAM_H
#define SONDE_CLI_PROGRAM_H

#include "cli/server.h"
#include "cli/target.h"

/* How a program is to be started. */
struct program_plan {
    char **argv; /* NULL-terminated */
    const struct target *target;
    const struct target_driver *driver;
    const char *attach_library;
    const char *trace;           /* absolute path of the run directory */
    const char *tools;           /* comma-separated */
    const char *mode;            /* ATTACH_MODE_* */
    const char *registers;       /* ATTACH_REGISTERS_*, NULL = default */
    const char *addressing;      /* ATTACH_ADDRESSING_*, NULL = default */
    const char *records;         /* ATTACH_RECORDS_*, NULL = default */
    const char *counts;          /* run with stored counts, NULL = none */
    const char *maximum_records; /* bytes, decimal, NULL = default */
    const char *schema;          /* probes in short, NULL = none */
    const char *filter;          /* lines for ATTACH_ENV_FILTER, NULL = everything */
    uint16_t port;               /* of the emulated GPU */
    const char *standard_input;  /* file to redirect from, NULL = ours */
    const char *standard_output; /* file to redirect to, NULL = ours */
    bool fixed_addresses;        /* no address-space randomisation */
};

struct program_end {
    int exit_status; /* what a shell would report: 128 + signal when killed */
    int signal;      /* that killed it, 0 = exited by itself */
    bool server_died;
};

/* -1 when the program can be started, else CLI_EXIT_PROGRAM_NOT_FOUND or
 * CLI_EXIT_CANNOT_EXECUTE, said. */
int program_check(const char *name);
/* Start, pass on signals, wait. Returns -1 with *end filled, or the exit
 * status for a program that could not be started, said. */
int program_run(const struct program_plan *plan, struct server *server, struct program_end *end);
/* Words joined as a shell would read them; free() it. NULL: out of memory. */
char *program_command_line(char **argv);

#endif
