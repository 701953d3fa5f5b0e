/* Places and faults of a firmware in words. */
#ifndef SONDE_CLI_MSP430_FAULT_H
#define SONDE_CLI_MSP430_FAULT_H

#include "sonde/msp430_sim.h"

/* An address with its function, into text[128]; returns it. */
const char *msp430_place(const struct sonde_msp430_sim *sim, uint32_t address, char text[128]);
/* On stderr: the reason, the instruction, the registers, the calls. */
void msp430_print_fault(const struct sonde_msp430_sim *sim,
                        const struct sonde_msp430_result *result);

#endif
