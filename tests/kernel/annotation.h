/* Taking scoreboard annotations away, to see whether that is noticed. */
#ifndef TESTS_KERNEL_ANNOTATION_H
#define TESTS_KERNEL_ANNOTATION_H

#include "sonde/gen.h"

enum annotation_change {
    ANNOTATION_REMOVE, /* the wait, not the token that the instruction gets */
    ANNOTATION_WEAKEN, /* one instruction farther back; a payload's reading for a result */
};

/* Change the field of the native 16-byte instruction. False when it waits for
 * nothing, or cannot wait for less. */
bool annotation_change(enum sonde_gen_platform platform, uint8_t word[16],
                       enum annotation_change change);

#endif
