/* Multiply-add over values of 64 bits of mantissa, rounded once. */
#ifndef SONDE_EMU_GEN_EXTENDED_H
#define SONDE_EMU_GEN_EXTENDED_H

/* a + b * c, exact to at least 112 bits before the one final rounding. */
long double emu_extended_fma(long double a, long double b, long double c);
double emu_extended_fma_double(long double a, long double b, long double c);

#endif
