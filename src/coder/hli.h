/* A compiled probe, made to run in one channel. */
#ifndef SONDE_CODER_HLI_H
#define SONDE_CODER_HLI_H

#include "sonde/hli.h"

#define HLI_FIRST_ARGUMENT 26u /* register */
#define HLI_ARGUMENT_LIMIT 32u /* registers */

struct sonde_hli_function {
    char *name;
    enum sonde_gen_platform platform;
    /* Branches are jmpi with jip = instructions (not bytes) to go, from the
     * branch itself; they may lead behind the last one. */
    struct sonde_gen_instruction *instructions;
    size_t count;
};

#endif
