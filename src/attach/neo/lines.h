/* Source lines of kernels, for tools that ask for them. Reading them takes
 * libdw, which programs are spared: it comes with a library of its own that
 * is loaded when it is needed. */
#ifndef SONDE_ATTACH_NEO_LINES_H
#define SONDE_ATTACH_NEO_LINES_H

#include "tools/host.h"

/* Of the ELF that the compiler wrote for a kernel; find NULL when there are
 * none. Close it in any case. */
void attach_lines_open(const uint8_t *elf, size_t size, struct tools_lines *lines);
void attach_lines_close(struct tools_lines *lines);

#endif
