/* Kernels for which the driver holds submissions that never ran. */
#ifndef SONDE_ATTACH_NEO_STALE_H
#define SONDE_ATTACH_NEO_STALE_H

#include <stdbool.h>

/* Lock held. One more such submission, with a buffer, of this cl_kernel. */
void attach_stale_add(void *cl_kernel);
/* Lock held. True when there is one; it is then used up. */
bool attach_stale_take(void *cl_kernel);

/* Lock held. Whether attach_stale_take would find the kernel. */
bool attach_stale_has(const void *cl_kernel);

#endif
