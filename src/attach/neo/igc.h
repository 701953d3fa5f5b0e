/* The compiler's answer, as the driver hands it over: a pointer and no size. */
#ifndef SONDE_ATTACH_NEO_IGC_H
#define SONDE_ATTACH_NEO_IGC_H

#include <stddef.h>

/* Bytes of the answer at `igc_info` by its own sizes; 0 when they make no
 * sense: too many tokens, a token shorter than its header, or larger than the
 * patch token of the program binary around it. That is where the driver points
 * into, so the 8 bytes in front are readable too. */
size_t attach_igc_info_size(const void *igc_info);

#endif
