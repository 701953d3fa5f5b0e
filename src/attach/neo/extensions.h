/* Functions that a program asks the driver for by name: pointers to memory that
 * only they hand out, and enqueues that no table of entry points has. */
#ifndef SONDE_ATTACH_NEO_EXTENSIONS_H
#define SONDE_ATTACH_NEO_EXTENSIONS_H

/* See the program ask, from the first question on: they may come before there
 * is a context. `handle`: the driver, just loaded. */
void attach_extensions_hook(void *handle);

#endif
