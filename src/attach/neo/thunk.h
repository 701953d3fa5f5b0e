/* Seeing every enqueue call of the program without knowing its arguments: a
 * thunk notes the queue, which is the first one, and jumps to the driver. */
#ifndef SONDE_ATTACH_NEO_THUNK_H
#define SONDE_ATTACH_NEO_THUNK_H

#include <stddef.h>

#define ATTACH_THUNK_LIMIT 40

/* The next thunk, which jumps to `target`; NULL when all are taken. */
void *attach_thunk_make(void *target);

#endif
