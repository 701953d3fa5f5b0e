#include "isa/msp430/internal.h"

struct sonde_msp430_markers sonde_msp430_default_markers(enum sonde_msp430_core core)
{
    if (core == SONDE_MSP430_CORE_CPU)
        return (struct sonde_msp430_markers){.enter = 0x0001, .exit = 0x0002};
    return (struct sonde_msp430_markers){.enter = 0x13c1, .exit = 0x13c2};
}

static bool is_defined(enum sonde_msp430_core core, uint16_t word)
{
    /* The decoder tells RETI's undefined low bits apart; hardware may not. */
    return msp430_is_extension(core, word) || (word & 0xffc0) == 0x1300 ||
           msp430_encoding_find(core, word) != NULL;
}

enum sonde_status sonde_msp430_markers_check(enum sonde_msp430_core core,
                                             struct sonde_msp430_markers markers,
                                             struct sonde_error *error)
{
    if (markers.enter == markers.exit)
        return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                               "the enter and the exit marker are both 0x%04x; they must differ",
                               markers.enter);
    const uint16_t words[] = {markers.enter, markers.exit};
    for (size_t i = 0; i < 2; i++) {
        if (is_defined(core, words[i])) {
            struct sonde_msp430_markers safe = sonde_msp430_default_markers(SONDE_MSP430_CORE_CPUX);
            return sonde_error_set(error, SONDE_ERROR_ARGUMENT, 0,
                                   "0x%04x cannot mark: it is an instruction on this core; "
                                   "0x%04x and 0x%04x are none on any",
                                   words[i], safe.enter, safe.exit);
        }
    }
    return SONDE_OK;
}
