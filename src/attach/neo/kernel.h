/* Kernels as the driver creates them. */
#ifndef SONDE_ATTACH_NEO_KERNEL_H
#define SONDE_ATTACH_NEO_KERNEL_H

#include "attach/neo/session.h"

/* The driver's callback. *out always gets a binary that computes what the
 * original computes: both bodies, or a copy of the original. */
void attach_kernel_create(gtpin_handle context, const struct gtpin_kernel_in *in,
                          struct gtpin_kernel_out *out);

/* Lock held. Kernel of the id that the driver hands back, NULL when unknown. */
struct attach_kernel *attach_kernel_find(uint64_t kernel_id);
/* Lock held. A kernel that the driver never offered; made at the first call
 * for that name. NULL when out of memory. */
struct attach_kernel *attach_kernel_unseen(const char *name);
/* Lock held. The kernel's record, once a writer. */
void attach_kernel_write(struct attach_kernel *kernel);

#endif
