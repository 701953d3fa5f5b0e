/* The lines that end a run: what was seen, what was left out, what it cost. */
#ifndef SONDE_CLI_SUMMARY_H
#define SONDE_CLI_SUMMARY_H

#include "cli/program.h"
#include "sonde/trace.h"

struct summary {
    const struct sonde_trace *trace;
    const struct target *target;
    const struct server *server; /* stopped; its totals, when it has any */
    const struct program_end *end;
    const char *program;
    const char *directory; /* as the user names it */
};

void summary_print(const struct summary *summary);

#endif
