/* What `sonde run` and `sonde verify` have in common: finding everything that
 * a run needs before anything is started. */
#ifndef SONDE_CLI_SESSION_H
#define SONDE_CLI_SESSION_H

#include "cli/program.h"

struct session {
    struct target target;
    struct target_driver driver;
    char attach_library[PATH_MAX];
    char *tools;            /* comma-separated */
    char *schema;           /* probes in short, NULL = none */
    char *threads, *groups; /* that a schema chooses, or NULL */
    char *filter;           /* lines of ATTACH_ENV_FILTER, NULL = everything */
    const char *registers;
    const char *addressing;         /* ATTACH_ADDRESSING_*, NULL = default */
    const char *records;            /* ATTACH_RECORDS_*, NULL = default */
    char counts[PATH_MAX];          /* run with stored counts, absolute, "" = none */
    char maximum_records[24];       /* decimal, "" = default */
    unsigned long max_instructions; /* 0 = the device's default */
    bool events;                    /* in the ground truth */
    bool timing, check;
};

/* Returns -1 or the exit status, everything said. Clear it in both cases. */
int session_prepare(const struct cli_arguments *arguments, struct session *session);
void session_clear(struct session *session);
/* A program plan with all that the session knows. */
struct program_plan session_plan(const struct session *session, char **argv, const char *trace);
/* Start the emulated GPU for this session, unless the device is real. Returns
 * -1 or the exit status, said. */
int session_start_server(const struct session *session, const char *truth, struct server *server);

#endif
