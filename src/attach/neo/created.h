/* Which of our kernels stands behind a cl_kernel of the program. */
#ifndef SONDE_ATTACH_NEO_CREATED_H
#define SONDE_ATTACH_NEO_CREATED_H

#include "attach/neo/session.h"

/* Around a call of the program that creates kernels, in its thread. The end
 * names the kernels that it made, in order; `name` tells the name of each. */
void attach_created_begin(void);
void attach_created_end(void *const *cl_kernels, size_t count,
                        bool (*has_name)(void *cl_kernel, const char *name));
/* The driver offered `kernel` in this thread. */
void attach_created_note(struct attach_kernel *kernel);
/* Lock held. NULL when it cannot be told. */
struct attach_kernel *attach_created_find(const void *cl_kernel);

#endif
