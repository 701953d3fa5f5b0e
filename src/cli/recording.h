/* The events of a simulated firmware into a run directory. */
#ifndef SONDE_CLI_RECORDING_H
#define SONDE_CLI_RECORDING_H

#include "sonde/msp430_sim.h"

struct recording;

/* Start a run in `directory` for a loaded program. NULL when that fails (said). */
struct recording *recording_begin(const char *directory, const char *firmware, const char *device,
                                  const struct sonde_msp430_sim *sim);
void recording_add(struct recording *recording, const struct sonde_msp430_event *event);
/* Write what is left and how the run ended, and free; says where it is unless
 * `quiet`. False when anything could not be written (said). */
bool recording_end(struct recording *recording, const struct sonde_msp430_sim *sim,
                   const struct sonde_msp430_result *result, bool quiet);

#endif
