/* A simulator under random code: the numbers drawn, and words put into its memory. */
#ifndef TESTS_MSP430_RANDOM_CODE_H
#define TESTS_MSP430_RANDOM_CODE_H

#include "sonde/msp430_sim.h"

static struct sonde_msp430_sim *sim;
static uint64_t state;
static uint32_t put_at;

static uint32_t below(uint32_t bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % bound);
}

static uint32_t reg(unsigned index)
{
    return sonde_msp430_sim_register(sim, index);
}

static void put(uint32_t word)
{
    uint8_t bytes[2] = {(uint8_t)word, (uint8_t)(word >> 8)};
    sonde_msp430_sim_write(sim, put_at, bytes, 2);
    put_at += 2;
}

#endif
