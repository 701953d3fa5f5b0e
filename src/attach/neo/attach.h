/* Getting hold of the driver. */
#ifndef SONDE_ATTACH_NEO_ATTACH_H
#define SONDE_ATTACH_NEO_ATTACH_H

#include <stdbool.h>

/* `path` names the OpenCL driver that this library attaches to. Called for
 * every dlopen of the program: cheap, and safe before any constructor ran. */
bool attach_is_driver(const char *path);
/* The driver is loaded, `handle` is its dlopen handle: connect to it, once in
 * a process. True when connected. */
bool attach_to_driver(void *handle);

#endif
