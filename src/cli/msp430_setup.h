/* What the command line says about a firmware's run. */
#ifndef SONDE_CLI_MSP430_SETUP_H
#define SONDE_CLI_MSP430_SETUP_H

#include <stdio.h>

#include "cli/cli.h"
#include "sonde/msp430_sim.h"

struct recording;

/* A firmware's run; the context of the simulator's callbacks. */
struct msp430_run {
    struct sonde_msp430_sim *sim;
    const char *until_output; /* NULL = not asked for */
    size_t until_matched;     /* bytes of it that were sent last */
    bool shows_events;
    struct recording *recording; /* NULL = none */
};

/* All false when something is wrong (said). */
bool msp430_read_file(const char *path, uint8_t **data, size_t *size);
/* An existing file is replaced only by a whole new one; - is stdout. */
bool msp430_write_file(const char *path, const void *data, size_t size);
/* --mpge and --mpgx; words that are not given stay. */
bool msp430_take_markers(const struct cli_arguments *arguments,
                         struct sonde_msp430_markers *markers);
/* --until: cycles, output=TEXT or a symbol. */
bool msp430_take_until(const struct cli_arguments *arguments, struct msp430_run *run,
                       struct sonde_msp430_limits *limits);
/* --interrupt CYCLE:VECTOR, each. */
bool msp430_take_interrupts(const struct cli_arguments *arguments, struct sonde_msp430_sim *sim);
/* --uart FILE: what the first UART receives. */
bool msp430_take_uart(const struct cli_arguments *arguments, struct sonde_msp430_sim *sim);
/* --side-table FILE, for the firmware image that was loaded. */
bool msp430_take_side_table(const struct cli_arguments *arguments, struct sonde_msp430_sim *sim,
                            const void *image, size_t size);
/* A byte that the firmware sent: to stdout, and the end of --until output=. */
void msp430_output(struct msp430_run *run, uint8_t byte);

#endif
