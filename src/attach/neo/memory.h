/* What a profile buffer holds besides counters and records: its own address,
 * and copies of the tools' memory. */
#ifndef SONDE_ATTACH_NEO_MEMORY_H
#define SONDE_ATTACH_NEO_MEMORY_H

#include "attach/neo/session.h"

/* Before the device gets the buffer, when everything else is in it. */
void attach_memory_prepare(const struct attach_dispatch *dispatch);
/* When it is done: into the tools' memory. */
void attach_memory_take(const struct attach_dispatch *dispatch);

#endif
