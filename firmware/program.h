/* What a program of this folder is: run() gives its result. `int` has 16 bits
 * on the MSP430 and 32 on the host that checks the result, so programs use
 * types of fixed width. */
#ifndef FIRMWARE_PROGRAM_H
#define FIRMWARE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

uint16_t run(void);

#ifdef __MSP430__
#define REGISTER8(address)  (*(volatile uint8_t *)(address))
#define REGISTER16(address) (*(volatile uint16_t *)(address))
#endif

/* Keeps a call from becoming a part of its caller. */
#define NOINLINE __attribute__((noinline))

#endif
